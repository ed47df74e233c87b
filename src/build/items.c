/* SPDX-License-Identifier: Apache-2.0 */
/* Layers and parts by their keys, wherever they are: in the store, else known
 * to be in the team's registry. */
#include "team_private.h"

int eb_build_find(struct eb_build *b, enum eb_item_kind kind,
		  const struct eb_digest *key, struct eb_item *out,
		  struct eb_error *err)
{
	const struct eb_known_item *known;
	int rc = eb_store_find_item(b->store, kind, key, b->compressor.id, out,
				    err);

	if (rc || !b->known)
		return rc;
	known = eb_known_find(b->known, kind, key, b->compressor.id);
	if (!known)
		return 0;
	*out = known->item;
	return 1;
}

int eb_build_is_here(struct eb_build *b, const struct eb_item *item,
		     struct eb_error *err)
{
	struct eb_item same;

	return eb_store_find_item(b->store, item->kind, &item->key,
				  item->compressor, &same, err);
}

/* The text of its list, where that is known and the store has it not. */
static const struct eb_known_item *list_of(struct eb_build *b,
					   const struct eb_item *item)
{
	const struct eb_known_item *known =
		b->known ? eb_known_find(b->known, item->kind, &item->key,
					 item->compressor)
			 : NULL;

	return known && eb_digest_equal(&known->item.paths, &item->paths)
		       ? known
		       : NULL;
}

int eb_build_paths(struct eb_build *b, const struct eb_item *item,
		   struct eb_entries *out, struct eb_error *err)
{
	const struct eb_known_item *known = list_of(b, item);
	char what[EB_DIGEST_TEXT];
	int here = known ? eb_store_has(b->store, &item->paths, err) : 1;

	if (here)
		return here < 0 ? -1 : eb_part_paths(b->store, item, out, err);
	return eb_part_paths_parse(
		b->known->paths.data + known->paths_at, known->paths_size,
		eb_digest_text(&item->paths, what), out, err);
}

void eb_build_push_fresh(struct eb_build *b, const struct eb_item *layer,
			 const char *name)
{
	if (b->push)
		eb_push_fresh(b->push, &layer->blob, NULL, layer->size, name);
}

void eb_build_push(struct eb_build *b, const struct eb_item *layer,
		   const char *name)
{
	const struct eb_known_item *known = b->push ? list_of(b, layer) : NULL;

	if (!b->push)
		return;
	if (known && eb_digest_equal(&known->container, &layer->blob))
		eb_push_known(b->push, &layer->blob);
	else
		eb_push_blob(b->push, &layer->blob, layer->size, name);
}
