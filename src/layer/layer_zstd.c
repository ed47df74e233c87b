/* SPDX-License-Identifier: Apache-2.0 */
/* zstd frames: one a block, with checksum and content size, one thread. */
#include <zstd.h>

#include "layer_priv.h"

struct eb_zstd {
	ZSTD_CCtx *ctx;
};

struct eb_zstd *eb_zstd_new(int level)
{
	struct eb_zstd *z = eb_malloc(sizeof *z);

	z->ctx = ZSTD_createCCtx();
	if (!z->ctx)
		eb_oom();
	ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(z->ctx, ZSTD_c_contentSizeFlag, 1);
	return z;
}

size_t eb_zstd_bound(size_t n)
{
	return ZSTD_compressBound(n);
}

size_t eb_zstd_block(struct eb_zstd *z, const void *p, size_t n, void *out)
{
	size_t len = ZSTD_compress2(z->ctx, out, eb_zstd_bound(n), p, n);

	if (ZSTD_isError(len)) /* with room for the bound: no memory */
		eb_oom();
	return len;
}

void eb_zstd_free(struct eb_zstd *z)
{
	ZSTD_freeCCtx(z->ctx);
	free(z);
}
