/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of package reading: zip members, the tar reader, the last checks. */
#ifndef EB_PACKAGE_INT_H
#define EB_PACKAGE_INT_H

#include <envbuild/package.h>
#include <envbuild/stream.h>

/* One stored member of a .conda: its bytes in the file. */
struct eb_zip_member {
	char *name;
	uint64_t offset, size;
};
struct eb_zip {
	struct eb_zip_member pkg, info, metadata; /* name NULL: not there */
};
/* Finds the members by the central directory. `size` is the file's. */
int eb_zip_open(int fd, uint64_t size, const char *what, struct eb_zip *out,
		struct eb_error *err);
void eb_zip_release(struct eb_zip *z);

/* The largest window of a run of zstd frames as log2 rounded up (0: there is
 * no frame). Headers alone are read. */
int eb_zstd_window_log(int fd, uint64_t offset, uint64_t size,
		       const char *what);

/* A hard link whose file is looked up when all members are known. */
struct eb_package_hard {
	size_t entry; /* in files */
	char *target;
};

/* A package on its way in. */
struct eb_package_reading {
	struct eb_package *p;
	const struct eb_package_limits *limits;
	struct eb_spool *spool;
	uint64_t growth;   /* bytes that the archive may become */
	uint64_t unpacked; /* bytes of tar so far */
	uint64_t content;  /* bytes of files so far, holes and links too */
	uint64_t members;
	uint64_t name_bytes; /* of all names and targets kept */
	struct eb_package_hard *hard;
	size_t n_hard, alloc_hard;
};
/* All members of one tar; the stream is read to its end. */
int eb_package_tar(struct eb_package_reading *r, struct eb_stream *s,
		   struct eb_error *err);

/* More content: EB_INPUT beyond what the archive may become. */
int eb_package_grow(struct eb_package_reading *r, const char *path,
		    uint64_t size, struct eb_error *err);
/* Hard links get their content; one path twice, a path below a file, or
 * through a link out of the prefix: EB_INPUT. */
int eb_package_check(struct eb_package_reading *r, struct eb_error *err);

#endif
