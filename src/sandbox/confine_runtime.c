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

#define MOUNTS 128

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

struct mounts {
	struct eb_mount mount[MOUNTS];
	size_t n;
};

static int add(struct mounts *m, const char *rootfs, const char *const *path,
	       struct eb_error *err)
{
	for (; path && *path; path++) {
		int linked = 0;

		if (!eb_path_exists(*path))
			continue;
		if (strrchr(*path, '/') == *path)
			linked = copy_link(rootfs, *path, err);
		if (linked < 0)
			return -1;
		if (linked)
			continue;
		if (m->n == MOUNTS - 1)
			return eb_err_set(err, EB_MACHINE,
					  "\"%s\", showing it: more than %d "
					  "paths",
					  *path, MOUNTS - 2);
		m->mount[m->n++] =
			(struct eb_mount){ (char *)*path, (char *)*path, true };
	}
	return 0;
}

/* What there is of the system's paths, then root. */
static int list_mounts(const struct eb_confined *c, const char *rootfs,
		       struct mounts *m, struct eb_error *err)
{
	static const char *const *const computing[] = { eb_system_paths, NULL };
	static const char *const *const network[] = { eb_program_paths,
						      eb_network_paths, NULL };
	const char *const *const *list = c->network ? network : computing;

	m->n = 0;
	for (; *list; list++)
		if (add(m, rootfs, *list, err) < 0)
			return -1;
	if (c->network && add(m, rootfs, c->see, err) < 0)
		return -1;
	m->mount[m->n++] = (struct eb_mount){ (char *)c->root, (char *)c->at,
					      !c->network };
	return 0;
}

static int write_config(const struct eb_confined *c,
			struct eb_confined_state *s, struct eb_error *err)
{
	struct mounts m;
	eb_autojson json_t *seccomp = eb_seccomp_json(
		c->network ? EB_CALLS_NETWORK : EB_CALLS_COMPUTE);
	eb_autojson json_t *config = NULL;
	struct eb_sandbox_kind kind = { .confined = true,
					.seccomp = seccomp,
					.no_exec = c->network ? c->at : NULL };
	struct eb_sandbox box = { .rootfs = s->rootfs,
				  .read_only = true,
				  .argv = c->argv,
				  .env = c->env,
				  .cwd = c->network ? c->at : NULL,
				  .mount = m.mount,
				  .network = c->network ? EB_NETWORK_HOST
							: EB_NETWORK_NONE };

	if (list_mounts(c, s->rootfs, &m, err) < 0)
		return -1;
	box.n_mounts = m.n;
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
	const struct eb_form_use use = { .network = c->network
							    ? EB_NETWORK_HOST
							    : EB_NETWORK_NONE,
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
