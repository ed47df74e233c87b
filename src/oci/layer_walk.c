/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a layer of the store, member by member. */
#include "import.h"
#include "tarfile.h"

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

int eb_layer_walk(struct eb_store *store, const struct eb_descriptor *layer,
		  eb_member_fn *fn, void *data, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];
	eb_autofd int fd = -1;
	uint64_t size;
	int got = eb_store_blob(store, &layer->digest, &fd, &size, err);

	eb_digest_text(&layer->digest, name);
	if (got == 0)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" is missing in the store", name);
	if (got < 0)
		return -1;
	return eb_layer_walk_stream(eb_stream_fd(fd, 0, size, name), size, name,
				    fn, data, err);
}
