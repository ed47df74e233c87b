/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a name, collected from all sources when they are first asked
 * for; the names that there are.
 */
#include <assert.h>
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"
#include "repodata_shards.h"

/* --- sources --------------------------------------------------------- */

unsigned eb_rd_source_add(struct eb_repodata *rd, unsigned channel,
			  const char *channel_url, const char *subdir,
			  const char *dir_url)
{
	struct eb_rd_source *s;

	assert(rd->n_sources < UINT16_MAX);
	rd->source =
		eb_realloc(rd->source, rd->n_sources + 1, sizeof *rd->source);
	s = &rd->source[rd->n_sources];
	memset(s, 0, sizeof *s);
	s->channel = channel;
	s->channel_url = eb_strdup(channel_url);
	s->subdir = eb_strdup(subdir);
	s->dir_url = eb_strdup(dir_url);
	return (unsigned)rd->n_sources++;
}

void eb_rd_source_release(struct eb_rd_source *s)
{
	free(s->channel_url);
	free(s->subdir);
	free(s->dir_url);
	eb_rd_map_release(&s->map);
	eb_rd_shards_free(s->shards);
	eb_rd_build_free(s->build);
}

const struct eb_rd_head *eb_rd_segment(const struct eb_rd_source *s,
				       const char *name)
{
	return s->shards ? eb_rd_shards_segment(s->shards, name) : s->head;
}

/* --- what was found -------------------------------------------------- */

void eb_rd_index_drop(struct eb_repodata *rd)
{
	for (size_t i = 0; i < rd->n_found; i++) {
		free(rd->found[i].name);
		free(rd->found[i].list);
	}
	free(eb_steal(rd->found));
	free(eb_steal(rd->slot));
	free(eb_steal(rd->ref));
	free(eb_steal(rd->name));
	rd->n_found = rd->alloc_found = rd->slots = 0;
	rd->n_refs = rd->alloc_refs = rd->n_names = 0;
}

/* Records that were added by hand since the last look. */
static void freshen(struct eb_repodata *rd)
{
	if (!rd->dirty)
		return;
	rd->dirty = false;
	eb_rd_index_drop(rd);
	for (size_t i = 0; i < rd->n_sources; i++) {
		struct eb_rd_source *s = &rd->source[i];

		if (!s->build)
			continue;
		eb_rd_map_release(&s->map);
		s->map.p = eb_rd_seal_memory(s->build);
		s->head = s->map.p;
	}
}

static uint32_t *place(const struct eb_repodata *rd, const char *name)
{
	uint32_t i = eb_rd_hash(name), mask = rd->slots - 1;

	while (rd->slot[i & mask] &&
	       strcmp(rd->found[rd->slot[i & mask] - 1].name, name))
		i++;
	return &rd->slot[i & mask];
}

static void make_room(struct eb_repodata *rd)
{
	if (2 * rd->n_found < rd->slots)
		return;
	free(rd->slot);
	rd->slots = rd->slots ? 2 * rd->slots : 1024;
	rd->slot = eb_calloc(rd->slots, sizeof *rd->slot);
	for (size_t i = 0; i < rd->n_found; i++)
		*place(rd, rd->found[i].name) = (uint32_t)i + 1;
}

/* --- rows that count ------------------------------------------------- */

static bool is_late(const struct eb_repodata *rd, const struct eb_rd_row *row)
{
	return rd->as_of && row->time > rd->as_of;
}

static bool same_stem(const struct eb_rd_head *h, const struct eb_rd_row *a,
		      const struct eb_rd_row *b)
{
	size_t x, y;

	if (!((a->flags | b->flags) & EB_RD_OWN_FN))
		return a->version == b->version && a->build == b->build;
	x = strlen(eb_rd_text(h, a->fn));
	y = strlen(eb_rd_text(h, b->fn));
	x -= a->flags & EB_RD_CONDA ? 6 : 8;
	y -= b->flags & EB_RD_CONDA ? 6 : 8;
	return x == y &&
	       !strncmp(eb_rd_text(h, a->fn), eb_rd_text(h, b->fn), x);
}

/* Hidden rows come out where the one that hides them is too late. */
static bool is_hidden(const struct eb_repodata *rd, const struct eb_rd_head *h,
		      const struct eb_rd_group *g, const struct eb_rd_row *row)
{
	const struct eb_rd_row *first = eb_rd_rows(h) + g->first;

	if (!(row->flags & EB_RD_HIDDEN) || !rd->as_of)
		return row->flags & EB_RD_HIDDEN;
	for (uint32_t i = 0; i < g->n; i++)
		if (!(first[i].flags & EB_RD_HIDDEN) &&
		    same_stem(h, &first[i], row))
			return !is_late(rd, &first[i]);
	return true;
}

static void collect(struct eb_repodata *rd, unsigned source, const char *name,
		    struct eb_rd_found *f)
{
	const struct eb_rd_head *h = eb_rd_segment(&rd->source[source], name);
	const struct eb_rd_group *g = h ? eb_rd_group_of(h, name) : NULL;
	const struct eb_rd_row *row = g ? eb_rd_rows(h) + g->first : NULL;

	if (!g)
		return;
	f->list = eb_realloc(f->list, f->n + g->n, sizeof *f->list);
	for (uint32_t i = 0; i < g->n; i++, row++) {
		if (is_late(rd, row) || is_hidden(rd, h, g, row))
			continue;
		EB_GROW(rd->ref, rd->n_refs, rd->alloc_refs);
		rd->ref[rd->n_refs] = (struct eb_rd_ref){ .head = h,
							  .row = row,
							  .source = source };
		f->list[f->n++] = (uint32_t)rd->n_refs++;
	}
}

/* Collecting on demand is no change that a caller can see. */
size_t eb_repodata_by_name(const struct eb_repodata *cache, const char *name,
			   const uint32_t **list)
{
	struct eb_repodata *rd = (struct eb_repodata *)cache;
	struct eb_rd_found *f;
	uint32_t *slot;

	freshen(rd);
	make_room(rd);
	slot = place(rd, name);
	if (!*slot) {
		EB_GROW(rd->found, rd->n_found, rd->alloc_found);
		f = &rd->found[rd->n_found];
		*f = (struct eb_rd_found){ .name = eb_strdup(name) };
		*slot = (uint32_t)++rd->n_found;
		for (unsigned i = 0; i < rd->n_sources; i++)
			collect(rd, i, name, f);
	}
	f = &rd->found[*slot - 1];
	*list = f->list;
	return f->n;
}

/* --- names ----------------------------------------------------------- */

struct names {
	const char **name;
	size_t n;
	uint32_t *slot, mask;
};

static void add_name(struct names *names, const char *name)
{
	uint32_t i = eb_rd_hash(name);

	while (names->slot[i & names->mask]) {
		if (!strcmp(names->name[names->slot[i & names->mask] - 1],
			    name))
			return;
		i++;
	}
	names->name[names->n++] = name;
	names->slot[i & names->mask] = (uint32_t)names->n;
}

static void add_names(struct names *names, const struct eb_rd_source *s)
{
	size_t n = s->shards ? eb_rd_shards_count(s->shards)
		   : s->head ? s->head->n_names
			     : 0;

	for (size_t i = 0; i < n; i++)
		add_name(names,
			 s->shards ? eb_rd_shards_name(s->shards, i)
				   : eb_rd_text(s->head,
						eb_rd_groups(s->head)[i].name));
}

const char *const *eb_rd_names(const struct eb_repodata *cache, size_t *n)
{
	struct eb_repodata *rd = (struct eb_repodata *)cache;
	struct names names = { .mask = 1023 };
	size_t room = 0;

	freshen(rd);
	for (size_t i = 0; !rd->name && i < rd->n_sources; i++) {
		const struct eb_rd_source *s = &rd->source[i];

		room += s->shards ? eb_rd_shards_count(s->shards)
			: s->head ? s->head->n_names
				  : 0;
	}
	*n = rd->n_names;
	if (rd->name)
		return rd->name;
	while (names.mask < 2 * room)
		names.mask = 2 * names.mask + 1;
	names.slot = eb_calloc((size_t)names.mask + 1, sizeof *names.slot);
	names.name = eb_calloc(room + 1, sizeof *names.name);
	for (size_t i = 0; i < rd->n_sources; i++)
		add_names(&names, &rd->source[i]);
	free(names.slot);
	rd->name = names.name;
	*n = rd->n_names = names.n;
	return rd->name;
}

size_t eb_repodata_count(const struct eb_repodata *rd)
{
	const uint32_t *list;
	size_t n, count = 0;
	const char *const *name = eb_rd_names(rd, &n);

	for (size_t i = 0; i < n; i++)
		count += eb_repodata_by_name(rd, name[i], &list);
	return count;
}
