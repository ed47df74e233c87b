/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file a stem: where a package comes as .conda and as .tar.bz2, the .conda
 * stays; of the same file twice, the later.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

struct table {
	struct eb_repodata *rd;
	uint32_t *slot; /* row + 1 */
	size_t slots;
};

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 15;
}

/* Rows with the usual name are compared by number, the others by text. */
static bool same(const struct eb_repodata *rd, size_t row, size_t other)
{
	const struct eb_rd_row *a = &rd->row[row], *b = &rd->row[other];
	eb_autofree char *x = NULL;
	eb_autofree char *y = NULL;

	if (!((a->flags | b->flags) & EB_RD_OWN_FN))
		return a->name == b->name && a->version == b->version &&
		       a->build == b->build;
	x = eb_rd_stem(rd, a);
	y = eb_rd_stem(rd, b);
	return !strcmp(x, y);
}

static uint32_t *place(struct table *t, size_t row)
{
	eb_autofree char *stem = eb_rd_stem(t->rd, &t->rd->row[row]);
	size_t i = hash(stem) & (t->slots - 1);

	while (t->slot[i] && !same(t->rd, row, t->slot[i] - 1))
		i = (i + 1) & (t->slots - 1);
	return &t->slot[i];
}

static void drop_marked(struct eb_repodata *rd, size_t first, const char *drop)
{
	size_t to = first;

	for (size_t i = first; i < rd->n; i++)
		if (!drop[i - first])
			rd->row[to++] = rd->row[i];
	rd->n = to;
	eb_rd_index_drop(rd);
}

void eb_rd_dedupe(struct eb_repodata *rd, size_t first)
{
	struct table t = { .rd = rd, .slots = 64 };
	eb_autofree char *drop = eb_calloc(rd->n - first + 1, 1);

	while (t.slots < 2 * (rd->n - first))
		t.slots *= 2;
	t.slot = eb_calloc(t.slots, sizeof *t.slot);
	for (size_t i = first; i < rd->n; i++) {
		uint32_t *slot = place(&t, i);
		size_t old = *slot ? *slot - 1 : i;

		if (old != i && (rd->row[old].flags & EB_RD_CONDA) &&
		    !(rd->row[i].flags & EB_RD_CONDA)) {
			drop[i - first] = 1;
			continue;
		}
		if (old != i)
			drop[old - first] = 1;
		*slot = (uint32_t)i + 1;
	}
	free(t.slot);
	drop_marked(rd, first, drop);
}
