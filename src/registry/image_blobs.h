/* SPDX-License-Identifier: Apache-2.0 */
/* The blobs that a manifest names, and work on several of them at once. */
#ifndef EB_IMAGE_BLOBS_H
#define EB_IMAGE_BLOBS_H

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/registry.h>
#include <envbuild/store.h>

#define EB_AT_ONCE 4 /* transfers of one image */

struct eb_blob_ref {
	struct eb_digest digest;
	uint64_t size;
};
/* Each digest once: layers in their order, then the configuration. */
struct eb_blob_refs {
	struct eb_blob_ref *v;
	size_t n, alloc;
};
void eb_blob_refs_release(struct eb_blob_refs *r);
void eb_blob_refs_add(struct eb_blob_refs *r, const struct eb_digest *d,
		      uint64_t size);
/* Of an image's or an artifact's manifest. Layers that may not be distributed
 * are EB_INPUT. `media_type` becomes what the text says it is, OCI's manifest
 * where it says nothing. */
int eb_blob_refs_parse(const char *text, size_t len, const char *what,
		       struct eb_blob_refs *out, char media_type[128],
		       struct eb_error *err);

/* Manifest `digest` of the store and what it names. */
struct eb_stored_image {
	struct eb_buf text;
	struct eb_digest digest;
	char media_type[128];
	struct eb_blob_refs blobs;
};
int eb_stored_image_read(struct eb_store *store, const struct eb_digest *digest,
			 struct eb_stored_image *out, struct eb_error *err);
void eb_stored_image_release(struct eb_stored_image *image);

/* Called for each, EB_AT_ONCE of them at a time; the first error is given. */
typedef int eb_blob_ref_fn(void *data, const struct eb_blob_ref *blob,
			   struct eb_error *err);
int eb_blob_refs_each(const struct eb_blob_refs *r, eb_blob_ref_fn *fn,
		      void *data, struct eb_error *err);

/* pull_blob.c: in the store, with this size? 1, 0, -1. Of another size it is
 * damaged, or the manifest is wrong: whoever fetches it anew finds out. */
int eb_blob_in_store(struct eb_store *store, const struct eb_blob_ref *blob,
		     struct eb_error *err);
/* Into the store, verified. 1, 0 it is not in the repository, -1. */
int eb_blob_pull(struct eb_repository *from, struct eb_store *store,
		 const struct eb_blob_ref *blob, struct eb_error *err);
/* A blob as tasks call it; caller frees. */
char *eb_blob_task(const struct eb_digest *d);

/* image_complete.c: "HOST/REPOSITORY", as sources have it. */
int eb_place_open(struct eb_registry *registry, const char *place,
		  struct eb_repository **out, struct eb_error *err);

#endif
