/* SPDX-License-Identifier: Apache-2.0 */
/* Running a command in the root of executed steps. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/image.h>

#include "root.h"

/* What is executed is never given more time than a build. */
static enum eb_limit_name time_limit(const uint64_t *limit,
				     enum eb_limit_name asked)
{
	return limit[asked] < limit[EB_LIMIT_BUILD_TIME] ? asked
							 : EB_LIMIT_BUILD_TIME;
}

int eb_root_run(struct eb_root *r, const struct eb_root_command *c, int *status,
		struct eb_error *err)
{
	const uint64_t *limit = r->b->config->limit;
	enum eb_limit_name which = time_limit(limit, c->time);
	const struct eb_sandbox s = {
		.rootfs = r->rootfs,
		.read_only = !c->writable,
		/* As root all that is written is root's only so. */
		.ids = c->writable && (c->owners || geteuid() == 0),
		.argv = c->argv,
		.env = (const char *const *)c->env->v,
		.cwd = c->cwd,
		.mount = c->mount,
		.n_mounts = c->n_mounts,
		.network = c->network,
		.tmp = r->dir,
		.timeout_s = (unsigned)limit[which],
		.timeout_name = eb_limit_names[which],
		.memory = limit[EB_LIMIT_BUILD_MEMORY],
		.disk = limit[EB_LIMIT_BUILD_DISK],
		.processes = (unsigned)limit[EB_LIMIT_BUILD_PROCESSES],
		.log_fd = c->log_fd,
	};

	if (eb_sandbox_run(&s, status, r->b->events, err) < 0)
		return -1;
	if (*status == 128 + SIGINT)
		return eb_err_set(err, EB_INTERRUPTED, "interrupted");
	if (*status == 128 + SIGTERM)
		return eb_err_set(err, EB_TERMINATED, "terminated");
	return 0;
}

/* --- what it finds ----------------------------------------------------------
 */
static const char *base_path(const struct eb_root *r)
{
	const char *path = eb_config_env(r->base->config, "PATH");

	return path && *path ? path : EB_SANDBOX_PATH;
}

int eb_root_open(const struct eb_root *r, const char *path, int flags,
		 unsigned mode)
{
	const struct open_how how = { .flags = (unsigned)(flags | O_CLOEXEC),
				      .mode = mode,
				      .resolve = RESOLVE_IN_ROOT };
	eb_autofd int root =
		open(r->rootfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? -1
			: (int)syscall(SYS_openat2, root, path, &how,
				       sizeof how);
}

bool eb_root_is_program(const struct eb_root *r, const char *path)
{
	eb_autofd int fd = eb_root_open(r, path, O_PATH, 0);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_mode & 0111);
}

bool eb_root_has_python(const struct eb_root *r)
{
	eb_autofree char *path = eb_path_join(r->b->lock->prefix, "bin/python");

	return eb_root_is_program(r, path);
}

/* Old Pythons of conda bring a linker for systems whose own is older. Where the
 * base has one it has to be that: the other does not know what its C library is
 * linked with. */
void eb_root_prefer_linker(const struct eb_root *r)
{
	eb_autofree char *folder =
		eb_asprintf("%s/compiler_compat", r->b->lock->prefix);
	eb_autofd int fd = -1;

	if (!eb_root_is_program(r, "/usr/bin/ld"))
		return;
	fd = eb_root_open(r, folder, O_RDONLY | O_DIRECTORY, 0);
	if (fd >= 0)
		unlinkat(fd, "ld", 0);
}

char *eb_root_program(const struct eb_root *r, const char *const *names)
{
	struct eb_strv folder EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_addf(&folder, "%s/bin", r->b->lock->prefix);
	eb_strv_split(&folder, base_path(r), ":");
	for (; *names; names++)
		for (size_t i = 0; i < folder.n; i++) {
			eb_autofree char *path =
				eb_path_join(folder.v[i], *names);

			if (*path == '/' && eb_root_is_program(r, path))
				return eb_steal(path);
		}
	return NULL;
}

static bool is_ours(const char *pair)
{
	return eb_starts(pair, "PATH=") || eb_starts(pair, "HOME=") ||
	       eb_starts(pair, "PYTHON");
}

void eb_root_env(const struct eb_root *r, const char *before,
		 struct eb_strv *env)
{
	const struct eb_build *b = r->b;
	const json_t *list = json_object_get(
		json_object_get(r->base->config, "config"), "Env");
	json_t *pair;
	size_t i;

	json_array_foreach ((json_t *)list, i, pair) {
		const char *text = json_string_value(pair);

		if (text && !is_ours(text))
			eb_strv_add(env, text);
	}
	eb_strv_addf(env, "PATH=%s%s%s/bin:%s", before ? before : "",
		     before ? ":" : "", b->lock->prefix, base_path(r));
}
