/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of a bundle: the names of a channel's subdir with the digests of
 * their shards, and the segments of those that were fetched.
 */
#ifndef EB_REPODATA_BUNDLE_H
#define EB_REPODATA_BUNDLE_H

#include "repodata_int.h"

#define EB_RD_BUNDLE_MAGIC "EBshard\1"

/* All offsets are from the head; texts as in a segment. */
struct eb_rd_bundle {
	char magic[8];
	uint32_t row_size; /* of the segments' rows */
	uint32_t n, n_slots;
	uint32_t base_url, shards_url; /* texts: of packages, of shards */
	uint32_t zero;
	uint64_t size;
	uint64_t entries, slots, text, text_size;
};

struct eb_rd_entry {
	uint32_t name, zero;
	uint64_t segment; /* 0: it was not fetched */
	uint8_t sha256[32];
};

/* A table of names that is being made. */
struct eb_rd_table {
	struct eb_strpool pool;
	struct eb_rd_entry *entry;
	size_t n, alloc;
	uint32_t base_url, shards_url;
};

bool eb_rd_bundle_ok(const void *p, size_t size);
const struct eb_rd_entry *eb_rd_entries(const struct eb_rd_bundle *b);
const char *eb_rd_bundle_text(const struct eb_rd_bundle *b, uint32_t id);
/* NULL: there is no such name. */
const struct eb_rd_entry *eb_rd_bundle_find(const struct eb_rd_bundle *b,
					    const char *name);
/* NULL: it has none, or a damaged one. */
const struct eb_rd_head *eb_rd_bundle_segment(const struct eb_rd_bundle *b,
					      const struct eb_rd_entry *e);

/* The table as a bundle without segments; the caller frees. */
struct eb_rd_bundle *eb_rd_table_seal(const struct eb_rd_table *t);
/* The same bundle with these segments, segment[i] of the i-th entry (NULL: it
 * has none), written in pieces. */
int eb_rd_bundle_write(const struct eb_rd_bundle *b,
		       const struct eb_rd_head *const *segment,
		       eb_rd_put_fn *put, void *data, struct eb_error *err);

#endif
