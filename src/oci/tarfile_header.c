/* SPDX-License-Identifier: Apache-2.0 */
/* One header block of a tar: ustar, GNU or v7. */
#include <string.h>

#include <envbuild/mem.h>

#include "tarfile_ext.h"

enum {
	AT_NAME = 0,
	AT_MODE = 100,
	AT_UID = 108,
	AT_GID = 116,
	AT_SIZE = 124,
	AT_MTIME = 136,
	AT_SUM = 148,
	AT_TYPE = 156,
	AT_LINK = 157,
	AT_MAGIC = 257,
	AT_MAJOR = 329,
	AT_MINOR = 337,
	AT_PREFIX = 345,
};

/* The first bit is a mark, the next one the sign. */
static int base256(const unsigned char *field, size_t n, int64_t *value)
{
	bool negative = field[0] & 0x40;
	uint64_t all = negative ? UINT64_MAX : 0;
	unsigned char fill = negative ? 0xff : 0;
	size_t i;

	for (i = 0; i < n; i++) {
		unsigned char byte = field[i];

		if (i == 0)
			byte = negative ? byte : byte & 0x7f;
		if (n - i > 8 && byte != fill)
			return -1;
		all = all << 8 | byte;
	}
	if ((int64_t)all < 0 && !negative)
		return -1;
	*value = (int64_t)all;
	return 0;
}

int eb_tarfile_number(const unsigned char *field, size_t n, int64_t *value)
{
	size_t i = 0;
	int64_t all = 0;

	if (field[0] & 0x80)
		return base256(field, n, value);
	while (i < n && field[i] == ' ')
		i++;
	for (; i < n && field[i] >= '0' && field[i] <= '7'; i++) {
		if (all > INT64_MAX >> 3)
			return -1;
		all = all << 3 | (field[i] - '0');
	}
	if (i < n && field[i] != ' ' && field[i] != '\0')
		return -1;
	*value = all;
	return 0;
}

/* Some writers summed signed bytes. */
bool eb_tarfile_is_header(const unsigned char *block)
{
	int64_t stated, sum = 0, signed_sum = 0;
	size_t i;

	for (i = 0; i < EB_TARFILE_BLOCK; i++) {
		bool in_sum = i >= AT_SUM && i < AT_SUM + 8;

		sum += in_sum ? ' ' : block[i];
		signed_sum += in_sum ? ' ' : (signed char)block[i];
	}
	return eb_tarfile_number(block + AT_SUM, 8, &stated) == 0 &&
	       (stated == sum || stated == signed_sum);
}

static char *field_text(const unsigned char *field, size_t n)
{
	return eb_strndup((const char *)field, n);
}

char *eb_tarfile_name(const unsigned char *block)
{
	eb_autofree char *name = field_text(block + AT_NAME, 100);
	eb_autofree char *prefix = NULL;

	/* GNU's magic has spaces there, and other things in the prefix. */
	if (memcmp(block + AT_MAGIC, "ustar", 6) != 0 || !block[AT_PREFIX])
		return eb_steal(name);
	prefix = field_text(block + AT_PREFIX, 155);
	return eb_asprintf("%s/%s", prefix, name);
}

char *eb_tarfile_link(const unsigned char *block)
{
	return field_text(block + AT_LINK, 100);
}

static char type_of(unsigned char flag)
{
	switch (flag) {
	case '0':
	case '\0':
	case '7':
	case 'S': return EB_MEMBER_FILE;
	case '1': return EB_MEMBER_HARD_LINK;
	case '2': return EB_MEMBER_LINK;
	case '3': return EB_MEMBER_CHAR;
	case '4': return EB_MEMBER_BLOCK;
	case '5':
	case 'D': return EB_MEMBER_DIR;
	case '6': return EB_MEMBER_FIFO;
	default: return '\0';
	}
}

static int bad(const char *name, const char *what, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "\"%s\", reading a header: %s", name,
			  what);
}

static int ranged(const unsigned char *field, size_t n, int64_t max,
		  int64_t *value)
{
	if (eb_tarfile_number(field, n, value) < 0 || *value < 0 ||
	    *value > max)
		return -1;
	return 0;
}

/* Only devices have a device number; others may hold rubbish there. */
static int parse_device(const unsigned char *block, const char *name,
			struct eb_member *m, struct eb_error *err)
{
	int64_t major, minor;

	if (m->type != EB_MEMBER_CHAR && m->type != EB_MEMBER_BLOCK)
		return 0;
	if (ranged(block + AT_MAJOR, 8, UINT32_MAX, &major) < 0 ||
	    ranged(block + AT_MINOR, 8, UINT32_MAX, &minor) < 0)
		return bad(name, "its device number is none", err);
	m->dev_major = (unsigned)major;
	m->dev_minor = (unsigned)minor;
	return 0;
}

int eb_tarfile_header_parse(const unsigned char *block, const char *name,
			    struct eb_member *m, struct eb_error *err)
{
	int64_t mode, uid, gid, size, mtime;

	m->type = type_of(block[AT_TYPE]);
	if (ranged(block + AT_MODE, 8, INT64_MAX, &mode) < 0)
		return bad(name, "its mode is none", err);
	if (ranged(block + AT_UID, 8, UINT32_MAX - 1, &uid) < 0 ||
	    ranged(block + AT_GID, 8, UINT32_MAX - 1, &gid) < 0)
		return bad(name, "its owner is none", err);
	if (ranged(block + AT_SIZE, 12, EB_TARFILE_MAX_SIZE, &size) < 0)
		return bad(name, "its size is out of range", err);
	if (eb_tarfile_number(block + AT_MTIME, 12, &mtime) < 0)
		return bad(name, "its time is none", err);
	m->mode = (unsigned)mode & 07777;
	m->uid = (uint32_t)uid;
	m->gid = (uint32_t)gid;
	m->size = (uint64_t)size;
	m->mtime = mtime;
	return parse_device(block, name, m, err);
}
