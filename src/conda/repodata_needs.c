/* SPDX-License-Identifier: Apache-2.0 */
/* The names that records depend on, by which shards are followed. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

bool eb_rd_need_name(const char *text, char name[EB_RD_MAX_NAME])
{
	size_t n;
	const char *colon;

	text += strspn(text, " \t");
	n = strcspn(text, " \t=<>!~[(;,@#");
	colon = memrchr(text, ':', n);
	if (colon) {
		n -= (size_t)(colon + 1 - text);
		text = colon + 1;
	}
	if (!n || n >= EB_RD_MAX_NAME)
		return false;
	for (size_t i = 0; i < n; i++)
		name[i] = (char)tolower((unsigned char)text[i]);
	name[n] = 0;
	return true;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static size_t unique(uint32_t *list, size_t n)
{
	size_t to = 0;

	if (n)
		qsort(list, n, sizeof *list, by_number);
	for (size_t i = 0; i < n; i++)
		if (!to || list[to - 1] != list[i])
			list[to++] = list[i];
	return to;
}

/* Dependencies without the constraints, which need nothing. */
static size_t all_depends(const struct eb_rd_build *b, uint32_t *list)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		for (uint16_t k = 0; k < b->row[i].n_depends; k++)
			list[n++] = b->lists[b->row[i].list + k];
	return unique(list, n);
}

void eb_rd_build_needs(struct eb_rd_build *b)
{
	size_t n, to = 0;
	char name[EB_RD_MAX_NAME];

	free(b->needs);
	b->needs = eb_malloc((b->n_lists + 1) * sizeof *b->needs);
	n = all_depends(b, b->needs);
	for (size_t i = 0; i < n; i++) {
		uint32_t id = UINT32_MAX;

		if (eb_rd_need_name(eb_strpool_text(&b->pool, b->needs[i]),
				    name))
			id = eb_strpool_add(&b->pool, name, strlen(name), NULL);
		if (id != UINT32_MAX)
			b->needs[to++] = id;
	}
	b->n_needs = unique(b->needs, to);
}

/* --- reading --------------------------------------------------------- */

static void each_row(const struct eb_rd_head *h, const char *of,
		     eb_rd_name_fn *fn, void *data)
{
	const struct eb_rd_group *g = eb_rd_group_of(h, of);
	const struct eb_rd_row *row = g ? eb_rd_rows(h) + g->first : NULL;
	uint32_t lately[256] = { 0 };
	char name[EB_RD_MAX_NAME];

	for (uint32_t i = 0; g && i < g->n; i++, row++) {
		size_t n;
		const uint32_t *id = eb_rd_list(h, row, &n);

		for (size_t k = 0; k < n && k < row->n_depends; k++) {
			if (lately[id[k] % 256] == id[k])
				continue;
			lately[id[k] % 256] = id[k];
			if (eb_rd_need_name(eb_rd_text(h, id[k]), name))
				fn(data, name);
		}
	}
}

void eb_rd_each_need(const struct eb_rd_head *h, const char *name,
		     eb_rd_name_fn *fn, void *data)
{
	const uint32_t *id = (const void *)((const char *)h + h->needs);

	if (!h->n_needs)
		each_row(h, name, fn, data);
	for (uint32_t i = 0; i < h->n_needs; i++)
		fn(data, eb_rd_text(h, id[i]));
}
