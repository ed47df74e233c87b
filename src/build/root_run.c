/* SPDX-License-Identifier: Apache-2.0 */
/* Running a command in the root of executed steps. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/image.h>

#include "root.h"

int eb_root_run(struct eb_root *r, const struct eb_root_command *c, int *status,
		struct eb_error *err)
{
	const uint64_t *limit = r->b->config->limit;
	const struct eb_sandbox s = {
		.rootfs = r->rootfs,
		.read_only = true,
		.argv = c->argv,
		.env = (const char *const *)c->env->v,
		.cwd = c->cwd,
		.mount = c->mount,
		.n_mounts = c->n_mounts,
		.network = c->network,
		.tmp = r->dir,
		.timeout_s = (unsigned)limit[EB_LIMIT_BUILD_TIME],
		.memory = limit[EB_LIMIT_BUILD_MEMORY],
		.disk = limit[EB_LIMIT_BUILD_DISK],
		.processes = (unsigned)limit[EB_LIMIT_BUILD_PROCESSES],
		.log_fd = c->log_fd,
	};

	return eb_sandbox_run(&s, status, r->b->events, err);
}

/* --- what it finds ----------------------------------------------------------
 */
static const char *base_path(const struct eb_build *b)
{
	const struct eb_base *base = b->build_base ? b->build_base : b->base;
	const char *path = eb_config_env(base->config, "PATH");

	return path && *path ? path : EB_SANDBOX_PATH;
}

/* A link counts as what it leads to, wherever that is. */
static bool is_there(const struct eb_root *r, const char *path)
{
	eb_autofree char *full = eb_path_join(r->rootfs, path + 1);
	struct stat st;

	return lstat(full, &st) == 0 &&
	       (S_ISLNK(st.st_mode) ||
		(S_ISREG(st.st_mode) && (st.st_mode & 0111)));
}

char *eb_root_program(const struct eb_root *r, const char *const *names)
{
	struct eb_strv folder EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_addf(&folder, "%s/bin", r->b->lock->prefix);
	eb_strv_split(&folder, base_path(r->b), ":");
	for (; *names; names++)
		for (size_t i = 0; i < folder.n; i++) {
			eb_autofree char *path =
				eb_path_join(folder.v[i], *names);

			if (*path == '/' && is_there(r, path))
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
	const struct eb_base *base = b->build_base ? b->build_base : b->base;
	const json_t *list =
		json_object_get(json_object_get(base->config, "config"), "Env");
	json_t *pair;
	size_t i;

	json_array_foreach ((json_t *)list, i, pair) {
		const char *text = json_string_value(pair);

		if (text && !is_ours(text))
			eb_strv_add(env, text);
	}
	eb_strv_addf(env, "PATH=%s%s%s/bin:%s", before ? before : "",
		     before ? ":" : "", b->lock->prefix, base_path(b));
}
