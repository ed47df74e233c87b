/* SPDX-License-Identifier: Apache-2.0 */
/* Where an image outside a registry lies: a folder, or a plain tar. Members
 * have the names that they have in a layout ("blobs/sha256/..."). */
#ifndef EB_OCI_SOURCE_H
#define EB_OCI_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/buf.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/image.h>
#include <envbuild/mem.h>

struct eb_source {
	char *name; /* for messages */
	int dir;    /* a folder, else -1 */
	int file;   /* a tar, else -1 */
	struct eb_source_member {
		char *name, *link; /* link: whole name of another member */
		uint64_t offset, size;
	} * member;
	size_t n, alloc;
};
#define EB_SOURCE_INIT                   \
	{                                \
		NULL, -1, -1, NULL, 0, 0 \
	}

int eb_source_open_dir(struct eb_source *s, const char *path,
		       struct eb_error *err);
/* `fd` is owned from here on, in every case */
int eb_source_open_tar(struct eb_source *s, int fd, const char *name,
		       struct eb_error *err);
void eb_source_release(struct eb_source *s);

/* A run of bytes of some file. */
struct eb_piece {
	int fd;
	bool owned;
	uint64_t offset, size;
};
#define EB_PIECE_INIT           \
	{                       \
		-1, false, 0, 0 \
	}
void eb_piece_release(struct eb_piece *p);

int eb_source_find(const struct eb_source *s, const char *member,
		   struct eb_piece *out, struct eb_error *err); /* 1 0 -1 */
/* Whole; a missing one is EB_INPUT. */
int eb_source_read(const struct eb_source *s, const char *member, size_t max,
		   struct eb_buf *out, struct eb_error *err);
/* A blob whose size is the descriptor's (EB_INTEGRITY otherwise). */
int eb_source_blob(const struct eb_source *s, const struct eb_descriptor *d,
		   struct eb_piece *out, struct eb_error *err);
/* Whole, at most EB_MAX_MANIFEST, verified. */
int eb_source_read_blob(const struct eb_source *s,
			const struct eb_descriptor *d, struct eb_buf *out,
			struct eb_error *err);

/* The manifest that index.json leads to. */
int eb_source_resolve(const struct eb_source *s, const char *tag,
		      const char *platform, struct eb_descriptor *out,
		      struct eb_error *err);
/* Opens a regular file; anything else is EB_INPUT. */
int eb_open_regular(int dir, const char *path, const char *name, uint64_t *size,
		    struct eb_error *err);

#endif
