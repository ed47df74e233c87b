/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One block of at most EB_GZIP_BLOCK bytes becomes one gzip member (RFC 1952)
 * with a fixed header (MTIME 0, XFL 0, OS 255), by ISA-L at level 1. The same
 * bytes give the same member, whatever was compressed before and wherever the
 * compressor lies in memory.
 */
#ifndef EB_GZIP_H
#define EB_GZIP_H

#include <stddef.h>

#include <envbuild/mem.h>

#define EB_GZIP_BLOCK ((size_t)1 << 20)

struct eb_gzip; /* one thread at a time */

struct eb_gzip *eb_gzip_new(void);
/* Room that `out` must have for n bytes. */
size_t eb_gzip_bound(size_t n);
/* The length of the member. */
size_t eb_gzip_block(struct eb_gzip *z, const void *p, size_t n, void *out);
void eb_gzip_free(struct eb_gzip *z);
EB_AUTOPTR(struct eb_gzip, eb_gzip_free)

#endif
