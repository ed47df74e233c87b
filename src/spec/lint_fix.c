/* SPDX-License-Identifier: Apache-2.0 */
/* The safe changes of lint: offered by rules, made in the files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "lint_private.h"

/* ---- offering ----------------------------------------------------------- */

/* The scalar's text as it stands in its line, or NULL: folded, escaped. */
static const char *in_line(const struct eb_lint_doc *d,
			   const struct eb_yaml_node *n, const char *old,
			   unsigned *column)
{
	size_t len, from = n->column - 1;
	const char *line = eb_yaml_line(d->doc, n->line, &len), *at;

	if (!line || from >= len)
		return NULL;
	at = memmem(line + from, len - from, old, strlen(old));
	if (!at || !memmem(line + from, len - from, n->text, strlen(n->text)))
		return NULL;
	*column = (unsigned)(at - line) + 1;
	return at;
}

void eb_lint_edit(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		  struct eb_lint_found *f, const char *old, const char *text)
{
	unsigned column;

	if (!in_line(d, n, old, &column))
		return;
	f->edit = (struct eb_edit){ .line = n->line,
				    .column = column,
				    .length = strlen(old),
				    .text = eb_strdup(text) };
}

/* Only where the node is an item of a list in block style. */
void eb_lint_insert(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		    struct eb_lint_found *f, const char *text)
{
	size_t len, blank = 0;
	const char *line = eb_yaml_line(d->doc, n->line, &len);

	while (line && blank < len && line[blank] == ' ')
		blank++;
	if (!line || blank + 1 >= len || line[blank] != '-')
		return;
	f->edit = (struct eb_edit){ .line = n->line,
				    .column = 1,
				    .text = eb_asprintf("%.*s%s\n", (int)blank,
							line, text) };
}

/* ---- making ------------------------------------------------------------- */

/* Where a line begins; NULL: there are fewer. */
static const char *line_start(const char *text, unsigned line)
{
	while (--line) {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	return text;
}

/* From the last to the first, so that places stay right. */
static int later_first(const void *a, const void *b)
{
	const struct eb_edit *x = *(struct eb_edit *const *)a;
	const struct eb_edit *y = *(struct eb_edit *const *)b;

	if (x->line != y->line)
		return x->line < y->line ? 1 : -1;
	return (x->column < y->column) - (x->column > y->column);
}

static bool apply(char **text, const struct eb_edit *e)
{
	const char *line = line_start(*text, e->line);
	size_t at;
	char *made;

	if (!line || strcspn(line, "\n") < e->column - 1 + e->length)
		return false;
	at = (size_t)(line - *text) + e->column - 1;
	made = eb_asprintf("%.*s%s%s", (int)at, *text, e->text,
			   *text + at + e->length);
	free(*text);
	*text = made;
	return true;
}

static int replace(const char *file, const char *text, struct eb_error *err)
{
	eb_autofree char *part = eb_asprintf("%s.envbuild-part", file);
	struct stat st;

	if (stat(file, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", mending", file);
	if (eb_write_file(part, text, strlen(text), st.st_mode & 0777, err) <
	    0) {
		unlink(part);
		return -1;
	}
	if (rename(part, file) == 0)
		return 0;
	eb_err_errno(err, EB_OK, errno, "\"%s\", mending", file);
	unlink(part);
	return -1;
}

/* The changes of one file: findings from..to, which are sorted by file. */
static int fix_file(const struct eb_lint_found *from, size_t n, size_t *made,
		    struct eb_error *err)
{
	eb_autofree const struct eb_edit **edit = eb_calloc(n, sizeof *edit);
	EB_AUTOBUF(was, EB_MAX_YAML);
	eb_autofree char *text = NULL;
	size_t edits = 0, done = 0;

	for (size_t i = 0; i < n; i++)
		if (from[i].edit.line)
			edit[edits++] = &from[i].edit;
	if (!edits)
		return 0;
	qsort(edit, edits, sizeof *edit, later_first);
	if (eb_read_file(from->file, EB_MAX_YAML, &was, err) < 0)
		return -1;
	text = eb_buf_steal(&was, NULL);
	for (size_t i = 0; i < edits; i++)
		if (!i || later_first(&edit[i - 1], &edit[i]))
			done += apply(&text, edit[i]);
	*made += done;
	return done ? replace(from->file, text, err) : 0;
}

int eb_lint_fix(const struct eb_lint_list *f, size_t *made,
		struct eb_error *err)
{
	size_t from = 0;

	*made = 0;
	for (size_t i = 1; i <= f->n; i++) {
		if (i < f->n && !strcmp(f->v[i].file, f->v[from].file))
			continue;
		if (fix_file(&f->v[from], i - from, made, err) < 0)
			return -1;
		from = i;
	}
	return 0;
}
