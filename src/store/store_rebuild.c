/* SPDX-License-Identifier: Apache-2.0 */
/* The index, made anew from the records among the blobs. */
#include <string.h>

#include "store_priv.h"

struct rebuild {
	struct eb_store *s;
	struct eb_events *events;
	uint64_t rows;
};

static int add_parts(struct rebuild *r, const struct eb_item *layer,
		     const char *text, size_t len, struct eb_error *err)
{
	struct eb_item part;
	size_t i;
	long n;

	for (i = 0; (n = eb_store_part_parse(text, len, &part)) > 0; i++) {
		if (eb_item_insert_part(r->s, layer, i, &part, err) < 0)
			return -1;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static int add_item(struct rebuild *r, struct eb_item *item,
		    const struct eb_digest *d, const char *text, size_t len,
		    struct eb_error *err)
{
	int there = eb_blob_there(r->s, &item->blob, (int64_t)item->size, err);

	if (there <= 0)
		return there;
	item->paths = *d;
	r->rows++;
	return eb_item_insert(r->s, item, err) < 0
		       ? -1
		       : add_parts(r, item, text, len, err);
}

static int add_lock(struct rebuild *r, const struct eb_lock_row *row,
		    const struct eb_digest *record, struct eb_error *err)
{
	int there = eb_blob_there(r->s, &row->text, -1, err);

	if (there <= 0)
		return there;
	r->rows++;
	return eb_lock_row_insert(r->s, row, record, err);
}

/* The lines behind the first name the blobs; all have to be there. */
static int image_blobs(struct rebuild *r, const char *text, size_t len,
		       struct eb_digest_set *set, struct eb_error *err)
{
	char line[EB_HEX_SIZE];
	int there;

	while (len >= EB_HEX_SIZE) {
		memcpy(line, text, EB_HEX_SIZE);
		line[EB_HEX_SIZE - 1] = '\0';
		EB_GROW(set->d, set->n, set->alloc);
		if (eb_digest_parse(line, &set->d[set->n]) < 0)
			return 0;
		there = eb_blob_there(r->s, &set->d[set->n++], -1, err);
		if (there <= 0)
			return there;
		text += EB_HEX_SIZE;
		len -= EB_HEX_SIZE;
	}
	return len == 0;
}

static int add_image(struct rebuild *r, const struct eb_image_row *row,
		     const struct eb_digest *record, const char *text,
		     size_t len, struct eb_error *err)
{
	struct eb_digest_set set EB_CLEANUP(eb_digest_set_release) = { 0 };
	int there = eb_blob_there(r->s, &row->manifest, -1, err);

	if (there == 1)
		there = eb_blob_there(r->s, &row->config, -1, err);
	if (there == 1)
		there = image_blobs(r, text, len, &set, err);
	if (there <= 0)
		return there;
	r->rows++;
	return eb_image_insert(r->s, row, record, set.d, set.n, err);
}

static int add_record(struct rebuild *r, const struct eb_digest *d,
		      const char *text, size_t len, struct eb_error *err)
{
	struct eb_item item;
	struct eb_lock_row lock;
	struct eb_image_row image;
	long n = eb_store_item_parse(text, len, &item);

	if (n > 0)
		return add_item(r, &item, d, text + n, len - (size_t)n, err);
	if (eb_lock_row_parse(text, len, &lock) == 0)
		return add_lock(r, &lock, d, err);
	n = eb_image_parse(text, len, &image);
	if (n > 0)
		return add_image(r, &image, d, text + n, len - (size_t)n, err);
	return 0;
}

/* A record that is damaged is passed over; the check that follows names it. */
static int visit(void *data, const struct eb_digest *d, uint64_t size,
		 struct eb_error *err)
{
	struct rebuild *r = data;
	struct eb_error bad = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_PATHLIST);
	int there = eb_blob_there(r->s, d, -1, err);

	(void)size;
	if (there <= 0)
		return there;
	if (eb_store_read(r->s, d, EB_MAX_PATHLIST, &text, &bad) < 0) {
		eb_warn(r->events, "%s", bad.message);
		eb_err_release(&bad);
		return 0;
	}
	return add_record(r, d, text.data, text.len, err);
}

static int clear(struct eb_store *s, struct eb_error *err)
{
	static const char *const sql[] = {
		"DELETE FROM item",	  "DELETE FROM layer_part",
		"DELETE FROM lock",	  "DELETE FROM image",
		"DELETE FROM image_blob",
	};
	size_t i;

	for (i = 0; i < sizeof sql / sizeof *sql; i++)
		if (eb_db_run(s->db, sql[i], NULL, NULL, err, "") < 0)
			return -1;
	return 0;
}

int eb_store_rebuild(struct eb_store *s, struct eb_events *events,
		     struct eb_error *err)
{
	struct rebuild r = { .s = s, .events = events };
	int done;

	if (eb_db_begin(s->db, err) < 0)
		return -1;
	done = clear(s, err);
	if (done == 0)
		done = eb_store_scan(s, s->rows, visit, &r, err);
	if (eb_store_end(s, done, err) < 0)
		return -1;
	eb_note(events, "the index has %llu rows now",
		(unsigned long long)r.rows);
	return 0;
}
