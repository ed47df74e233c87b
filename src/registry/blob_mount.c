/* SPDX-License-Identifier: Apache-2.0 */
/* A blob of another repository of the same registry, taken over. */
#include <stdlib.h>
#include <string.h>

#include "blob.h"

static void drop(struct eb_call *c)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *location = eb_call_location(c, &err);

	eb_err_release(&err);
	if (location)
		eb_upload_drop(c->repo, &c->at, location);
}

int eb_blob_mount(struct eb_repository *repo, const struct eb_digest *d,
		  const struct eb_repository *from, struct eb_error *err)
{
	char ref[EB_DIGEST_TEXT];
	eb_autofree char *path =
		eb_asprintf("blobs/uploads/?mount=%s&from=%s",
			    eb_digest_text(d, ref), eb_repository_name(from));
	struct eb_call c = { .repo = repo,
			     .doing = "mounting the blob",
			     .ref = ref,
			     .method = "POST",
			     .path = path,
			     .push = true,
			     .mount_from = eb_repository_name(from),
			     .small = true };
	int rc;

	if (!eb_repository_same_host(repo, from) || repo == from)
		return 0;
	if (eb_repository_home(repo, &c.at, err) < 0)
		return -1;
	repo->written = true;
	rc = eb_call(&c, err);
	if (rc < 0 && err->code == EB_REFUSED) {
		/* no permission for the other one, perhaps: sending tells */
		eb_err_release(err);
		rc = 0;
	} else if (rc == 0 && c.r.status == 201) {
		rc = 1;
	} else if (rc == 0 && eb_call_good(&c)) {
		drop(&c);
	} else if (rc == 0 && c.r.status >= 500) {
		rc = eb_call_failed(&c, err);
	}
	eb_call_release(&c);
	return rc;
}
