/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One member of a zip: its bytes are read once, inflated once by ISA-L, and
 * checked for size and CRC-32. No more than the declared size comes out, and
 * nothing may lie behind the end of the stream.
 */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <envbuild/file.h>

#include "part_flow.h"

#define PLAIN_PIECE ((size_t)512 << 10)
#define PACKED_PIECE ((size_t)256 << 10)
#define N_PIECES 4

struct eb_inflate {
	struct eb_pieces *plain, *packed;
	struct inflate_state z; /* 80 kB */
};

/* The member that is being inflated. */
struct member {
	struct eb_inflate *own;
	const struct eb_entry *e;
	eb_emit_fn *emit;
	void *data;
	bool packed; /* wanted */
	struct eb_piece *in;
	uint64_t read, made;
	uint32_t crc;
};

struct eb_inflate *eb_inflate_new(void)
{
	struct eb_inflate *z = eb_malloc(sizeof *z);

	z->plain = eb_pieces_new(N_PIECES, PLAIN_PIECE);
	z->packed = eb_pieces_new(N_PIECES, PACKED_PIECE);
	return z;
}

void eb_inflate_stop(struct eb_inflate *z)
{
	eb_pieces_close(z->plain);
	eb_pieces_close(z->packed);
}

void eb_inflate_free(struct eb_inflate *z)
{
	if (!z)
		return;
	eb_pieces_free(z->plain);
	eb_pieces_free(z->packed);
	free(z);
}

static int damaged(const struct member *m, const char *why,
		   struct eb_error *err)
{
	eb_autofree char *shown = eb_printable(m->e->path);

	return eb_err_set(err, EB_INTEGRITY, "\"%s\", unpacking it: %s", shown,
			  why);
}

static struct eb_piece *take(struct eb_pieces *all, struct eb_error *err)
{
	struct eb_piece *p = eb_piece_take(all);

	if (!p)
		eb_err_set(err, EB_INTERRUPTED, "packing was given up");
	return p;
}

static int read_piece(struct member *m, struct eb_piece *p, size_t n,
		      struct eb_error *err)
{
	const struct eb_deflated *d = m->e->deflated;

	if (eb_pread_all(d->fd, p->data, n, d->offset + m->read, m->e->path,
			 err) < 0)
		return -1;
	p->n = n;
	m->read += n;
	return 0;
}

static int emit_plain(struct member *m, struct eb_piece *p,
		      struct eb_error *err)
{
	m->crc = crc32_gzip_refl(m->crc, (const uint8_t *)p->data, p->n);
	m->made += p->n;
	if (m->made > m->e->size)
		return damaged(m, "it is larger than declared", err);
	return m->emit(m->data, eb_piece_share(p), false, err);
}

static int copy_stored(struct member *m, struct eb_error *err)
{
	if (m->e->deflated->packed != m->e->size)
		return damaged(m, "it is stored with another size than its own",
			       err);
	while (m->made < m->e->size) {
		EB_CLEANUP(eb_piece_drop_ptr)
		struct eb_piece *p = take(m->own->plain, err);
		uint64_t left = m->e->size - m->made;

		if (!p ||
		    read_piece(m, p, left < PLAIN_PIECE ? left : PLAIN_PIECE,
			       err) < 0 ||
		    emit_plain(m, p, err) < 0)
			return -1;
	}
	return 0;
}

/* The next piece of the stream, when the one before is used up: 1, or 0 when
 * there is no more. */
static int feed(struct member *m, struct eb_error *err)
{
	struct inflate_state *z = &m->own->z;
	uint64_t left = m->e->deflated->packed - m->read;

	if (z->avail_in)
		return 1;
	if (left == 0)
		return 0;
	if (m->in)
		eb_piece_drop(eb_steal(m->in));
	m->in = take(m->own->packed, err);
	if (!m->in ||
	    read_piece(m, m->in, left < PACKED_PIECE ? left : PACKED_PIECE,
		       err) < 0)
		return -1;
	z->next_in = (uint8_t *)m->in->data;
	z->avail_in = (uint32_t)m->in->n;
	if (m->packed && m->emit(m->data, eb_piece_share(m->in), true, err) < 0)
		return -1;
	return 1;
}

static int inflate_some(struct member *m, struct eb_error *err)
{
	struct inflate_state *z = &m->own->z;
	uint32_t in, out = z->avail_out;
	int more = feed(m, err);

	if (more < 0)
		return -1;
	in = z->avail_in;
	if (isal_inflate(z) < 0)
		return damaged(m, "its deflate stream is damaged", err);
	if (z->block_state == ISAL_BLOCK_FINISH || z->avail_out < out ||
	    z->avail_in < in)
		return 0;
	return damaged(m,
		       more ? "its deflate stream makes no progress"
			    : "its deflate stream breaks off",
		       err);
}

/* One byte more than there may be shows that there is one. */
static int fill_piece(struct member *m, struct eb_piece *p,
		      struct eb_error *err)
{
	struct inflate_state *z = &m->own->z;
	uint64_t left = m->e->size - m->made + 1;
	uint32_t room = (uint32_t)(left < PLAIN_PIECE ? left : PLAIN_PIECE);

	z->next_out = (uint8_t *)p->data;
	z->avail_out = room;
	while (z->avail_out && z->block_state != ISAL_BLOCK_FINISH)
		if (inflate_some(m, err) < 0)
			return -1;
	p->n = room - z->avail_out;
	return p->n ? emit_plain(m, p, err) : 0;
}

static int inflate_all(struct member *m, struct eb_error *err)
{
	struct inflate_state *z = &m->own->z;

	isal_inflate_init(z);
	while (z->block_state != ISAL_BLOCK_FINISH) {
		EB_CLEANUP(eb_piece_drop_ptr)
		struct eb_piece *p = take(m->own->plain, err);

		if (!p || fill_piece(m, p, err) < 0)
			return -1;
	}
	if (m->read < m->e->deflated->packed || z->avail_in ||
	    z->read_in_length >= 8)
		return damaged(m, "something is behind its deflate stream",
			       err);
	return 0;
}

static void release(struct member *m)
{
	if (m->in)
		eb_piece_drop(m->in);
}

int eb_inflate_entry(struct eb_inflate *z, const struct eb_entry *e,
		     bool packed, eb_emit_fn *emit, void *data,
		     struct eb_error *err)
{
	struct member m EB_CLEANUP(release) = {
		.own = z, .e = e, .emit = emit, .data = data, .packed = packed
	};

	if ((e->deflated->stored ? copy_stored(&m, err)
				 : inflate_all(&m, err)) < 0)
		return -1;
	if (m.made < e->size)
		return damaged(&m, "it is smaller than declared", err);
	if (m.crc != e->deflated->crc32)
		return damaged(&m, "its CRC-32 is another one", err);
	return 0;
}
