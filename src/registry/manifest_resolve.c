/* SPDX-License-Identifier: Apache-2.0 */
/* From a tag or digest to the image for one platform, through indexes. */
#include <inttypes.h>
#include <string.h>

#include <envbuild/image.h>

#include "registry_int.h"

#define INDEXES 2 /* an index in an index, and no further */

static int get_child(struct eb_repository *repo, const struct eb_descriptor *d,
		     struct eb_buf *text, struct eb_remote *out,
		     struct eb_error *err)
{
	char digest[EB_DIGEST_TEXT];
	int rc = eb_manifest_get(repo, eb_digest_text(&d->digest, digest), text,
				 out, err);

	if (rc == 0)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s@%s\": reading the manifest: not there, "
				  "though an index names it",
				  repo->text, digest);
	if (rc > 0 && out->size != d->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s@%s\": reading the manifest: %" PRIu64
				  " bytes, the index says %" PRIu64,
				  repo->text, digest, out->size, d->size);
	return rc;
}

static int descend(struct eb_repository *repo, const char *name,
		   const char *platform, struct eb_buf *text,
		   struct eb_remote *out, struct eb_error *err)
{
	struct eb_descriptor d = { 0 };
	int rc = eb_index_pick(text->data, text->len, name, platform, &d, err);

	if (rc == 0)
		rc = get_child(repo, &d, text, out, err);
	eb_descriptor_release(&d);
	return rc;
}

int eb_manifest_resolve(struct eb_repository *repo, const char *ref,
			const char *platform, struct eb_buf *text,
			struct eb_remote *out, struct eb_digest *top,
			struct eb_error *err)
{
	eb_autofree char *name = eb_repository_ref(repo, ref);
	unsigned depth = 0;
	int rc = eb_manifest_get(repo, ref, text, out, err);

	if (rc > 0 && top)
		*top = out->digest;
	while (rc > 0 && eb_is_index_type(out->media_type)) {
		if (depth++ == INDEXES)
			return eb_err_set(err, EB_INPUT,
					  "\"%s\": reading the manifest: an "
					  "index in an index in an index",
					  name);
		rc = descend(repo, name, platform, text, out, err);
	}
	return rc;
}
