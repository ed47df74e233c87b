/* SPDX-License-Identifier: Apache-2.0 */
/* Items: the rows of layers and parts. */
#include <string.h>

#include "store_priv.h"

static int read_item(void *data, const struct eb_db_row *row,
		     struct eb_error *err)
{
	struct eb_item *item = data;

	(void)err;
	eb_row_digest(row, 0, &item->plain);
	item->plain_size = (uint64_t)eb_db_int(row, 1);
	eb_row_digest(row, 2, &item->blob);
	item->size = (uint64_t)eb_db_int(row, 3);
	eb_row_digest(row, 4, &item->paths);
	item->kind = EB_ITEM_LAYER; /* found; the caller knows the kind */
	return 1;
}

static int select_item(struct eb_store *s, const char *kind,
		       const struct eb_digest *key, const char *compressor,
		       struct eb_item *out, struct eb_error *err)
{
	static const char sql[] =
		"SELECT plain, plain_size, blob, size, paths FROM item "
		"WHERE kind = ? AND key = ? AND compressor = ?";

	memset(out, 0, sizeof *out);
	if (eb_db_run(s->db, sql, read_item, out, err, "tbt", kind,
		      EB_BIND(key), compressor) < 0)
		return -1;
	return out->kind != 0;
}

static int blobs_there(struct eb_store *s, const struct eb_item *item,
		       struct eb_error *err)
{
	int there = eb_blob_there(s, &item->blob, (int64_t)item->size, err);

	return there == 1 ? eb_blob_there(s, &item->paths, -1, err) : there;
}

/* Looked at once more while nobody can put the row again. */
static int forget(struct eb_store *s, const char *kind,
		  const struct eb_item *item, struct eb_error *err)
{
	static const char sql[] = "DELETE FROM item WHERE kind = ? AND key = ? "
				  "AND compressor = ?";
	int there, done = 0;

	if (s->readonly)
		return 0;
	if (eb_db_begin(s->db, err) < 0)
		return -1;
	there = blobs_there(s, item, err);
	if (there == 0)
		done = eb_db_run(s->db, sql, NULL, NULL, err, "tbt", kind,
				 EB_BIND(&item->key), item->compressor);
	return eb_store_end(s, there < 0 ? -1 : done, err);
}

int eb_store_find_item(struct eb_store *s, enum eb_item_kind kind,
		       const struct eb_digest *key, const char *compressor,
		       struct eb_item *out, struct eb_error *err)
{
	const char letter[] = { (char)kind, '\0' };
	int found = select_item(s, letter, key, compressor, out, err);
	int there;

	if (found <= 0)
		return found;
	out->kind = kind;
	out->key = *key;
	strncat(out->compressor, compressor, sizeof out->compressor - 1);
	there = blobs_there(s, out, err);
	if (there == 0 && forget(s, letter, out, err) < 0)
		return -1;
	return there;
}

int eb_item_insert(struct eb_store *s, const struct eb_item *item,
		   struct eb_error *err)
{
	static const char sql[] =
		"INSERT OR REPLACE INTO item (kind, key, compressor, plain, "
		"plain_size, blob, size, paths) VALUES (?, ?, ?, ?, ?, ?, ?, "
		"?)";
	const char letter[] = { (char)item->kind, '\0' };

	return eb_db_run(s->db, sql, NULL, NULL, err, "tbtbibib", letter,
			 EB_BIND(&item->key), item->compressor,
			 EB_BIND(&item->plain), (int64_t)item->plain_size,
			 EB_BIND(&item->blob), (int64_t)item->size,
			 EB_BIND(&item->paths));
}

int eb_item_insert_part(struct eb_store *s, const struct eb_item *layer,
			size_t position, const struct eb_item *part,
			struct eb_error *err)
{
	static const char sql[] =
		"INSERT OR REPLACE INTO layer_part (layer, compressor, "
		"position, part, paths) VALUES (?, ?, ?, ?, ?)";

	return eb_db_run(s->db, sql, NULL, NULL, err, "btibb",
			 EB_BIND(&layer->key), layer->compressor,
			 (int64_t)position, EB_BIND(&part->key),
			 EB_BIND(&part->paths));
}

int eb_store_put_item(struct eb_store *s, const struct eb_item *item,
		      struct eb_error *err)
{
	if (eb_record_mark(s, &item->paths, err) < 0)
		return -1;
	return eb_item_insert(s, item, err);
}

static int insert_joined(struct eb_store *s, const struct eb_item *layer,
			 const struct eb_item *part, size_t n,
			 struct eb_error *err)
{
	static const char sql[] = "DELETE FROM layer_part WHERE layer = ? AND "
				  "compressor = ?";
	size_t i;

	if (eb_db_run(s->db, sql, NULL, NULL, err, "bt", EB_BIND(&layer->key),
		      layer->compressor) < 0 ||
	    eb_item_insert(s, layer, err) < 0)
		return -1;
	for (i = 0; i < n; i++)
		if (eb_item_insert_part(s, layer, i, part + i, err) < 0)
			return -1;
	return 0;
}

int eb_store_put_joined(struct eb_store *s, const struct eb_item *layer,
			const struct eb_item *part, size_t n,
			struct eb_error *err)
{
	if (eb_record_mark(s, &layer->paths, err) < 0 ||
	    eb_db_begin(s->db, err) < 0)
		return -1;
	return eb_store_end(s, insert_joined(s, layer, part, n, err), err);
}
