/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of packages in the sandbox: the root, the shell, the call, and what
 * is said when it goes wrong. */
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/rootfs.h>

#include "script_run.h"

bool eb_script_skip(const char *path, bool folder)
{
	static const char *const all[] = { "dev", "proc", "run",
					   "sys", "tmp",  "var/tmp" };
	static const char *const names[] = { "etc/hostname", "etc/hosts",
					     "etc/machine-id",
					     "etc/resolv.conf" };

	(void)folder;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(path, names[i]))
			return true;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(path, all[i]) || eb_path_is_below(path, all[i]))
			return true;
	return false;
}

void eb_script_fixed_env(const struct eb_build *b, struct eb_strv *env)
{
	int64_t epoch = b->lock->source_date_epoch;

	eb_strv_add(env, "HOME=/root");
	eb_strv_add(env, "LC_ALL=C.UTF-8");
	eb_strv_add(env, "PYTHONDONTWRITEBYTECODE=1");
	eb_strv_add(env, "PYTHONHASHSEED=0");
	eb_strv_addf(env, "SOURCE_DATE_EPOCH=%lld",
		     (long long)(epoch ? epoch : EB_FIXED_MTIME));
}

/* --- what it takes
 * ------------------------------------------------------------
 */
static int hint(const struct eb_script_run *s, struct eb_error *err)
{
	if (!err->hint)
		return eb_err_hint(err, "%s builds without it", s->way_out);
	return eb_err_hint(err, "%s\n  %s builds without it", err->hint,
			   s->way_out);
}

static int make_root(struct eb_build *b, struct eb_error *err)
{
	if (b->image_root)
		return 0;
	if (eb_root_of_image(b, &b->image_root, err) < 0)
		return -1;
	if (!b->post_link.size)
		return 0;
	return eb_rootfs_add(b->store, &b->post_link.blob, 1,
			     b->image_root->rootfs, b->events, err);
}

static int find_shell(struct eb_script_run *s, struct eb_error *err)
{
	static const char *const names[] = { "bash", "sh", NULL };

	s->shell = eb_root_program(s->root, names);
	if (s->shell)
		return 0;
	return eb_err_set(err, EB_MACHINE,
			  "package \"%s\" has a script (%s), and neither the "
			  "base \"%s\" nor a package has a shell",
			  s->whose, s->step, s->b->base->reference);
}

int eb_script_begin(struct eb_script_run *s, struct eb_error *err)
{
	s->log = -1;
	if (make_root(s->b, err) < 0)
		return err->code == EB_MACHINE ? hint(s, err) : -1;
	s->root = s->b->image_root;
	if (find_shell(s, err) < 0)
		return hint(s, err);
	s->log = eb_unnamed_file(s->root->dir, err);
	return s->log < 0 ? -1 : 0;
}

void eb_script_end(struct eb_script_run *s)
{
	free(s->shell);
	eb_cleanup_fd(&s->log);
}

/* --- the call
 * ------------------------------------------------------------------
 */
static int explain(struct eb_script_run *s, struct eb_error *err)
{
	eb_autofree char *text = eb_step_log_tail(s->log);
	eb_autofree char *path = eb_step_log_keep(s->log, s->step);
	EB_AUTOBUF(more, EB_MAX_TEXT);

	if (err->hint) /* of a limit */
		eb_buf_addf(&more, "%s\n  ", err->hint);
	eb_buf_addf(&more, "%s builds without it\n  ", s->way_out);
	eb_step_log_tell(path, text, &more);
	return eb_err_hint(err, "%s", more.data);
}

int eb_script_failed(struct eb_script_run *s, const char *doing,
		     const char *why, struct eb_error *err)
{
	eb_err_set(err, EB_STEP, "%s: %s", doing, why);
	return explain(s, err);
}

int eb_script_call(struct eb_script_run *s, const struct eb_strv *argv,
		   const struct eb_strv *env, const char *cwd,
		   const struct eb_mount *mount, const char *doing, int *status,
		   struct eb_error *err)
{
	const struct eb_root_command command = {
		.argv = (const char *const *)argv->v,
		.env = env,
		.cwd = cwd,
		.mount = mount,
		.n_mounts = mount != NULL,
		.network = EB_NETWORK_NONE,
		.time = EB_LIMIT_BUILD_TIME,
		.writable = true,
		.log_fd = s->log,
	};

	if (eb_root_run(s->root, &command, status, err) == 0)
		return 0;
	if (err->code == EB_MACHINE)
		return hint(s, err);
	if (err->code != EB_STEP)
		return -1;
	eb_err_prefix(err, "%s", doing);
	return explain(s, err);
}
