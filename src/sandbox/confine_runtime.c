/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Confined by an OCI runtime: the root file system is an empty folder, into
 * which the scratch folder and the system's libraries are mounted read-only.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "confine_state.h"
#include "sandbox_config.h"
#include "seccomp.h"

#define MOUNTS 8

/* A link of the system (/lib -> usr/lib) is a link inside too. 1: done, 0:
 * to be mounted. */
static int copy_link(const char *rootfs, const char *path, struct eb_error *err)
{
	eb_autofree char *inside = eb_path_join(rootfs, path + 1);
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof target - 1);

	if (n < 0)
		return 0;
	target[n] = '\0';
	if (symlink(target, inside) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", making a link", inside);
	return 1;
}

/* root first, then what there is of the system's paths. */
static int list_mounts(const struct eb_confined *c, const char *rootfs,
		       struct eb_mount *mount, size_t *n, struct eb_error *err)
{
	const char *const *path;
	int linked;

	mount[0] = (struct eb_mount){ (char *)c->root, (char *)c->at, true };
	*n = 1;
	for (path = eb_system_paths; *path && *n < MOUNTS; path++) {
		if (!eb_path_exists(*path))
			continue;
		linked = copy_link(rootfs, *path, err);
		if (linked < 0)
			return -1;
		if (!linked)
			mount[(*n)++] =
				(struct eb_mount){ (char *)*path, (char *)*path,
						   true };
	}
	return 0;
}

static int write_config(const struct eb_confined *c,
			struct eb_confined_state *s, struct eb_error *err)
{
	struct eb_mount mount[MOUNTS];
	eb_autojson json_t *seccomp = eb_seccomp_json(), *config = NULL;
	struct eb_sandbox_kind kind = { .confined = true, .seccomp = seccomp };
	struct eb_sandbox box = { .rootfs = s->rootfs,
				  .read_only = true,
				  .argv = c->argv,
				  .env = c->env,
				  .mount = mount,
				  .network = EB_NETWORK_NONE };

	if (list_mounts(c, s->rootfs, mount, &box.n_mounts, err) < 0)
		return -1;
	config = eb_sandbox_config(&box, &s->bundle.form, &kind, err);
	return config ? eb_bundle_write(&s->bundle, config, err) : -1;
}

/* The runtime gets our environment, the process inside the given one. */
static int start(struct eb_confined *c, struct eb_confined_state *s,
		 struct eb_error *err)
{
	s->rootfs = eb_path_join(s->bundle.dir, "rootfs");
	if (eb_mkdirs(s->rootfs, 0755, err) < 0 || write_config(c, s, err) < 0)
		return -1;
	eb_confined_limits(c, &s->bundle.setup);
	s->process.env = NULL;
	s->process.new_group = true;
	eb_bundle_process(&s->bundle, &s->process);
	if (eb_process_start(&s->process, err) < 0)
		return -1;
	c->way = s->bundle.form.crun ? "crun" : "runc";
	return 0;
}

int eb_confined_by_runtime(struct eb_confined *c, struct eb_confined_state *s,
			   struct eb_error *err)
{
	static const struct eb_form_use use = { .network = EB_NETWORK_NONE,
						.confined = true };
	struct eb_form form EB_CLEANUP(eb_form_release) = { 0 };

	if (eb_form_find(&use, c->tmp, &form, err) < 0)
		return -1;
	s->bundled = true;
	if (eb_bundle_open(&s->bundle, &form, c->tmp, err) < 0)
		return -1;
	if (start(c, s, err) == 0)
		return 0;
	eb_form_forget();
	return -1;
}
