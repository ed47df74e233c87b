/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a layer of the store, member by member. */
#include "import.h"
#include "tarfile.h"

#define WINDOW ((size_t)256 << 10)

static int walk(struct eb_tarfile *t, eb_member_fn *fn, void *data,
		struct eb_error *err)
{
	const struct eb_member *m;
	int got;

	while ((got = eb_tarfile_next(t, &m, err)) > 0) {
		got = fn(data, m, eb_tarfile_content(t), err);
		if (got)
			return got < 0 ? -1 : 0;
	}
	return got < 0 ? -1 : eb_tarfile_drain(t, err);
}

int eb_layer_walk_stream(struct eb_stream *packed, uint64_t size,
			 const char *name, eb_member_fn *fn, void *data,
			 struct eb_error *err)
{
	EB_CLEANUP(eb_tarfile_free_ptr)
	struct eb_tarfile *t =
		eb_tarfile_open(eb_import_unpack(packed, size, name), name);

	return walk(t, fn, data, err);
}

/* `name` has EB_DIGEST_TEXT bytes. */
static int open_layer(struct eb_store *store, const struct eb_digest *blob,
		      char *name, int *fd, uint64_t *size, struct eb_error *err)
{
	int got = eb_store_blob(store, blob, fd, size, err);

	eb_digest_text(blob, name);
	if (got == 0)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" is missing in the store", name);
	return got < 0 ? -1 : 0;
}

int eb_layer_diff_id(struct eb_store *store, const struct eb_digest *blob,
		     struct eb_digest *out, struct eb_error *err)
{
	eb_autofree char *window = eb_malloc(WINDOW);
	EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *plain = NULL;
	char name[EB_DIGEST_TEXT];
	eb_autofd int fd = -1;
	struct eb_sha256 sha;
	uint64_t size;
	ssize_t got;

	if (open_layer(store, blob, name, &fd, &size, err) < 0)
		return -1;
	plain = eb_stream_sha256(eb_import_decompress(fd, 0, size, name), &sha,
				 NULL);
	while ((got = eb_stream_read(plain, window, WINDOW, err)) > 0)
		;
	if (got < 0)
		return -1;
	eb_sha256_end(&sha, out);
	return 0;
}

int eb_layer_walk(struct eb_store *store, const struct eb_descriptor *layer,
		  eb_member_fn *fn, void *data, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];
	eb_autofd int fd = -1;
	uint64_t size;

	if (open_layer(store, &layer->digest, name, &fd, &size, err) < 0)
		return -1;
	return eb_layer_walk_stream(eb_stream_fd(fd, 0, size, name), size, name,
				    fn, data, err);
}
