/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the parts of a joined layer lie in its blob: behind the folders, whose
 * compressed size nothing tells, and before the end blocks, which are always
 * the same.
 */
#include "layer_priv.h"

static size_t end_size(const struct eb_compressor *c)
{
	static const char zeros[2 * EB_TAR_BLOCK];
	EB_CLEANUP(eb_zstd_free_ptr) struct eb_zstd *zstd = NULL;
	EB_CLEANUP(eb_gzip_free_ptr) struct eb_gzip *gzip = NULL;
	eb_autofree char *out = NULL;

	if (c->zstd_level) {
		zstd = eb_zstd_new(c->zstd_level);
		out = eb_malloc(eb_zstd_bound(sizeof zeros));
		return eb_zstd_block(zstd, zeros, sizeof zeros, out);
	}
	gzip = eb_gzip_new();
	out = eb_malloc(eb_gzip_bound(sizeof zeros));
	return eb_gzip_block(gzip, zeros, sizeof zeros, out);
}

int eb_part_place(const struct eb_compressor *c, const struct eb_item *layer,
		  const struct eb_item *part, size_t n, uint64_t *first,
		  struct eb_error *err)
{
	uint64_t behind = end_size(c);
	char text[EB_DIGEST_TEXT];

	for (size_t i = 0; i < n; i++)
		behind +=
			part[i].size < layer->size ? part[i].size : layer->size;
	if (behind > layer->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\", looking for its parts: it is "
				  "smaller than they are",
				  eb_digest_text(&layer->blob, text));
	*first = layer->size - behind;
	return 0;
}
