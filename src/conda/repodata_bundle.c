/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles: read, and written. */
#include "repodata_bundle.h"

#include <string.h>

#include <envbuild/mem.h>

/* --- reading --------------------------------------------------------- */

static const void *at(const struct eb_rd_bundle *b, uint64_t offset)
{
	return (const char *)b + offset;
}

static bool fits(const struct eb_rd_bundle *b, uint64_t offset, uint64_t n,
		 size_t each)
{
	return offset >= sizeof *b && offset <= b->size && !(offset % 8) &&
	       n <= (b->size - offset) / each;
}

bool eb_rd_bundle_ok(const void *p, size_t size)
{
	const struct eb_rd_bundle *b = p;

	if (size < sizeof *b || memcmp(b->magic, EB_RD_BUNDLE_MAGIC, 8) ||
	    b->row_size != sizeof(struct eb_rd_row) || b->size > size)
		return false;
	return fits(b, b->entries, b->n, sizeof(struct eb_rd_entry)) &&
	       fits(b, b->slots, b->n_slots, 4) &&
	       fits(b, b->text, b->text_size, 1) && b->text_size &&
	       !((const char *)at(b, b->text))[b->text_size - 1] &&
	       b->n_slots && !(b->n_slots & (b->n_slots - 1));
}

const struct eb_rd_entry *eb_rd_entries(const struct eb_rd_bundle *b)
{
	return at(b, b->entries);
}

const char *eb_rd_bundle_text(const struct eb_rd_bundle *b, uint32_t id)
{
	return (const char *)at(b, b->text) + (id < b->text_size ? id : 0);
}

const struct eb_rd_entry *eb_rd_bundle_find(const struct eb_rd_bundle *b,
					    const char *name)
{
	const struct eb_rd_entry *all = eb_rd_entries(b);
	const uint32_t *slot = at(b, b->slots);
	uint32_t i = eb_rd_hash(name);

	for (uint32_t left = b->n_slots; left; left--, i++) {
		uint32_t e = slot[i & (b->n_slots - 1)];

		if (!e || e > b->n)
			return NULL;
		if (!strcmp(eb_rd_bundle_text(b, all[e - 1].name), name))
			return &all[e - 1];
	}
	return NULL;
}

const struct eb_rd_head *eb_rd_bundle_segment(const struct eb_rd_bundle *b,
					      const struct eb_rd_entry *e)
{
	if (!e->segment || e->segment % 8 || e->segment >= b->size ||
	    !eb_rd_segment_ok(at(b, e->segment), b->size - e->segment))
		return NULL;
	return at(b, e->segment);
}

/* --- writing --------------------------------------------------------- */

static uint64_t room(uint64_t *end, uint64_t n)
{
	uint64_t start = *end;

	*end += (n + 7) / 8 * 8;
	return start;
}

static void lay_out(struct eb_rd_bundle *b, const struct eb_rd_table *t)
{
	uint64_t end = sizeof *b;

	memcpy(b->magic, EB_RD_BUNDLE_MAGIC, 8);
	b->row_size = sizeof(struct eb_rd_row);
	b->n = (uint32_t)t->n;
	for (b->n_slots = 4; b->n_slots < 2 * b->n;)
		b->n_slots *= 2;
	b->base_url = t->base_url;
	b->shards_url = t->shards_url;
	b->text_size = t->pool.used;
	b->entries = room(&end, t->n * sizeof(struct eb_rd_entry));
	b->slots = room(&end, (uint64_t)b->n_slots * 4);
	b->text = room(&end, b->text_size);
	b->size = end;
}

static void fill_texts(const struct eb_strpool *pool, char *to)
{
	for (uint32_t i = 0; i < pool->used; i += EB_STRPOOL_CHUNK) {
		uint32_t n = pool->used - i;

		memcpy(to + i, eb_strpool_text(pool, i),
		       n < EB_STRPOOL_CHUNK ? n : EB_STRPOOL_CHUNK);
	}
}

struct eb_rd_bundle *eb_rd_table_seal(const struct eb_rd_table *t)
{
	struct eb_rd_bundle head = { 0 }, *b;
	uint32_t *slot;

	lay_out(&head, t);
	b = eb_calloc(1, head.size);
	*b = head;
	if (t->n)
		memcpy((char *)b + b->entries, t->entry,
		       t->n * sizeof *t->entry);
	fill_texts(&t->pool, (char *)b + b->text);
	slot = (uint32_t *)(void *)((char *)b + b->slots);
	for (uint32_t e = 0; e < b->n; e++) {
		uint32_t i =
			eb_rd_hash(eb_strpool_text(&t->pool, t->entry[e].name));

		while (slot[i & (b->n_slots - 1)])
			i++;
		slot[i & (b->n_slots - 1)] = e + 1;
	}
	return b;
}

int eb_rd_bundle_write(const struct eb_rd_bundle *b,
		       const struct eb_rd_head *const *segment,
		       eb_rd_put_fn *put, void *data, struct eb_error *err)
{
	struct eb_rd_bundle head = *b;
	uint64_t start = (b->text + b->text_size + 7) / 8 * 8;
	eb_autofree struct eb_rd_entry *entry =
		eb_calloc(b->n + 1, sizeof *entry);

	head.size = start;
	if (b->n)
		memcpy(entry, eb_rd_entries(b), b->n * sizeof *entry);
	for (uint32_t i = 0; i < b->n; i++) {
		entry[i].segment = segment[i] ? head.size : 0;
		head.size += segment[i] ? segment[i]->size : 0;
	}
	if (put(data, &head, sizeof head, err) < 0 ||
	    (b->n && put(data, entry, b->n * sizeof *entry, err) < 0) ||
	    put(data, at(b, b->slots), start - b->slots, err) < 0)
		return -1;
	for (uint32_t i = 0; i < b->n; i++)
		if (segment[i] &&
		    put(data, segment[i], segment[i]->size, err) < 0)
			return -1;
	return 0;
}
