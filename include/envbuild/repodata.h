/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repodata: the records of the channels of one solve (CEP 15, 16, 36, 48).
 *
 * Of a subdir that serves shards (repodata_shards.msgpack.zst) only those of
 * the names that can come up are fetched, many at once, each checked against
 * its digest. Otherwise, and where they are damaged (said), the first of
 * repodata.json.zst, repodata.json, repodata.json.bz2 that is there; over
 * https, http (conditional requests by ETag / Last-Modified; kept in the store)
 * and from file URLs. What was not there is not asked for again for a week, as
 * long as the subdir has another of them.
 *
 * The text is scanned in one pass, never loaded as a document tree, into a
 * compact index: a file of the store, which is mapped into memory and used
 * until the channel changes. packages.conda wins over packages for one stem;
 * v3 records count too, with their flags and groups of optional dependencies;
 * of these groups' shards only those are fetched whose packages something asks
 * for with `extras`. A malformed record is left out with a warning. Subdirs:
 * the platform's and noarch; a channel needs at least one of them.
 *
 * Limits: a file 2 GiB unpacked; the index of shards 128 MiB, a shard 16 MiB,
 * both packed and unpacked; a record 4096 dependencies.
 */
#ifndef EB_REPODATA_H
#define EB_REPODATA_H

#include <stdbool.h>

#include <envbuild/buf.h>
#include <envbuild/channel.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/http.h>
#include <envbuild/matchspec.h>
#include <envbuild/record.h>
#include <envbuild/registry.h>
#include <envbuild/store.h>

struct eb_repodata;

struct eb_repodata_options {
	const char *subdir; /* "linux-64" */
	bool offline;	    /* from the store and file URLs only */
	bool refresh;	    /* ask the server even when fresh; not for what
			     * was not there lately */
	int64_t as_of;	    /* ms; leave out records newer than this; 0 = all */
	/* What will be asked for: of channels with shards only these names,
	 * pip and what they can need are there afterwards. NULL: all names. */
	const struct eb_matchspec *const *spec;
	size_t n_specs;
	struct eb_registry *registry; /* for oci channels; or NULL */
};

/* Without a store nothing is kept, and only file channels can be read. Errors:
 * EB_NETWORK a channel not there or not reachable (named), EB_INPUT not
 * repodata, EB_INTEGRITY broken off, or a shard with another digest twice. */
int eb_repodata_load(const struct eb_channels *channels,
		     const struct eb_repodata_options *options,
		     struct eb_store *store, struct eb_http *http,
		     struct eb_events *events, struct eb_repodata **out,
		     struct eb_error *err);
/* An index from records given one by one (tests, solver scenarios). */
struct eb_repodata *eb_repodata_new(void);
/* Copies the record. `channel` is the index of its channel, from 0. */
void eb_repodata_add(struct eb_repodata *rd, const struct eb_record *r,
		     unsigned channel);
void eb_repodata_free(struct eb_repodata *rd);
EB_AUTOPTR(struct eb_repodata, eb_repodata_free)

size_t eb_repodata_count(const struct eb_repodata *rd);
/* The i-th record, owned by rd, and the index of its channel (or NULL).
 * Records are made when first asked for: one thread at a time. */
const struct eb_record *eb_repodata_record(const struct eb_repodata *rd,
					   size_t i, unsigned *channel);
/* Records of a name: indexes in *list (owned by rd), returns how many. */
size_t eb_repodata_by_name(const struct eb_repodata *rd, const char *name,
			   const uint32_t **list);
/* Names of packages that are near to one which is not there, quoted, the
 * nearest first, three at most: `"numpy" or "numpydoc"`, added to `out`;
 * nothing where none is near. */
void eb_repodata_near(const struct eb_repodata *rd, const char *name,
		      struct eb_buf *out);
/* Why a record of that name was left out as malformed ("FILE": reason), NULL
 * when none was. */
const char *eb_repodata_malformed(const struct eb_repodata *rd,
				  const char *name);

#endif
