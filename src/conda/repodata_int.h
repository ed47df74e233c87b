/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index behind eb_repodata: compact rows over interned strings. The
 * struct eb_record of a row is made when it is first asked for; a solve needs
 * a small part of them.
 */
#ifndef EB_REPODATA_INT_H
#define EB_REPODATA_INT_H

#include <envbuild/repodata.h>

#include "strpool.h"

#define EB_REPODATA_MAX_LIST 4096 /* dependencies of one record */

/* One subdir of one channel. */
struct eb_rd_source {
	unsigned channel;  /* its index */
	char *channel_url; /* canonical */
	char *subdir;
	char *dir_url;	/* canonical URL of the subdir, "/" at its end */
	char *base_url; /* where its files are, "/" at its end */
};

enum {
	EB_RD_CONDA = 1, /* fn ends in .conda, else .tar.bz2 */
	EB_RD_OWN_FN = 2
}; /* fn is not name-version-build */

/* Numbers of texts are those of the pool; 0 is "" and means absent. */
struct eb_rd_row {
	uint32_t name, version, build, fn;
	uint16_t source;
	uint8_t flags, noarch;
	uint32_t list; /* place of the first dependency in rd->lists */
	uint16_t n_depends, n_constrains;
	uint64_t build_number, size;
	int64_t timestamp;
	uint32_t track_features, features, license, family, site_packages;
	uint8_t sha256[32], md5[16];
	bool has_sha256, has_md5;
};

/* What was left out: named when it was asked for. */
struct eb_rd_bad {
	char *name, *why;
};

struct eb_repodata {
	struct eb_strpool pool;
	struct eb_rd_source *source;
	size_t n_sources;
	struct eb_rd_row *row;
	size_t n, alloc;
	uint32_t *lists;
	size_t n_lists, alloc_lists;
	struct eb_rd_bad *bad;
	size_t n_bad, alloc_bad;
	/* made on demand */
	struct eb_record **record;
	size_t n_record;
	uint32_t *by_name; /* rows, grouped by name */
	uint32_t *slot;	   /* of names: index into group, by number */
	uint32_t slots;
	struct eb_rd_group {
		uint32_t name, first, n;
	} * group;
	uint32_t n_groups;
};

/* repodata_build.c */
unsigned eb_rd_source_add(struct eb_repodata *rd, unsigned channel,
			  const char *channel_url, const char *subdir,
			  const char *dir_url);
struct eb_rd_row *eb_rd_row_add(struct eb_repodata *rd);
int eb_rd_list_add(struct eb_repodata *rd, uint32_t text);
void eb_rd_bad_add(struct eb_repodata *rd, const char *name, const char *fn,
		   const char *why);
/* "name-version-build" of a row, without NUL when n is too small. */
char *eb_rd_stem(const struct eb_repodata *rd, const struct eb_rd_row *row);

/* repodata_index.c: groups by name */
const struct eb_rd_group *eb_rd_group(const struct eb_repodata *rd,
				      const char *name);
void eb_rd_groups(const struct eb_repodata *rd);
void eb_rd_index_drop(struct eb_repodata *rd);

/* repodata_dedupe.c: of the rows from `first` on, one a stem */
void eb_rd_dedupe(struct eb_repodata *rd, size_t first);

/* repodata_check.c: NULL, or what is wrong with it */
const char *eb_rd_bad_name(const char *name, size_t n);
const char *eb_rd_bad_build(const char *build, size_t n);
const char *eb_rd_bad_fn(const char *fn, size_t n);
const char *eb_rd_bad_version(const char *version);
int eb_rd_hex(const char *text, size_t n, uint8_t *out, size_t out_n);

/* repodata_scan.c */
struct eb_stream;
struct eb_rd_scan {
	int64_t as_of;
	size_t records, bad, later; /* seen, malformed, newer than as_of */
};
/* Read one repodata.json from the stream (which is freed) into a new source.
 * On an error nothing of it stays. */
int eb_rd_scan(struct eb_repodata *rd, unsigned source, struct eb_stream *in,
	       const char *name, struct eb_rd_scan *scan,
	       struct eb_events *events, struct eb_error *err);

#endif
