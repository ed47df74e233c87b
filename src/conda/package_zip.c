/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a .conda: a zip file (APPNOTE 6.3) whose members are stored.
 * Everything is read from the central directory, zip64 or not; of a local
 * header only the name and the lengths count.
 */
#include <inttypes.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "package_int.h"

#define END_SIZE 22
#define END_SEARCH (END_SIZE + 65535)
#define LOCATOR_SIZE 20
#define END64_SIZE 56
#define CENTRAL_SIZE 46
#define LOCAL_SIZE 30
#define CENTRAL_MAX (1 << 20)
#define SIGNATURE_END 0x06054b50
#define SIGNATURE_LOCATOR 0x07064b50
#define SIGNATURE_END64 0x06064b50
#define SIGNATURE_CENTRAL 0x02014b50
#define SIGNATURE_LOCAL 0x04034b50
#define FLAG_ENCRYPTED 0x2041 /* also the strong form and masked headers */
#define EXTRA_ZIP64 0x0001

struct zip {
	int fd;
	uint64_t size;
	const char *what;
	uint64_t central, central_size;
	struct eb_zip *out;
};

/* One record of the central directory. */
struct central {
	const unsigned char *name, *extra;
	size_t name_len, extra_len, total;
	unsigned flags, method;
	uint64_t packed, size, local;
};

static uint16_t get16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const unsigned char *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t get64(const unsigned char *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static int damaged(const struct zip *z, const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY, "\"%s\", reading as zip: %s",
			  z->what, why);
}

static int get(const struct zip *z, void *p, size_t n, uint64_t offset,
	       struct eb_error *err)
{
	if (offset > z->size || n > z->size - offset)
		return damaged(z, "an offset points behind its end", err);
	return eb_pread_all(z->fd, p, n, offset, z->what, err);
}

/* The directory ends where the end record at `at` begins, or the zip64 one
 * before it: what else is taken for an end (another archive behind this one)
 * means a directory that is not its own. */
static int check_place(const struct zip *z, uint64_t at, struct eb_error *err)
{
	unsigned char locator[LOCATOR_SIZE];

	if (at >= LOCATOR_SIZE) {
		if (get(z, locator, sizeof locator, at - LOCATOR_SIZE, err) < 0)
			return -1;
		if (get32(locator) == SIGNATURE_LOCATOR)
			at = get64(locator + 8);
	}
	if (at >= z->central && at - z->central == z->central_size)
		return 0;
	return damaged(z, "its directory is not where its end begins", err);
}

/* Where the zip64 end record before `at` says that the directory is. */
static int read_end64(struct zip *z, uint64_t at, struct eb_error *err)
{
	unsigned char locator[LOCATOR_SIZE], end[END64_SIZE];

	if (at < LOCATOR_SIZE)
		return damaged(z, "the zip64 locator is missing", err);
	if (get(z, locator, sizeof locator, at - LOCATOR_SIZE, err) < 0)
		return -1;
	if (get32(locator) != SIGNATURE_LOCATOR)
		return damaged(z, "the zip64 locator is missing", err);
	if (get(z, end, sizeof end, get64(locator + 8), err) < 0)
		return -1;
	if (get32(end) != SIGNATURE_END64)
		return damaged(z, "the zip64 end record is missing", err);
	z->central_size = get64(end + 40);
	z->central = get64(end + 48);
	return 0;
}

static int read_end(struct zip *z, struct eb_error *err)
{
	size_t n = z->size < END_SEARCH ? (size_t)z->size : END_SEARCH;
	eb_autofree unsigned char *tail = eb_malloc(n + 1);
	const unsigned char *end = NULL;
	uint64_t at;

	if (get(z, tail, n, z->size - n, err) < 0)
		return -1;
	for (size_t i = END_SIZE; i <= n && !end; i++) {
		if (get32(tail + n - i) == SIGNATURE_END)
			end = tail + n - i;
	}
	if (!end)
		return damaged(z, "it has no end record", err);
	at = z->size - n + (uint64_t)(end - tail);
	z->central_size = get32(end + 12);
	z->central = get32(end + 16);
	if ((get16(end + 10) == UINT16_MAX || z->central == UINT32_MAX ||
	     z->central_size == UINT32_MAX) &&
	    read_end64(z, at, err) < 0)
		return -1;
	return check_place(z, at, err);
}

/* Sizes that do not fit the record stand in its zip64 field, in this order. */
static int read_zip64(const struct zip *z, struct central *c,
		      struct eb_error *err)
{
	uint64_t *wide[] = { &c->size, &c->packed, &c->local };
	const unsigned char *p = c->extra, *end = p + c->extra_len;
	size_t n;

	for (; end - p >= 4; p += n) {
		n = 4 + (size_t)get16(p + 2);
		if ((size_t)(end - p) < n)
			break;
		if (get16(p) != EXTRA_ZIP64)
			continue;
		for (size_t i = 0, at = 4; i < 3; i++) {
			if (*wide[i] != UINT32_MAX)
				continue;
			if (at + 8 > n)
				return damaged(z, "a zip64 field is too short",
					       err);
			*wide[i] = get64(p + at);
			at += 8;
		}
		return 0;
	}
	return 0;
}

static int read_central(const struct zip *z, const unsigned char *p, size_t n,
			struct central *c, struct eb_error *err)
{
	size_t comment;

	if (n < CENTRAL_SIZE || get32(p) != SIGNATURE_CENTRAL)
		return damaged(z, "its directory is damaged", err);
	comment = get16(p + 32);
	*c = (struct central){ .flags = get16(p + 8),
			       .method = get16(p + 10),
			       .packed = get32(p + 20),
			       .size = get32(p + 24),
			       .name_len = get16(p + 28),
			       .extra_len = get16(p + 30),
			       .local = get32(p + 42) };
	c->total = CENTRAL_SIZE + c->name_len + c->extra_len + comment;
	if (c->total > n)
		return damaged(z, "its directory is damaged", err);
	c->name = p + CENTRAL_SIZE;
	c->extra = c->name + c->name_len;
	return read_zip64(z, c, err);
}

/* Which of the members that a package has this is, or NULL. */
static struct eb_zip_member *member(const struct zip *z, const char *name)
{
	bool tar = eb_ends(name, ".tar.zst") && !strchr(name, '/');

	if (tar && eb_starts(name, "pkg-"))
		return &z->out->pkg;
	if (tar && eb_starts(name, "info-"))
		return &z->out->info;
	return strcmp(name, "metadata.json") == 0 ? &z->out->metadata : NULL;
}

static int check_form(const struct zip *z, const struct central *c,
		      const char *name, struct eb_error *err)
{
	if (c->flags & FLAG_ENCRYPTED)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has an encrypted member \"%s\"",
				  z->what, name);
	if (c->method != 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a compressed member \"%s\" "
				  "(method %u); those of a .conda are stored",
				  z->what, name, c->method);
	if (c->packed != c->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" has a stored member \"%s\" of two "
				  "sizes: %" PRIu64 " and %" PRIu64,
				  z->what, name, c->packed, c->size);
	return 0;
}

/* Behind the local header lies the content. */
static int read_local(const struct zip *z, const struct central *c,
		      const char *name, struct eb_zip_member *m,
		      struct eb_error *err)
{
	unsigned char head[LOCAL_SIZE];
	eb_autofree char *local = eb_calloc(1, c->name_len + 1);

	if (get(z, head, sizeof head, c->local, err) < 0)
		return -1;
	if (get32(head) != SIGNATURE_LOCAL || get16(head + 26) != c->name_len)
		return damaged(z, "a member is not where it should be", err);
	if (get(z, local, c->name_len, c->local + LOCAL_SIZE, err) < 0)
		return -1;
	if (memcmp(local, c->name, c->name_len) != 0)
		return damaged(z, "a member has two names", err);
	m->offset = c->local + LOCAL_SIZE + c->name_len + get16(head + 28);
	m->size = c->size;
	if (m->offset > z->central || m->size > z->central - m->offset)
		return damaged(z, "a member reaches into the directory", err);
	m->name = eb_strdup(name);
	return 0;
}

static int take(const struct zip *z, const struct central *c,
		struct eb_error *err)
{
	eb_autofree char *name = eb_strndup((const char *)c->name, c->name_len);
	struct eb_zip_member *m = member(z, name);

	if (!m)
		return 0;
	if (m->name)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has two members of one kind: \"%s\" "
				  "and \"%s\"",
				  z->what, m->name, name);
	if (check_form(z, c, name, err) < 0)
		return -1;
	return read_local(z, c, name, m, err);
}

static int read_directory(const struct zip *z, struct eb_error *err)
{
	eb_autofree unsigned char *all = NULL;
	struct central c;

	if (z->central > z->size || z->central_size > z->size - z->central)
		return damaged(z, "its directory lies behind its end", err);
	if (z->central_size > CENTRAL_MAX)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a zip directory of %" PRIu64
				  " bytes; %d is the limit",
				  z->what, z->central_size, CENTRAL_MAX);
	all = eb_malloc((size_t)z->central_size + 1);
	all[z->central_size] = 0; /* names are copied as strings */
	if (get(z, all, (size_t)z->central_size, z->central, err) < 0)
		return -1;
	for (size_t at = 0; at < z->central_size; at += c.total) {
		if (read_central(z, all + at, (size_t)z->central_size - at, &c,
				 err) < 0)
			return -1;
		if (take(z, &c, err) < 0)
			return -1;
	}
	return 0;
}

int eb_zip_open(int fd, uint64_t size, const char *what, struct eb_zip *out,
		struct eb_error *err)
{
	struct zip z = { .fd = fd, .size = size, .what = what, .out = out };

	*out = (struct eb_zip){ 0 };
	if (read_end(&z, err) == 0 && read_directory(&z, err) == 0)
		return 0;
	eb_zip_release(out);
	return -1;
}

void eb_zip_release(struct eb_zip *z)
{
	free(z->pkg.name);
	free(z->info.name);
	free(z->metadata.name);
	*z = (struct eb_zip){ 0 };
}
