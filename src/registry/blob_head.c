/* SPDX-License-Identifier: Apache-2.0 */
/* Is a blob there? */
#include <string.h>

#include "blob.h"

int eb_blob_head_at(struct eb_repository *repo, const struct eb_where *at,
		    const struct eb_digest *d, uint64_t *size,
		    struct eb_error *err)
{
	char ref[EB_DIGEST_TEXT];
	eb_autofree char *path =
		eb_asprintf("blobs/%s", eb_digest_text(d, ref));
	struct eb_call c = { .repo = repo,
			     .at = *at,
			     .doing = "looking for the blob",
			     .ref = ref,
			     .method = "HEAD",
			     .path = path,
			     .small = true };
	eb_autofree char *length = NULL;
	uint64_t have;
	int rc = eb_call(&c, err);

	if (rc == 0 && c.r.status == 200 && eb_call_is_page(&c)) {
		rc = eb_call_page(&c, "that of a registry", err);
	} else if (rc == 0 && c.r.status == 200) {
		length = eb_call_field(&c, "Content-Length");
		rc = 1;
		if (length && eb_parse_u64(length, UINT64_MAX, &have) == 0) {
			if (*size && have != *size)
				rc = 0;
			*size = have;
		}
	} else if (rc == 0 && c.r.status != 404 && c.r.status != 405) {
		rc = eb_call_failed(&c, err);
	}
	eb_call_release(&c);
	return rc;
}

/* Asked before something is sent or left out: of that very repository, never
 * of a mirror. */
int eb_blob_head(struct eb_repository *repo, const struct eb_digest *d,
		 uint64_t size, struct eb_error *err)
{
	struct eb_where at;

	if (eb_repository_home(repo, &at, err) < 0)
		return -1;
	return eb_blob_head_at(repo, &at, d, &size, err);
}
