/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the tar reader: one header block, what stands in front of it
 * (pax records, GNU's long names), the map of a sparse file. */
#ifndef EB_OCI_TARFILE_EXT_H
#define EB_OCI_TARFILE_EXT_H

#include "tarfile.h"

#define EB_TARFILE_MAX_EXT ((size_t)1 << 20)
#define EB_TARFILE_MAX_PATH 4096
#define EB_TARFILE_MAX_SIZE ((uint64_t)1 << 40)
#define EB_TARFILE_MAX_EXTENTS (1 << 16)

/* Data of a sparse file; between the extents are zeros. */
struct eb_extent {
	uint64_t offset, size;
};
struct eb_extents {
	struct eb_extent *v;
	size_t n, alloc;
};
int eb_tarfile_extents_add(struct eb_extents *e, uint64_t offset, uint64_t size,
			   const char *name, struct eb_error *err);
/* "offset,size,offset,size" */
int eb_tarfile_extents_parse(struct eb_extents *e, const char *text,
			     const char *name, struct eb_error *err);
/* In order, inside `size`, `stored` bytes in all. */
int eb_tarfile_extents_check(const struct eb_extents *e, uint64_t size,
			     uint64_t stored, const char *name,
			     struct eb_error *err);
/* The map of GNU's old format goes on in blocks of its own, that of pax 1.0
 * stands before the content: *read is how much of it that was. */
int eb_tarfile_extents_read_old(struct eb_extents *e,
				const unsigned char *header,
				struct eb_stream *in, const char *name,
				uint64_t *read, struct eb_error *err);
int eb_tarfile_extents_read_pax(struct eb_extents *e, struct eb_stream *in,
				uint64_t max, const char *name, uint64_t *read,
				struct eb_error *err);

/* What came before the header of a member and outranks it. */
struct eb_tarfile_ext {
	char *path, *link, *sparse_path;
	bool has_size, has_mtime, has_uid, has_gid, has_real_size;
	uint64_t size, real_size;
	int64_t mtime;
	uint32_t mtime_ns;
	uint32_t uid, gid;
	struct eb_xattr *xattr;
	size_t n_xattrs, alloc_xattrs;
	bool sparse; /* some GNU.sparse. record */
	uint64_t sparse_major, sparse_minor, sparse_offset;
	struct eb_extents extents;
};
int eb_tarfile_ext_parse(struct eb_tarfile_ext *x, const char *text, size_t len,
			 const char *name, struct eb_error *err);
void eb_tarfile_ext_release(struct eb_tarfile_ext *x);

/* Numbers of a header: octal, or GNU's base 256. -1 when it is none. */
int eb_tarfile_number(const unsigned char *field, size_t n, int64_t *value);
/* The checksum fits. */
bool eb_tarfile_is_header(const unsigned char *block);
/* Name (joined with its prefix) and link of a header; caller frees. */
char *eb_tarfile_name(const unsigned char *block);
char *eb_tarfile_link(const unsigned char *block);
/* Type, mode, owner, size, time, device into `m`; the type's own letter is
 * block[156]. */
int eb_tarfile_header_parse(const unsigned char *block, const char *name,
			    struct eb_member *m, struct eb_error *err);

#endif
