/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images between the store and registries: push, pull, and blobs that stay
 * where they are.
 *
 * Some blobs of an image in the store may lie in a registry alone (a base's
 * layers). Where, is a fact of the store ("source": blob -> HOST/REPOSITORY);
 * eb_image_complete() brings them.
 */
#ifndef EB_TRANSFER_H
#define EB_TRANSFER_H

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/mem.h>
#include <envbuild/registry.h>
#include <envbuild/store.h>

/* --- where a blob can be had ---------------------------------------------- */
/* Remembered for all of these at once; several places a blob, newest first, 4
 * at most. `place` is HOST/REPOSITORY. */
int eb_blob_source_put(struct eb_store *store, const char *place,
		       const struct eb_digest *blob, size_t n,
		       struct eb_error *err);
/* Its places; 1, 0 none, -1. */
int eb_blob_source_find(struct eb_store *store, const struct eb_digest *blob,
			struct eb_strv *places, struct eb_error *err);

/* --- push: blobs in the background ---------------------------------------- */
/*
 * Blobs may be handed over while others are still being made; each is mounted
 * or looked for, copied or sent by a few threads. An error ends the work and is
 * told by eb_push_wait().
 */
struct eb_push;
struct eb_push_totals {
	uint64_t sent, copied; /* bytes */
	unsigned n_sent, n_copied, n_mounted, n_there;
};
struct eb_push *eb_push_new(struct eb_registry *registry,
			    struct eb_repository *to, struct eb_store *store,
			    struct eb_events *events);
/* As far as can be seen nobody has pushed there before: what is small is sent
 * without looking. Said before anything is queued. */
void eb_push_first(struct eb_push *p);
/* Queue one; a digest that was queued before is passed by. Its bytes come from
 * the store, else from a place that eb_blob_source_find() gives; where the same
 * host has it in another repository (a source of the store), it is mounted. */
void eb_push_blob(struct eb_push *p, const struct eb_digest *d, uint64_t size,
		  const char *task);
/* The same of bytes in memory, which are copied: what goes beside an image. It
 * is not counted, and no source. */
void eb_push_data(struct eb_push *p, const struct eb_digest *d,
		  const void *data, uint64_t size, const char *task);
/* One that was made just now, of which nobody has looked whether it is there:
 * sent at once. `data` as above, or NULL: the store has it. */
void eb_push_fresh(struct eb_push *p, const struct eb_digest *d,
		   const void *data, uint64_t size, const char *task);
/* The same of bytes in memory, by the caller's own thread, done when it
 * returns: mounted from a source of the store, else sent without looking. It is
 * a source after the next eb_push_wait(). */
int eb_push_now(struct eb_push *p, const struct eb_digest *d, const void *data,
		uint64_t size, struct eb_error *err);
/* That one is in the repository already: nothing is to be done for it. */
void eb_push_known(struct eb_push *p, const struct eb_digest *d);
/* Until everything that was queued is there. What was sent or mounted is a
 * source from here on. The handle can be used on. */
int eb_push_wait(struct eb_push *p, struct eb_error *err);
void eb_push_totals(const struct eb_push *p, struct eb_push_totals *out);
/* Drops what waits; what runs ends first, well or not. */
void eb_push_free(struct eb_push *p);
EB_AUTOPTR(struct eb_push, eb_push_free)

/* --- whole images ----------------------------------------------------------
 */
/* The image `manifest` of the store (its text and config have to be there) to
 * p's repository: blobs, config, then the manifest under each tag (none: by
 * its digest), in this order. MANIFEST_BLOB_UNKNOWN: blobs are looked for and
 * sent once more. `immutable` as in eb_manifest_put. */
int eb_image_push(struct eb_push *p, const struct eb_digest *manifest,
		  const char *const *tag, size_t n_tags, bool *immutable,
		  struct eb_error *err);

enum { EB_PULL_LAYERS = 1 };
/* The image of `platform` behind `ref` (tag or digest text) into the store:
 * manifest and config, with EB_PULL_LAYERS its layers as well (those that are
 * not there, several at once, each verified). Without, their source is
 * remembered. `digest`: of the image manifest; `top` (may be NULL): of what
 * `ref` is. EB_NETWORK where there is none. */
int eb_image_pull(struct eb_repository *from, const char *ref,
		  const char *platform, unsigned flags, struct eb_store *store,
		  struct eb_events *events, struct eb_digest *digest,
		  struct eb_digest *top, struct eb_error *err);
/* Are all blobs of `manifest` in the store? 1, 0, -1. */
int eb_image_is_complete(struct eb_store *store,
			 const struct eb_digest *manifest,
			 struct eb_error *err);
/* Bring the blobs of `manifest` that the store lacks, from their sources.
 * EB_INTEGRITY names a blob that has none. */
int eb_image_complete(struct eb_registry *registry, struct eb_store *store,
		      const struct eb_digest *manifest,
		      struct eb_events *events, struct eb_error *err);
/* One image from repository to repository, index and all its children when
 * `ref` is an index; nothing touches the disk. */
int eb_image_copy(struct eb_repository *to, struct eb_repository *from,
		  const char *ref, const char *const *tag, size_t n_tags,
		  struct eb_events *events, struct eb_digest *digest,
		  struct eb_error *err);

#endif
