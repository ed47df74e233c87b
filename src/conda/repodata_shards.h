/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharded repodata (CEP 16): an index of names, each with the digest of a
 * small file that has the records of that name. What was fetched of a channel's
 * subdir is one file of the store (a bundle): the names with their digests and,
 * for those that were fetched, their segment. So a run that needs nothing new
 * reads nothing but that, and when the channel changes what stayed is not
 * fetched again.
 */
#ifndef EB_REPODATA_SHARDS_H
#define EB_REPODATA_SHARDS_H

#include "repodata_job.h"

/* Packed and unpacked. */
#define EB_RD_MAX_SHARD_INDEX ((size_t)128 << 20)
#define EB_RD_MAX_SHARD ((size_t)16 << 20)

struct eb_rd_shards;

void eb_rd_shards_free(struct eb_rd_shards *s);
EB_AUTOPTR(struct eb_rd_shards, eb_rd_shards_free)
size_t eb_rd_shards_count(const struct eb_rd_shards *s);
const char *eb_rd_shards_name(const struct eb_rd_shards *s, size_t i);
/* Where the packages are, "/" at its end. */
const char *eb_rd_shards_base(const struct eb_rd_shards *s);
/* NULL: no such name, or it was not fetched. */
const struct eb_rd_head *eb_rd_shards_segment(const struct eb_rd_shards *s,
					      const char *name);

/* The index of a job's shards, in a file, as a new source. */
int eb_rd_shards_open(struct eb_rd_load *l, struct eb_rd_job *job,
		      const struct eb_rd_file *f, int fd, uint64_t size,
		      struct eb_error *err);
/* Of all sources with shards, those of the names that can come up. Where one
 * is not there, the job's whole repodata takes their place. */
int eb_rd_shards_walk(struct eb_rd_load *l, struct eb_error *err);

#endif
