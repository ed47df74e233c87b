/* SPDX-License-Identifier: Apache-2.0 */
/* What a source with shards is made of. */
#ifndef EB_REPODATA_SHARDS_INT_H
#define EB_REPODATA_SHARDS_INT_H

#include "repodata_bundle.h"
#include "repodata_shards.h"

struct eb_rd_shards {
	struct eb_rd_job *job;
	const struct eb_rd_file *file; /* the index */
	char source[EB_DIGEST_TEXT];   /* its digest */
	const struct eb_rd_bundle *table;
	void *own_table;	   /* where that is in no file */
	struct eb_rd_map kept;	   /* a bundle of this or an older state */
	struct eb_rd_head **fresh; /* fetched now, by entry; owned */
	bool changed;		   /* the kept bundle is not all there is */
	struct eb_error failed;	   /* a shard was not to be had */
	size_t bad;		   /* records that were left out */
};

/* repodata_shards.c */
/* NULL: it is to be fetched. */
const struct eb_rd_head *eb_rd_shards_segment_of(const struct eb_rd_shards *s,
						 const struct eb_rd_entry *e);
/* Takes the segment over. */
void eb_rd_shards_set(struct eb_rd_shards *s, const struct eb_rd_entry *e,
		      struct eb_rd_head *segment);
/* The bundle, where it is another one now. */
int eb_rd_shards_keep(struct eb_rd_load *l, struct eb_rd_shards *s,
		      struct eb_error *err);

/* repodata_shards_read.c: index and shard from their bytes. NULL with err */
struct eb_rd_bundle *eb_rd_shards_index(const struct eb_rd_job *job,
					const struct eb_rd_file *f, int fd,
					uint64_t size, struct eb_error *err);
struct eb_rd_head *eb_rd_shard_read(const void *p, size_t n,
				    const char *dir_url, const char *name,
				    size_t *bad, struct eb_events *events,
				    struct eb_error *err);

#endif
