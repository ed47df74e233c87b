/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the team's cache:
 *
 *	team.c		opening, names of tags
 *	team_tag.c	--tag
 *	team_artifact.c	artifacts: an empty config and a few blobs under a tag
 *	team_transfer.c	artifacts between memory and the repository
 *	team_known.c	what is known of layers and parts
 *	team_map*.c	the map of an image's layers, written and read
 *	team_lock.c	locked-: lock, map, path lists, read
 *	team_locked.c	locked-: written
 *	team_layer.c	layer-: one own layer that others may want
 *	team_step.c	step-: results of executed steps
 *	team_step_image.c  such a result that is an image
 *	team_sketch.c	sketches of package sets
 *	team_recent*.c	recent: which environments there are, which is near
 *	team_ahead.c	recent, read before it is needed
 *	team_both.c	two questions at once
 *	team_catalogue*.c def-, label-, claim-: environments that have names
 *	team_check.c	is it there
 *	team_nearest.c	what is near, and what it would cost
 *	team_gc.c	what is old or unreachable
 *	team_build.c	building with all this
 *	team_standing.c	what stands there already, and its lock
 *	team_lookup.c	which layers and parts it has
 *	team_bring.c	their bytes, where they are needed
 *	team_mapping.c	the map of an image, made
 *	team_publish.c	lock-, locked-, env-
 *	team_later.c	layer- and recent, as far as the registry takes them
 */
#ifndef EB_TEAM_PRIVATE_H
#define EB_TEAM_PRIVATE_H

#include <envbuild/part.h>
#include <envbuild/pool.h>
#include <envbuild/team.h>

#include "build_private.h"

#define EB_MT_LOCKED "application/vnd.envbuild.lock.v1"
#define EB_MT_LOCK_TEXT "application/vnd.envbuild.lock.v1+json"
#define EB_MT_MAP "application/vnd.envbuild.map.v1+zstd"
#define EB_MT_PATHS "application/vnd.envbuild.paths.v1+zstd"
#define EB_MT_LAYER "application/vnd.envbuild.layer.v1"
#define EB_MT_STEP "application/vnd.envbuild.step.v1"
#define EB_MT_RECENT "application/vnd.envbuild.recent.v1"
#define EB_MT_RECENT_LIST "application/vnd.envbuild.recent.v1+json"
#define EB_MT_EMPTY "application/vnd.oci.empty.v1+json"
#define EB_MAX_PATHS ((size_t)256 << 20) /* all path lists, unpacked */

struct eb_team {
	struct eb_registry *registry;
	struct eb_repository *repo;
	struct eb_events *events;
	const struct eb_config *config; /* the caller's; its policy counts */
	char *text;			/* HOST/PREFIX */
	bool single;			/* one caller at a time */
	struct eb_ahead *ahead;
	bool empty_there;     /* the empty configuration was seen (atomic) */
	struct eb_digest old; /* what env- is, and --max-age refuses */
};

/* eb_team_open(), asked otherwise; `asking` may be NULL. */
int eb_team_open_as(const struct eb_config *config,
		    const struct eb_asking *asking, struct eb_events *events,
		    struct eb_team **out, struct eb_error *err);

enum eb_team_tag_kind {
	EB_TAG_ENV,
	EB_TAG_LOCK, /* with the ending of the compressor's kind */
	EB_TAG_LOCKED,
	EB_TAG_LAYER,
	EB_TAG_STEP,
};
/* "env-<32 hex>" ...; `compression` as in the configuration ("gzip", "zstd:9")
 * counts for EB_TAG_LOCK alone. Caller frees. */
char *eb_team_tag_of(enum eb_team_tag_kind kind, const struct eb_digest *key,
		     const char *compression);
/* Is it one of that kind? *hex: its 32 digits (and an ending). */
bool eb_team_tag_is(const char *tag, enum eb_team_tag_kind kind,
		    const char **hex);
bool eb_team_tag_valid(const char *tag); /* by distribution-spec */

/* The image under a tag, and its lock's hash where it names one; out->time
 * stays as it is. 1, 0, -1. */
int eb_team_image_get(struct eb_team *t, const char *tag, const char *platform,
		      struct eb_team_image *out, struct eb_error *err);

/* Two of them at once: the second one in a thread of its own, unless the team
 * is asked by one caller at a time. -1: one failed, the first one where both
 * did. */
int eb_team_both(struct eb_team *t, eb_job_fn *one, void *of_one,
		 eb_job_fn *other, void *of_other, struct eb_error *err);

/* --- what is known of layers and parts without having their bytes
 * ------------- */
struct eb_known_item {
	struct eb_item item;	    /* item.paths: digest of its path list */
	struct eb_digest container; /* blob in the repository that holds it */
	uint64_t container_size, offset; /* item.size bytes from there */
	size_t paths_at, paths_size;	 /* in eb_known.paths */
};
struct eb_known {
	struct eb_known_item *item; /* sorted by kind, key, compressor */
	size_t n, alloc;
	struct eb_buf paths;	 /* path lists, one behind the other */
	struct eb_digest *there; /* layers of an image in the repository */
	size_t n_there, there_alloc;
};
#define EB_KNOWN_INIT                           \
	{                                       \
		.paths = {.max = EB_MAX_PATHS } \
	}
/* First of a kind, key and compressor wins. `paths` is the text of its path
 * list; its digest has to be item->paths (EB_INTEGRITY). Not sorted until
 * eb_known_sort(). */
int eb_known_add(struct eb_known *k, const struct eb_item *item,
		 const struct eb_digest *container, uint64_t container_size,
		 uint64_t offset, const char *paths, size_t paths_size,
		 struct eb_error *err);
void eb_known_sort(struct eb_known *k);
const struct eb_known_item *eb_known_find(const struct eb_known *k,
					  enum eb_item_kind kind,
					  const struct eb_digest *key,
					  const char *compressor);
void eb_known_add_there(struct eb_known *k, const struct eb_digest *layer);
bool eb_known_is_there(const struct eb_known *k, const struct eb_digest *layer);
void eb_known_release(struct eb_known *k);

/* --- locked-
 * -------------------------------------------------------------------- */
/* The lock's text, and when it was solved or confirmed (the annotation); two
 * GETs. 1, 0, -1. */
int eb_team_get_lock(struct eb_team *t, const struct eb_digest *lock,
		     struct eb_buf *text, int64_t *time, struct eb_error *err);
/* The map and the path lists of it, added to `out`: one manifest and two
 * blobs. Every path list is verified by its digest. With `wanted`, of which
 * the lists are by far the larger: nothing is added, and the lists are not
 * asked for, where the map has nothing that is wanted. 1, 0, -1; a damaged one
 * is EB_INTEGRITY, which a builder only reports. */
typedef bool eb_wanted_fn(void *data, const struct eb_item *item);
int eb_team_get_map(struct eb_team *t, const struct eb_digest *lock,
		    eb_wanted_fn *wanted, void *data, struct eb_known *out,
		    struct eb_error *err);
/* Write it. `map` holds all layers of the image that are ours, and each
 * bucket's parts. Blobs first, then the manifest; there already with a time
 * that is not older: left alone. */
int eb_team_put_lock(struct eb_team *t, struct eb_push *push,
		     const struct eb_lock *lock, int64_t time,
		     const struct eb_known *map, struct eb_error *err);
/* The same in steps: its blobs go in the background with those of the image. */
struct eb_locked;
int eb_locked_begin(struct eb_team *t, struct eb_push *push,
		    const struct eb_lock *lock, int64_t time,
		    const struct eb_known *map, struct eb_locked **out,
		    struct eb_error *err);
/* Is it there, and not older? 1, 0, -1. */
int eb_locked_there(struct eb_locked *l, struct eb_error *err);
/* The manifest; the pusher has been waited for. */
int eb_locked_put(struct eb_locked *l, struct eb_error *err);
void eb_locked_free(struct eb_locked *l);
EB_AUTOPTR(struct eb_locked, eb_locked_free)

/* --- layer-
 * --------------------------------------------------------------------- */
/* 1: added to `out` (not sorted), 0: not there or of another compressor. */
int eb_team_get_layer(struct eb_team *t, const struct eb_digest *key,
		      const char *compressor, struct eb_known *out,
		      struct eb_error *err);
/* Its path list goes by `push`; `fresh`: nobody has put one there before. */
int eb_team_put_layer(struct eb_team *t, struct eb_push *push, bool fresh,
		      const struct eb_known_item *layer, const char *paths,
		      struct eb_error *err);

/* --- recent
 * ---------------------------------------------------------------------- */
#define EB_RECENT_MAX 256
#define EB_SKETCH 64
struct eb_sketch { /* the smallest of the packages' hashes, ascending */
	uint32_t v[EB_SKETCH];
	unsigned n;
	unsigned packages; /* in all */
};
void eb_sketch_of(const struct eb_lock *lock, struct eb_sketch *out);
/* How many of all packages two sets share, by their sketches: 0 .. 1. */
double eb_sketch_shared(const struct eb_sketch *a, const struct eb_sketch *b);
struct eb_recent_entry {
	struct eb_digest definition, lock;
	char *name; /* of the definition, or "" */
	int64_t time;
	struct eb_sketch sketch;
};
struct eb_recent {
	struct eb_recent_entry *v; /* newest first */
	size_t n, alloc;
	struct eb_digest stands; /* what it was read from; zero: nothing */
	bool damaged;		 /* something stands there and is none */
};
/* Nothing stood there, not even something damaged. */
bool eb_recent_is_none(const struct eb_recent *r);
int eb_team_get_recent(struct eb_team *t, struct eb_recent *out,
		       struct eb_error *err); /* 1 0 -1 */
/* Read, put this one in front (its definition's older entry goes), write. */
int eb_team_add_recent(struct eb_team *t, const struct eb_recent_entry *e,
		       struct eb_error *err);
/* The same where nothing but `seen` stands there still. `push` was given the
 * list's blob by eb_recent_send() and is waited for. */
void eb_recent_send(const struct eb_recent *seen,
		    const struct eb_recent_entry *e, struct eb_push *push);
int eb_team_add_recent_to(struct eb_team *t, const struct eb_recent *seen,
			  const struct eb_recent_entry *e, struct eb_push *push,
			  struct eb_error *err);
/* The nearest to a set (of equal ones the newest), NULL: none shares a
 * package. */
const struct eb_recent_entry *eb_recent_nearest(const struct eb_recent *r,
						const struct eb_sketch *s);
void eb_recent_release(struct eb_recent *r);
/* team_ahead.c: what eb_team_ahead() has asked for, or is read now; an error
 * is told once. 1 0 -1 */
int eb_team_recent(struct eb_team *t, const struct eb_recent **out,
		   struct eb_error *err);
/* The same without asking; NULL: nobody has, or it could not be read. */
const struct eb_recent *eb_team_recent_seen(struct eb_team *t);
void eb_team_ahead_free(struct eb_ahead *a);

#endif
