/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gzip (RFC 1952) by ISA-L: any number of members, each checked against its
 * CRC and length. Behind the last one zero bytes are allowed (tapes and some
 * archivers pad so), anything else is refused.
 */
#include <isa-l/igzip_lib.h>
#include <string.h>

#include "gzip_header.h"

struct gunzip {
	struct eb_filter f;
	struct inflate_state z; /* 80 kB */
	bool in_member, padding;
	unsigned members;
};

static int begin_member(struct gunzip *s, struct eb_error *err)
{
	if (eb_gzip_read_header(&s->f, err) < 0)
		return -1;
	isal_inflate_reset(&s->z);
	s->z.crc_flag = ISAL_GZIP_NO_HDR_VER;
	s->in_member = true;
	s->members++;
	return 1;
}

static void skip_zeros(struct eb_filter *f)
{
	while (f->at < f->len && f->in[f->at] == 0)
		f->at++;
}

/* Between members: 1 one more begins, 0 the end. */
static int next_member(struct gunzip *s, struct eb_error *err)
{
	struct eb_filter *f = &s->f;
	int more;

	for (;;) {
		more = eb_filter_fill(f, err);
		if (more < 0)
			return -1;
		if (more == 0)
			return s->members
				       ? 0
				       : eb_filter_breaks_off(f, "gzip", err);
		if (!s->padding && (f->in[f->at] || !s->members))
			return begin_member(s, err);
		s->padding = true;
		skip_zeros(f);
		if (f->at < f->len)
			return eb_filter_corrupt(
				f, "gzip", "something behind its end", err);
	}
}

/* One step within a member: bytes written, 0 when it needs more input or the
 * member has ended. */
static ssize_t inflate_step(struct gunzip *s, void *p, size_t n,
			    struct eb_error *err)
{
	struct eb_filter *f = &s->f;
	uint32_t room = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	int code;

	s->z.next_in = f->in + f->at;
	s->z.avail_in = (uint32_t)(f->len - f->at);
	s->z.next_out = p;
	s->z.avail_out = room;
	code = isal_inflate(&s->z);
	if (code < 0)
		return eb_filter_corrupt(f, "gzip",
					 code == ISAL_INCORRECT_CHECKSUM
						 ? "wrong checksum or length"
						 : "damaged deflate data",
					 err);
	f->at = f->len - s->z.avail_in;
	if (s->z.block_state == ISAL_BLOCK_FINISH)
		s->in_member = false;
	else if (s->z.avail_out == room && s->z.avail_in)
		return eb_filter_corrupt(f, "gzip", "no progress", err);
	return room - s->z.avail_out;
}

static ssize_t read_gunzip(void *state, void *p, size_t n, struct eb_error *err)
{
	struct gunzip *s = state;
	ssize_t got;
	int more;

	for (;;) {
		if (!s->in_member) {
			more = next_member(s, err);
			if (more <= 0)
				return more;
		}
		got = inflate_step(s, p, n, err);
		if (got != 0)
			return got;
		if (!s->in_member)
			continue;
		more = eb_filter_fill(&s->f, err);
		if (more < 0)
			return -1;
		if (more == 0)
			return eb_filter_breaks_off(&s->f, "gzip", err);
	}
}

static void free_gunzip(void *state)
{
	struct gunzip *s = state;

	eb_filter_release(&s->f);
	free(s);
}

struct eb_stream *eb_stream_gunzip(struct eb_stream *below, const char *name)
{
	static const struct eb_stream_ops ops = { read_gunzip, free_gunzip };
	struct gunzip *s = eb_malloc(sizeof *s);

	s->in_member = s->padding = false;
	s->members = 0;
	eb_filter_init(&s->f, below, name);
	isal_inflate_init(&s->z);
	return eb_stream_new(&ops, s);
}
