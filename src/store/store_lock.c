/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: which were made for a definition, and where their text is. */
#include <inttypes.h>
#include <string.h>

#include <envbuild/str.h>

#include "store_priv.h"

#define LOCK_WORD "envbuild-lock 1"
#define N_FIELDS 5

static void lock_record(const struct eb_lock_row *row, struct eb_buf *out)
{
	eb_buf_adds(out, LOCK_WORD "\t");
	eb_row_add_hex(out, &row->lock);
	eb_buf_addch(out, '\t');
	eb_row_add_hex(out, &row->definition);
	eb_buf_addch(out, '\t');
	eb_row_add_hex(out, &row->text);
	eb_buf_addf(out, "\t%" PRId64 "\n", row->time);
}

int eb_lock_row_parse(const char *text, size_t len, struct eb_lock_row *row)
{
	eb_autofree char *line = eb_row_first_line(text, len);
	char *field[N_FIELDS];
	uint64_t time;

	if (!line || eb_row_fields(line, field, N_FIELDS) != N_FIELDS ||
	    strcmp(field[0], LOCK_WORD) != 0 ||
	    eb_digest_parse(field[1], &row->lock) < 0 ||
	    eb_digest_parse(field[2], &row->definition) < 0 ||
	    eb_digest_parse(field[3], &row->text) < 0 ||
	    eb_parse_u64(field[4], INT64_MAX, &time) < 0)
		return -1;
	row->time = (int64_t)time;
	return 0;
}

int eb_lock_row_insert(struct eb_store *s, const struct eb_lock_row *row,
		       const struct eb_digest *record, struct eb_error *err)
{
	static const char sql[] =
		"INSERT INTO lock (lock, definition, text, record, time, "
		"serial) VALUES (?, ?, ?, ?, ?, "
		"(SELECT ifnull(max(serial), 0) + 1 FROM lock)) "
		"ON CONFLICT (lock, definition) DO UPDATE SET "
		"text = excluded.text, record = excluded.record, "
		"time = excluded.time, serial = excluded.serial "
		"WHERE excluded.time >= time";

	return eb_db_run(s->db, sql, NULL, NULL, err, "bbbbi",
			 EB_BIND(&row->lock), EB_BIND(&row->definition),
			 EB_BIND(&row->text), EB_BIND(record), row->time);
}

int eb_store_put_lock(struct eb_store *s, const struct eb_lock_row *row,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_METADATA);
	struct eb_digest record;

	lock_record(row, &text);
	if (eb_record_put(s, &text, &record, err) < 0)
		return -1;
	return eb_lock_row_insert(s, row, &record, err);
}

static int read_lock(void *data, const struct eb_db_row *row,
		     struct eb_error *err)
{
	struct eb_lock_row *out = data;

	(void)err;
	eb_row_digest(row, 0, &out->lock);
	eb_row_digest(row, 1, &out->definition);
	eb_row_digest(row, 2, &out->text);
	out->time = eb_db_int(row, 3);
	return 1;
}

static int check_text(struct eb_store *s, const struct eb_lock_row *row,
		      struct eb_error *err)
{
	int there = eb_blob_there(s, &row->text, -1, err);

	if (there != 0 || s->readonly)
		return there;
	return eb_store_forget(s, &row->text, err);
}

/* A lock whose text is gone is forgotten; the next newest answers then. */
static int find(struct eb_store *s, const char *sql,
		const struct eb_digest *key, struct eb_lock_row *out,
		struct eb_error *err)
{
	struct eb_lock_row row;
	int there;

	do {
		row.time = INT64_MIN;
		if (eb_db_run(s->db, sql, read_lock, &row, err, "b",
			      EB_BIND(key)) < 0)
			return -1;
		if (row.time == INT64_MIN)
			return 0;
		there = check_text(s, &row, err);
	} while (there == 0 && !s->readonly);
	if (there == 1)
		*out = row;
	return there;
}

int eb_store_find_definition(struct eb_store *s,
			     const struct eb_digest *definition,
			     struct eb_lock_row *out, struct eb_error *err)
{
	static const char sql[] =
		"SELECT lock, definition, text, time FROM lock "
		"WHERE definition = ? ORDER BY time DESC, serial DESC LIMIT 1";

	return find(s, sql, definition, out, err);
}

int eb_store_find_lock(struct eb_store *s, const struct eb_digest *lock,
		       struct eb_lock_row *out, struct eb_error *err)
{
	static const char sql[] =
		"SELECT lock, definition, text, time FROM lock "
		"WHERE lock = ? ORDER BY time DESC, serial DESC LIMIT 1";

	return find(s, sql, lock, out, err);
}
