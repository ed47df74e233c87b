/* SPDX-License-Identifier: Apache-2.0 */
/* Lint of a definition: the rules look at its text by themselves, so that one
 * fault does not hide the next; then it is read as for a build, and what that
 * says is added. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "azure_read.h"
#include "lint_private.h"
#include "locked_file.h"
#include "spec_reader.h"

/* ---- bytes -------------------------------------------------------------- */

static bool has_utf16_mark(const struct eb_buf *text)
{
	return text->len > 1 && (!memcmp(text->data, "\xff\xfe", 2) ||
				 !memcmp(text->data, "\xfe\xff", 2));
}

/* The place of the first byte that is none of UTF-8. */
static void lint_bytes(const struct eb_buf *text, const char *file,
		       struct eb_lint_list *out)
{
	unsigned line = 1;
	const char *p = text->data, *end = text->data + text->len;

	if (has_utf16_mark(text) || eb_utf8_valid(text->data, text->len))
		return;
	while (p < end) {
		const char *next = memchr(p, '\n', (size_t)(end - p));
		size_t n = next ? (size_t)(next - p) : (size_t)(end - p);

		if (!eb_utf8_valid(p, n)) {
			eb_lint_add(out, "not-utf-8", file, line, 1,
				    "save it as UTF-8",
				    "a byte of this line is no UTF-8: "
				    "nothing can read it");
			return;
		}
		p += n + 1;
		line++;
	}
}

/* ---- the rules that look at the text ------------------------------------ */

static void lint_text(const struct eb_buf *text, const char *file,
		      const char *platform, struct eb_lint_list *out)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_lint_doc d = { .platform = platform, .out = out };
	enum eb_azure_form form;

	lint_bytes(text, file, out);
	if (eb_ends(file, ".toml") ||
	    eb_spec_is_list(file, text->data, text->len))
		return;
	if (eb_spec_is_requirements(file, text->data, text->len)) {
		eb_lint_requirements(text, file, platform, out);
		return;
	}
	if (eb_yaml_parse(text->data, text->len, file, &doc, &none) < 0 ||
	    doc->root->type != EB_YAML_MAP)
		return;
	if (eb_is_conda_lock(doc->root) || eb_is_pixi_lock(doc->root))
		return;
	d.doc = doc;
	form = eb_azure_form_of(file, doc->root);
	if (form != EB_AZURE_NONE)
		eb_lint_azure(&d, form);
	else
		eb_lint_conda(&d, doc->root);
}

void eb_lint_text(const char *text, size_t len, const char *file,
		  const char *platform, struct eb_lint_list *out)
{
	EB_AUTOBUF(copy, EB_MAX_YAML);

	eb_buf_add(&copy, text, len);
	lint_text(&copy, file, platform, out);
}

void eb_lint_conda_file(const struct eb_lint_doc *d,
			const struct eb_yaml_node *at, const char *path)
{
	EB_AUTOBUF(text, EB_MAX_YAML);
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_lint_doc conda = *d;

	if (eb_read_file(path, EB_MAX_YAML, &text, &err) < 0) {
		eb_lint_at(d, at, "unreadable", err.hint, "%s", err.message);
		return;
	}
	lint_bytes(&text, path, d->out);
	if (eb_yaml_parse(text.data, text.len, path, &doc, &err) < 0 ||
	    doc->root->type != EB_YAML_MAP)
		return;
	conda.doc = doc;
	eb_lint_conda(&conda, doc->root);
}

/* ---- what the reader says ----------------------------------------------- */

static void keep_warning(void *data, const struct eb_event *ev)
{
	struct eb_lint_list *out = data;

	if (ev->type == EB_EV_WARNING)
		eb_lint_add(out, "odd-form", ev->file ? ev->file : "-",
			    ev->line, ev->column, NULL, "%s", ev->text);
}

/* Has a rule told it already, in words of its own? */
static bool is_told(const struct eb_lint_list *out, const struct eb_error *err)
{
	for (size_t i = 0; i < out->n; i++) {
		const struct eb_lint_found *f = &out->v[i];

		if (f->level == EB_LEVEL_ERROR && err->file &&
		    !strcmp(f->file, err->file) &&
		    (f->line == err->line || !f->line))
			return true;
	}
	return false;
}

/* `text`: of standard input, which is read once. */
static int read_it(const char *path, const struct eb_buf *text,
		   const char *platform, bool azure,
		   const struct eb_spec_part *part, struct eb_linted *out,
		   struct eb_error *err)
{
	struct eb_events *events = eb_events_new(keep_warning, &out->findings);
	int rc;

	if (text)
		rc = eb_spec_parse_part(text->data, text->len, path, platform,
					part, events, &out->spec, err);
	else if (azure)
		rc = eb_azure_read(path, platform, events, &out->azure, err);
	else
		rc = eb_spec_read_part(path, platform, part, events, &out->spec,
				       err);

	eb_events_free(events);
	return rc;
}

static void lint_reading(const char *path, const char *file,
			 const struct eb_buf *text, const char *platform,
			 bool azure, const struct eb_spec_part *part,
			 struct eb_linted *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (read_it(path, text, platform, azure, part, out, &err) == 0)
		return;
	if (!is_told(&out->findings, &err))
		eb_lint_add(&out->findings, "unreadable",
			    err.file ? err.file : file, err.line, err.column,
			    err.hint, "%s", err.message);
}

/* ---- a definition ------------------------------------------------------- */

/* The file itself of a folder or of "FILE#jobs.NAME"; caller frees. */
static char *file_of(const char *path, bool *azure)
{
	static const char *const names[] = { "azureml_environment.json",
					     "environment.yml",
					     "environment.yaml" };
	const char *hash = eb_path_exists(path) ? NULL : strrchr(path, '#');
	struct stat st;

	*azure = hash != NULL;
	if (hash)
		return eb_strndup(path, (size_t)(hash - path));
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return eb_strdup(path);
	*azure = true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *file = eb_path_join(path, names[i]);

		if (eb_path_exists(file))
			return file;
		free(file);
	}
	return eb_strdup(path);
}

int eb_lint(const char *path, const char *platform, struct eb_linted *out,
	    struct eb_error *err)
{
	return eb_lint_part(path, platform, NULL, out, err);
}

int eb_lint_part(const char *path, const char *platform,
		 const struct eb_spec_part *part, struct eb_linted *out,
		 struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_YAML);
	bool azure, is_stdin = !strcmp(path, "-");
	const struct eb_buf *stdin_text = is_stdin ? &text : NULL;
	eb_autofree char *file = file_of(path, &azure);

	if ((is_stdin ? eb_read_fd(STDIN_FILENO, "standard input", EB_MAX_YAML,
				   &text, err)
		      : eb_read_file(file, EB_MAX_YAML, &text, err)) < 0)
		return -1;
	lint_text(&text, file, platform, &out->findings);
	if (!azure)
		azure = eb_azure_form(file, text.data, text.len) !=
			EB_AZURE_NONE;
	lint_reading(path, file, stdin_text, platform, azure, part, out);
	eb_lint_sort(&out->findings);
	return 0;
}

void eb_linted_release(struct eb_linted *l)
{
	eb_lint_release(&l->findings);
	eb_spec_free(l->spec);
	eb_azure_free(l->azure);
	*l = (struct eb_linted){ 0 };
}
