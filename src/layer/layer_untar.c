/* SPDX-License-Identifier: Apache-2.0 */
/* Reading our own tars: ustar with the pax records that layer_tar.c writes;
 * anything else is damage. */
#include <string.h>

#include "layer_priv.h"

#define PAX_LIMIT (64 << 10)

struct pax {
	char *path, *link;
	uint64_t size;
	int64_t mtime;
	bool has_size, has_mtime;
};

static int damaged(const char *name, const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", reading the tar in it: %s", name, why);
}

static int get_octal(const char *field, size_t size, uint64_t *value)
{
	size_t i;

	for (i = 0, *value = 0; i < size && field[i] >= '0' && field[i] <= '7';
	     i++)
		*value = *value << 3 | (uint64_t)(field[i] - '0');
	return i && (i == size || !field[i]) ? 0 : -1;
}

static int check_sum(const unsigned char *h)
{
	uint64_t want;
	unsigned sum = 8 * ' ', i;

	for (i = 0; i < EB_TAR_BLOCK; i++)
		if (i < 148 || i >= 156)
			sum += h[i];
	if (get_octal((const char *)h + 148, 7, &want) < 0)
		return -1;
	return memcmp(h + 257, "ustar\00000", 8) == 0 && want == sum ? 0 : -1;
}

static char *get_name(const char *h)
{
	if (!h[345])
		return eb_strndup(h, strnlen(h, 100));
	return eb_asprintf("%.155s/%.100s", h + 345, h);
}

static int set_mtime(struct pax *x, const char *value)
{
	bool negative = *value == '-';
	uint64_t u;

	if (eb_parse_u64(value + negative, INT64_MAX, &u) < 0)
		return -1;
	x->mtime = negative ? -(int64_t)u : (int64_t)u;
	x->has_mtime = true;
	return 0;
}

static int set_text(char **field, const char *value)
{
	free(*field);
	*field = eb_strdup(value);
	return 0;
}

static int set_record(struct pax *x, const char *key, const char *value)
{
	if (strcmp(key, "path") == 0)
		return set_text(&x->path, value);
	if (strcmp(key, "linkpath") == 0)
		return set_text(&x->link, value);
	if (strcmp(key, "mtime") == 0)
		return set_mtime(x, value);
	if (strcmp(key, "size") != 0)
		return -1;
	x->has_size = true;
	return eb_parse_u64(value, INT64_MAX, &x->size);
}

/* One "LENGTH KEY=VALUE\n" at `p`; its length, -1 when it is none. */
static long parse_record(struct pax *x, char *p, size_t len)
{
	char *space = memchr(p, ' ', len), *equals;
	uint64_t n;

	if (!space)
		return -1;
	*space = '\0';
	if (eb_parse_u64(p, len, &n) < 0 || n < (size_t)(space - p) + 4 ||
	    p[n - 1] != '\n')
		return -1;
	p[n - 1] = '\0';
	equals = strchr(space + 1, '=');
	if (!equals)
		return -1;
	*equals = '\0';
	return set_record(x, space + 1, equals + 1) < 0 ? -1 : (long)n;
}

static int parse_pax(struct pax *x, char *p, size_t len)
{
	long n;

	while (len) {
		n = parse_record(x, p, len);
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int read_pax(struct eb_stream *in, const char *h, const char *name,
		    struct pax *x, struct eb_error *err)
{
	eb_autofree char *text = NULL;
	uint64_t size;

	if (get_octal(h + 124, 12, &size) < 0 || size > PAX_LIMIT)
		return damaged(name, "a pax header without size", err);
	text = eb_calloc(1, size + 1);
	if (eb_stream_read_all(in, text, (size_t)size, name, err) < 0 ||
	    eb_stream_skip(in, eb_tar_padding(size), name, err) < 0)
		return -1;
	if (parse_pax(x, text, (size_t)size) < 0)
		return damaged(name, "a pax record that is none", err);
	return 0;
}

static int get_numbers(const char *h, const struct pax *x, struct eb_entry *out)
{
	uint64_t mode, mtime;

	if (get_octal(h + 100, 8, &mode) < 0 ||
	    get_octal(h + 124, 12, &out->size) < 0 ||
	    get_octal(h + 136, 12, &mtime) < 0)
		return -1;
	out->mode = (unsigned)mode & 0777;
	out->mtime = x->has_mtime ? x->mtime : (int64_t)mtime;
	if (x->has_size)
		out->size = x->size;
	return 0;
}

static int set_type(char type, struct eb_entry *out)
{
	switch (type) {
	case '0': out->type = EB_ENTRY_FILE; return 0;
	case '2': out->type = EB_ENTRY_LINK; return 0;
	case '5': out->type = EB_ENTRY_DIR; return 0;
	}
	return -1;
}

/* What the header's name says beside the path. */
static void settle_name(struct eb_entry *out)
{
	size_t n = strlen(out->path), m = sizeof EB_OPAQUE_NAME;

	if (out->type == EB_ENTRY_DIR && n && out->path[n - 1] == '/')
		out->path[n - 1] = '\0';
	if (out->type != EB_ENTRY_FILE || n <= m ||
	    strcmp(out->path + n - m, "/" EB_OPAQUE_NAME) != 0)
		return;
	out->type = EB_ENTRY_OPAQUE;
	out->path[n - m] = '\0';
}

static int fill(const char *h, struct pax *x, const char *name,
		struct eb_entry *out, struct eb_error *err)
{
	memset(out, 0, sizeof *out);
	if (set_type(h[156], out) < 0 || get_numbers(h, x, out) < 0)
		return damaged(name, "a header that is none of ours", err);
	out->path = x->path ? eb_steal(x->path) : get_name(h);
	if (out->type == EB_ENTRY_LINK)
		out->target =
			x->link ? eb_steal(x->link)
				: eb_strndup(h + 157, strnlen(h + 157, 100));
	settle_name(out);
	return 1;
}

static void release_pax(struct pax *x)
{
	free(x->path);
	free(x->link);
}

/* 1 a header, 0 the end of the stream or a block of zeros. */
static int read_header(struct eb_stream *in, const char *name, char *h,
		       struct eb_error *err)
{
	static const char zeros[EB_TAR_BLOCK];
	ssize_t got = eb_stream_read(in, h, EB_TAR_BLOCK, err);

	if (got <= 0)
		return (int)got;
	if (got < EB_TAR_BLOCK &&
	    eb_stream_read_all(in, h + got, EB_TAR_BLOCK - (size_t)got, name,
			       err) < 0)
		return -1;
	if (memcmp(h, zeros, EB_TAR_BLOCK) == 0)
		return 0;
	if (check_sum((const unsigned char *)h) < 0)
		return damaged(name, "a header with a wrong checksum", err);
	return 1;
}

int eb_untar_next(struct eb_stream *in, const char *name, struct eb_entry *out,
		  struct eb_error *err)
{
	struct pax x EB_CLEANUP(release_pax) = { 0 };
	char h[EB_TAR_BLOCK];
	int got = read_header(in, name, h, err);

	if (got == 1 && h[156] == 'x') {
		if (read_pax(in, h, name, &x, err) < 0)
			return -1;
		got = read_header(in, name, h, err);
		if (got == 0)
			return damaged(name, "a pax header before nothing",
				       err);
	}
	return got == 1 ? fill(h, &x, name, out, err) : got;
}
