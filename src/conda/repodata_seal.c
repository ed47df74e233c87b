/* SPDX-License-Identifier: Apache-2.0 */
/* A builder as a segment: rows by name, the table of names, lists, texts. */
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

struct seal {
	const struct eb_rd_build *b;
	struct eb_rd_head head;
	struct eb_rd_group *group;
	uint32_t *slot;
	uint32_t *order; /* rows, grouped by name */
	uint64_t put;
	eb_rd_put_fn *fn;
	void *data;
};

/* --- names ----------------------------------------------------------- */

static const char *text(const struct seal *s, uint32_t id)
{
	return eb_strpool_text(&s->b->pool, id);
}

/* Texts of the builder are interned: equal numbers, equal names. */
static uint32_t *place(const struct seal *s, uint32_t name)
{
	uint32_t mask = s->head.n_slots - 1, i = eb_rd_hash(text(s, name));

	while (s->slot[i & mask] &&
	       s->group[s->slot[i & mask] - 1].name != name)
		i++;
	return &s->slot[i & mask];
}

static void make_slots(struct seal *s, uint32_t n)
{
	free(s->slot);
	s->head.n_slots = n;
	s->slot = eb_calloc(n, sizeof *s->slot);
	for (uint32_t g = 0; g < s->head.n_names; g++)
		*place(s, s->group[g].name) = g + 1;
}

static struct eb_rd_group *group_of(struct seal *s, uint32_t name,
				    uint32_t *alloc)
{
	uint32_t *slot = place(s, name);

	if (*slot)
		return &s->group[*slot - 1];
	EB_GROW(s->group, s->head.n_names, *alloc);
	s->group[s->head.n_names] = (struct eb_rd_group){ .name = name };
	*slot = ++s->head.n_names;
	if (s->head.n_names > s->head.n_slots / 2)
		make_slots(s, s->head.n_slots * 2);
	return &s->group[s->head.n_names - 1];
}

static void group_rows(struct seal *s)
{
	uint32_t alloc = 0, first = 0;

	make_slots(s, 4);
	for (size_t i = 0; i < s->b->n; i++)
		group_of(s, s->b->row[i].name, &alloc)->n++;
	for (uint32_t g = 0; g < s->head.n_names; g++) {
		s->group[g].first = first;
		first += s->group[g].n;
		s->group[g].n = 0;
	}
	s->order = eb_malloc((s->b->n + 1) * sizeof *s->order);
	for (size_t i = 0; i < s->b->n; i++) {
		struct eb_rd_group *g = group_of(s, s->b->row[i].name, &alloc);

		s->order[g->first + g->n++] = (uint32_t)i;
	}
}

/* --- writing --------------------------------------------------------- */

static uint64_t room(uint64_t *end, uint64_t n, size_t each)
{
	uint64_t start = *end;

	*end += (n * each + 7) / 8 * 8;
	return start;
}

static void lay_out(struct seal *s)
{
	struct eb_rd_head *h = &s->head;
	uint64_t end = sizeof *h;

	memcpy(h->magic, EB_RD_MAGIC, 8);
	h->row_size = sizeof(struct eb_rd_row);
	h->n_rows = (uint32_t)s->b->n;
	h->n_lists = (uint32_t)s->b->n_lists;
	h->n_bad = (uint32_t)s->b->n_bad;
	h->base_url = s->b->base_url;
	h->text_size = s->b->pool.used;
	h->names = room(&end, h->n_names, sizeof(struct eb_rd_group));
	h->slots = room(&end, h->n_slots, 4);
	h->n_needs = (uint32_t)s->b->n_needs;
	h->needs = room(&end, h->n_needs, 4);
	h->bad = room(&end, h->n_bad, sizeof(struct eb_rd_bad));
	h->rows = room(&end, h->n_rows, sizeof(struct eb_rd_row));
	h->lists = room(&end, h->n_lists, 4);
	h->text = room(&end, h->text_size, 1);
	h->size = end;
}

static int put(struct seal *s, const void *p, size_t n, struct eb_error *err)
{
	s->put += n;
	return n ? s->fn(s->data, p, n, err) : 0;
}

/* An area, filled up to 8 bytes. */
static int put_area(struct seal *s, const void *p, uint64_t n, size_t each,
		    struct eb_error *err)
{
	static const char zero[8];

	if (put(s, p, n * each, err) < 0)
		return -1;
	return put(s, zero, -s->put & 7, err);
}

static int put_rows(struct seal *s, struct eb_error *err)
{
	enum { PIECE = 256 };
	eb_autofree struct eb_rd_row *piece = eb_malloc(PIECE * sizeof *piece);
	size_t n = 0;

	for (size_t i = 0; i < s->b->n; i++) {
		piece[n++] = s->b->row[s->order[i]];
		if (n < PIECE && i + 1 < s->b->n)
			continue;
		if (put(s, piece, n * sizeof *piece, err) < 0)
			return -1;
		n = 0;
	}
	return 0;
}

/* The pool's chunks one behind the other: so its numbers are offsets. */
static int put_texts(struct seal *s, struct eb_error *err)
{
	const struct eb_strpool *p = &s->b->pool;

	for (uint32_t at = 0; at < p->used; at += EB_STRPOOL_CHUNK) {
		uint32_t n = p->used - at;

		if (put(s, eb_strpool_text(p, at),
			n < EB_STRPOOL_CHUNK ? n : EB_STRPOOL_CHUNK, err) < 0)
			return -1;
	}
	return put_area(s, "", 0, 1, err);
}

static int put_all(struct seal *s, struct eb_error *err)
{
	const struct eb_rd_head *h = &s->head;

	if (put_area(s, h, 1, sizeof *h, err) < 0 ||
	    put_area(s, s->group, h->n_names, sizeof *s->group, err) < 0 ||
	    put_area(s, s->slot, h->n_slots, 4, err) < 0 ||
	    put_area(s, s->b->needs, h->n_needs, 4, err) < 0 ||
	    put_area(s, s->b->bad, h->n_bad, sizeof *s->b->bad, err) < 0 ||
	    put_rows(s, err) < 0 ||
	    put_area(s, s->b->lists, h->n_lists, 4, err) < 0)
		return -1;
	return put_texts(s, err);
}

static void release(struct seal *s)
{
	free(s->group);
	free(s->slot);
	free(s->order);
}

int eb_rd_seal(const struct eb_rd_build *b, eb_rd_put_fn *fn, void *data,
	       uint64_t *size, struct eb_error *err)
{
	struct seal s = { .b = b, .fn = fn, .data = data };
	int rc;

	group_rows(&s);
	lay_out(&s);
	rc = put_all(&s, err);
	*size = s.head.size;
	release(&s);
	return rc;
}

/* --- in memory ------------------------------------------------------- */

struct memory {
	char *p;
	size_t n, alloc;
};

static int put_memory(void *data, const void *p, size_t n, struct eb_error *err)
{
	struct memory *m = data;

	(void)err;
	if (m->n + n > m->alloc) {
		m->alloc = 2 * (m->n + n);
		m->p = eb_realloc(m->p, m->alloc, 1);
	}
	memcpy(m->p + m->n, p, n);
	m->n += n;
	return 0;
}

struct eb_rd_head *eb_rd_seal_memory(const struct eb_rd_build *b)
{
	struct memory m = { 0 };
	struct eb_error none = EB_ERROR_INIT;
	uint64_t size;

	eb_rd_seal(b, put_memory, &m, &size, &none);
	return eb_realloc(m.p, m.n, 1);
}
