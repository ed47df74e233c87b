/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements and constraints files that a pip section includes: every line
 * in its order, and the check that all of it is there. */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/file.h>

#include "spec_pip_files.h"

#define MAX_DEPTH 16
#define MAX_FILES 256

struct walk {
	eb_pip_line_fn *fn;
	void *data;
	unsigned depth, files;
	struct eb_error *err;
};

static int visit(struct walk *w, const struct eb_requirement *q,
		 const struct eb_pip_place *at);

/* ---- paths
 * ------------------------------------------------------------------------ */

bool eb_pip_is_remote(const char *path)
{
	return strncasecmp(path, "http:", 5) == 0 ||
	       strncasecmp(path, "https:", 6) == 0;
}

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

static int read_text(const char *path, struct eb_buf *out, struct eb_error *err)
{
	if (eb_read_file(path, EB_MAX_YAML, out, err) < 0)
		return -1;
	if (strlen(out->data) != out->len)
		eb_err_set(err, EB_INPUT,
			   "\"%s\", reading as requirements: it has NUL bytes",
			   path);
	else if (!eb_utf8_valid(out->data, out->len))
		eb_err_set(err, EB_INPUT,
			   "\"%s\", reading as requirements: it is no UTF-8",
			   path);
	else
		return 0;
	return eb_err_at(err, path, 1, 1);
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

static int include(struct walk *w, const struct eb_requirement *q,
		   const struct eb_pip_place *at)
{
	eb_autofree char *path = eb_pip_path(at->dir, q->argument);
	bool constraint = at->constraint || q->kind == EB_REQ_CONSTRAINT;
	EB_AUTOBUF(text, EB_MAX_YAML);
	const char *start;
	int rc;

	if (w->depth == MAX_DEPTH || w->files == MAX_FILES) {
		eb_err_set(w->err, EB_INPUT,
			   "\"%s\": more than %d files, or more than %d deep: "
			   "do they include each other?",
			   q->text, MAX_FILES, MAX_DEPTH);
		return eb_err_at(w->err, at->file, at->line, at->column);
	}
	if (read_text(path, &text, w->err) < 0)
		return w->err->file ? -1
				    : eb_err_at(w->err, at->file, at->line,
						at->column);
	start = text.data + (eb_starts(text.data, "\xef\xbb\xbf") ? 3 : 0);
	w->depth++;
	w->files++;
	rc = each_line(w, path, start, constraint);
	w->depth--;
	return rc;
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
	struct walk w = { .fn = fn, .data = data, .err = err };
	eb_autofree char *dir = folder_of(spec->file);

	for (size_t i = 0; i < spec->n_pip; i++) {
		struct eb_pip_place at = { .dir = dir,
					   .file = spec->file,
					   .line = spec->pip_at[i].line,
					   .column = spec->pip_at[i].column };

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

/* pip takes names and versions alone there. */
static int check_constraint(const struct eb_requirement *q,
			    const struct eb_pip_place *at, struct eb_error *err)
{
	const char *why = NULL;

	if (q->kind == EB_REQ_OPTION || q->kind == EB_REQ_CONSTRAINT ||
	    q->kind == EB_REQ_INCLUDE)
		return 0;
	if (q->kind == EB_REQ_EDITABLE)
		why = "nothing editable";
	else if (!q->name)
		why = "nothing without a name";
	else if (q->kind == EB_REQ_REQUIREMENT &&
		 memchr(q->text, '[', strcspn(q->text, ";@")))
		why = "no extras";
	if (!why)
		return 0;
	eb_err_set(err, EB_INPUT, "\"%s\": pip takes %s as a constraint",
		   q->text, why);
	return bad(at, err);
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

	if (at->constraint && check_constraint(q, at, err) < 0)
		return -1;
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
