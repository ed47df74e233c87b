/* SPDX-License-Identifier: Apache-2.0 */
/* Images: what was made of a lock, and every blob that it needs. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/str.h>

#include "store_priv.h"

#define IMAGE_WORD "envbuild-image 1"
#define N_FIELDS 7
#define COLUMNS "manifest, lock, compressor, config, size, time, used"

/* One use an hour is noted: an answer must not cost a write each time. */
#define TOUCH_US ((int64_t)3600 * 1000000)

static void image_record(const struct eb_image_row *row,
			 const struct eb_digest *blob, size_t n,
			 struct eb_buf *out)
{
	size_t i;

	eb_buf_adds(out, IMAGE_WORD "\t");
	eb_row_add_hex(out, &row->manifest);
	eb_buf_addch(out, '\t');
	eb_row_add_hex(out, &row->lock);
	eb_buf_addf(out, "\t%s\t", row->compressor);
	eb_row_add_hex(out, &row->config);
	eb_buf_addf(out, "\t%" PRIu64 "\t%" PRId64 "\n", row->size, row->time);
	for (i = 0; i < n; i++) {
		eb_row_add_hex(out, blob + i);
		eb_buf_addch(out, '\n');
	}
}

long eb_image_parse(const char *text, size_t len, struct eb_image_row *row)
{
	eb_autofree char *line = eb_row_first_line(text, len);
	size_t n = line ? strlen(line) + 1 : 0;
	char *field[N_FIELDS];
	uint64_t time;

	memset(row, 0, sizeof *row);
	if (!line || eb_row_fields(line, field, N_FIELDS) != N_FIELDS ||
	    strcmp(field[0], IMAGE_WORD) != 0 ||
	    eb_digest_parse(field[1], &row->manifest) < 0 ||
	    eb_digest_parse(field[2], &row->lock) < 0 ||
	    strlen(field[3]) >= sizeof row->compressor ||
	    eb_digest_parse(field[4], &row->config) < 0 ||
	    eb_parse_u64(field[5], INT64_MAX, &row->size) < 0 ||
	    eb_parse_u64(field[6], INT64_MAX, &time) < 0)
		return -1;
	strcpy(row->compressor, field[3]);
	row->time = (int64_t)time;
	return (long)n;
}

static int insert_row(struct eb_store *s, const struct eb_image_row *row,
		      const struct eb_digest *record, struct eb_error *err)
{
	static const char sql[] =
		"INSERT OR REPLACE INTO image (manifest, lock, compressor, "
		"config, record, size, time, used) VALUES (?, ?, ?, ?, ?, ?, "
		"?, ?)";

	return eb_db_run(s->db, sql, NULL, NULL, err, "bbtbbiii",
			 EB_BIND(&row->manifest), EB_BIND(&row->lock),
			 row->compressor, EB_BIND(&row->config),
			 EB_BIND(record), (int64_t)row->size, row->time,
			 eb_store_now_us());
}

int eb_image_insert(struct eb_store *s, const struct eb_image_row *row,
		    const struct eb_digest *record,
		    const struct eb_digest *blob, size_t n_blobs,
		    struct eb_error *err)
{
	static const char clear[] = "DELETE FROM image_blob WHERE manifest = ?";
	static const char add[] =
		"INSERT OR IGNORE INTO image_blob (manifest, blob) VALUES (?, "
		"?)";
	size_t i;

	if (insert_row(s, row, record, err) < 0 ||
	    eb_db_run(s->db, clear, NULL, NULL, err, "b",
		      EB_BIND(&row->manifest)) < 0)
		return -1;
	for (i = 0; i < n_blobs; i++)
		if (eb_db_run(s->db, add, NULL, NULL, err, "bb",
			      EB_BIND(&row->manifest), EB_BIND(blob + i)) < 0)
			return -1;
	return 0;
}

int eb_store_put_image(struct eb_store *s, const struct eb_image_row *row,
		       const struct eb_digest *blob, size_t n_blobs,
		       struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_METADATA);
	struct eb_digest record;

	image_record(row, blob, n_blobs, &text);
	if (eb_record_put(s, &text, &record, err) < 0 ||
	    eb_db_begin(s->db, err) < 0)
		return -1;
	return eb_store_end(
		s, eb_image_insert(s, row, &record, blob, n_blobs, err), err);
}

struct candidate {
	struct eb_image_row row;
	int64_t used;
};

struct found {
	struct candidate *v;
	size_t n, alloc;
};

static int read_image(void *data, const struct eb_db_row *row,
		      struct eb_error *err)
{
	struct found *f = data;
	struct eb_image_row *r;
	const char *compressor = eb_db_text(row, 2);

	(void)err;
	EB_GROW(f->v, f->n, f->alloc);
	memset(&f->v[f->n], 0, sizeof *f->v);
	f->v[f->n].used = eb_db_int(row, 6);
	r = &f->v[f->n++].row;
	eb_row_digest(row, 0, &r->manifest);
	eb_row_digest(row, 1, &r->lock);
	strncat(r->compressor, compressor ? compressor : "",
		sizeof r->compressor - 1);
	eb_row_digest(row, 3, &r->config);
	r->size = (uint64_t)eb_db_int(row, 4);
	r->time = eb_db_int(row, 5);
	return 0;
}

struct looking {
	struct eb_store *s;
	bool missing;
	struct eb_digest blob; /* the missing one */
};

static int look(void *data, const struct eb_db_row *row, struct eb_error *err)
{
	struct looking *l = data;
	char hex[EB_HEX_SIZE];

	eb_row_digest(row, 0, &l->blob);
	if (faccessat(l->s->blobs, eb_digest_hex(&l->blob, hex), F_OK, 0) == 0)
		return 0;
	if (errno != ENOENT)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", looking for blob %s", l->s->dir,
				    hex);
	l->missing = true;
	return 1;
}

/* 1 all there, 0 not. */
static int complete(struct looking *l, const struct eb_digest *manifest,
		    struct eb_error *err)
{
	static const char sql[] =
		"SELECT manifest FROM image WHERE manifest = ?1 "
		"UNION ALL SELECT config FROM image WHERE manifest = ?1 "
		"UNION ALL SELECT blob FROM image_blob WHERE manifest = ?1";

	if (eb_db_run(l->s->db, sql, look, l, err, "b", EB_BIND(manifest)) < 0)
		return -1;
	return !l->missing;
}

static int touch(struct eb_store *s, const struct eb_digest *manifest,
		 int64_t used, struct eb_error *err)
{
	static const char sql[] = "UPDATE image SET used = ? WHERE manifest = "
				  "?";
	int64_t now = eb_store_now_us();

	if (s->readonly || now - used < TOUCH_US)
		return 0;
	return eb_db_run(s->db, sql, NULL, NULL, err, "ib", now,
			 EB_BIND(manifest));
}

/* The first of the candidates that is complete; the others are forgotten. */
static int choose(struct eb_store *s, struct found *f, struct eb_image_row *out,
		  struct eb_error *err)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		struct looking l = { .s = s };
		int ok = complete(&l, &f->v[i].row.manifest, err);

		if (ok < 0 || (ok == 0 && !s->readonly &&
			       eb_store_forget(s, &l.blob, err) < 0))
			return -1;
		if (ok == 0)
			continue;
		*out = f->v[i].row;
		return touch(s, &out->manifest, f->v[i].used, err) < 0 ? -1 : 1;
	}
	return 0;
}

static int find_by_lock(struct eb_store *s, const struct eb_digest *lock,
			const char *compressor, struct found *f,
			struct eb_error *err)
{
	static const char one[] = "SELECT " COLUMNS " FROM image WHERE lock = ?"
				  " AND compressor = ? ORDER BY time DESC";
	static const char any[] = "SELECT " COLUMNS " FROM image WHERE lock = ?"
				  " ORDER BY time DESC";

	if (compressor)
		return eb_db_run(s->db, one, read_image, f, err, "bt",
				 EB_BIND(lock), compressor);
	return eb_db_run(s->db, any, read_image, f, err, "b", EB_BIND(lock));
}

int eb_store_find_image(struct eb_store *s, const struct eb_digest *lock,
			const char *compressor, struct eb_image_row *out,
			struct eb_error *err)
{
	struct found f = { 0 };
	eb_autofree struct candidate *owned = NULL;
	int done = find_by_lock(s, lock, compressor, &f, err);

	owned = f.v;
	return done < 0 ? -1 : choose(s, &f, out, err);
}

int eb_store_find_manifest(struct eb_store *s, const struct eb_digest *manifest,
			   struct eb_image_row *out, struct eb_error *err)
{
	static const char sql[] =
		"SELECT " COLUMNS " FROM image WHERE manifest = ?";
	struct found f = { 0 };
	eb_autofree struct candidate *owned = NULL;
	int done = eb_db_run(s->db, sql, read_image, &f, err, "b",
			     EB_BIND(manifest));

	owned = f.v;
	return done < 0 ? -1 : choose(s, &f, out, err);
}

int eb_store_images(struct eb_store *s, eb_image_fn *fn, void *data,
		    struct eb_error *err)
{
	static const char sql[] =
		"SELECT " COLUMNS
		" FROM image ORDER BY time DESC, used DESC, manifest";
	struct found f = { 0 };
	eb_autofree struct candidate *owned = NULL;
	int done = eb_db_run(s->db, sql, read_image, &f, err, "");
	size_t i;

	owned = f.v;
	for (i = 0; done == 0 && i < f.n; i++)
		done = fn(data, &owned[i].row, err);
	return done < 0 ? -1 : 0;
}
