/* SPDX-License-Identifier: Apache-2.0 */
/* A blob from one repository to another. */
#include "blob.h"

struct find {
	struct eb_repository *repo;
	const struct eb_digest *digest;
	uint64_t size;
	struct eb_where at;
};

static int find_at(const struct eb_where *at, void *data, struct eb_error *err)
{
	struct find *f = data;
	uint64_t size = f->size;
	int rc = eb_blob_head_at(f->repo, at, f->digest, &size, err);

	if (rc <= 0)
		return rc;
	f->at = *at;
	f->size = size;
	return 1;
}

/* Where it is read, and its size; this also brings the login that reading it
 * takes, so that the transfer itself need not be begun twice. */
static int find(struct eb_upload *u, struct eb_error *err)
{
	struct find f = { .repo = u->from,
			  .digest = u->digest,
			  .size = u->size };
	char ref[EB_DIGEST_TEXT];
	int rc = eb_repository_read(u->from, eb_digest_text(u->digest, ref),
				    find_at, &f, err);

	u->from_at = f.at;
	u->size = f.size;
	return rc;
}

/* What is sent has a length from the first byte on. */
static int check_size(const struct eb_upload *u, struct eb_error *err)
{
	char ref[EB_DIGEST_TEXT];
	struct eb_digest empty;

	eb_sha256("", 0, &empty);
	if (u->size || eb_digest_equal(u->digest, &empty))
		return 1;
	return eb_err_set(err, EB_NETWORK,
			  "\"%s@%s\": fetching the blob: the registry does not "
			  "tell its size",
			  u->from->text, eb_digest_text(u->digest, ref));
}

int eb_blob_copy(struct eb_repository *to, struct eb_repository *from,
		 const struct eb_digest *d, uint64_t size, const char *task,
		 struct eb_error *err)
{
	struct eb_upload u = { .repo = to,
			       .digest = d,
			       .size = size,
			       .task = task,
			       .from = from };
	int rc = eb_blob_mount(to, d, from, err);

	if (rc != 0)
		return rc < 0 ? -1 : 2;
	rc = find(&u, err);
	if (rc > 0)
		rc = check_size(&u, err);
	return rc <= 0 ? rc : eb_upload_run(&u, err);
}
