/* SPDX-License-Identifier: Apache-2.0 */
/* Small members of a zip file, inflated into memory by ISA-L. */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "zip_dir.h"

#define CHUNK ((size_t)64 << 10)

struct inflating {
	const struct eb_zipdir *z;
	const struct eb_zipdir_member *m;
	uint64_t left;		    /* packed bytes that were not read yet */
	struct inflate_state state; /* 80 kB */
	unsigned char in[CHUNK];
};

static int broken(const struct eb_zipdir *z, const struct eb_zipdir_member *m,
		  const char *why, struct eb_error *err)
{
	eb_autofree char *shown = eb_printable(m->name);

	return eb_err_set(err, EB_INTEGRITY, "\"%s\", inflating \"%s\": %s",
			  z->what, shown, why);
}

static struct inflating *begin(const struct eb_zipdir *z,
			       const struct eb_zipdir_member *m)
{
	struct inflating *f = eb_malloc(sizeof *f);

	f->z = z;
	f->m = m;
	f->left = m->packed;
	isal_inflate_init(&f->state);
	return f;
}

static int feed(struct inflating *f, struct eb_error *err)
{
	size_t n = f->left < CHUNK ? (size_t)f->left : CHUNK;

	if (f->state.avail_in || !n)
		return 0;
	if (eb_zipdir_get(f->z, f->in, n, f->m->offset + f->m->packed - f->left,
			  err) < 0)
		return -1;
	f->left -= n;
	f->state.next_in = f->in;
	f->state.avail_in = (uint32_t)n;
	return 0;
}

/* Until `n` bytes are there or the stream ends; *got says how many. */
static int inflate(struct inflating *f, void *p, size_t n, size_t *got,
		   struct eb_error *err)
{
	bool more = true;

	*got = 0;
	while (more && *got < n) {
		uint32_t room = n - *got < CHUNK ? (uint32_t)(n - *got) : CHUNK;

		if (feed(f, err) < 0)
			return -1;
		more = f->state.avail_in || f->left;
		f->state.next_out = (unsigned char *)p + *got;
		f->state.avail_out = room;
		if (isal_inflate(&f->state) < 0)
			return broken(f->z, f->m, "damaged deflate data", err);
		room -= f->state.avail_out;
		*got += room;
		if (f->state.block_state == ISAL_BLOCK_FINISH)
			return 0;
		more = more || room;
	}
	return 0;
}

/* The stream has to end with the last packed byte. */
static bool at_end(const struct inflating *f)
{
	return f->state.block_state == ISAL_BLOCK_FINISH && !f->left &&
	       !f->state.avail_in && f->state.read_in_length < 8;
}

static int inflate_all(const struct eb_zipdir *z,
		       const struct eb_zipdir_member *m, char *to,
		       struct eb_error *err)
{
	eb_autofree struct inflating *f = begin(z, m);
	size_t got;

	if (inflate(f, to, (size_t)m->size + 1, &got, err) < 0)
		return -1;
	if (got > m->size)
		return broken(z, m, "it is longer than it says", err);
	if (!at_end(f))
		return broken(z, m, "its data does not end where it says", err);
	if (got < m->size)
		return broken(z, m, "it is shorter than it says", err);
	return 0;
}

int eb_zipdir_read(const struct eb_zipdir *z, const struct eb_zipdir_member *m,
		   char **content, struct eb_error *err)
{
	eb_autofree char *p = eb_malloc((size_t)m->size + 1);
	int rc = m->stored
			 ? eb_zipdir_get(z, p, (size_t)m->size, m->offset, err)
			 : inflate_all(z, m, p, err);

	if (rc < 0)
		return -1;
	if (crc32_gzip_refl(0, (unsigned char *)p, m->size) != m->crc32)
		return broken(z, m, "its checksum is wrong", err);
	p[m->size] = '\0';
	*content = eb_steal(p);
	return 0;
}

int eb_zipdir_peek(const struct eb_zipdir *z, const struct eb_zipdir_member *m,
		   void *p, size_t n, size_t *got, struct eb_error *err)
{
	eb_autofree struct inflating *f = NULL;

	if (n > m->size)
		n = (size_t)m->size;
	*got = n;
	if (m->stored)
		return eb_zipdir_get(z, p, n, m->offset, err);
	f = begin(z, m);
	return inflate(f, p, n, got, err);
}
