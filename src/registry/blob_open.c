/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads: begun, and given up. */
#include <stdlib.h>
#include <string.h>

#include "blob.h"

static int open_failed(struct eb_call *c, struct eb_error *err)
{
	eb_call_failed(c, err);
	if (c->r.status == 404)
		eb_err_hint(err,
			    "the registry may want \"%s\" to be made "
			    "beforehand",
			    c->repo->name);
	return -1;
}

static void take_chunk(struct eb_upload *u, const struct eb_call *c)
{
	eb_autofree char *field = eb_call_field(c, "OCI-Chunk-Min-Length");

	if (!field || eb_parse_u64(field, (uint64_t)64 << 20, &u->chunk) < 0)
		u->chunk = 0;
}

int eb_upload_open(struct eb_upload *u, struct eb_error *err)
{
	struct eb_call c = { .repo = u->repo,
			     .at = u->at,
			     .doing = "beginning to send the blob",
			     .ref = u->ref,
			     .method = "POST",
			     .path = "blobs/uploads/",
			     .push = true,
			     .small = true };
	int rc = eb_call(&c, err);

	free(u->location);
	u->location = NULL;
	if (rc == 0 && !eb_call_good(&c))
		rc = open_failed(&c, err);
	if (rc == 0) {
		u->location = eb_call_location(&c, err);
		rc = u->location ? 0 : -1;
		take_chunk(u, &c);
	}
	eb_call_release(&c);
	return rc;
}

void eb_upload_drop(struct eb_repository *repo, const struct eb_where *at,
		    const char *location)
{
	struct eb_call c = { .repo = repo,
			     .at = *at,
			     .doing = "giving up an upload",
			     .method = "DELETE",
			     .url = location,
			     .push = true,
			     .no_challenge = true,
			     .tries = 1,
			     .timeout_ms = 5000 };
	struct eb_error err = EB_ERROR_INIT;

	if (eb_call(&c, &err) < 0)
		eb_detail(repo->registry->events, "%s", err.message);
	eb_err_release(&err);
	eb_call_release(&c);
}
