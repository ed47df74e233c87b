/* SPDX-License-Identifier: Apache-2.0 */
/* Compressing a layer that came plain, block by block as our own layers. */
#include <envbuild/gzip.h>
#include <envbuild/mem.h>

#include "import.h"

/* A whole block, or what is left. */
static ssize_t fill(struct eb_stream *in, uint8_t *p, struct eb_error *err)
{
	size_t n = 0;
	ssize_t got;

	while (n < EB_GZIP_BLOCK) {
		got = eb_stream_read(in, p + n, EB_GZIP_BLOCK - n, err);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

static int pack_all(struct eb_stream *in, struct eb_blob_writer *w,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_gzip_free_ptr) struct eb_gzip *z = eb_gzip_new();
	eb_autofree uint8_t *block = eb_malloc(EB_GZIP_BLOCK);
	eb_autofree uint8_t *out = eb_malloc(eb_gzip_bound(EB_GZIP_BLOCK));
	ssize_t n = fill(in, block, err);

	while (n > 0) {
		size_t len = eb_gzip_block(z, block, (size_t)n, out);

		if (eb_blob_write(w, out, len, err) < 0)
			return -1;
		n = n == EB_GZIP_BLOCK ? fill(in, block, err) : 0;
	}
	return (int)n;
}

int eb_import_gzip(struct eb_store *store, struct eb_stream *in,
		   const char *name, struct eb_digest *blob, uint64_t *size,
		   struct eb_error *err)
{
	struct eb_blob_writer *w;

	if (eb_blob_begin(store, &w, err) < 0)
		return -1;
	if (pack_all(in, w, err) < 0) {
		eb_blob_abort(w);
		return -1;
	}
	return eb_blob_commit(w, NULL, name, blob, size, err);
}
