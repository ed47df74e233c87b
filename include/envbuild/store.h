/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: content-addressed blobs and an index in SQLite (envbuild-store(5),
 * schema in cache/). Any kill at any instant leaves it usable: a blob is
 * written to an unnamed file, synced, linked; its row comes after it. A row
 * whose blob is missing is deleted when met.
 */
#ifndef EB_STORE_H
#define EB_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/buf.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/mem.h>

struct eb_store;

/* NETWORK: act as on a network file system, which statfs tells otherwise. */
enum { EB_STORE_READONLY = 1, EB_STORE_NETWORK = 2 };
/* `dir` NULL: eb_xdg_dir("CACHE"). Made when absent (mode 0700) unless
 * read-only: then a missing store is EB_NO. One handle serves all threads.
 * A handle that is not read-only keeps eb_store_gc() of others away; who opens
 * the store when nobody else has it removes what was left in tmp/. */
int eb_store_open(const char *dir, unsigned flags, struct eb_store **out,
		  struct eb_error *err);
/* Was it opened with EB_STORE_READONLY? Nothing can be kept in it then. */
bool eb_store_is_readonly(const struct eb_store *store);
void eb_store_close(struct eb_store *s);
EB_AUTOPTR(struct eb_store, eb_store_close)
const char *eb_store_dir(const struct eb_store *s);
const char *eb_store_tmp(const struct eb_store *s); /* dir/tmp */

/* --- blobs ------------------------------------------------------------- */
struct eb_blob_writer;
int eb_blob_begin(struct eb_store *s, struct eb_blob_writer **out,
		  struct eb_error *err);
int eb_blob_write(struct eb_blob_writer *w, const void *p, size_t n,
		  struct eb_error *err);
/* Already in another blob: copied and hashed in one pass. */
int eb_blob_write_fd(struct eb_blob_writer *w, int fd, uint64_t offset,
		     uint64_t size, struct eb_error *err);
/* `expect` (may be NULL) must be the digest of what was written, else
 * EB_INTEGRITY. Frees w in every case. */
int eb_blob_commit(struct eb_blob_writer *w, const struct eb_digest *expect,
		   const char *what, struct eb_digest *digest, uint64_t *size,
		   struct eb_error *err);
void eb_blob_abort(struct eb_blob_writer *w);
EB_AUTOPTR(struct eb_blob_writer, eb_blob_abort)
int eb_store_put(struct eb_store *s, const void *p, size_t n,
		 struct eb_digest *digest, struct eb_error *err);

int eb_store_has(struct eb_store *s, const struct eb_digest *d,
		 struct eb_error *err); /* 1, 0, -1 */
/* fd for reading; 1 found, 0 not there. */
int eb_store_blob(struct eb_store *s, const struct eb_digest *d, int *fd,
		  uint64_t *size, struct eb_error *err);
/* Whole blob, verified against its digest; missing is EB_INTEGRITY. */
int eb_store_read(struct eb_store *s, const struct eb_digest *d, size_t max,
		  struct eb_buf *out, struct eb_error *err);
/* Take a blob that proved damaged out, so that it can be put again. Absent is
 * fine. */
int eb_store_drop(struct eb_store *s, const struct eb_digest *d,
		  struct eb_error *err);
char *eb_store_blob_path(const struct eb_store *s, const struct eb_digest *d);

/* --- items: layers and parts by key ------------------------------------ */
enum eb_item_kind { EB_ITEM_LAYER = 'L', EB_ITEM_PART = 'P' };
struct eb_item {
	enum eb_item_kind kind;
	struct eb_digest key;
	char compressor[48];
	struct eb_digest plain; /* diff ID of a layer, digest of a part's tar */
	uint64_t plain_size;
	struct eb_digest blob; /* compressed */
	uint64_t size;
	struct eb_digest paths; /* blob: the path list */
};
/* The path list's blob begins with the row itself, so that the index can be
 * rebuilt from the blobs (part.h writes it through eb_store_item_header). */
int eb_store_find_item(struct eb_store *s, enum eb_item_kind kind,
		       const struct eb_digest *key, const char *compressor,
		       struct eb_item *out, struct eb_error *err); /* 1 0 -1 */
int eb_store_put_item(struct eb_store *s, const struct eb_item *item,
		      struct eb_error *err);
void eb_store_item_header(const struct eb_item *item, struct eb_buf *out);
/* Parses it back; returns its length, -1 when the blob is something else. */
long eb_store_item_parse(const char *text, size_t len, struct eb_item *out);
/* A layer that was joined from parts: its header is followed by one line for
 * each part, and both rows are put at once. A part is kept as long as a layer
 * that was made of it. eb_store_part_parse() gives the line's length. */
void eb_store_part_line(const struct eb_item *part, struct eb_buf *out);
long eb_store_part_parse(const char *text, size_t len, struct eb_item *out);
int eb_store_put_joined(struct eb_store *s, const struct eb_item *layer,
			const struct eb_item *part, size_t n,
			struct eb_error *err);

/* --- definitions, locks, images ---------------------------------------- */
/* A lock file's blob (text with commentary) under its lock hash and the
 * definition that it was made for; a definition points at the lock with the
 * newest time, of two of one second at the one that was put last. */
struct eb_lock_row {
	struct eb_digest lock;	     /* lock hash */
	struct eb_digest text;	     /* blob */
	struct eb_digest definition; /* that it was made for */
	int64_t time;		     /* seconds: solved or confirmed */
};
int eb_store_put_lock(struct eb_store *s, const struct eb_lock_row *row,
		      struct eb_error *err); /* and moves the pointer */
int eb_store_find_definition(struct eb_store *s,
			     const struct eb_digest *definition,
			     struct eb_lock_row *out, struct eb_error *err);
int eb_store_find_lock(struct eb_store *s, const struct eb_digest *lock,
		       struct eb_lock_row *out, struct eb_error *err);
struct eb_image_row {
	struct eb_digest lock;
	char compressor[48];
	struct eb_digest manifest, config; /* blobs */
	uint64_t size; /* bytes of all blobs, base included */
	int64_t time;
};
/* A hit means: manifest, config and every blob it names are there (checked
 * by existence). */
int eb_store_put_image(struct eb_store *s, const struct eb_image_row *row,
		       const struct eb_digest *blob, size_t n_blobs,
		       struct eb_error *err);
/* The newest; `compressor` NULL: made by whichever. */
int eb_store_find_image(struct eb_store *s, const struct eb_digest *lock,
			const char *compressor, struct eb_image_row *out,
			struct eb_error *err);
int eb_store_find_manifest(struct eb_store *s, const struct eb_digest *manifest,
			   struct eb_image_row *out, struct eb_error *err);
typedef int eb_image_fn(void *data, const struct eb_image_row *row,
			struct eb_error *err);
int eb_store_images(struct eb_store *s, eb_image_fn *fn, void *data,
		    struct eb_error *err); /* newest first */

/* --- small facts: (kind, key) -> text ---------------------------------- */
/* Kinds in use: "repodata" (URL -> state JSON naming a blob),
 * "repodata-index" (the same URL -> the index of which state), "base" (file
 * identity -> digest), "compressor" (golden check), "source" (blob -> where it
 * can be had), "pulled" (reference and platform, each with the digest of a
 * blob of that image), "image-text" (manifest or configuration of an image
 * whose layers lie in a registry -> itself), "projects" (payload key -> the
 * Python projects that it installs), "step" (key of an executed step ->
 * result), "step-story" (result -> how long that took, its log), "step-layer"
 * (result that is a layer -> its diff ID, size, packages), "step-image" (step
 * key and a number -> a blob of a result that is an image), "archive" (source
 * of a step -> itself), "environment" (HOST/PREFIX and a name of the team's
 * catalogue -> its definition), "needs" (archive of a project -> what its
 * build asks for). Blobs named by a fact are kept alive by
 * eb_store_put_fact's `blob` (may be NULL). */
int eb_store_put_fact(struct eb_store *s, const char *kind, const char *key,
		      const char *text, const struct eb_digest *blob,
		      struct eb_error *err);
int eb_store_find_fact(struct eb_store *s, const char *kind, const char *key,
		       struct eb_buf *text, struct eb_error *err); /* 1 0 -1 */
/* Several of one kind at once, with one time of use: either all are there or
 * none, and they go together when they grow old. Before that those whose key
 * begins with `instead` (NULL: none) are removed. */
struct eb_fact {
	const char *key, *text;
	const struct eb_digest *blob; /* may be NULL */
};
int eb_store_put_facts(struct eb_store *s, const char *kind,
		       const char *instead, const struct eb_fact *fact,
		       size_t n, struct eb_error *err);

/* --- one build per definition ------------------------------------------ */
/* Waits for whoever builds it (emits a note once); closing fd releases. */
int eb_store_lock_build(struct eb_store *s, const struct eb_digest *definition,
			struct eb_events *events, int *fd,
			struct eb_error *err);

/* --- care -------------------------------------------------------------- */
struct eb_store_report {
	uint64_t blobs, bytes; /* in the store */
	uint64_t bad, missing; /* findings of check: wrong bytes, rows without
				* a blob */
	uint64_t unknown;      /* blobs that nothing names */
	uint64_t removed, removed_bytes;
	uint64_t rows;
};
/* Re-hash every blob (deep) or look at existence and size only; findings are
 * events (warnings). What is found is put right unless the store is read-only
 * or another handle is open: damaged blobs and rows without a blob are removed,
 * so that the next build makes them again. rebuild: first make the index anew
 * from the blobs (items, locks and images; facts are kept). */
int eb_store_check(struct eb_store *s, bool deep, bool rebuild,
		   struct eb_events *events, struct eb_store_report *out,
		   struct eb_error *err);
struct eb_gc_options {
	uint64_t max_bytes; /* 0: no limit; oldest images go first */
	int64_t max_age_s;  /* 0: no limit; by last use */
	bool dry_run;
};
/* Removes images and facts by the options (by last use; locks that no image is
 * of, by their age), then every item and blob that nothing reaches; never what
 * a running build uses: while another handle is open, EB_MACHINE. */
int eb_store_gc(struct eb_store *s, const struct eb_gc_options *options,
		struct eb_events *events, struct eb_store_report *out,
		struct eb_error *err);

#endif
