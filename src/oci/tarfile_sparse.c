/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of sparse files, in the four ways that GNU tar has written them. */
#include <inttypes.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "tarfile_ext.h"

static int bad(const char *name, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading the map of a sparse file: it is "
			  "malformed",
			  name);
}

int eb_tarfile_extents_add(struct eb_extents *e, uint64_t offset, uint64_t size,
			   const char *name, struct eb_error *err)
{
	if (e->n == EB_TARFILE_MAX_EXTENTS || offset > EB_TARFILE_MAX_SIZE ||
	    size > EB_TARFILE_MAX_SIZE)
		return bad(name, err);
	EB_GROW(e->v, e->n, e->alloc);
	e->v[e->n++] = (struct eb_extent){ offset, size };
	return 0;
}

int eb_tarfile_extents_parse(struct eb_extents *e, const char *text,
			     const char *name, struct eb_error *err)
{
	struct eb_strv number = { 0 };
	uint64_t offset, size;
	size_t i;
	int got = 0;

	eb_strv_split(&number, text, ",");
	if (number.n % 2)
		got = bad(name, err);
	for (i = 0; got == 0 && i < number.n; i += 2) {
		if (eb_parse_u64(number.v[i], EB_TARFILE_MAX_SIZE, &offset) <
			    0 ||
		    eb_parse_u64(number.v[i + 1], EB_TARFILE_MAX_SIZE, &size) <
			    0)
			got = bad(name, err);
		else
			got = eb_tarfile_extents_add(e, offset, size, name,
						     err);
	}
	eb_strv_release(&number);
	return got;
}

int eb_tarfile_extents_check(const struct eb_extents *e, uint64_t size,
			     uint64_t stored, const char *name,
			     struct eb_error *err)
{
	uint64_t end = 0, sum = 0;
	size_t i;

	for (i = 0; i < e->n; i++) {
		if (e->v[i].offset < end)
			return bad(name, err);
		end = e->v[i].offset + e->v[i].size;
		sum += e->v[i].size;
	}
	return end > size || sum != stored ? bad(name, err) : 0;
}

/* Pairs of 12 digits; an empty one ends the list. */
static int add_pairs(struct eb_extents *e, const unsigned char *at, size_t n,
		     const char *name, struct eb_error *err)
{
	int64_t offset, size;

	for (; n && *at; n--, at += 24) {
		if (eb_tarfile_number(at, 12, &offset) < 0 || offset < 0 ||
		    eb_tarfile_number(at + 12, 12, &size) < 0 || size < 0)
			return bad(name, err);
		if (eb_tarfile_extents_add(e, (uint64_t)offset, (uint64_t)size,
					   name, err) < 0)
			return -1;
	}
	return 0;
}

int eb_tarfile_extents_read_old(struct eb_extents *e,
				const unsigned char *header,
				struct eb_stream *in, const char *name,
				uint64_t *read, struct eb_error *err)
{
	unsigned char block[EB_TARFILE_BLOCK];
	bool more = header[482];

	*read = 0;
	if (add_pairs(e, header + 386, 4, name, err) < 0)
		return -1;
	while (more) {
		if (eb_stream_read_all(in, block, sizeof block, name, err) < 0)
			return -1;
		*read += sizeof block;
		if (*read > EB_TARFILE_MAX_EXT)
			return bad(name, err);
		more = block[504];
		if (add_pairs(e, block, 21, name, err) < 0)
			return -1;
	}
	return 0;
}

/* The map's text, block by block. */
struct map_text {
	struct eb_stream *in;
	const char *name;
	unsigned char block[EB_TARFILE_BLOCK];
	size_t at;
	uint64_t read, max;
};

static int map_byte(struct map_text *m, struct eb_error *err)
{
	if (m->at == EB_TARFILE_BLOCK) {
		if (m->max - m->read < EB_TARFILE_BLOCK)
			return bad(m->name, err);
		if (eb_stream_read_all(m->in, m->block, EB_TARFILE_BLOCK,
				       m->name, err) < 0)
			return -1;
		m->read += EB_TARFILE_BLOCK;
		m->at = 0;
	}
	return m->block[m->at++];
}

/* A decimal number that ends with a newline. */
static int map_number(struct map_text *m, uint64_t *value, struct eb_error *err)
{
	int c = map_byte(m, err);

	for (*value = 0; c >= '0' && c <= '9'; c = map_byte(m, err)) {
		*value = *value * 10 + (uint64_t)(c - '0');
		if (*value > EB_TARFILE_MAX_SIZE)
			return bad(m->name, err);
	}
	if (c < 0)
		return -1;
	return c == '\n' ? 0 : bad(m->name, err);
}

int eb_tarfile_extents_read_pax(struct eb_extents *e, struct eb_stream *in,
				uint64_t max, const char *name, uint64_t *read,
				struct eb_error *err)
{
	struct map_text m = {
		.in = in, .name = name, .at = EB_TARFILE_BLOCK, .max = max
	};
	uint64_t n, offset, size;

	if (map_number(&m, &n, err) < 0)
		return -1;
	if (n > EB_TARFILE_MAX_EXTENTS)
		return bad(name, err);
	while (n--) {
		if (map_number(&m, &offset, err) < 0 ||
		    map_number(&m, &size, err) < 0 ||
		    eb_tarfile_extents_add(e, offset, size, name, err) < 0)
			return -1;
	}
	*read = m.read;
	return 0;
}
