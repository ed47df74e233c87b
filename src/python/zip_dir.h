/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a zip file (APPNOTE 6.3) as its central directory has them,
 * each checked against its local header, so that no two readers can see two
 * different archives in one file. Nothing is unpacked here.
 *
 * Exit codes: what breaks off or points out of the file is EB_INTEGRITY, what
 * is written wrongly or not wanted (encryption, other methods than deflate,
 * links, two members with one path) EB_INPUT.
 */
#ifndef EB_ZIP_DIR_H
#define EB_ZIP_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <envbuild/error.h>

struct eb_zipdir_member {
	const char *name;      /* a folder's without its final slash */
	uint64_t local;	       /* offset of its header */
	uint64_t offset;       /* of its packed bytes */
	uint64_t packed, size; /* bytes */
	uint32_t crc32;
	uint16_t mode; /* the Unix half of its external attributes */
	bool folder, stored;
};

struct eb_zipdir {
	const char *what; /* for messages; not owned */
	int fd;		  /* not owned */
	uint64_t size;	  /* of the file */
	/* Ordered so that all that lies below a path follows it at once. */
	struct eb_zipdir_member *member;
	size_t n;
	char *names; /* the texts of all names */
};

struct eb_zipdir_limits {
	uint64_t members, member_size;
};

int eb_zipdir_open(int fd, const char *what,
		   const struct eb_zipdir_limits *limits, struct eb_zipdir *out,
		   struct eb_error *err);
void eb_zipdir_release(struct eb_zipdir *z);
/* By its path without a final slash; NULL when there is none. */
const struct eb_zipdir_member *eb_zipdir_find(const struct eb_zipdir *z,
					      const char *name);

/* The whole content with a NUL behind it, CRC and size verified; the caller
 * has looked at the size, and frees. */
int eb_zipdir_read(const struct eb_zipdir *z, const struct eb_zipdir_member *m,
		   char **content, struct eb_error *err);
/* The first bytes, at most n; *got says how many. Nothing is verified. */
int eb_zipdir_peek(const struct eb_zipdir *z, const struct eb_zipdir_member *m,
		   void *p, size_t n, size_t *got, struct eb_error *err);

/* --- between the files zip_*.c ------------------------------------------ */
struct eb_zipdir_end {
	uint64_t at, size; /* of the central directory */
	uint64_t n;	   /* its records */
};
/* What the records at the end of the file say, zip64 or not. */
int eb_zipdir_find_end(const struct eb_zipdir *z, struct eb_zipdir_end *out,
		       struct eb_error *err);

/* One record of the central directory. */
struct eb_zipdir_central {
	const unsigned char *name, *extra;
	size_t name_len, extra_len, total;
	unsigned flags, method;
	uint64_t packed, size, local;
	uint32_t crc32, attributes;
};
/* Fills m->offset; m is what the central directory said. */
int eb_zipdir_check_local(const struct eb_zipdir *z,
			  const struct eb_zipdir_central *c,
			  struct eb_zipdir_member *m, struct eb_error *err);
/* Sorts the members and looks at them among each other; `end` is where the
 * last one has to end. */
int eb_zipdir_check(struct eb_zipdir *z, uint64_t end, struct eb_error *err);

/* Looks for the zip64 field among extra fields: its content and length, or
 * NULL. */
const unsigned char *eb_zipdir_wide(const unsigned char *extra, size_t n,
				    size_t *len);
int eb_zipdir_get(const struct eb_zipdir *z, void *p, size_t n, uint64_t offset,
		  struct eb_error *err);
int eb_zipdir_damaged(const struct eb_zipdir *z, const char *why,
		      struct eb_error *err);
/* "WHAT" has a member "NAME" that WHY */
int eb_zipdir_refuse(const struct eb_zipdir *z, const char *name,
		     const char *why, struct eb_error *err);

#define EB_ZIPDIR_CENTRAL_SIZE 46
#define EB_ZIPDIR_LOCAL_SIZE 30
/* Flags; encryption also in the strong form and of headers. */
#define EB_ZIPDIR_ENCRYPTED 0x2041u
#define EB_ZIPDIR_UTF8 0x0800u
#define EB_ZIPDIR_DESCRIPTOR 0x0008u /* sizes stand behind the data */

static inline uint16_t eb_zipdir_16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t eb_zipdir_32(const unsigned char *p)
{
	return eb_zipdir_16(p) | (uint32_t)eb_zipdir_16(p + 2) << 16;
}

static inline uint64_t eb_zipdir_64(const unsigned char *p)
{
	return eb_zipdir_32(p) | (uint64_t)eb_zipdir_32(p + 4) << 32;
}

#endif
