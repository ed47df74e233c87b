/* SPDX-License-Identifier: Apache-2.0 */
/* What folders hold on disk while somebody fills them. */
#ifndef EB_SANDBOX_SPACE_H
#define EB_SANDBOX_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct eb_space {
	uint64_t bytes;
	bool hidden; /* there are folders into which we cannot look */
};

/* Adds what lies below `path` (a folder or a file): blocks, a page at least of
 * every name, a file with several names by parts. No link is followed. Of
 * folders in folders beyond what a tree can need it is UINT64_MAX / 2. */
void eb_space_add(struct eb_space *s, const char *path);
/* Bytes that its file system has left; UINT64_MAX: not known. */
uint64_t eb_space_left(const char *path);

#endif
