/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs of an image that lie in a registry alone come into the store. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/transfer.h>

#include "image_blobs.h"

int eb_place_open(struct eb_registry *registry, const char *place,
		  struct eb_repository **out, struct eb_error *err)
{
	const char *slash = strchr(place, '/');
	eb_autofree char *host = NULL;

	if (!slash)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is not HOST/REPOSITORY", place);
	host = eb_strndup(place, (size_t)(slash - place));
	return eb_repository_open(registry, host, slash + 1, out, err);
}

struct completion {
	struct eb_registry *registry;
	struct eb_store *store;
};

static int no_source(const struct eb_blob_ref *blob,
		     const struct eb_strv *tried, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];

	eb_digest_text(&blob->digest, name);
	if (tried->n)
		eb_err_set(err, EB_INTEGRITY,
			   "\"%s\" is not in the store, and \"%s\" has it no "
			   "more",
			   name, tried->v[0]);
	else
		eb_err_set(err, EB_INTEGRITY,
			   "\"%s\" is not in the store, and no registry is "
			   "known to have it",
			   name);
	return eb_err_hint(err, "build or pull its image once more");
}

static int from_place(struct completion *c, const char *place,
		      const struct eb_blob_ref *blob, struct eb_error *err)
{
	struct eb_repository *repo;

	if (eb_place_open(c->registry, place, &repo, err) < 0)
		return -1;
	return eb_blob_pull(repo, c->store, blob, err);
}

/* Where one place fails the next may do: the last error is told. */
static int complete_blob(void *data, const struct eb_blob_ref *blob,
			 struct eb_error *err)
{
	struct completion *c = data;
	EB_CLEANUP(eb_strv_release) struct eb_strv place = { 0 };
	int got = eb_blob_in_store(c->store, blob, err);

	if (got == 0 &&
	    eb_blob_source_find(c->store, &blob->digest, &place, err) < 0)
		return -1;
	for (size_t i = 0; got == 0 && i < place.n; i++) {
		eb_err_release(err);
		got = from_place(c, place.v[i], blob, err);
		if (got < 0 && i + 1 < place.n)
			got = 0;
	}
	if (got || eb_err_is_set(err))
		return got > 0 ? 0 : -1;
	return no_source(blob, &place, err);
}

int eb_image_is_complete(struct eb_store *store,
			 const struct eb_digest *manifest, struct eb_error *err)
{
	struct eb_stored_image image;
	int got = 1;

	if (eb_stored_image_read(store, manifest, &image, err) < 0)
		return -1;
	for (size_t i = 0; got == 1 && i < image.blobs.n; i++)
		got = eb_blob_in_store(store, &image.blobs.v[i], err);
	eb_stored_image_release(&image);
	return got;
}

int eb_image_complete(struct eb_registry *registry, struct eb_store *store,
		      const struct eb_digest *manifest,
		      struct eb_events *events, struct eb_error *err)
{
	struct completion c = { registry, store };
	struct eb_stored_image image;
	int rc;

	(void)events; /* the client has them */
	if (eb_stored_image_read(store, manifest, &image, err) < 0)
		return -1;
	rc = eb_blob_refs_each(&image.blobs, complete_blob, &c, err);
	eb_stored_image_release(&image);
	return rc;
}
