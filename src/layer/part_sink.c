/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink: tar bytes gather in one block; a full block is added to the plain
 * digest, compressed, and written to the blob, which keeps the other digest.
 * So the bytes pass once, and no more than a block of them is held.
 */
#include <string.h>

#include "layer_priv.h"

struct eb_sink {
	struct eb_blob_writer *blob;
	struct eb_compressor c;
	struct eb_gzip *gzip; /* one of the two */
	struct eb_zstd *zstd;
	char *in, *out;
	size_t used, block;
	struct eb_sha256 plain;
	uint64_t plain_size;
};

int eb_sink_begin(struct eb_store *store, const struct eb_compressor *c,
		  struct eb_sink **out, struct eb_error *err)
{
	EB_CLEANUP(eb_sink_abort_ptr)
	struct eb_sink *s = eb_calloc(1, sizeof *s);

	s->c = *c;
	s->block = c->zstd_level ? EB_ZSTD_BLOCK : EB_GZIP_BLOCK;
	if (c->zstd_level)
		s->zstd = eb_zstd_new(c->zstd_level);
	else
		s->gzip = eb_gzip_new();
	s->in = eb_malloc(s->block);
	s->out = eb_malloc(c->zstd_level ? eb_zstd_bound(s->block)
					 : eb_gzip_bound(s->block));
	eb_sha256_init(&s->plain);
	if (eb_blob_begin(store, &s->blob, err) < 0)
		return -1;
	*out = eb_steal(s);
	return 0;
}

static int flush(struct eb_sink *s, struct eb_error *err)
{
	size_t n;

	if (s->used == 0)
		return 0;
	eb_sha256_add(&s->plain, s->in, s->used);
	s->plain_size += s->used;
	n = s->zstd ? eb_zstd_block(s->zstd, s->in, s->used, s->out)
		    : eb_gzip_block(s->gzip, s->in, s->used, s->out);
	s->used = 0;
	return eb_blob_write(s->blob, s->out, n, err);
}

/* Room in the block, at most n; the block is not full afterwards. */
static size_t room(const struct eb_sink *s, uint64_t n)
{
	size_t left = s->block - s->used;

	return n < left ? (size_t)n : left;
}

static int advance(struct eb_sink *s, size_t n, struct eb_error *err)
{
	s->used += n;
	return s->used == s->block ? flush(s, err) : 0;
}

int eb_sink_write(struct eb_sink *s, const void *p, size_t n,
		  struct eb_error *err)
{
	const char *at = p;

	while (n) {
		size_t piece = room(s, n);

		memcpy(s->in + s->used, at, piece);
		if (advance(s, piece, err) < 0)
			return -1;
		at += piece;
		n -= piece;
	}
	return 0;
}

int eb_sink_spool(struct eb_sink *s, struct eb_spool *spool, uint64_t offset,
		  uint64_t n, struct eb_error *err)
{
	while (n) {
		size_t piece = room(s, n);

		if (eb_spool_read(spool, offset, s->in + s->used, piece, err) <
			    0 ||
		    advance(s, piece, err) < 0)
			return -1;
		offset += piece;
		n -= piece;
	}
	return 0;
}

int eb_sink_zeros(struct eb_sink *s, size_t n, struct eb_error *err)
{
	static const char zeros[2 * EB_TAR_BLOCK];

	return eb_sink_write(s, zeros, n, err);
}

int eb_sink_raw(struct eb_sink *s, const void *compressed, size_t n,
		struct eb_error *err)
{
	if (flush(s, err) < 0)
		return -1;
	return eb_blob_write(s->blob, compressed, n, err);
}

int eb_sink_plain(struct eb_sink *s, const void *plain, size_t n,
		  struct eb_error *err)
{
	if (flush(s, err) < 0)
		return -1;
	eb_sha256_add(&s->plain, plain, n);
	s->plain_size += n;
	return 0;
}

int eb_sink_end(struct eb_sink *sink, struct eb_item *item, const char *what,
		struct eb_error *err)
{
	EB_CLEANUP(eb_sink_abort_ptr) struct eb_sink *s = sink;

	if (flush(s, err) < 0)
		return -1;
	strcpy(item->compressor, s->c.id);
	eb_sha256_end(&s->plain, &item->plain);
	item->plain_size = s->plain_size;
	return eb_blob_commit(eb_steal(s->blob), NULL, what, &item->blob,
			      &item->size, err);
}

void eb_sink_abort(struct eb_sink *s)
{
	if (!s)
		return;
	eb_blob_abort(s->blob);
	if (s->gzip)
		eb_gzip_free(s->gzip);
	if (s->zstd)
		eb_zstd_free(s->zstd);
	free(s->in);
	free(s->out);
	free(s);
}
