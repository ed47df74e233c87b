/* SPDX-License-Identifier: Apache-2.0 */
/* One blob out of a repository into the store. */
#include <inttypes.h>

#include <envbuild/mem.h>
#include <envbuild/transfer.h>

#include "image_blobs.h"

struct sink {
	struct eb_store *store;
	struct eb_blob_writer *writer;
	const struct eb_blob_ref *blob;
};

static void release(struct sink *s)
{
	eb_blob_abort(s->writer);
}

static int wrong_size(const struct eb_blob_ref *blob, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];

	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", fetching: it has not the %" PRIu64
			  " bytes that its manifest declares",
			  eb_digest_text(&blob->digest, name), blob->size);
}

/* Offset 0 is another try: what came before is forgotten. */
static int take(void *data, const void *p, size_t n, uint64_t offset,
		struct eb_error *err)
{
	struct sink *s = data;

	if (offset == 0) {
		eb_blob_abort(eb_steal(s->writer));
		if (eb_blob_begin(s->store, &s->writer, err) < 0)
			return -1;
	}
	if (offset + n > s->blob->size)
		return wrong_size(s->blob, err);
	return eb_blob_write(s->writer, p, n, err);
}

char *eb_blob_task(const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];

	return eb_asprintf("sha256:%.12s", eb_digest_hex(d, hex));
}

/* Nothing came because there is nothing: the empty blob. */
static int finish(struct sink *s, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];
	uint64_t size;

	if (!s->writer && eb_blob_begin(s->store, &s->writer, err) < 0)
		return -1;
	if (eb_blob_commit(eb_steal(s->writer), &s->blob->digest,
			   eb_digest_text(&s->blob->digest, name), NULL, &size,
			   err) < 0)
		return -1;
	return size == s->blob->size ? 0 : wrong_size(s->blob, err);
}

int eb_blob_pull(struct eb_repository *from, struct eb_store *store,
		 const struct eb_blob_ref *blob, struct eb_error *err)
{
	EB_CLEANUP(release) struct sink s = { store, NULL, blob };
	eb_autofree char *task = eb_blob_task(&blob->digest);
	int got = eb_blob_get(from, &blob->digest, blob->size, task, take, &s,
			      err);

	if (got <= 0)
		return got;
	return finish(&s, err) < 0 ? -1 : 1;
}

int eb_blob_in_store(struct eb_store *store, const struct eb_blob_ref *blob,
		     struct eb_error *err)
{
	eb_autofd int fd = -1;
	uint64_t size = 0;
	int got = eb_store_blob(store, &blob->digest, &fd, &size, err);

	return got <= 0 ? got : size == blob->size;
}
