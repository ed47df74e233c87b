/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a segment. It was written by us, but may have suffered since: a
 * number that leads out of it counts as none.
 */
#include <string.h>
#include <sys/mman.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

uint32_t eb_rd_hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 15;
}

static const void *at(const struct eb_rd_head *h, uint64_t offset)
{
	return (const char *)h + offset;
}

static bool fits(const struct eb_rd_head *h, uint64_t offset, uint64_t n,
		 size_t each)
{
	return offset >= sizeof *h && offset <= h->size &&
	       n <= (h->size - offset) / each;
}

bool eb_rd_segment_ok(const void *p, size_t size)
{
	const struct eb_rd_head *h = p;

	if (size < sizeof *h || memcmp(h->magic, EB_RD_MAGIC, 8) ||
	    h->row_size != sizeof(struct eb_rd_row) || h->size > size ||
	    (h->rows | h->names | h->slots | h->lists | h->bad | h->needs) % 8)
		return false;
	return fits(h, h->rows, h->n_rows, sizeof(struct eb_rd_row)) &&
	       fits(h, h->names, h->n_names, sizeof(struct eb_rd_group)) &&
	       fits(h, h->slots, h->n_slots, 4) &&
	       fits(h, h->lists, h->n_lists, 4) &&
	       fits(h, h->bad, h->n_bad, sizeof(struct eb_rd_bad)) &&
	       fits(h, h->needs, h->n_needs, 4) &&
	       fits(h, h->text, h->text_size, 1) && h->text_size &&
	       !*eb_rd_text(h, 0) &&
	       !((const char *)at(h, h->text))[h->text_size - 1] &&
	       h->n_slots && !(h->n_slots & (h->n_slots - 1));
}

const char *eb_rd_text(const struct eb_rd_head *h, uint32_t id)
{
	return (const char *)at(h, h->text) + (id < h->text_size ? id : 0);
}

const struct eb_rd_row *eb_rd_rows(const struct eb_rd_head *h)
{
	return at(h, h->rows);
}

const struct eb_rd_group *eb_rd_groups(const struct eb_rd_head *h)
{
	return at(h, h->names);
}

const struct eb_rd_bad *eb_rd_bads(const struct eb_rd_head *h)
{
	return at(h, h->bad);
}

const struct eb_rd_group *eb_rd_group_of(const struct eb_rd_head *h,
					 const char *name)
{
	const uint32_t *slot = at(h, h->slots);
	const struct eb_rd_group *all = eb_rd_groups(h);
	uint32_t i = eb_rd_hash(name);

	for (uint32_t left = h->n_slots; left; left--, i++) {
		uint32_t g = slot[i & (h->n_slots - 1)];

		if (!g || g > h->n_names)
			return NULL;
		if (strcmp(eb_rd_text(h, all[g - 1].name), name))
			continue;
		return all[g - 1].first <= h->n_rows &&
				       all[g - 1].n <=
					       h->n_rows - all[g - 1].first
			       ? &all[g - 1]
			       : NULL;
	}
	return NULL;
}

const uint32_t *eb_rd_list(const struct eb_rd_head *h,
			   const struct eb_rd_row *row, size_t *n)
{
	const uint32_t *lists = at(h, h->lists);

	*n = (size_t)row->n_depends + row->n_constrains + row->n_flags +
	     2u * row->n_extras;
	if (row->list > h->n_lists || *n > h->n_lists - row->list)
		*n = 0;
	return *n ? lists + row->list : lists;
}

void eb_rd_map_release(struct eb_rd_map *m)
{
	if (m->mapped)
		munmap(m->p, m->size);
	else
		free(m->p);
	memset(m, 0, sizeof *m);
}
