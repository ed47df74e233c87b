/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip members by ISA-L: raw deflate at level 1 in two calls, the first
 * FIRST bytes with a sync flush, then all the rest.
 *
 * Why not one stateless call: in ISA-L 2.30 the level 1 body, when it meets
 * the first byte of a history, hashes bits 16 to 47 of the stream's own
 * address instead of the third byte (write_first_byte in
 * igzip_icf_body_h1_gr_bt.asm reads a register that still holds the pointer).
 * What it writes then depends on where the stream lies, in one of some hundred
 * small blocks. Up to 16 bytes go to the "finish" code instead, which begins
 * the history right. Neither does isal_deflate_stateless_init() reset
 * hist_bits, so that fresh memory may shrink the window. How a stream is cut
 * changes what ISA-L writes: here it is always cut alike.
 */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <string.h>

#include "layer_priv.h"

#define HEADER sizeof eb_gzip_header
#define TRAILER EB_GZIP_TRAILER
#define FIRST 16

const uint8_t eb_gzip_header[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff };

struct eb_gzip {
	struct isal_zstream stream;
	uint8_t level_buf[ISAL_DEF_LVL1_DEFAULT];
};

struct eb_gzip *eb_gzip_new(void)
{
	return eb_calloc(1, sizeof(struct eb_gzip));
}

/* Stored blocks of 65,535 bytes with 5 more each are the worst case. */
size_t eb_gzip_bound(size_t n)
{
	return n + 5 * (n / 65535 + 4) + HEADER + TRAILER + 128;
}

static void put_le32(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
	p[2] = (uint8_t)(value >> 16);
	p[3] = (uint8_t)(value >> 24);
}

void eb_gzip_trailer(uint8_t *out, uint32_t crc32, uint64_t size)
{
	put_le32(out, crc32);
	put_le32(out + 4, (uint32_t)size);
}

static void begin(struct eb_gzip *z, uint8_t *out, size_t room)
{
	isal_deflate_init(&z->stream);
	z->stream.hist_bits = 0;
	z->stream.level = 1;
	z->stream.level_buf = z->level_buf;
	z->stream.level_buf_size = sizeof z->level_buf;
	z->stream.next_out = out;
	z->stream.avail_out = (uint32_t)room;
}

/* With room for the bound, ISA-L takes all of the input in one call. */
static void deflate(struct eb_gzip *z, const uint8_t *p, size_t n, bool last)
{
	z->stream.next_in = (uint8_t *)p;
	z->stream.avail_in = (uint32_t)n;
	z->stream.flush = last ? NO_FLUSH : SYNC_FLUSH;
	z->stream.end_of_stream = last;
	if (isal_deflate(&z->stream) != COMP_OK || z->stream.avail_in)
		abort();
}

size_t eb_gzip_block(struct eb_gzip *z, const void *p, size_t n, void *out)
{
	size_t first = n > FIRST ? FIRST : 0;
	const uint8_t *in = p;
	uint8_t *at = out;

	memcpy(at, eb_gzip_header, HEADER);
	begin(z, at + HEADER, eb_gzip_bound(n) - HEADER - TRAILER);
	if (first)
		deflate(z, in, first, false);
	deflate(z, in + first, n - first, true);
	at += HEADER + z->stream.total_out;
	eb_gzip_trailer(at, crc32_gzip_refl(0, p, n), n);
	return HEADER + z->stream.total_out + TRAILER;
}

void eb_gzip_free(struct eb_gzip *z)
{
	free(z);
}
