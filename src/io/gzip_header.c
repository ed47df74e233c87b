/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a gzip member (RFC 1952, section 2.3), checked and dropped. */
#include <isa-l/crc.h>

#include "gzip_header.h"

enum { FHCRC = 2, FEXTRA = 4, FNAME = 8, FCOMMENT = 16, RESERVED = 0xe0 };

struct header {
	struct eb_filter *f;
	uint32_t crc;
};

static int take(struct header *h, uint8_t *byte, struct eb_error *err)
{
	int more = eb_filter_fill(h->f, err);

	if (more < 0)
		return -1;
	if (more == 0)
		return eb_filter_breaks_off(h->f, "gzip", err);
	*byte = h->f->in[h->f->at++];
	h->crc = crc32_gzip_refl(h->crc, byte, 1);
	return 0;
}

static int take_u16(struct header *h, unsigned *value, struct eb_error *err)
{
	uint8_t low, high;

	if (take(h, &low, err) < 0 || take(h, &high, err) < 0)
		return -1;
	*value = low | (unsigned)high << 8;
	return 0;
}

static int drop(struct header *h, unsigned n, struct eb_error *err)
{
	uint8_t byte;

	while (n--)
		if (take(h, &byte, err) < 0)
			return -1;
	return 0;
}

static int drop_text(struct header *h, struct eb_error *err)
{
	uint8_t byte;

	do
		if (take(h, &byte, err) < 0)
			return -1;
	while (byte);
	return 0;
}

static int drop_extra(struct header *h, struct eb_error *err)
{
	unsigned n;

	return take_u16(h, &n, err) < 0 ? -1 : drop(h, n, err);
}

static int check_crc(struct header *h, struct eb_error *err)
{
	unsigned expected = h->crc & 0xffff, found;

	if (take_u16(h, &found, err) < 0)
		return -1;
	if (found != expected)
		return eb_filter_corrupt(h->f, "gzip",
					 "wrong checksum of its header", err);
	return 0;
}

static int read_fixed(struct header *h, uint8_t *flags, struct eb_error *err)
{
	unsigned magic;
	uint8_t method;

	if (take_u16(h, &magic, err) < 0)
		return -1;
	if (magic != 0x8b1f)
		return eb_filter_corrupt(h->f, "gzip", "no gzip header", err);
	if (take(h, &method, err) < 0 || take(h, flags, err) < 0)
		return -1;
	if (method != 8 || *flags & RESERVED)
		return eb_filter_corrupt(h->f, "gzip",
					 "a method other than deflate", err);
	return drop(h, 6, err); /* time, level, system */
}

int eb_gzip_read_header(struct eb_filter *f, struct eb_error *err)
{
	struct header h = { .f = f };
	uint8_t flags;

	if (read_fixed(&h, &flags, err) < 0)
		return -1;
	if (flags & FEXTRA && drop_extra(&h, err) < 0)
		return -1;
	if (flags & FNAME && drop_text(&h, err) < 0)
		return -1;
	if (flags & FCOMMENT && drop_text(&h, err) < 0)
		return -1;
	return flags & FHCRC ? check_crc(&h, err) : 0;
}
