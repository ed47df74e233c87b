/* SPDX-License-Identifier: Apache-2.0 */
/* The map of an image: its own layers as they are, and of each bucket its
 * parts with their places in the blob. */
#include <string.h>

#include "team_work.h"

struct mapping {
	struct eb_build *b;
	struct eb_known *out;
};

/* The text of a path list: known, or read from the store. 1, 0, -1. */
static int read_list(struct mapping *m, const struct eb_item *item,
		     struct eb_buf *text, struct eb_error *err)
{
	const struct eb_known_item *k =
		m->b->known ? eb_known_find(m->b->known, item->kind, &item->key,
					    item->compressor)
			    : NULL;
	int rc;

	if (k && eb_digest_equal(&k->item.paths, &item->paths))
		return eb_buf_add(text, m->b->known->paths.data + k->paths_at,
				  k->paths_size) < 0
			       ? eb_err_set(err, EB_INPUT,
					    "a path list is too long")
			       : 1;
	rc = eb_store_has(m->b->store, &item->paths, err);
	if (rc <= 0)
		return rc;
	return eb_store_read(m->b->store, &item->paths, EB_MAX_PATHS, text,
			     err) < 0
		       ? -1
		       : 1;
}

static int add_part(struct mapping *m, const struct eb_item *part,
		    const struct eb_item *layer, uint64_t offset,
		    struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_PATHS);
	int rc = read_list(m, part, &text, err);

	if (rc <= 0)
		return rc;
	return eb_known_add(m->out, part, &layer->blob, layer->size, offset,
			    text.data, text.len, err) < 0
		       ? -1
		       : 1;
}

/* The parts that the list of a joined layer names; caller frees. */
static struct eb_item *parts_of(const struct eb_buf *text, size_t *n)
{
	struct eb_item head, *part = NULL;
	long at = eb_store_item_parse(text->data, text->len, &head), got = 1;
	size_t alloc = 0;

	for (*n = 0; at > 0 && got > 0; at += got) {
		EB_GROW(part, *n, alloc);
		got = eb_store_part_parse(text->data + at,
					  text->len - (size_t)at, &part[*n]);
		*n += got > 0;
	}
	return part;
}

static int add_parts(struct mapping *m, const struct eb_item *layer,
		     const struct eb_buf *text, struct eb_error *err)
{
	size_t n;
	eb_autofree struct eb_item *part = parts_of(text, &n);
	uint64_t offset = 0;
	int rc = 1;

	if (n &&
	    eb_part_place(&m->b->compressor, layer, part, n, &offset, err) < 0)
		return -1;
	for (size_t i = 0; i < n && rc > 0; i++) {
		rc = add_part(m, &part[i], layer, offset, err);
		offset += part[i].size;
	}
	return rc;
}

static int add_layer(struct mapping *m, const struct eb_descriptor *d,
		     const struct eb_digest *key, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_PATHS);
	struct eb_item item;
	int rc = eb_build_find(m->b, EB_ITEM_LAYER, key, &item, err);

	if (rc > 0 && !eb_digest_equal(&item.blob, &d->digest))
		return 0;
	if (rc > 0)
		rc = read_list(m, &item, &text, err);
	if (rc <= 0)
		return rc;
	if (eb_known_add(m->out, &item, &item.blob, item.size, 0, text.data,
			 text.len, err) < 0)
		return -1;
	return add_parts(m, &item, &text, err);
}

static const char *key_of(const struct eb_descriptor *d)
{
	for (size_t i = 0; i + 1 < d->annotations.n; i += 2)
		if (!strcmp(d->annotations.v[i], EB_LAYER_KEY))
			return d->annotations.v[i + 1];
	return NULL;
}

int eb_team_map(struct eb_build *b, const struct eb_manifest *m,
		struct eb_known *out, struct eb_error *err)
{
	struct mapping mapping = { b, out };
	int rc = 1;

	for (size_t i = 0; i < m->n_layers && rc > 0; i++) {
		const char *text = key_of(&m->layer[i]);
		struct eb_digest key;

		if (text && eb_digest_parse(text, &key) == 0)
			rc = add_layer(&mapping, &m->layer[i], &key, err);
	}
	if (rc > 0)
		eb_known_sort(out);
	return rc;
}
