/* SPDX-License-Identifier: Apache-2.0 */
/* What a build would push, beside what the nearest image has. */
#include <string.h>

#include "team_nearest.h"

/* Layers of a base count for how many packages get a layer of their own, in
 * the rare plan that is that full; a usual base has about so many. */
#define OTHER_LAYERS 8

struct side {
	struct eb_locked_item *item;
	size_t n;
	struct eb_plan_member *member; /* as the items */
	struct eb_plan plan;
};

static int plan(const struct eb_lock *lock, struct side *s,
		struct eb_error *err)
{
	s->item = eb_lock_items(lock, &s->n);
	s->member = eb_calloc(s->n + 1, sizeof *s->member);
	for (size_t i = 0; i < s->n; i++) {
		s->member[i].name = s->item[i].name;
		s->member[i].packed_size = s->item[i].size;
	}
	return eb_plan_make(s->member, s->n, OTHER_LAYERS, &s->plan, err);
}

static void release(struct side *s)
{
	eb_plan_release(&s->plan);
	free(s->member);
	free(s->item);
}

/* --- the buckets of a map --------------------------------------------- */
/* "conda-meta/NAME-VERSION-BUILD.json" is in the list of a record. */
static char *name_in(const char *paths, size_t n)
{
	static const char dir[] = "/conda-meta/";
	const char *at = memmem(paths, n, dir, sizeof dir - 1), *end;
	size_t left, dashes = 0;

	if (!at)
		return NULL;
	at += sizeof dir - 1;
	left = (size_t)(paths + n - at);
	for (end = at; left && *end != '\t' && *end != '\n' && *end != '/';
	     end++)
		left--;
	while (end > at && dashes < 2)
		dashes += *--end == '-';
	return dashes == 2 ? eb_strndup(at, (size_t)(end - at)) : NULL;
}

static const struct eb_plan_member *find_member(const struct side *s,
						const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->member[i].name, name))
			return &s->member[i];
	return NULL;
}

/* Sizes by number of bucket, as far as records tell whose it is. */
static void bucket_sizes(const struct eb_known *map, const struct side *nearest,
			 uint64_t size[EB_PLAN_BUCKETS])
{
	for (size_t i = 0; i < map->n; i++) {
		const struct eb_known_item *k = &map->item[i];
		eb_autofree char *name =
			k->item.kind == EB_ITEM_PART
				? name_in(map->paths.data + k->paths_at,
					  k->paths_size)
				: NULL;
		const struct eb_plan_member *m =
			name ? find_member(nearest, name) : NULL;

		if (m)
			size[m->bucket] = k->container_size;
	}
}

/* --- what changes ----------------------------------------------------- */
static bool same_file(const struct side *a, size_t i, const struct side *b,
		      size_t j)
{
	return eb_digest_equal(&a->item[i].id, &b->item[j].id);
}

/* Its payload in the same kind of layer, its record as it was? */
static bool same_place(const struct side *a, size_t i, const struct side *b,
		       size_t j)
{
	return a->member[i].own == b->member[j].own &&
	       a->item[i].requested == b->item[j].requested;
}

static void new_package(const struct side *ours, size_t j,
			bool touched[EB_PLAN_BUCKETS], uint64_t *bytes)
{
	*bytes += ours->item[j].size;
	touched[ours->member[j].bucket] = true;
}

/* Both are sorted by name. A package that is asked for now and was not before
 * changes its record alone. */
static uint64_t changes(const struct side *nearest, const struct side *ours,
			bool touched[EB_PLAN_BUCKETS])
{
	size_t i = 0, j = 0;
	uint64_t bytes = 0;

	while (i < nearest->n || j < ours->n) {
		int d = i == nearest->n ? 1
			: j == ours->n	? -1
					: strcmp(nearest->member[i].name,
						 ours->member[j].name);

		if (d < 0)
			touched[nearest->member[i].bucket] = true;
		else if (d > 0)
			new_package(ours, j, touched, &bytes);
		else if (!same_file(nearest, i, ours, j))
			new_package(ours, j, touched, &bytes);
		else if (!same_place(nearest, i, ours, j))
			touched[ours->member[j].bucket] = true;
		i += d <= 0;
		j += d >= 0;
	}
	return bytes;
}

int eb_push_estimate(const struct eb_lock *nearest, const struct eb_lock *ours,
		     const struct eb_known *map, uint64_t *bytes,
		     struct eb_error *err)
{
	struct side a EB_CLEANUP(release) = { 0 };
	struct side b EB_CLEANUP(release) = { 0 };
	uint64_t size[EB_PLAN_BUCKETS] = { 0 };
	bool touched[EB_PLAN_BUCKETS] = { false };

	if (plan(nearest, &a, err) < 0 || plan(ours, &b, err) < 0)
		return -1;
	bucket_sizes(map, &a, size);
	*bytes = changes(&a, &b, touched);
	for (size_t i = 0; i < EB_PLAN_BUCKETS; i++)
		*bytes += touched[i] ? size[i] : 0;
	return 0;
}
