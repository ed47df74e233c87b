/* SPDX-License-Identifier: Apache-2.0 */
/* pax records ("LENGTH KEY=VALUE\n") that count for an image. */
#include <inttypes.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "tarfile_ext.h"

struct record {
	char *key;   /* NUL-terminated */
	char *value; /* and this one, behind `size` bytes */
	size_t size;
};

static int bad(const char *name, const char *key, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading the pax record \"%s\": no valid "
			  "value",
			  name, key);
}

static int take_text(char **to, const struct record *r, const char *name,
		     struct eb_error *err)
{
	if (memchr(r->value, '\0', r->size))
		return bad(name, r->key, err);
	free(*to);
	*to = r->size ? eb_strdup(r->value) : NULL;
	return 0;
}

static int take_u64(uint64_t *to, const struct record *r, uint64_t max,
		    const char *name, struct eb_error *err)
{
	if (strlen(r->value) != r->size || eb_parse_u64(r->value, max, to) < 0)
		return bad(name, r->key, err);
	return 0;
}

static int take_id(uint32_t *to, bool *has, const struct record *r,
		   const char *name, struct eb_error *err)
{
	uint64_t id;

	if (take_u64(&id, r, UINT32_MAX - 1, name, err) < 0)
		return -1;
	*to = (uint32_t)id;
	*has = true;
	return 0;
}

/* The first nine digits behind the point. */
static uint32_t nanoseconds(const char *digits)
{
	uint32_t ns = 0;
	int i;

	for (i = 0; i < 9; i++)
		ns = ns * 10 + (*digits ? (uint32_t)(*digits++ - '0') : 0);
	return ns;
}

static int take_time(struct eb_tarfile_ext *x, const struct record *r,
		     const char *name, struct eb_error *err)
{
	bool negative = *r->value == '-';
	eb_autofree char *whole = eb_strdup(r->value + negative);
	char *point = strchr(whole, '.');
	uint64_t seconds;

	if (point)
		*point++ = '\0';
	else
		point = whole + strlen(whole);
	if (eb_parse_u64(whole, INT64_MAX / 2, &seconds) < 0 ||
	    point[strspn(point, "0123456789")])
		return bad(name, r->key, err);
	x->mtime = negative ? -(int64_t)seconds : (int64_t)seconds;
	x->mtime_ns = nanoseconds(point);
	if (negative && x->mtime_ns) {
		x->mtime--;
		x->mtime_ns = 1000000000 - x->mtime_ns;
	}
	x->has_mtime = true;
	return 0;
}

static int take_xattr(struct eb_tarfile_ext *x, const char *key,
		      const struct record *r, const char *name,
		      struct eb_error *err)
{
	struct eb_xattr *a;

	if (!*key || strlen(key) > 255 || r->size > 64 << 10)
		return bad(name, r->key, err);
	EB_GROW(x->xattr, x->n_xattrs, x->alloc_xattrs);
	a = &x->xattr[x->n_xattrs++];
	a->name = eb_strdup(key);
	a->value = eb_memdup(r->value, r->size);
	a->size = r->size;
	return 0;
}

/* GNU.sparse.KEY, of the formats 0.0, 0.1 and 1.0 */
static int take_sparse(struct eb_tarfile_ext *x, const char *key,
		       const struct record *r, const char *name,
		       struct eb_error *err)
{
	uint64_t size;

	x->sparse = true;
	if (strcmp(key, "name") == 0)
		return take_text(&x->sparse_path, r, name, err);
	if (strcmp(key, "map") == 0)
		return eb_tarfile_extents_parse(&x->extents, r->value, name,
						err);
	if (strcmp(key, "major") == 0)
		return take_u64(&x->sparse_major, r, 99, name, err);
	if (strcmp(key, "minor") == 0)
		return take_u64(&x->sparse_minor, r, 99, name, err);
	if (strcmp(key, "size") == 0 || strcmp(key, "realsize") == 0) {
		x->has_real_size = true;
		return take_u64(&x->real_size, r, EB_TARFILE_MAX_SIZE, name,
				err);
	}
	if (strcmp(key, "offset") == 0)
		return take_u64(&x->sparse_offset, r, EB_TARFILE_MAX_SIZE, name,
				err);
	if (strcmp(key, "numbytes") != 0)
		return 0;
	if (take_u64(&size, r, EB_TARFILE_MAX_SIZE, name, err) < 0)
		return -1;
	return eb_tarfile_extents_add(&x->extents, x->sparse_offset, size, name,
				      err);
}

static int take(struct eb_tarfile_ext *x, const struct record *r,
		const char *name, struct eb_error *err)
{
	const char *key = r->key;

	if (strcmp(key, "path") == 0)
		return take_text(&x->path, r, name, err);
	if (strcmp(key, "linkpath") == 0)
		return take_text(&x->link, r, name, err);
	if (strcmp(key, "size") == 0) {
		x->has_size = true;
		return take_u64(&x->size, r, EB_TARFILE_MAX_SIZE, name, err);
	}
	if (strcmp(key, "mtime") == 0)
		return take_time(x, r, name, err);
	if (strcmp(key, "uid") == 0)
		return take_id(&x->uid, &x->has_uid, r, name, err);
	if (strcmp(key, "gid") == 0)
		return take_id(&x->gid, &x->has_gid, r, name, err);
	if (eb_starts(key, "SCHILY.xattr."))
		return take_xattr(x, key + 13, r, name, err);
	if (eb_starts(key, "GNU.sparse."))
		return take_sparse(x, key + 11, r, name, err);
	return 0;
}

/* One record from `at`; gives its length, 0 when it is none. */
static size_t split(char *at, size_t left, struct record *r)
{
	char *space = memchr(at, ' ', left < 10 ? left : 10), *equals;
	uint64_t len;

	if (!space)
		return 0;
	*space = '\0';
	if (eb_parse_u64(at, left, &len) < 0 ||
	    len < (uint64_t)(space - at) + 3 || at[len - 1] != '\n')
		return 0;
	equals = memchr(space + 1, '=', (size_t)(at + len - 1 - space - 1));
	if (!equals || equals == space + 1)
		return 0;
	*equals = at[len - 1] = '\0';
	r->key = space + 1;
	r->value = equals + 1;
	r->size = (size_t)(at + len - 1 - r->value);
	return (size_t)len;
}

int eb_tarfile_ext_parse(struct eb_tarfile_ext *x, const char *text, size_t len,
			 const char *name, struct eb_error *err)
{
	eb_autofree char *own = eb_memdup(text, len);
	size_t at = 0, n;
	struct record r;

	while (at < len) {
		n = split(own + at, len - at, &r);
		if (n == 0)
			return eb_err_set(err, EB_INPUT,
					  "\"%s\", reading pax records: one is "
					  "malformed",
					  name);
		if (take(x, &r, name, err) < 0)
			return -1;
		at += n;
	}
	return 0;
}

void eb_tarfile_ext_release(struct eb_tarfile_ext *x)
{
	size_t i;

	free(x->path);
	free(x->link);
	free(x->sparse_path);
	for (i = 0; i < x->n_xattrs; i++) {
		free(x->xattr[i].name);
		free(x->xattr[i].value);
	}
	free(x->xattr);
	free(x->extents.v);
	memset(x, 0, sizeof *x);
}
