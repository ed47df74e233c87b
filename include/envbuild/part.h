/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts and layers: entries -> deterministic tar -> compressed blob, in one
 * pass (DESIGN "Layers").
 *
 * A part holds the non-directory entries of one package's payload, record or
 * bytecode, as a run of gzip members (or zstd frames) without end blocks. A
 * layer is: one generated part with the sorted union of its members'
 * directories, each once; the parts, joined byte for byte; the end blocks.
 * Both are kept in the store under their key with their path list.
 *
 * tar: ustar, a pax header only where a name, link or size needs one; uid and
 * gid 0, no names; directories 0755 with mtime EB_FIXED_MTIME.
 * gzip: each block of EB_GZIP_BLOCK bytes of the part's tar is a member of its
 * own (gzip.h); what lies deflated in a zip (struct eb_deflated) is one as it
 * is, however large, with what is before it in a shorter block.
 */
#ifndef EB_PART_H
#define EB_PART_H

#include <envbuild/digest.h>
#include <envbuild/entry.h>
#include <envbuild/error.h>
#include <envbuild/gzip.h>
#include <envbuild/store.h>

/* "gzip-isal1" where a golden block compresses to its golden digest,
 * "gzip-isal1-<8 hex>" elsewhere; "zstd<level>-<library version>". */
#define EB_COMPRESSOR_USUAL "gzip-isal1"
struct eb_compressor {
	char id[48];
	int zstd_level; /* 0 = gzip */
	int golden;	/* 0: this ISA-L writes other bytes than the golden */
};
/* text: "gzip", "zstd" or "zstd:LEVEL" (1..19). EB_USAGE otherwise. */
int eb_compressor_init(struct eb_compressor *c, const char *text,
		       struct eb_error *err);
/* The layer media type of OCI for it. */
const char *eb_compressor_media_type(const struct eb_compressor *c);

/* Sort the entries (eb_entries_sort with `what`) and write a part, or (kind
 * EB_ITEM_LAYER) a whole layer of its own with directories and end blocks.
 * The blob, the path list and the row are in the store afterwards; *out is
 * the row. */
int eb_part_write(struct eb_store *store, const struct eb_compressor *c,
		  enum eb_item_kind kind, const struct eb_digest *key,
		  struct eb_entries *entries, const char *what,
		  struct eb_item *out, struct eb_error *err);

/* The same of what is not known to be right before it was read: `check` is
 * asked when all is written and nothing of it is in the store; -1 with err
 * leaves nothing there. */
typedef int eb_part_check_fn(void *data, struct eb_error *err);
int eb_part_write_checked(struct eb_store *store, const struct eb_compressor *c,
			  enum eb_item_kind kind, const struct eb_digest *key,
			  struct eb_entries *entries, const char *what,
			  eb_part_check_fn *check, void *data,
			  struct eb_item *out, struct eb_error *err);

/* Join cached parts into a layer (a bucket); nothing is compressed but the
 * directories. Two parts with one path: EB_INPUT. */
int eb_part_join(struct eb_store *store, const struct eb_compressor *c,
		 const struct eb_digest *key, const struct eb_item *part,
		 size_t n, struct eb_item *out, struct eb_error *err);

/* A path list: what is in a part or layer, without its content. `entry`s
 * have neither spool nor offset; directories that only lie above others are
 * not listed, empty ones are. */
int eb_part_paths(struct eb_store *store, const struct eb_item *item,
		  struct eb_entries *out, struct eb_error *err);
/* The same of a part or an own layer from the text of its list (a joined
 * layer's, which names parts, is EB_INTEGRITY). `what` for messages. */
int eb_part_paths_parse(const char *text, size_t len, const char *what,
			struct eb_entries *out, struct eb_error *err);

/* Where in the blob of a layer that c's compressor joined from these parts the
 * first one begins; each of the others follows the one before it. */
int eb_part_place(const struct eb_compressor *c, const struct eb_item *layer,
		  const struct eb_item *part, size_t n, uint64_t *first,
		  struct eb_error *err);

/* Walk the entries with content, in order; directories are left out. Digest
 * and note come from the path list. The
 * callback reads the content from `content` (NULL for links), or not; it
 * returns 0 to go on, 1 to stop, -1 with err. Bytes are verified against the
 * plain digest when the walk reaches the end. */
struct eb_stream;
typedef int eb_part_walk_fn(void *data, const struct eb_entry *entry,
			    struct eb_stream *content, struct eb_error *err);
int eb_part_walk(struct eb_store *store, const struct eb_item *item,
		 eb_part_walk_fn *fn, void *data, struct eb_error *err);
/* For who has read the path list already: it may be long. */
int eb_part_walk_with(struct eb_store *store, const struct eb_item *item,
		      const struct eb_entries *paths, eb_part_walk_fn *fn,
		      void *data, struct eb_error *err);

/* The tar alone, for outputs and tests: entries as given (sorted by the
 * caller), directories as entries; `end` adds the end blocks. */
struct eb_buf;
int eb_tar_header(struct eb_buf *out, const struct eb_entry *entry,
		  struct eb_error *err); /* pax records included; no padding */

#endif
