/* SPDX-License-Identifier: Apache-2.0 */
/*
 * post-link scripts, one after the other, in the sandbox, as conda runs them:
 * sourced by a shell that has sourced the activation scripts, in the prefix's
 * bin. What one leaves in .messages.txt is told, and is no part of the layer.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "script_run.h"

#define MESSAGES ".messages.txt"
#define MAX_MESSAGES ((size_t)64 << 10)
#define SHOWN 3

static const char driver[] =
	"for _envbuild in \"$PREFIX\"/etc/conda/activate.d/*.sh; do\n"
	"	[ ! -f \"$_envbuild\" ] || . \"$_envbuild\"\n"
	"done\n"
	"unset _envbuild\n"
	"umask 022\n"
	"cd \"$PREFIX/bin\" || exit\n"
	". \"$PREFIX/bin/.$PKG_NAME-post-link.sh\"\n";

/* --- messages
 * ------------------------------------------------------------------
 */
static void tell_lines(struct eb_build *b, const char *name, const char *text)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };
	eb_autofree char *clean = eb_printable(text);

	eb_strv_split(&line, clean, "\n");
	for (size_t i = 0; i < line.n; i++)
		if (*line.v[i])
			eb_note(b->events, "package \"%s\" says: %s", name,
				line.v[i]);
}

/* It may be anything that a script has made. */
static char *read_messages(int folder)
{
	eb_autofd int fd =
		openat(folder, MESSAGES,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	eb_autofree char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	text = eb_calloc(MAX_MESSAGES + 1, 1);
	n = read(fd, text, MAX_MESSAGES);
	for (ssize_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	return n > 0 ? eb_steal(text) : NULL;
}

static void take_messages(struct eb_script_run *s, const struct eb_work *w)
{
	eb_autofd int folder = eb_root_open(s->root, s->b->lock->prefix,
					    O_RDONLY | O_DIRECTORY, 0);
	eb_autofree char *text = folder < 0 ? NULL : read_messages(folder);

	if (text)
		tell_lines(s->b, w->name, text);
	if (folder >= 0)
		unlinkat(folder, MESSAGES, 0);
}

/* --- one script
 * ------------------------------------------------------------------
 */
static void fill_env(struct eb_script_run *s, const struct eb_record *r,
		     struct eb_strv *env)
{
	const char *prefix = s->b->lock->prefix;

	eb_root_env(s->root, NULL, env);
	eb_script_fixed_env(s->b, env);
	eb_strv_addf(env, "PREFIX=%s", prefix);
	eb_strv_addf(env, "ROOT_PREFIX=%s", prefix);
	eb_strv_addf(env, "CONDA_PREFIX=%s", prefix);
	eb_strv_addf(env, "CONDA_DEFAULT_ENV=%s", prefix);
	eb_strv_add(env, "CONDA_SHLVL=1");
	eb_strv_addf(env, "PKG_NAME=%s", r->name);
	eb_strv_addf(env, "PKG_VERSION=%s", r->version);
	eb_strv_addf(env, "PKG_BUILDNUM=%llu",
		     (unsigned long long)r->build_number);
}

static int run_one(struct eb_script_run *s, const struct eb_work *w,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv argv = { 0 }, env = { 0 };
	eb_autofree char *cwd = eb_path_join(s->b->lock->prefix, "bin");
	eb_autofree char *doing = eb_asprintf(
		"package \"%s\", running its post-link script", w->file);
	eb_autofree char *why = NULL;
	int status = 0;

	eb_strv_add(&argv, s->shell);
	eb_strv_add(&argv, "-c");
	eb_strv_add(&argv, driver);
	fill_env(s, &w->package->record, &env);
	if (eb_script_call(s, &argv, &env, cwd, NULL, doing, &status, err) < 0)
		return -1;
	take_messages(s, w);
	if (!status)
		return 0;
	why = eb_asprintf("it ended with status %d", status);
	return eb_script_failed(s, doing, why, err);
}

static int run_all(struct eb_script_run *s, struct eb_error *err)
{
	struct eb_build *b = s->b;

	for (size_t i = 0; i < b->n; i++)
		if (eb_is_post_link(b, &b->work[i]) &&
		    run_one(s, &b->work[i], err) < 0)
			return -1;
	return 0;
}

/* --- what they changed of packages
 * --------------------------------------------- It is written down, for what
 * packages say of these paths is not true any more.
 */
static int write_list(struct eb_script_run *s, const struct eb_strv *path,
		      struct eb_error *err)
{
	eb_autofree char *name =
		eb_path_join(s->b->lock->prefix, EB_POST_LINK_CHANGED);
	EB_AUTOBUF(text, EB_MAX_TEXT);
	eb_autofd int fd = -1;

	for (size_t i = 0; i < path->n; i++)
		eb_buf_addf(&text, "%s\n", path->v[i]);
	fd = eb_root_open(s->root, name,
			  O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", writing",
				    name);
	fchmod(fd, 0644);
	return eb_write_all(fd, text.data, text.len, name, err);
}

static void tell_changed(struct eb_build *b, const struct eb_strv *path)
{
	for (size_t i = 0; i < path->n && i < SHOWN; i++)
		eb_note(b->events, "post-link scripts changed \"%s\"",
			path->v[i]);
	if (path->n > SHOWN)
		eb_note(b->events, "and %zu more files of packages",
			path->n - SHOWN);
}

static int look_at_changes(struct eb_script_run *s,
			   const struct eb_delta *before, struct eb_error *err)
{
	struct eb_delta after EB_CLEANUP(eb_delta_release) = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv all = { 0 }, ours = { 0 };
	eb_autofree char *meta =
		eb_path_join(s->b->lock->prefix + 1, "conda-meta");
	size_t n_new;

	if (eb_delta_scan(s->root->rootfs, eb_script_skip, &after, err) < 0)
		return -1;
	eb_delta_changed(before, &after, &all, &n_new);
	for (size_t i = 0; i < all.n; i++) {
		const char *path = all.v[i];

		if (eb_path_is_below(path, meta)) {
			eb_autofree char *doing = eb_asprintf(
				"\"%s\", running post-link scripts", path);

			return eb_script_failed(s, doing, "one has changed it",
						err);
		}
		if (eb_path_is_below(path, s->b->lock->prefix + 1))
			eb_strv_add(&ours, path + strlen(s->b->lock->prefix));
	}
	tell_changed(s->b, &ours);
	return ours.n ? write_list(s, &ours, err) : 0;
}

/* --- all
 * -------------------------------------------------------------------------
 */
static const char *first(const struct eb_build *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (eb_is_post_link(b, &b->work[i]))
			return b->work[i].file;
	return "";
}

static int work(struct eb_script_run *s, struct eb_digest *result,
		struct eb_error *err)
{
	struct eb_delta before EB_CLEANUP(eb_delta_release) = { 0 };
	int64_t begun;

	if (eb_script_begin(s, err) < 0 ||
	    eb_delta_scan(s->root->rootfs, eb_script_skip, &before, err) < 0)
		return -1;
	begun = time(NULL) - 1;
	if (run_all(s, err) < 0 || look_at_changes(s, &before, err) < 0)
		return -1;
	return eb_step_layer(s->root, "post-link scripts", eb_script_skip,
			     &before, begun, result, err);
}

int eb_post_link_run(struct eb_build *b, struct eb_digest *result, char **log,
		     struct eb_error *err)
{
	struct eb_script_run s EB_CLEANUP(eb_script_end) = {
		.b = b,
		.step = EB_POST_LINK_STEP,
		.way_out = "--post-link=skip",
		.whose = first(b),
		.log = -1,
	};

	if (work(&s, result, err) < 0)
		return -1;
	*log = eb_step_log_keep(s.log, EB_POST_LINK_STEP);
	return 0;
}
