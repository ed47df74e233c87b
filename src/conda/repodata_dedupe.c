/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file a stem: where a package comes as .conda and as .tar.bz2, the .conda
 * stays; of the same file twice, the later. A .tar.bz2 that was there before
 * its .conda stays too, hidden: it is what there was at that time.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

struct table {
	struct eb_rd_build *b;
	uint32_t *slot; /* row + 1 */
	size_t slots;
};

/* Rows with the usual name are compared by number, the others by text. */
static bool same(const struct eb_rd_build *b, size_t row, size_t other)
{
	const struct eb_rd_row *p = &b->row[row], *q = &b->row[other];
	eb_autofree char *x = NULL;
	eb_autofree char *y = NULL;

	if (!((p->flags | q->flags) & EB_RD_OWN_FN))
		return p->name == q->name && p->version == q->version &&
		       p->build == q->build;
	x = eb_rd_stem(b, p);
	y = eb_rd_stem(b, q);
	return !strcmp(x, y);
}

static uint32_t *place(struct table *t, size_t row)
{
	eb_autofree char *stem = eb_rd_stem(t->b, &t->b->row[row]);
	size_t i = eb_rd_hash(stem) & (t->slots - 1);

	while (t->slot[i] && !same(t->b, row, t->slot[i] - 1))
		i = (i + 1) & (t->slots - 1);
	return &t->slot[i];
}

static void drop_marked(struct eb_rd_build *b, const char *drop)
{
	size_t to = 0;

	for (size_t i = 0; i < b->n; i++)
		if (!drop[i])
			b->row[to++] = b->row[i];
	b->n = to;
}

/* Of two rows of one stem the loser. */
static void settle(struct eb_rd_build *b, size_t winner, size_t loser,
		   char *drop)
{
	const struct eb_rd_row *w = &b->row[winner];
	struct eb_rd_row *l = &b->row[loser];

	if ((w->flags & EB_RD_CONDA) && !(l->flags & EB_RD_CONDA) &&
	    l->time < w->time)
		l->flags |= EB_RD_HIDDEN;
	else
		drop[loser] = 1;
}

void eb_rd_dedupe(struct eb_rd_build *b)
{
	struct table t = { .b = b, .slots = 64 };
	eb_autofree char *drop = eb_calloc(b->n + 1, 1);

	while (t.slots < 2 * b->n)
		t.slots *= 2;
	t.slot = eb_calloc(t.slots, sizeof *t.slot);
	for (size_t i = 0; i < b->n; i++) {
		uint32_t *slot = place(&t, i);
		size_t old = *slot ? *slot - 1 : i;

		if (old != i && (b->row[old].flags & EB_RD_CONDA) &&
		    !(b->row[i].flags & EB_RD_CONDA)) {
			settle(b, old, i, drop);
			continue;
		}
		if (old != i)
			settle(b, i, old, drop);
		*slot = (uint32_t)i + 1;
	}
	free(t.slot);
	drop_marked(b, drop);
}
