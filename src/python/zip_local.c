/* SPDX-License-Identifier: Apache-2.0 */
/* Local headers: each has to say what the central directory says. */
#include <string.h>

#include <envbuild/mem.h>

#include "zip_dir.h"

#define SIGNATURE_LOCAL 0x04034b50
#define EXTRA_ZIP64 0x0001
#define SAME_FLAGS (EB_ZIPDIR_ENCRYPTED | EB_ZIPDIR_UTF8)

const unsigned char *eb_zipdir_wide(const unsigned char *extra, size_t n,
				    size_t *len)
{
	for (size_t at = 0; n - at >= 4; at += 4 + *len) {
		*len = eb_zipdir_16(extra + at + 2);
		if (*len > n - at - 4)
			return NULL;
		if (eb_zipdir_16(extra + at) == EXTRA_ZIP64)
			return extra + at + 4;
	}
	return NULL;
}

/* Sizes that do not fit stand in the zip64 field: size, then packed. */
static int read_wide(const struct eb_zipdir *z, uint64_t at, size_t n,
		     uint64_t *size, uint64_t *packed, struct eb_error *err)
{
	eb_autofree unsigned char *extra = eb_malloc(n + 1);
	const unsigned char *field;
	size_t len = 0, used = 0;

	if (eb_zipdir_get(z, extra, n, at, err) < 0)
		return -1;
	field = eb_zipdir_wide(extra, n, &len);
	if (field && *size == UINT32_MAX && len >= used + 8) {
		*size = eb_zipdir_64(field + used);
		used += 8;
	}
	if (field && *packed == UINT32_MAX && len >= used + 8)
		*packed = eb_zipdir_64(field + used);
	return 0;
}

/* Where the sizes come behind the data, the header may leave them out. */
static bool equal(uint64_t local, uint64_t central, bool behind)
{
	return local == central || (behind && local == 0);
}

static int check_sizes(const struct eb_zipdir *z,
		       const struct eb_zipdir_member *m,
		       const unsigned char *head, struct eb_error *err)
{
	bool behind = eb_zipdir_16(head + 6) & EB_ZIPDIR_DESCRIPTOR;
	uint64_t packed = eb_zipdir_32(head + 18);
	uint64_t size = eb_zipdir_32(head + 22);
	size_t extra = eb_zipdir_16(head + 28);

	if ((packed == UINT32_MAX || size == UINT32_MAX) &&
	    read_wide(z, m->offset - extra, extra, &size, &packed, err) < 0)
		return -1;
	if (!equal(packed, m->packed, behind) || !equal(size, m->size, behind))
		return eb_zipdir_refuse(z, m->name,
					"has two sizes, one in the directory "
					"and one in its header",
					err);
	if (!equal(eb_zipdir_32(head + 14), m->crc32, behind))
		return eb_zipdir_refuse(z, m->name,
					"has two checksums, one in the "
					"directory and one in its header",
					err);
	return 0;
}

int eb_zipdir_check_local(const struct eb_zipdir *z,
			  const struct eb_zipdir_central *c,
			  struct eb_zipdir_member *m, struct eb_error *err)
{
	size_t n = EB_ZIPDIR_LOCAL_SIZE + c->name_len;
	eb_autofree unsigned char *head = eb_malloc(n);

	if (eb_zipdir_get(z, head, n, m->local, err) < 0)
		return -1;
	if (eb_zipdir_32(head) != SIGNATURE_LOCAL)
		return eb_zipdir_damaged(
			z, "a member is not where it should be", err);
	if (eb_zipdir_16(head + 26) != c->name_len ||
	    memcmp(head + EB_ZIPDIR_LOCAL_SIZE, c->name, c->name_len) != 0)
		return eb_zipdir_refuse(z, m->name,
					"has another name in its header", err);
	if (((eb_zipdir_16(head + 6) ^ c->flags) & SAME_FLAGS) ||
	    eb_zipdir_16(head + 8) != c->method)
		return eb_zipdir_refuse(z, m->name,
					"is described in two ways, in the "
					"directory and in its header",
					err);
	m->offset = m->local + n + eb_zipdir_16(head + 28);
	return check_sizes(z, m, head, err);
}
