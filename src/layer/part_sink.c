/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sink: tar bytes gather in one block; a full block is added to the plain
 * digest, compressed, and written to the blob, which keeps the other digest.
 * So the bytes pass once, and no more than a block of them is held, or a few
 * while the digest is made aside.
 */
#include <string.h>

#include "part_flow.h"

#define BLOCKS_ASIDE 3

struct eb_sink {
	struct eb_blob_writer *blob;
	struct eb_compressor c;
	struct eb_gzip *gzip; /* one of the two */
	struct eb_zstd *zstd;
	struct eb_pieces *blocks;
	struct eb_piece *in; /* being filled */
	char *out;
	size_t block;
	struct eb_sums *sums;
	uint64_t plain_size;
};

int eb_sink_begin(struct eb_store *store, const struct eb_compressor *c,
		  bool aside, struct eb_sink **out, struct eb_error *err)
{
	EB_CLEANUP(eb_sink_abort_ptr)
	struct eb_sink *s = eb_calloc(1, sizeof *s);

	s->c = *c;
	s->block = c->zstd_level ? EB_ZSTD_BLOCK : EB_GZIP_BLOCK;
	if (c->zstd_level)
		s->zstd = eb_zstd_new(c->zstd_level);
	else
		s->gzip = eb_gzip_new();
	s->blocks = eb_pieces_new(aside ? BLOCKS_ASIDE : 1, s->block);
	s->in = eb_piece_take(s->blocks);
	s->out = eb_malloc(c->zstd_level ? eb_zstd_bound(s->block)
					 : eb_gzip_bound(s->block));
	s->sums = eb_sums_new();
	if (aside)
		eb_sums_aside(s->sums);
	if (eb_blob_begin(store, &s->blob, err) < 0)
		return -1;
	*out = eb_steal(s);
	return 0;
}

/* Whoever is first done with the block, the sums or the compressor, leaves it
 * to the other. */
static int flush(struct eb_sink *s, struct eb_error *err)
{
	struct eb_piece *in = s->in;
	size_t n;

	if (in->n == 0)
		return 0;
	s->plain_size += in->n;
	if (eb_sums_add(s->sums, eb_piece_share(in), EB_SUM_PLAIN, err) < 0)
		return -1;
	n = s->zstd ? eb_zstd_block(s->zstd, in->data, in->n, s->out)
		    : eb_gzip_block(s->gzip, in->data, in->n, s->out);
	eb_piece_drop(in);
	s->in = eb_piece_take(s->blocks);
	return eb_blob_write(s->blob, s->out, n, err);
}

/* Room in the block, at most n; the block is not full afterwards. */
static size_t room(const struct eb_sink *s, uint64_t n)
{
	size_t left = s->block - s->in->n;

	return n < left ? (size_t)n : left;
}

static int advance(struct eb_sink *s, size_t n, struct eb_error *err)
{
	s->in->n += n;
	return s->in->n == s->block ? flush(s, err) : 0;
}

int eb_sink_write(struct eb_sink *s, const void *p, size_t n,
		  struct eb_error *err)
{
	const char *at = p;

	while (n) {
		size_t piece = room(s, n);

		memcpy(s->in->data + s->in->n, at, piece);
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

		if (eb_spool_read(spool, offset, s->in->data + s->in->n, piece,
				  err) < 0 ||
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

int eb_sink_plain(struct eb_sink *s, struct eb_piece *plain, bool file,
		  struct eb_error *err)
{
	EB_CLEANUP(eb_piece_drop_ptr) struct eb_piece *own = plain;

	if (flush(s, err) < 0)
		return -1;
	s->plain_size += plain->n;
	return eb_sums_add(s->sums, eb_steal(own),
			   file ? EB_SUM_PLAIN | EB_SUM_FILE : EB_SUM_PLAIN,
			   err);
}

struct eb_sums *eb_sink_sums(struct eb_sink *s)
{
	return s->sums;
}

int eb_sink_end(struct eb_sink *sink, struct eb_item *item, const char *what,
		struct eb_error *err)
{
	EB_CLEANUP(eb_sink_abort_ptr) struct eb_sink *s = sink;

	if (flush(s, err) < 0 || eb_sums_wait(s->sums, err) < 0)
		return -1;
	strcpy(item->compressor, s->c.id);
	eb_sums_end(s->sums, &item->plain);
	item->plain_size = s->plain_size;
	return eb_blob_commit(eb_steal(s->blob), NULL, what, &item->blob,
			      &item->size, err);
}

void eb_sink_abort(struct eb_sink *s)
{
	if (!s)
		return;
	eb_blob_abort(s->blob);
	eb_sums_free(s->sums);
	eb_pieces_free(s->blocks);
	if (s->gzip)
		eb_gzip_free(s->gzip);
	if (s->zstd)
		eb_zstd_free(s->zstd);
	free(s->out);
	free(s);
}
