/* SPDX-License-Identifier: Apache-2.0 */
/* The safe changes of lint: offered by rules, made in the files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>

#include "lint_private.h"

/* ---- offering ----------------------------------------------------------- */

/* Where the scalar's text stands in its line as it is; 0: it is folded, or
 * escaped. Columns of nodes count characters: it is not before that many
 * bytes. */
static unsigned column_of(const struct eb_lint_doc *d,
			  const struct eb_yaml_node *n)
{
	size_t len, from = n->column - 1;
	const char *line = eb_yaml_line(d->doc, n->line, &len), *at;

	if (!line || from >= len)
		return 0;
	at = memmem(line + from, len - from, n->text, strlen(n->text));
	return at ? (unsigned)(at - line) + 1 : 0;
}

void eb_lint_edit(const struct eb_lint_doc *d, const struct eb_yaml_node *n,
		  struct eb_lint_found *f, const char *old, const char *text)
{
	const char *at = strstr(n->text, old);
	unsigned column = column_of(d, n);

	if (!column || !at)
		return;
	f->edit = (struct eb_edit){ .line = n->line,
				    .column = column + (unsigned)(at - n->text),
				    .old = eb_strdup(old),
				    .text = eb_strdup(text) };
}

char *eb_lint_changed(const char *text, const char *old, const char *with)
{
	const char *at = strstr(text, old);

	return at ? eb_asprintf("%.*s%s%s", (int)(at - text), text, with,
				at + strlen(old))
		  : NULL;
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
				    .old = eb_strdup(""),
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

/* Lines that are added end as the one they stand above does. */
static char *with_ends(const char *text, const char *line)
{
	size_t n = strcspn(line, "\n");
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	for (; *text; text++) {
		if (*text == '\n' && n && line[n - 1] == '\r')
			eb_buf_addch(&out, '\r');
		eb_buf_addch(&out, *text);
	}
	return eb_buf_steal(&out, NULL);
}

static bool apply(char **text, const struct eb_edit *e)
{
	const char *line = line_start(*text, e->line);
	eb_autofree char *with = NULL;
	size_t at;
	char *made;

	if (!line || strcspn(line, "\n") < e->column - 1 ||
	    !eb_starts(line + e->column - 1, e->old))
		return false;
	with = with_ends(e->text, line);
	at = (size_t)(line - *text) + e->column - 1;
	made = eb_asprintf("%.*s%s%s", (int)at, *text, with,
			   *text + at + strlen(e->old));
	free(*text);
	*text = made;
	return true;
}

/* The file that a link leads to is changed, not the link. */
static int replace(const char *file, const char *text, struct eb_error *err)
{
	eb_autofree char *path = realpath(file, NULL);
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", mending", file);
	return eb_write_file(path, text, strlen(text), st.st_mode & 0777, err);
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
