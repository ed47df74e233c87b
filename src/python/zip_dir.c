/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The central directory of a zip file, read through a window, so that its
 * length costs no memory beyond that of the names.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include <envbuild/buf.h>
#include <envbuild/entry.h>
#include <envbuild/str.h>

#include "zip_dir.h"

#define WINDOW ((size_t)1 << 19) /* half of it holds the longest record */
#define CENTRAL_MAX ((uint64_t)256 << 20)
#define SIGNATURE_CENTRAL 0x02014b50
#define METHOD_STORED 0
#define METHOD_DEFLATED 8

/* DESIGN "Small decisions": what an archive may grow to. */
#define GROWTH_FACTOR 1000
#define GROWTH_FREE ((uint64_t)1 << 30)
#define GROWTH_MAX ((uint64_t)64 << 30)

struct reading {
	struct eb_zipdir *z;
	const struct eb_zipdir_limits *limits;
	struct eb_zipdir_end end;
	unsigned char *window;
	size_t at, len; /* in the window: what is not yet read */
	uint64_t next;	/* in the file: what the window lacks */
	struct eb_buf names;
	size_t alloc;
	uint64_t content, growth;
};

int eb_zipdir_refuse(const struct eb_zipdir *z, const char *name,
		     const char *why, struct eb_error *err)
{
	eb_autofree char *shown = eb_printable(name);

	return eb_err_set(err, EB_INPUT, "\"%s\" has a member \"%s\" that %s",
			  z->what, shown, why);
}

static int fill(struct reading *r, struct eb_error *err)
{
	uint64_t left = r->end.at + r->end.size - r->next;
	size_t n = WINDOW - (r->len - r->at);

	if (r->len - r->at >= WINDOW / 2 || !left)
		return 0;
	memmove(r->window, r->window + r->at, r->len - r->at);
	r->len -= r->at;
	r->at = 0;
	if (n > left)
		n = (size_t)left;
	if (eb_zipdir_get(r->z, r->window + r->len, n, r->next, err) < 0)
		return -1;
	r->len += n;
	r->next += n;
	return 0;
}

/* Sizes that do not fit the record stand in its zip64 field, in this order. */
static int read_wide(const struct reading *r, struct eb_zipdir_central *c,
		     struct eb_error *err)
{
	uint64_t *wide[] = { &c->size, &c->packed, &c->local };
	size_t len = 0, used = 0;
	const unsigned char *field =
		eb_zipdir_wide(c->extra, c->extra_len, &len);

	for (size_t i = 0; i < 3; i++) {
		if (*wide[i] != UINT32_MAX)
			continue;
		if (!field || len < used + 8)
			return eb_zipdir_damaged(
				r->z, "a zip64 field is too short", err);
		*wide[i] = eb_zipdir_64(field + used);
		used += 8;
	}
	return 0;
}

static int read_record(const struct reading *r, struct eb_zipdir_central *c,
		       struct eb_error *err)
{
	const unsigned char *p = r->window + r->at;
	size_t n = r->len - r->at;

	if (n < EB_ZIPDIR_CENTRAL_SIZE || eb_zipdir_32(p) != SIGNATURE_CENTRAL)
		return eb_zipdir_damaged(r->z, "its directory is damaged", err);
	*c = (struct eb_zipdir_central){ .flags = eb_zipdir_16(p + 8),
					 .method = eb_zipdir_16(p + 10),
					 .crc32 = eb_zipdir_32(p + 16),
					 .packed = eb_zipdir_32(p + 20),
					 .size = eb_zipdir_32(p + 24),
					 .name_len = eb_zipdir_16(p + 28),
					 .extra_len = eb_zipdir_16(p + 30),
					 .attributes = eb_zipdir_32(p + 38),
					 .local = eb_zipdir_32(p + 42) };
	c->name = p + EB_ZIPDIR_CENTRAL_SIZE;
	c->extra = c->name + c->name_len;
	c->total = EB_ZIPDIR_CENTRAL_SIZE + c->name_len + c->extra_len +
		   eb_zipdir_16(p + 32);
	if (c->total > n)
		return eb_zipdir_damaged(r->z, "its directory is damaged", err);
	return read_wide(r, c, err);
}

static bool is_ascii(const unsigned char *p, size_t n)
{
	while (n && *p < 0x80) {
		p++;
		n--;
	}
	return !n;
}

/* A name that every reader takes for the same path. */
static int check_name(const struct reading *r,
		      const struct eb_zipdir_central *c, const char *name,
		      struct eb_error *err)
{
	if (memchr(c->name, '\0', c->name_len))
		return eb_zipdir_refuse(r->z, name, "has a NUL in its name",
					err);
	if (memchr(c->name, '\\', c->name_len))
		return eb_zipdir_refuse(r->z, name,
					"has a backslash in its name", err);
	if (!(c->flags & EB_ZIPDIR_UTF8) && !is_ascii(c->name, c->name_len))
		return eb_zipdir_refuse(r->z, name,
					"has a name that is not ASCII and not "
					"marked as UTF-8",
					err);
	return eb_path_check(name, r->z->what, err);
}

static int refuse_method(const struct reading *r, const char *name,
			 unsigned method, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has a member \"%s\" that is compressed by "
			  "method %u; wheels have 0 (stored) and 8 (deflate)",
			  r->z->what, name, method);
}

static const char *bad_type(const struct eb_zipdir_member *m)
{
	unsigned type = m->mode & S_IFMT;

	if (type == S_IFLNK)
		return "is a symbolic link";
	if (type == S_IFDIR && !m->folder)
		return "is a folder by its mode and a file by its name";
	if (m->folder)
		return m->size ? "is a folder with content" : NULL;
	if (type && type != S_IFREG && type != S_IFDIR)
		return "is neither a file nor a folder";
	return NULL;
}

static int check_form(const struct reading *r,
		      const struct eb_zipdir_central *c,
		      const struct eb_zipdir_member *m, struct eb_error *err)
{
	const char *why = bad_type(m);

	if (c->flags & EB_ZIPDIR_ENCRYPTED)
		return eb_zipdir_refuse(r->z, m->name, "is encrypted", err);
	if (c->method != METHOD_STORED && c->method != METHOD_DEFLATED)
		return refuse_method(r, m->name, c->method, err);
	if (why)
		return eb_zipdir_refuse(r->z, m->name, why, err);
	if (m->stored && m->packed != m->size)
		return eb_zipdir_refuse(r->z, m->name,
					"is stored and has two sizes", err);
	return 0;
}

static int check_size(struct reading *r, const struct eb_zipdir_member *m,
		      struct eb_error *err)
{
	if (m->size > r->limits->member_size)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a member \"%s\" of %" PRIu64
				  " bytes; the limit member-size is %" PRIu64,
				  r->z->what, m->name, m->size,
				  r->limits->member_size);
	if (m->size > r->growth - r->content)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" grows beyond %" PRIu64
				  " bytes, its limit, with \"%s\"",
				  r->z->what, r->growth, m->name);
	r->content += m->size;
	return 0;
}

/* Until all names are known, `name` is the record's own copy. */
static int take(struct reading *r, const struct eb_zipdir_central *c,
		struct eb_error *err)
{
	eb_autofree char *name = eb_strndup((const char *)c->name, c->name_len);
	size_t n = strlen(name);
	struct eb_zipdir_member m = { .name = name,
				      .local = c->local,
				      .packed = c->packed,
				      .size = c->size,
				      .crc32 = c->crc32,
				      .mode = (uint16_t)(c->attributes >> 16),
				      .stored = c->method == METHOD_STORED };

	m.folder = n && name[n - 1] == '/';
	if (m.folder)
		name[n - 1] = '\0';
	if (check_name(r, c, name, err) < 0 || check_form(r, c, &m, err) < 0 ||
	    check_size(r, &m, err) < 0 ||
	    eb_zipdir_check_local(r->z, c, &m, err) < 0)
		return -1;
	EB_GROW(r->z->member, r->z->n, r->alloc);
	r->z->member[r->z->n++] = m;
	if (eb_buf_add(&r->names, name, strlen(name) + 1) < 0)
		return eb_zipdir_damaged(r->z, "its names are too long", err);
	return 0;
}

static int read_all(struct reading *r, struct eb_error *err)
{
	struct eb_zipdir_central c;
	const char *name;

	while (r->next < r->end.at + r->end.size || r->at < r->len) {
		if (r->z->n == r->end.n)
			return eb_zipdir_damaged(r->z,
						 "its directory is "
						 "longer than it says",
						 err);
		if (fill(r, err) < 0 || read_record(r, &c, err) < 0 ||
		    take(r, &c, err) < 0)
			return -1;
		r->at += c.total;
	}
	if (r->z->n != r->end.n)
		return eb_zipdir_damaged(
			r->z, "its directory is shorter than it says", err);
	name = r->z->names = eb_buf_steal(&r->names, NULL);
	for (size_t i = 0; i < r->z->n; i++, name += strlen(name) + 1)
		r->z->member[i].name = name;
	return eb_zipdir_check(r->z, r->end.at, err);
}

static int check_end(const struct reading *r, struct eb_error *err)
{
	if (r->end.n > r->limits->members)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has %" PRIu64
				  " members; the limit package-members is "
				  "%" PRIu64,
				  r->z->what, r->end.n, r->limits->members);
	if (r->end.size > CENTRAL_MAX)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a zip directory of %" PRIu64
				  " bytes; %" PRIu64 " is the limit",
				  r->z->what, r->end.size, CENTRAL_MAX);
	return 0;
}

static uint64_t growth(uint64_t size)
{
	if (size < GROWTH_FREE / GROWTH_FACTOR)
		return GROWTH_FREE;
	return size < GROWTH_MAX / GROWTH_FACTOR ? size * GROWTH_FACTOR
						 : GROWTH_MAX;
}

static int open_dir(struct reading *r, struct eb_error *err)
{
	if (eb_zipdir_find_end(r->z, &r->end, err) < 0 || check_end(r, err) < 0)
		return -1;
	r->next = r->end.at;
	r->growth = growth(r->z->size);
	return read_all(r, err);
}

int eb_zipdir_open(int fd, const char *what,
		   const struct eb_zipdir_limits *limits, struct eb_zipdir *out,
		   struct eb_error *err)
{
	eb_autofree unsigned char *window = eb_malloc(WINDOW);
	struct reading r = { .z = out, .limits = limits, .window = window };
	struct stat st;
	int rc;

	*out = (struct eb_zipdir){ .what = what, .fd = fd };
	if (fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\", looking at it",
				    what);
	out->size = (uint64_t)st.st_size;
	eb_buf_init(&r.names, CENTRAL_MAX);
	rc = open_dir(&r, err);
	eb_buf_release(&r.names);
	if (rc < 0)
		eb_zipdir_release(out);
	return rc;
}

void eb_zipdir_release(struct eb_zipdir *z)
{
	free(z->member);
	free(z->names);
	*z = (struct eb_zipdir){ 0 };
}
