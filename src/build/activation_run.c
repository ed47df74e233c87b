/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activation scripts, sourced once by a shell of the image in the image's
 * environment: what that was before and after is written to a folder that is
 * mounted for it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "script_run.h"

#define AT "/run/envbuild-activation"
#define FOLDER "etc/conda/activate.d"
#define MAX_FILE ((size_t)4 << 20) /* of what the shell says */
#define SHOWN 5

struct sourcing {
	struct eb_script_run run;
	struct eb_strv script; /* names, sorted by their bytes */
	char *dir;	       /* what is mounted */
	char *env;	       /* the program */
	char *doing;
	struct eb_strv warnings;
};

static void release(struct sourcing *s)
{
	eb_script_end(&s->run);
	eb_strv_release(&s->script);
	eb_strv_release(&s->warnings);
	free(s->dir);
	free(s->env);
	free(s->doing);
}

/* --- the scripts
 * ----------------------------------------------------------------
 */
static char *path_of(const struct sourcing *s, const char *name)
{
	return eb_asprintf("%s/" FOLDER "/%s", s->run.b->lock->prefix, name);
}

static bool is_file(const struct sourcing *s, const char *name)
{
	eb_autofree char *path = path_of(s, name);
	eb_autofd int fd = eb_root_open(s->run.root, path, O_PATH, 0);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static int find_scripts(struct sourcing *s, struct eb_error *err)
{
	eb_autofree char *folder = path_of(s, "");
	int fd = eb_root_open(s->run.root, folder, O_RDONLY | O_DIRECTORY, 0);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir && fd >= 0)
		close(fd);
	if (!dir && errno == ENOENT) /* a post-link script has removed it */
		return 0;
	if (!dir)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", reading",
				    folder);
	while ((e = readdir(dir)))
		if (eb_ends(e->d_name, ".sh") && is_file(s, e->d_name))
			eb_strv_add(&s->script, e->d_name);
	closedir(dir);
	eb_strv_sort(&s->script);
	return 0;
}

static int find_env(struct sourcing *s, struct eb_error *err)
{
	static const char *const names[] = { "env", NULL };

	s->env = eb_root_program(s->run.root, names);
	if (s->env)
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "package \"%s\" has an activation script, and neither the "
		   "base \"%s\" nor a package has the program \"env\"",
		   s->run.whose, s->run.b->base->reference);
	return eb_err_hint(err, "%s builds without it", s->run.way_out);
}

/* --- what the shell does
 * ----------------------------------------------------------
 */
static void add_quoted(struct eb_buf *out, const char *text)
{
	eb_buf_addch(out, '\'');
	for (; *text; text++)
		if (*text == '\'')
			eb_buf_adds(out, "'\\''");
		else
			eb_buf_addch(out, *text);
	eb_buf_addch(out, '\'');
}

/* All that is looked at, into files with this ending. */
static void add_look(const struct sourcing *s, struct eb_buf *out,
		     const char *when)
{
	eb_buf_addf(out, "alias >" AT "/alias-%s\n", when);
	eb_buf_addf(out,
		    "[ -z \"${BASH_VERSION-}\" ] || "
		    "declare -F >" AT "/function-%s\n",
		    when);
	eb_buf_addf(out, "pwd >" AT "/cwd-%s\n", when);
	eb_buf_addf(out, "umask >" AT "/umask-%s\n", when);
	add_quoted(out, s->env);
	eb_buf_addf(out, " -0 >" AT "/env-%s\n", when);
}

static char *driver(const struct sourcing *s)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	size_t n;

	add_look(s, &text, "before");
	for (size_t i = 0; i < s->script.n; i++) {
		eb_autofree char *path = path_of(s, s->script.v[i]);

		eb_buf_adds(&text, ". ");
		add_quoted(&text, path);
		eb_buf_adds(&text, "\necho \"$?\" >>" AT "/status\n");
	}
	add_look(s, &text, "after");
	return eb_buf_steal(&text, &n);
}

/* As a container of the image gets it. */
static void fill_env(const struct eb_strv *image, struct eb_strv *out)
{
	bool path = false, home = false;

	eb_strv_copy(out, image);
	for (size_t i = 0; i < image->n; i++) {
		path |= eb_starts(image->v[i], "PATH=");
		home |= eb_starts(image->v[i], "HOME=");
	}
	if (!path)
		eb_strv_add(out, "PATH=" EB_SANDBOX_PATH);
	if (!home)
		eb_strv_add(out, "HOME=/root");
}

static int call(struct sourcing *s, const struct eb_strv *env, int *status,
		struct eb_error *err)
{
	const struct eb_mount mount = { s->dir, (char *)AT, false };
	EB_CLEANUP(eb_strv_release) struct eb_strv argv = { 0 };

	eb_strv_add(&argv, s->run.shell);
	eb_strv_add(&argv, "-c");
	eb_strv_take(&argv, driver(s));
	return eb_script_call(&s->run, &argv, env, "/", &mount, s->doing,
			      status, err);
}

/* --- what it has said
 * --------------------------------------------------------------- A script may
 * have written there: files are opened as nothing else.
 */
static int read_said(const struct sourcing *s, const char *what,
		     const char *when, struct eb_buf *out, struct eb_error *err)
{
	eb_autofree char *path =
		eb_asprintf("%s/%s%s%s", s->dir, what, *when ? "-" : "", when);
	eb_autofd int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return eb_read_fd(fd, path, MAX_FILE, out, err);
}

/* 0: there is none, which is no list of a shell that came to its end. */
static int read_env(const struct sourcing *s, const char *when,
		    struct eb_strv *out, struct eb_error *err)
{
	EB_AUTOBUF(text, MAX_FILE);

	if (read_said(s, "env", when, &text, err) < 0)
		return -1;
	for (size_t at = 0; at < text.len; at += strlen(text.data + at) + 1)
		if (strchr(text.data + at, '='))
			eb_strv_add(out, text.data + at);
	return out->n > 0;
}

static int read_lines(const struct sourcing *s, const char *what,
		      const char *when, struct eb_strv *out,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, MAX_FILE);

	if (read_said(s, what, when, &text, err) < 0)
		return -1;
	eb_strv_split(out, text.data, "\n");
	return 0;
}

/* "alias ll='ls -l'" of bash, "ll='ls -l'" of dash; "declare -f name" */
static void add_name(struct eb_buf *out, const char *line)
{
	static const char *const words[] = { "alias ", "declare -f ",
					     "declare -fx " };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (eb_starts(line, words[i])) {
			line += strlen(words[i]);
			break;
		}
	eb_buf_addf(out, "%s\"%.*s\"", out->len ? ", " : "",
		    (int)strcspn(line, "="), line);
}

/* Those that are there afterwards alone. */
static int compare(struct sourcing *s, const char *what, const char *words,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv was = { 0 }, is = { 0 };
	EB_AUTOBUF(names, EB_MAX_TEXT);
	size_t n = 0;

	if (read_lines(s, what, "before", &was, err) < 0 ||
	    read_lines(s, what, "after", &is, err) < 0)
		return -1;
	for (size_t i = 0; i < is.n; i++)
		if (*is.v[i] && !eb_strv_has(&was, is.v[i]) && n++ < SHOWN)
			add_name(&names, is.v[i]);
	if (n > SHOWN)
		eb_buf_addf(&names, " and %zu more", n - SHOWN);
	if (n)
		eb_strv_addf(&s->warnings, "%s %s", names.data, words);
	return 0;
}

static int compare_all(struct sourcing *s, struct eb_error *err)
{
	static const struct {
		const char *what, *words;
	} all[] = {
		{ "alias", "(aliases) cannot be in the image's environment" },
		{ "function",
		  "(functions) cannot be in the image's environment" },
		{ "cwd", "(the working folder) is not that of the image" },
		{ "umask", "(umask) cannot be in the image's environment" },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (compare(s, all[i].what, all[i].words, err) < 0)
			return -1;
	return 0;
}

/* Of each script that came back; -1 where one did not. */
static int look_at_statuses(struct sourcing *s, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv status = { 0 };
	eb_autofree char *doing = NULL;
	size_t ended = 0;

	if (read_lines(s, "status", "", &status, err) < 0)
		return -1;
	for (size_t i = 0; i < status.n && i < s->script.n; i++)
		if (*status.v[i] && strcmp(status.v[i], "0") != 0)
			eb_strv_addf(&s->warnings,
				     "\"%s\" ended with status %s",
				     s->script.v[i], status.v[i]);
	for (size_t i = 0; i < status.n; i++)
		ended += *status.v[i] != '\0';
	if (ended >= s->script.n)
		return 0;
	doing = eb_asprintf("activation script \"%s\", sourcing it",
			    s->script.v[ended]);
	return eb_script_failed(&s->run, doing, "the shell ended in it", err);
}

/* --- files that they have written
 * ---------------------------------------------------
 */
static int tell_files(struct sourcing *s, const struct eb_delta *before,
		      struct eb_error *err)
{
	struct eb_delta after EB_CLEANUP(eb_delta_release) = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv changed = { 0 };
	const char *first = NULL;
	size_t n_new;

	if (eb_delta_scan(s->run.root->rootfs, eb_script_skip, &after, err) < 0)
		return -1;
	eb_delta_changed(before, &after, &changed, &n_new);
	for (size_t i = 0; i < after.n && n_new && !first; i++)
		if (!eb_delta_find(before, after.node[i].path))
			first = after.node[i].path;
	if (changed.n)
		first = changed.v[0];
	if (first)
		eb_strv_addf(&s->warnings,
			     "what is done to \"/%s\" and %zu other paths is "
			     "dropped",
			     first, changed.n + n_new - 1);
	return 0;
}

/* --- all
 * ------------------------------------------------------------------------------
 */
static int look(struct sourcing *s, int status, json_t **result,
		struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv was = { 0 }, is = { 0 };
	eb_autofree char *why =
		eb_asprintf("the shell ended with status %d", status);
	int rc = read_env(s, "before", &was, err);

	if (rc > 0 && look_at_statuses(s, err) < 0)
		return -1;
	if (rc > 0)
		rc = read_env(s, "after", &is, err);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return eb_script_failed(&s->run, s->doing, why, err);
	if (compare_all(s, err) < 0)
		return -1;
	*result = eb_activation_result(&was, &is, &s->warnings);
	return 0;
}

static int work(struct sourcing *s, const struct eb_strv *image,
		json_t **result, struct eb_error *err)
{
	struct eb_delta before EB_CLEANUP(eb_delta_release) = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv env = { 0 };
	int status = 0;

	if (eb_script_begin(&s->run, err) < 0 || find_scripts(s, err) < 0 ||
	    find_env(s, err) < 0)
		return -1;
	s->dir = eb_path_join(s->run.root->dir, "activation");
	fill_env(image, &env);
	if (eb_mkdirs(s->dir, 0755, err) < 0 ||
	    eb_delta_scan(s->run.root->rootfs, eb_script_skip, &before, err) <
		    0 ||
	    call(s, &env, &status, err) < 0 || tell_files(s, &before, err) < 0)
		return -1;
	return look(s, status, result, err);
}

static const char *first(const struct eb_build *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (eb_is_activated(&b->work[i], b->lock->prefix))
			return b->work[i].file;
	return "";
}

int eb_activation_run(struct eb_build *b, const struct eb_strv *env,
		      json_t **result, char **log, struct eb_error *err)
{
	struct sourcing s EB_CLEANUP(release) = {
		.run = { .b = b,
			 .step = EB_ACTIVATION_STEP,
			 .way_out = "--activation=none",
			 .whose = first(b),
			 .log = -1 },
		.doing = eb_strdup("activation scripts, sourcing them"),
	};

	if (work(&s, env, result, err) < 0)
		return -1;
	*log = eb_step_log_keep(s.run.log, EB_ACTIVATION_STEP);
	return 0;
}
