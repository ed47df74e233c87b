/* SPDX-License-Identifier: Apache-2.0 */
/* Reading tar: from member to member. */
#include <inttypes.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "tarfile_ext.h"

#define JUMP ((uint64_t)64 << 10)
#define MAX_SPARSE ((uint64_t)64 << 30) /* zeros in all, of one archive */

struct eb_tarfile {
	struct eb_stream *in, *content;
	char *name;
	int fd; /* -1: in is all there is */
	uint64_t pos, end;
	uint64_t left;	/* bytes of the content that were not read */
	uint64_t pad;	/* and what fills the block behind it */
	uint64_t at;	/* in the content, as the reader sees it */
	size_t extent;	/* the one that `at` is before or in */
	uint64_t zeros; /* in sparse files so far */
	bool sparse, over;
	struct eb_tarfile_ext ext;
	struct eb_member m;
};

static ssize_t read_content(void *state, void *p, size_t n,
			    struct eb_error *err);

static void free_content(void *state)
{
	(void)state;
}

static struct eb_tarfile *make(struct eb_stream *in, const char *name)
{
	static const struct eb_stream_ops ops = { read_content, free_content };
	struct eb_tarfile *t = eb_calloc(1, sizeof *t);

	t->in = in;
	t->name = eb_strdup(name);
	t->fd = -1;
	t->content = eb_stream_new(&ops, t);
	return t;
}

struct eb_tarfile *eb_tarfile_open(struct eb_stream *in, const char *name)
{
	return make(in, name);
}

struct eb_tarfile *eb_tarfile_open_fd(int fd, uint64_t size, const char *name)
{
	struct eb_tarfile *t = make(eb_stream_fd(fd, 0, size, name), name);

	t->fd = fd;
	t->end = size;
	return t;
}

static void forget(struct eb_tarfile *t)
{
	eb_tarfile_ext_release(&t->ext);
	free((char *)t->m.name);
	free((char *)t->m.link);
	memset(&t->m, 0, sizeof t->m);
	t->left = t->pad = t->at = 0;
	t->extent = 0;
	t->sparse = false;
}

void eb_tarfile_free(struct eb_tarfile *t)
{
	if (!t)
		return;
	forget(t);
	eb_stream_free(t->content);
	eb_stream_free(t->in);
	free(t->name);
	free(t);
}

static int skip(struct eb_tarfile *t, uint64_t n, struct eb_error *err)
{
	if (t->fd < 0 || n < JUMP) {
		if (n && eb_stream_skip(t->in, n, t->name, err) < 0)
			return -1;
		t->pos += n;
		return 0;
	}
	if (n > t->end - t->pos)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" breaks off: %" PRIu64
				  " bytes are missing",
				  t->name, n - (t->end - t->pos));
	t->pos += n;
	eb_stream_free(t->in);
	t->in = eb_stream_fd(t->fd, t->pos, t->end - t->pos, t->name);
	return 0;
}

/* 1 a header, 0 the end (a block of zeros, or nothing). */
static int read_header(struct eb_tarfile *t, unsigned char *block,
		       struct eb_error *err)
{
	static const unsigned char zero[EB_TARFILE_BLOCK];
	ssize_t got = eb_stream_read(t->in, block, EB_TARFILE_BLOCK, err);

	if (got <= 0)
		return (int)got;
	if (got < EB_TARFILE_BLOCK &&
	    eb_stream_read_all(t->in, block + got,
			       EB_TARFILE_BLOCK - (size_t)got, t->name,
			       err) < 0)
		return -1;
	t->pos += EB_TARFILE_BLOCK;
	if (memcmp(block, zero, sizeof zero) == 0)
		return 0;
	if (eb_tarfile_is_header(block))
		return 1;
	if (t->pos == EB_TARFILE_BLOCK)
		return eb_err_set(err, EB_INPUT, "\"%s\" is not a tar archive",
				  t->name);
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading as tar: no header at byte %" PRIu64,
			  t->name, t->pos - EB_TARFILE_BLOCK);
}

static uint64_t padding(uint64_t size)
{
	return (EB_TARFILE_BLOCK - size % EB_TARFILE_BLOCK) % EB_TARFILE_BLOCK;
}

/* The content of a header that is about the next member. */
static int read_extension(struct eb_tarfile *t, const unsigned char *block,
			  struct eb_buf *out, struct eb_error *err)
{
	int64_t size;

	if (eb_tarfile_number(block + 124, 12, &size) < 0 || size < 0 ||
	    (uint64_t)size > EB_TARFILE_MAX_EXT)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading a header: an extension of "
				  "more than 1 MiB",
				  t->name);
	eb_buf_reset(out);
	eb_buf_reserve(out, (size_t)size);
	if (size && eb_stream_read_all(t->in, out->data, (size_t)size, t->name,
				       err) < 0)
		return -1;
	out->len = (size_t)size;
	out->data[size] = '\0';
	t->pos += (uint64_t)size;
	return skip(t, padding((uint64_t)size), err);
}

/* 1 it was one, 0 it is a member, -1. */
static int take_extension(struct eb_tarfile *t, const unsigned char *block,
			  struct eb_error *err)
{
	EB_AUTOBUF(text, EB_TARFILE_MAX_EXT + 1);
	char type = (char)block[156];
	char **to = type == 'L' ? &t->ext.path : &t->ext.link;

	if (!type || !strchr("xXgLKV", type))
		return 0;
	if (read_extension(t, block, &text, err) < 0)
		return -1;
	if (type == 'x' || type == 'X')
		return eb_tarfile_ext_parse(&t->ext, text.data, text.len,
					    t->name, err) < 0
			       ? -1
			       : 1;
	if (type == 'L' || type == 'K') {
		free(*to);
		*to = eb_strdup(text.data);
	}
	return 1;
}

static void drop_final_slashes(char *name)
{
	size_t n = strlen(name);

	while (n > 1 && name[n - 1] == '/')
		name[--n] = '\0';
}

static int check_names(struct eb_tarfile *t, struct eb_error *err)
{
	const struct eb_member *m = &t->m;
	bool link = m->type == EB_MEMBER_LINK || m->type == EB_MEMBER_HARD_LINK;

	if (!*m->name)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading a header: a member without "
				  "a name",
				  t->name);
	if (strlen(m->name) > EB_TARFILE_MAX_PATH ||
	    strlen(m->link) > EB_TARFILE_MAX_PATH)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" holds a name of more than 4096 bytes",
				  t->name);
	if (link && !*m->link)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" holds \"%s\", a link to nowhere",
				  t->name, m->name);
	return 0;
}

static int take_names(struct eb_tarfile *t, const unsigned char *block,
		      struct eb_error *err)
{
	char *path = eb_steal(t->ext.path), *name;

	if (t->ext.sparse_path) {
		free(path);
		path = eb_steal(t->ext.sparse_path);
	}
	name = path ? path : eb_tarfile_name(block);
	/* Before there were directories a final slash made one. */
	if (t->m.type == EB_MEMBER_FILE && eb_ends(name, "/"))
		t->m.type = EB_MEMBER_DIR;
	drop_final_slashes(name);
	t->m.name = name;
	t->m.link =
		t->ext.link ? eb_steal(t->ext.link) : eb_tarfile_link(block);
	return check_names(t, err);
}

static void take_rest(struct eb_tarfile *t)
{
	struct eb_tarfile_ext *x = &t->ext;

	if (x->has_size)
		t->m.size = x->size;
	if (x->has_uid)
		t->m.uid = x->uid;
	if (x->has_gid)
		t->m.gid = x->gid;
	if (x->has_mtime) {
		t->m.mtime = x->mtime;
		t->m.mtime_ns = x->mtime_ns;
	}
	t->m.xattr = x->xattr;
	t->m.n_xattrs = x->n_xattrs;
}

/* Reads the map where there is one before the content. */
static int take_map(struct eb_tarfile *t, const unsigned char *block,
		    struct eb_error *err)
{
	struct eb_tarfile_ext *x = &t->ext;
	uint64_t read = 0;
	int64_t real;

	if (block[156] == 'S') {
		if (eb_tarfile_extents_read_old(&x->extents, block, t->in,
						t->name, &read, err) < 0)
			return -1;
		t->pos += read;
		if (eb_tarfile_number(block + 483, 12, &real) < 0 || real < 0 ||
		    (uint64_t)real > EB_TARFILE_MAX_SIZE)
			real = 0; /* then the map does not fit */
		x->real_size = (uint64_t)real;
		return 0;
	}
	if (x->sparse_major == 1) {
		if (eb_tarfile_extents_read_pax(&x->extents, t->in, t->left,
						t->name, &read, err) < 0)
			return -1;
		t->pos += read;
		t->left -= read;
	}
	return 0;
}

static int take_sparse(struct eb_tarfile *t, const unsigned char *block,
		       struct eb_error *err)
{
	struct eb_tarfile_ext *x = &t->ext;

	if (take_map(t, block, err) < 0 ||
	    eb_tarfile_extents_check(&x->extents, x->real_size, t->left,
				     t->name, err) < 0)
		return -1;
	t->zeros += x->real_size - t->left;
	if (t->zeros > MAX_SPARSE)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" holds sparse files with more than "
				  "64 GiB of zeros",
				  t->name);
	t->m.size = x->real_size;
	t->sparse = true;
	return 0;
}

static int take_member(struct eb_tarfile *t, const unsigned char *block,
		       struct eb_error *err)
{
	if (eb_tarfile_header_parse(block, t->name, &t->m, err) < 0)
		return -1;
	take_rest(t);
	if (take_names(t, block, err) < 0)
		return -1;
	if (!t->m.type)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" holds \"%s\" of an unknown type "
				  "(0x%02x)",
				  t->name, t->m.name, block[156]);
	t->left = t->m.size;
	t->pad = padding(t->left);
	if (t->m.type != EB_MEMBER_FILE && block[156] != 'D')
		t->left = t->pad = 0; /* some writers say a link's size */
	if (t->m.type != EB_MEMBER_FILE)
		t->m.size = 0;
	else if (block[156] == 'S' || t->ext.sparse)
		return take_sparse(t, block, err);
	return 0;
}

int eb_tarfile_next(struct eb_tarfile *t, const struct eb_member **out,
		    struct eb_error *err)
{
	unsigned char block[EB_TARFILE_BLOCK];
	int got;

	if (t->over)
		return 0;
	if (skip(t, t->left + t->pad, err) < 0)
		return -1;
	forget(t);
	do {
		got = read_header(t, block, err);
		if (got < 0)
			return -1;
		if (got == 0) {
			t->over = true;
			return 0;
		}
		got = take_extension(t, block, err);
	} while (got > 0);
	if (got < 0 || take_member(t, block, err) < 0)
		return -1;
	*out = &t->m;
	return 1;
}

struct eb_stream *eb_tarfile_content(struct eb_tarfile *t)
{
	return t->content;
}

bool eb_tarfile_offset(const struct eb_tarfile *t, uint64_t *offset)
{
	*offset = t->pos;
	return !t->sparse && t->at == 0;
}

static ssize_t read_stored(struct eb_tarfile *t, void *p, size_t n,
			   struct eb_error *err)
{
	ssize_t got = eb_stream_read(t->in, p, n, err);

	if (got < 0)
		return -1;
	if (got == 0)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" breaks off in \"%s\"", t->name,
				  t->m.name);
	t->pos += (uint64_t)got;
	t->left -= (uint64_t)got;
	t->at += (uint64_t)got;
	return got;
}

static size_t at_most(uint64_t limit, size_t n)
{
	return limit < n ? (size_t)limit : n;
}

static ssize_t read_sparse(struct eb_tarfile *t, void *p, size_t n,
			   struct eb_error *err)
{
	const struct eb_extents *e = &t->ext.extents;
	const struct eb_extent *x;
	uint64_t hole_end = t->m.size;

	while (t->extent < e->n &&
	       t->at >= e->v[t->extent].offset + e->v[t->extent].size)
		t->extent++;
	x = t->extent < e->n ? &e->v[t->extent] : NULL;
	if (x && t->at >= x->offset)
		return read_stored(
			t, p, at_most(x->offset + x->size - t->at, n), err);
	if (x)
		hole_end = x->offset;
	n = at_most(hole_end - t->at, n);
	memset(p, 0, n);
	t->at += n;
	return (ssize_t)n;
}

static ssize_t read_content(void *state, void *p, size_t n,
			    struct eb_error *err)
{
	struct eb_tarfile *t = state;

	if (t->at >= t->m.size)
		return 0;
	if (t->sparse)
		return read_sparse(t, p, n, err);
	return read_stored(t, p, at_most(t->left, n), err);
}

int eb_tarfile_drain(struct eb_tarfile *t, struct eb_error *err)
{
	eb_autofree char *buffer = eb_malloc(JUMP);
	ssize_t got;

	do
		got = eb_stream_read(t->in, buffer, JUMP, err);
	while (got > 0);
	return (int)got;
}
