/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the store share. */
#ifndef EB_STORE_PRIV_H
#define EB_STORE_PRIV_H

#include <stdatomic.h>

#include <envbuild/db.h>
#include <envbuild/store.h>

struct eb_store {
	char *dir, *tmp;
	int blobs; /* descriptor of blobs/sha256 */
	int rows;  /* of rows/: a name for each record; -1 if none */
	int use;   /* locks/use, locked shared; -1 when read-only */
	struct eb_db *db;
	bool readonly;
	bool network;	  /* exclusive names and rename, rollback journal */
	atomic_bool said; /* the note about the network was given */
};

/* A digest as the arguments of type "b" of eb_db_run. */
#define EB_BIND(d) (const void *)(d)->byte, sizeof(d)->byte

/* store_fs.c */
bool eb_store_unnamed_works(const char *tmp);
void eb_store_sweep_tmp(struct eb_store *s);
/* Only user of the store: 1 yes (until the next call), 0 others are there. */
int eb_store_use_alone(struct eb_store *s);
int eb_store_use_shared(struct eb_store *s, struct eb_error *err);

/* blob_read.c */
/* There, and of this size where it is not negative? 1, 0, -1. */
int eb_blob_there(struct eb_store *s, const struct eb_digest *d, int64_t size,
		  struct eb_error *err);

/* store_row.c */
void eb_row_digest(const struct eb_db_row *row, int column,
		   struct eb_digest *out);
int64_t eb_store_now_us(void);
/* End a transaction: commit when result is 0, else roll back; gives result. */
int eb_store_end(struct eb_store *s, int result, struct eb_error *err);
/* Split `line` (changed) at tabs; the number of fields, at most max. */
size_t eb_row_fields(char *line, char **field, size_t max);
/* The first line of a text, owned; NULL when it has none of sensible size. */
char *eb_row_first_line(const char *text, size_t len);
void eb_row_add_hex(struct eb_buf *b, const struct eb_digest *d);

/* store_record.c: blobs that hold a row, marked as such in rows/. */
int eb_record_put(struct eb_store *s, const struct eb_buf *text,
		  struct eb_digest *digest, struct eb_error *err);
int eb_record_mark(struct eb_store *s, const struct eb_digest *d,
		   struct eb_error *err);

/* Rows alone, for the rebuild: no blob is looked at or written. */
int eb_item_insert(struct eb_store *s, const struct eb_item *item,
		   struct eb_error *err);
int eb_item_insert_part(struct eb_store *s, const struct eb_item *layer,
			size_t position, const struct eb_item *part,
			struct eb_error *err);
int eb_lock_row_insert(struct eb_store *s, const struct eb_lock_row *row,
		       const struct eb_digest *record, struct eb_error *err);
int eb_lock_row_parse(const char *text, size_t len, struct eb_lock_row *row);
int eb_image_insert(struct eb_store *s, const struct eb_image_row *row,
		    const struct eb_digest *record,
		    const struct eb_digest *blob, size_t n_blobs,
		    struct eb_error *err);
/* Length of the first line, -1 when the text is no image record. */
long eb_image_parse(const char *text, size_t len, struct eb_image_row *row);

/* store_rebuild.c */
int eb_store_rebuild(struct eb_store *s, struct eb_events *events,
		     struct eb_error *err);

/* store_scan.c: the files of blobs/sha256. */
typedef int eb_scan_fn(void *data, const struct eb_digest *d, uint64_t size,
		       struct eb_error *err); /* 0 go on, -1 */
int eb_store_scan(struct eb_store *s, int dir, eb_scan_fn *fn, void *data,
		  struct eb_error *err);
/* All blobs that rows name, sorted; the caller frees. */
struct eb_digest_set {
	struct eb_digest *d;
	size_t n, alloc;
};
int eb_store_named(struct eb_store *s, struct eb_digest_set *out,
		   struct eb_error *err);
bool eb_digest_set_has(const struct eb_digest_set *set,
		       const struct eb_digest *d);
void eb_digest_set_release(struct eb_digest_set *set);
/* Remove the file of a blob and its mark. */
int eb_blob_remove(struct eb_store *s, const struct eb_digest *d,
		   struct eb_error *err);
/* Delete every row that names the blob. */
int eb_store_forget(struct eb_store *s, const struct eb_digest *d,
		    struct eb_error *err);

#endif
