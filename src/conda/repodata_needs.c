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
	if (strstr(text + n, "extras") &&
	    n + strlen(EB_RD_EXTRAS) < EB_RD_MAX_NAME)
		strcpy(name + n, EB_RD_EXTRAS);
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

/* Dependencies without the constraints, which need nothing; or those of the
 * groups. */
static size_t all_depends(const struct eb_rd_build *b, bool extras,
			  uint32_t *list)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct eb_rd_row *row = &b->row[i];
		const uint32_t *id = b->lists + row->list;

		for (uint16_t k = 0; !extras && k < row->n_depends; k++)
			list[n++] = id[k];
		id += row->n_depends + row->n_constrains + row->n_flags;
		for (uint16_t k = 0; extras && k < row->n_extras; k++)
			list[n++] = id[2 * k + 1];
	}
	return unique(list, n);
}

/* A name that a group needs has a "+" before it. */
static uint32_t need_of(struct eb_rd_build *b, const char *text, bool extras)
{
	char name[EB_RD_MAX_NAME + 1] = "+";
	const char *from = extras ? name : name + 1;

	if (!eb_rd_need_name(text, name + 1))
		return UINT32_MAX;
	return eb_strpool_add(&b->pool, from, strlen(from), NULL);
}

static size_t add_needs(struct eb_rd_build *b, bool extras, uint32_t *to)
{
	size_t n = all_depends(b, extras, to), kept = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t id =
			need_of(b, eb_strpool_text(&b->pool, to[i]), extras);

		if (id != UINT32_MAX)
			to[kept++] = id;
	}
	return unique(to, kept);
}

void eb_rd_build_needs(struct eb_rd_build *b)
{
	free(b->needs);
	b->needs = eb_malloc((b->n_lists + 1) * sizeof *b->needs);
	b->n_needs = add_needs(b, false, b->needs);
	b->n_needs += add_needs(b, true, b->needs + b->n_needs);
}

/* --- reading --------------------------------------------------------- */

static void each_row(const struct eb_rd_head *h, const char *of, bool extras,
		     eb_rd_name_fn *fn, void *data)
{
	const struct eb_rd_group *g = eb_rd_group_of(h, of);
	const struct eb_rd_row *row = g ? eb_rd_rows(h) + g->first : NULL;
	uint32_t lately[256] = { 0 };
	char name[EB_RD_MAX_NAME];

	for (uint32_t i = 0; g && i < g->n; i++, row++) {
		size_t n, to = row->n_depends, from = 0, step = 1;
		const uint32_t *id = eb_rd_list(h, row, &n);

		if (extras) {
			to = n;
			from = n - (n ? 2u * row->n_extras : 0) + 1;
			step = 2;
		}
		for (size_t k = from; k < n && k < to; k += step) {
			if (lately[id[k] % 256] == id[k])
				continue;
			lately[id[k] % 256] = id[k];
			if (eb_rd_need_name(eb_rd_text(h, id[k]), name))
				fn(data, name);
		}
	}
}

void eb_rd_each_need(const struct eb_rd_head *h, const char *name, bool extras,
		     eb_rd_name_fn *fn, void *data)
{
	const uint32_t *id = (const void *)((const char *)h + h->needs);

	if (!h->n_needs)
		each_row(h, name, extras, fn, data);
	for (uint32_t i = 0; i < h->n_needs; i++) {
		const char *need = eb_rd_text(h, id[i]);

		if ((*need == '+') == extras)
			fn(data, need + extras);
	}
}
