/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of layers and parts without having their bytes. */
#include <string.h>

#include "team_private.h"

static int other_paths(const struct eb_item *item, struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];

	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", looking at its path list: it is that of "
			  "something else",
			  eb_digest_text(&item->key, text));
}

/* The list's own digest, and what its first line says. */
static bool paths_fit(const struct eb_item *item, const char *paths, size_t n)
{
	struct eb_digest d;
	struct eb_item is;

	eb_sha256(paths, n, &d);
	return eb_digest_equal(&d, &item->paths) &&
	       eb_store_item_parse(paths, n, &is) > 0 &&
	       is.kind == item->kind && eb_digest_equal(&is.key, &item->key) &&
	       !strcmp(is.compressor, item->compressor) &&
	       eb_digest_equal(&is.plain, &item->plain) &&
	       is.plain_size == item->plain_size &&
	       eb_digest_equal(&is.blob, &item->blob) && is.size == item->size;
}

int eb_known_add(struct eb_known *k, const struct eb_item *item,
		 const struct eb_digest *container, uint64_t container_size,
		 uint64_t offset, const char *paths, size_t paths_size,
		 struct eb_error *err)
{
	size_t at = k->paths.len;

	if (!paths_fit(item, paths, paths_size))
		return other_paths(item, err);
	if (eb_buf_add(&k->paths, paths, paths_size) < 0) {
		k->paths.overflow = false; /* what is there stays usable */
		return eb_err_set(err, EB_INPUT,
				  "path lists of more than %zu bytes",
				  k->paths.max);
	}
	EB_GROW(k->item, k->n, k->alloc);
	k->item[k->n++] = (struct eb_known_item){
		.item = *item,
		.container = *container,
		.container_size = container_size,
		.offset = offset,
		.paths_at = at,
		.paths_size = paths_size,
	};
	return 0;
}

static int compare(const struct eb_item *a, enum eb_item_kind kind,
		   const struct eb_digest *key, const char *compressor)
{
	int d = (int)a->kind - (int)kind;

	if (!d)
		d = eb_digest_compare(&a->key, key);
	return d ? d : strcmp(a->compressor, compressor);
}

/* Of equal ones the one that was added first comes first. */
static int by_key(const void *a, const void *b)
{
	const struct eb_known_item *x = a, *y = b;
	int d = compare(&x->item, y->item.kind, &y->item.key,
			y->item.compressor);

	return d ? d
		 : (x->paths_at > y->paths_at) - (x->paths_at < y->paths_at);
}

void eb_known_sort(struct eb_known *k)
{
	size_t to = 0;

	if (k->n)
		qsort(k->item, k->n, sizeof *k->item, by_key);
	for (size_t i = 0; i < k->n; i++) {
		const struct eb_item *item = &k->item[i].item;

		if (!to || compare(&k->item[to - 1].item, item->kind,
				   &item->key, item->compressor))
			k->item[to++] = k->item[i];
	}
	k->n = to;
}

const struct eb_known_item *eb_known_find(const struct eb_known *k,
					  enum eb_item_kind kind,
					  const struct eb_digest *key,
					  const char *compressor)
{
	size_t from = 0, to = k->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int d = compare(&k->item[mid].item, kind, key, compressor);

		if (!d)
			return &k->item[mid];
		if (d < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

void eb_known_add_there(struct eb_known *k, const struct eb_digest *layer)
{
	EB_GROW(k->there, k->n_there, k->there_alloc);
	k->there[k->n_there++] = *layer;
}

bool eb_known_is_there(const struct eb_known *k, const struct eb_digest *layer)
{
	for (size_t i = 0; i < k->n_there; i++)
		if (eb_digest_equal(&k->there[i], layer))
			return true;
	return false;
}

void eb_known_release(struct eb_known *k)
{
	free(k->item);
	free(k->there);
	k->item = NULL;
	k->there = NULL;
	k->n = k->alloc = k->n_there = k->there_alloc = 0;
	eb_buf_release(&k->paths);
}
