/* SPDX-License-Identifier: Apache-2.0 */
/* Small facts: (kind, key) -> text, and perhaps a blob. */
#include "store_priv.h"

#define TOUCH_US ((int64_t)3600 * 1000000)

static int put(struct eb_store *s, const char *kind, const struct eb_fact *f,
	       int64_t now, struct eb_error *err)
{
	static const char sql[] =
		"INSERT OR REPLACE INTO fact (kind, key, text, blob, used) "
		"VALUES (?, ?, ?, ?, ?)";

	return eb_db_run(s->db, sql, NULL, NULL, err, "tttbi", kind, f->key,
			 f->text, f->blob ? (const void *)f->blob->byte : NULL,
			 f->blob ? sizeof f->blob->byte : (size_t)0, now);
}

int eb_store_put_fact(struct eb_store *s, const char *kind, const char *key,
		      const char *text, const struct eb_digest *blob,
		      struct eb_error *err)
{
	const struct eb_fact fact = { key, text, blob };

	return put(s, kind, &fact, eb_store_now_us(), err);
}

static int remove_old(struct eb_store *s, const char *kind, const char *instead,
		      struct eb_error *err)
{
	static const char sql[] = "DELETE FROM fact WHERE kind = ?1 AND "
				  "substr(key, 1, length(?2)) = ?2";

	if (!instead)
		return 0;
	return eb_db_run(s->db, sql, NULL, NULL, err, "tt", kind, instead);
}

int eb_store_put_facts(struct eb_store *s, const char *kind,
		       const char *instead, const struct eb_fact *fact,
		       size_t n, struct eb_error *err)
{
	int64_t now = eb_store_now_us();
	size_t i;
	int done;

	if (eb_db_begin(s->db, err) < 0)
		return -1;
	done = remove_old(s, kind, instead, err);
	for (i = 0; done == 0 && i < n; i++)
		done = put(s, kind, fact + i, now, err);
	return eb_store_end(s, done, err);
}

struct fact {
	struct eb_buf *text;
	bool found, has_blob;
	struct eb_digest blob;
	int64_t used;
};

static int read_fact(void *data, const struct eb_db_row *row,
		     struct eb_error *err)
{
	struct fact *f = data;
	const char *text = eb_db_text(row, 0);
	size_t n = 0;

	f->found = true;
	f->has_blob = eb_db_blob(row, 1, &n) && n == sizeof f->blob.byte;
	eb_row_digest(row, 1, &f->blob);
	f->used = eb_db_int(row, 2);
	if (eb_buf_adds(f->text, text ? text : "") < 0)
		return eb_err_set(err, EB_INPUT,
				  "a fact of the store is longer than its "
				  "reader allows");
	return 1;
}

static int touch(struct eb_store *s, const char *kind, const char *key,
		 int64_t used, struct eb_error *err)
{
	static const char sql[] = "UPDATE fact SET used = ? WHERE kind = ? AND "
				  "key = ?";
	int64_t now = eb_store_now_us();

	if (s->readonly || now - used < TOUCH_US)
		return 0;
	return eb_db_run(s->db, sql, NULL, NULL, err, "itt", now, kind, key);
}

static int check_blob(struct eb_store *s, const struct fact *f,
		      struct eb_error *err)
{
	int there = f->has_blob ? eb_blob_there(s, &f->blob, -1, err) : 1;

	if (there != 0 || s->readonly)
		return there;
	return eb_store_forget(s, &f->blob, err);
}

int eb_store_find_fact(struct eb_store *s, const char *kind, const char *key,
		       struct eb_buf *text, struct eb_error *err)
{
	static const char sql[] = "SELECT text, blob, used FROM fact WHERE kind"
				  " = ? AND key = ?";
	struct fact f = { .text = text };
	size_t before = text->len;
	int there;

	if (eb_db_run(s->db, sql, read_fact, &f, err, "tt", kind, key) < 0)
		return -1;
	if (!f.found)
		return 0;
	there = check_blob(s, &f, err);
	if (there == 1)
		return touch(s, kind, key, f.used, err) < 0 ? -1 : 1;
	text->len = before;
	text->data[before] = '\0';
	return there;
}
