/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A spool holds bytes whose order of arrival is not the order of use: the
 * files of one package, which come as the archive has them and leave sorted.
 * Up to `memory` bytes stay in memory, the rest goes to one unnamed file in
 * `dir` (no path ever exists for it, so nothing is left after a kill).
 * One thread at a time.
 */
#ifndef EB_SPOOL_H
#define EB_SPOOL_H

#include <stdint.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>

struct eb_spool;

struct eb_spool *eb_spool_new(const char *dir, size_t memory);
int eb_spool_add(struct eb_spool *s, const void *p, size_t n,
		 struct eb_error *err);
uint64_t eb_spool_size(const struct eb_spool *s); /* = offset of the next add */
int eb_spool_read(struct eb_spool *s, uint64_t offset, void *p, size_t n,
		  struct eb_error *err);
void eb_spool_free(struct eb_spool *s);
EB_AUTOPTR(struct eb_spool, eb_spool_free)

#endif
