/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index behind eb_repodata. Records are read into a builder
 * (eb_rd_build), which is written as one segment: rows grouped by name, lists
 * of dependencies, interned texts, a table of names. A segment is a file of
 * the store that is mapped into memory, or lies in memory; nothing of it is
 * read before it is asked for, and every number in it is checked when it is
 * used. A source (a subdir of a channel) is one segment, or one for each name
 * (repodata_shards.h). The struct eb_record of a row is made when it is first
 * asked for.
 */
#ifndef EB_REPODATA_INT_H
#define EB_REPODATA_INT_H

#include <envbuild/repodata.h>

#include "strpool.h"

#define EB_REPODATA_MAX_LIST 4096 /* dependencies of one record */

enum {
	EB_RD_CONDA = 1,  /* fn ends in .conda, else .tar.bz2 */
	EB_RD_OWN_FN = 2, /* fn is not name-version-build */
	EB_RD_HIDDEN = 4, /* there is a newer .conda of the same stem */
};

/* --- the form of a segment ------------------------------------------- */

#define EB_RD_MAGIC "EBrepo\0\2"

/* All offsets are from the head. Texts are NUL-terminated; their numbers are
 * offsets too, from `text`; 0 is "" and means absent. */
struct eb_rd_head {
	char magic[8];
	uint32_t row_size; /* of the program that wrote it */
	uint32_t n_rows, n_names, n_slots, n_lists, n_bad;
	uint32_t base_url; /* a text: where the files are, "/" at its end */
	uint32_t n_needs;
	uint64_t size; /* of the whole segment, a multiple of 8 */
	uint64_t rows, names, slots, lists, bad, needs, text, text_size;
};

struct eb_rd_row {
	uint32_t name, version, build, fn;
	uint32_t list; /* place of the first dependency in the lists */
	/* Dependencies, constraints, flags; then pairs: a group, one of its
	 * dependencies or 0. A group's pairs are next to each other. */
	uint16_t n_depends, n_constrains, n_flags, n_extras;
	uint32_t track_features, features, license, family, site_packages;
	uint8_t flags, noarch, has_sha256, has_md5;
	uint64_t build_number, size;
	int64_t timestamp;
	int64_t time; /* when it came to the channel */
	uint8_t sha256[32], md5[16];
};

/* The rows of a name are next to each other. */
struct eb_rd_group {
	uint32_t name, first, n;
};

/* What was left out: named when it was asked for. */
struct eb_rd_bad {
	uint32_t name, why;
};

/* --- the builder ----------------------------------------------------- */

struct eb_rd_build {
	struct eb_strpool pool;
	struct eb_rd_row *row;
	size_t n, alloc;
	uint32_t *lists;
	size_t n_lists, alloc_lists;
	struct eb_rd_bad *bad;
	size_t n_bad, alloc_bad;
	const char *dir_url; /* not owned */
	uint32_t base_url;
	uint32_t *needs; /* made of a shard alone */
	size_t n_needs;
};

/* repodata_build.c */
struct eb_rd_build *eb_rd_build_new(const char *dir_url);
void eb_rd_build_free(struct eb_rd_build *b);
EB_AUTOPTR(struct eb_rd_build, eb_rd_build_free)
struct eb_rd_row *eb_rd_row_add(struct eb_rd_build *b);
int eb_rd_list_add(struct eb_rd_build *b, uint32_t text);
void eb_rd_bad_add(struct eb_rd_build *b, const char *name, const char *fn,
		   const char *why);
void eb_rd_build_add(struct eb_rd_build *b, const struct eb_record *r);
/* "name-version-build" of a row; caller frees. */
char *eb_rd_stem(const struct eb_rd_build *b, const struct eb_rd_row *row);

/* repodata_dedupe.c: one visible row a stem */
void eb_rd_dedupe(struct eb_rd_build *b);

/* repodata_seal.c: the builder as a segment, which is written in pieces */
typedef int eb_rd_put_fn(void *data, const void *p, size_t n,
			 struct eb_error *err);
int eb_rd_seal(const struct eb_rd_build *b, eb_rd_put_fn *put, void *data,
	       uint64_t *size, struct eb_error *err);
struct eb_rd_head *eb_rd_seal_memory(const struct eb_rd_build *b);

/* repodata_needs.c: names that come up in dependencies */
#define EB_RD_MAX_NAME 256
#define EB_RD_EXTRAS "[]"
/* The name of a dependency, in lower case, maybe a glob; false: it has none
 * of that length. Where it asks for extras "[]" is at its end: what groups of
 * that name need comes up, too. */
bool eb_rd_need_name(const char *text, char name[EB_RD_MAX_NAME]);
/* All of a builder's, each once. */
void eb_rd_build_needs(struct eb_rd_build *b);
typedef void eb_rd_name_fn(void *data, const char *name);
/* Of the rows of a name: from the segment's list, where it has one. What its
 * groups of optional dependencies need, or what it needs without them. */
void eb_rd_each_need(const struct eb_rd_head *h, const char *name, bool extras,
		     eb_rd_name_fn *fn, void *data);

/* repodata_check.c: NULL, or what is wrong with it */
const char *eb_rd_bad_name(const char *name, size_t n);
const char *eb_rd_bad_build(const char *build, size_t n);
const char *eb_rd_bad_fn(const char *fn, size_t n);
const char *eb_rd_bad_version(const char *version);
int eb_rd_hex(const char *text, size_t n, uint8_t *out, size_t out_n);

/* repodata_scan.c */
struct eb_stream;
struct eb_rd_scan {
	size_t records, bad; /* seen, malformed */
	bool quiet;	     /* the caller tells what is malformed */
};
/* Read one repodata.json from the stream (which is freed) into an empty
 * builder. */
int eb_rd_scan(struct eb_rd_build *b, struct eb_stream *in, const char *name,
	       struct eb_rd_scan *scan, struct eb_events *events,
	       struct eb_error *err);

/* --- reading a segment ----------------------------------------------- */

/* repodata_segment.c. `p` has to be aligned to 8 bytes; false: it is none, or
 * one of another program. */
bool eb_rd_segment_ok(const void *p, size_t size);
/* "" where the number is none of the segment. */
const char *eb_rd_text(const struct eb_rd_head *h, uint32_t id);
const struct eb_rd_row *eb_rd_rows(const struct eb_rd_head *h);
const struct eb_rd_group *eb_rd_groups(const struct eb_rd_head *h);
const struct eb_rd_bad *eb_rd_bads(const struct eb_rd_head *h);
/* The group of a name, within the rows, or NULL. */
const struct eb_rd_group *eb_rd_group_of(const struct eb_rd_head *h,
					 const char *name);
/* All of a row's lists, one behind the other; *n is how many texts they are, 0
 * where they are not within the lists. */
const uint32_t *eb_rd_list(const struct eb_rd_head *h,
			   const struct eb_rd_row *row, size_t *n);
uint32_t eb_rd_hash(const char *s);

/* --- what eb_repodata is --------------------------------------------- */

/* A file's bytes, mapped or in memory. */
struct eb_rd_map {
	void *p;
	size_t size;
	bool mapped;
};
void eb_rd_map_release(struct eb_rd_map *m);

struct eb_rd_shards;

/* One subdir of one channel. */
struct eb_rd_source {
	unsigned channel;  /* its index */
	char *channel_url; /* canonical */
	char *subdir;
	char *dir_url;		       /* canonical, "/" at its end */
	struct eb_rd_map map;	       /* of the segment */
	const struct eb_rd_head *head; /* in map, or NULL */
	struct eb_rd_shards *shards;   /* instead of it, or NULL */
	struct eb_rd_build *build;     /* while records are added by hand */
};

/* A row that was asked for; its number is its place among them. */
struct eb_rd_ref {
	const struct eb_rd_head *head;
	const struct eb_rd_row *row;
	struct eb_record *record; /* made on demand */
	unsigned source;
};

/* A name that was asked for. */
struct eb_rd_found {
	char *name;
	uint32_t *list, n;
};

struct eb_repodata {
	struct eb_rd_source *source;
	size_t n_sources;
	int64_t as_of; /* 0: all */
	bool dirty;    /* records were added: the segments are old */
	/* made on demand */
	struct eb_strpool memory; /* of records */
	struct eb_rd_ref *ref;
	size_t n_refs, alloc_refs;
	struct eb_rd_found *found;
	size_t n_found, alloc_found;
	uint32_t *slot, slots; /* of found */
	const char **name;
	size_t n_names;
};

/* repodata_index.c */
unsigned eb_rd_source_add(struct eb_repodata *rd, unsigned channel,
			  const char *channel_url, const char *subdir,
			  const char *dir_url);
void eb_rd_source_release(struct eb_rd_source *s);
void eb_rd_index_drop(struct eb_repodata *rd);
/* The segment that may have a name, or NULL. */
const struct eb_rd_head *eb_rd_segment(const struct eb_rd_source *s,
				       const char *name);
/* Every name that a channel has, each once. */
const char *const *eb_rd_names(const struct eb_repodata *rd, size_t *n);

/* Of a row's number: its channel and the texts, NULL where it has none. */
unsigned eb_rd_channel_of(const struct eb_repodata *rd, uint32_t row);
const char *eb_rd_features_of(const struct eb_repodata *rd, uint32_t row);
const char *eb_rd_tracks_of(const struct eb_repodata *rd, uint32_t row);

#endif
