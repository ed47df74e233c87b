/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements and constraints files that a pip section includes: every line
 * in its order, and the check that all of it is there. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>

#include "spec_pip_files.h"

#define MAX_DEPTH 16
#define MAX_FILES 256
#define MAX_BYTES EB_MAX_METADATA /* of all of them */

/* The files that are being read, the innermost first. */
struct open_file {
	const struct open_file *outer;
	struct stat st;
};

struct walk {
	eb_pip_line_fn *fn;
	void *data;
	unsigned depth, files;
	size_t bytes;
	const struct open_file *open;
	struct eb_error *err;
};

static int visit(struct walk *w, const struct eb_requirement *q,
		 const struct eb_pip_place *at);

/* ---- paths
 * ------------------------------------------------------------------------ */

static bool is_file_url(const char *s)
{
	return strncasecmp(s, "file:", 5) == 0;
}

char *eb_pip_path(const char *dir, const char *argument)
{
	if (is_file_url(argument)) {
		argument += 5;
		argument += eb_starts(argument, "///") ? 2 : 0;
	}
	if (*argument == '/' || strcmp(dir, ".") == 0)
		return eb_strdup(argument);
	return eb_path_join(dir, argument);
}

static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	if (!slash)
		return eb_strdup(".");
	return slash == file ? eb_strdup("/")
			     : eb_strndup(file, (size_t)(slash - file));
}

/* ---- included files
 * ------------------------------------------------------------------ */

static int open_regular(const char *path, struct stat *st, struct eb_error *err)
{
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", opening", path);
	if (S_ISREG(st->st_mode))
		return eb_steal_fd(&fd);
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading as requirements: it is no file",
			  path);
}

/* The whole file as text; what it is goes to `me`. */
static int read_text(const char *path, struct open_file *me, struct eb_buf *out,
		     struct eb_error *err)
{
	eb_autofd int fd = open_regular(path, &me->st, err);
	EB_WIPEDBUF(raw, EB_MAX_YAML);

	if (fd < 0 || eb_read_fd(fd, path, EB_MAX_YAML, &raw, err) < 0)
		return -1;
	return eb_pip_decode(raw.data, raw.len, path, out, err);
}

static bool is_open(const struct walk *w, const struct stat *st)
{
	for (const struct open_file *f = w->open; f; f = f->outer)
		if (f->st.st_dev == st->st_dev && f->st.st_ino == st->st_ino)
			return true;
	return false;
}

static int each_line(struct walk *w, const char *path, const char *text,
		     bool constraint)
{
	eb_autofree char *dir = folder_of(path);
	unsigned line = 1;
	int rc = 0;

	while (rc == 0) {
		struct eb_requirement q EB_CLEANUP(
			eb_requirement_release) = { 0 };
		struct eb_pip_place at = { .dir = dir,
					   .file = path,
					   .column = 1,
					   .constraint = constraint };
		eb_autofree char *one =
			eb_pip_next_line(&text, &line, &at.line);

		if (!one)
			break;
		rc = eb_requirement_parse(one, &q, w->err);
		if (rc < 0)
			eb_err_at(w->err, path, at.line, 1);
		else if (q.kind != EB_REQ_OPTION || *q.text)
			rc = visit(w, &q, &at);
	}
	return rc;
}

static int too_many(struct walk *w, const struct eb_requirement *q)
{
	return eb_err_set(w->err, EB_INPUT,
			  "\"%s\": more than %d files, %d deep or %zu bytes in "
			  "all: do they include each other?",
			  q->text, MAX_FILES, MAX_DEPTH, MAX_BYTES);
}

static int in_a_circle(struct walk *w, const struct eb_requirement *q)
{
	eb_err_set(w->err, EB_INPUT,
		   "\"%s\": this file is being read already: they include "
		   "each other",
		   q->text);
	return eb_err_hint(w->err, "take one of the lines out");
}

static int include_file(struct walk *w, const struct eb_requirement *q,
			const char *path, bool constraint)
{
	struct open_file me = { .outer = w->open };
	EB_AUTOBUF(text, EB_MAX_METADATA);
	int rc;

	if (w->depth == MAX_DEPTH || w->files == MAX_FILES)
		return too_many(w, q);
	if (read_text(path, &me, &text, w->err) < 0)
		return -1;
	w->bytes += text.len;
	if (w->bytes > MAX_BYTES)
		return too_many(w, q);
	if (is_open(w, &me.st))
		return in_a_circle(w, q);
	w->open = &me;
	w->depth++;
	w->files++;
	rc = each_line(w, path, text.data, constraint);
	w->depth--;
	w->open = me.outer;
	return rc;
}

/* Errors get this place where they have none. */
static int include(struct walk *w, const struct eb_requirement *q,
		   const struct eb_pip_place *at)
{
	eb_autofree char *path = eb_pip_path(at->dir, q->argument);
	bool constraint = at->constraint || q->kind == EB_REQ_CONSTRAINT;

	if (include_file(w, q, path, constraint) == 0)
		return 0;
	return w->err->file ? -1
			    : eb_err_at(w->err, at->file, at->line, at->column);
}

static int visit(struct walk *w, const struct eb_requirement *q,
		 const struct eb_pip_place *at)
{
	bool file = q->kind == EB_REQ_INCLUDE || q->kind == EB_REQ_CONSTRAINT;

	if (file && !eb_pip_is_remote(q->argument))
		return include(w, q, at);
	return w->fn(w->data, q, at, w->err);
}

int eb_pip_visit(const struct eb_spec *spec, eb_pip_line_fn *fn, void *data,
		 struct eb_error *err)
{
	struct open_file top = { 0 };
	struct walk w = { .fn = fn, .data = data, .open = &top, .err = err };
	eb_autofree char *dir = folder_of(spec->file);

	if (stat(spec->file, &top.st) < 0)
		memset(&top.st, 0, sizeof top.st);

	for (size_t i = 0; i < spec->n_pip; i++) {
		const struct eb_spec_line *l = &spec->pip_at[i];
		struct eb_pip_place at = { .dir = l->option ? "." : dir,
					   .file = eb_spec_place(spec, l),
					   .line = l->line,
					   .column = l->column };

		if (visit(&w, &spec->pip[i], &at) < 0)
			return -1;
	}
	return 0;
}

/* ---- the check
 * -------------------------------------------------------------------------- */

static int bad(const struct eb_pip_place *at, struct eb_error *err)
{
	return eb_err_at(err, at->file, at->line, at->column);
}

static bool has_file(const char *dir, const char *name)
{
	eb_autofree char *path = eb_path_join(dir, name);

	return eb_path_exists(path);
}

static int not_there(const struct eb_requirement *q, const char *path,
		     const struct eb_pip_place *at, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\": there is no file or folder \"%s\"",
		   q->text, path);
	if (*q->argument == '~')
		eb_err_hint(err, "pip does not expand \"~\"");
	else if (eb_starts(at->file, "--"))
		eb_err_hint(err, "paths are relative to the working folder");
	else
		eb_err_hint(err, "paths are relative to the folder of \"%s\"",
			    at->file);
	return bad(at, err);
}

static int check_source(const struct eb_requirement *q, const char *path,
			const struct eb_pip_place *at, struct eb_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return not_there(q, path, at, err);
	if (S_ISDIR(st.st_mode)) {
		if (has_file(path, "pyproject.toml") ||
		    has_file(path, "setup.py"))
			return 0;
		eb_err_set(err, EB_INPUT,
			   "\"%s\": folder \"%s\" has neither pyproject.toml "
			   "nor setup.py",
			   q->text, path);
		return bad(at, err);
	}
	if (S_ISREG(st.st_mode) && q->kind != EB_REQ_EDITABLE)
		return 0;
	eb_err_set(err, EB_INPUT, "\"%s\": \"%s\" is no %s", q->text, path,
		   q->kind == EB_REQ_EDITABLE ? "folder" : "file or folder");
	return bad(at, err);
}

/* A file: URL is what "pip freeze" writes on the machine where something was
 * built, so here it is no more than a warning. */
static int check_line(void *data, const struct eb_requirement *q,
		      const struct eb_pip_place *at, struct eb_error *err)
{
	eb_autofree char *path = NULL;

	if (at->constraint && eb_requirement_as_constraint(q, err) < 0)
		return bad(at, err);
	if (!q->before)
		return 0;
	path = eb_pip_path(at->dir, q->argument);
	if (!is_file_url(q->text + strlen(q->before)))
		return check_source(q, path, at, err);
	if (!eb_path_exists(path))
		eb_warn_at(data, at->file, at->line, at->column,
			   "\"%s\": there is no \"%s\" on this machine",
			   q->text, path);
	return 0;
}

int eb_pip_files_check(const struct eb_spec *spec, struct eb_events *events,
		       struct eb_error *err)
{
	return eb_pip_visit(spec, check_line, events, err);
}
