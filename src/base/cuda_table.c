/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of templates/base as they are carried inside: read line by line
 * when somebody asks. */
#include <string.h>

#include <envbuild/mem.h>

#include "cuda_int.h"

static void skip_line(struct eb_table *t)
{
	const char *end = strchr(t->at, '\n');

	t->at = end ? end + 1 : t->at + strlen(t->at);
}

void eb_table_open(struct eb_table *t, const char *text)
{
	*t = (struct eb_table){ .at = text };
	skip_line(t); /* the header */
}

void eb_table_close(struct eb_table *t)
{
	free(t->row.line);
	t->row.line = NULL;
}

bool eb_table_next(struct eb_table *t)
{
	const char *start = t->at;
	char *rest, *cell;
	size_t n = 0;

	eb_table_close(t);
	memset(&t->row, 0, sizeof t->row);
	if (!*start)
		return false;
	skip_line(t);
	t->row.line = eb_strndup(start, strcspn(start, "\n"));
	rest = t->row.line;
	while ((cell = strsep(&rest, "\t")) && n < EB_CELLS)
		t->row.cell[n++] = strcmp(cell, "-") ? cell : NULL;
	return true;
}

bool eb_cell_has(const char *cell, const char *word)
{
	size_t n = strlen(word);

	for (; cell && *cell; cell += strspn(cell, " ")) {
		size_t len = strcspn(cell, " ");

		if (len == n && memcmp(cell, word, n) == 0)
			return true;
		cell += len;
	}
	return false;
}
