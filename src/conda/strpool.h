/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned strings: each distinct text once, a 32-bit number for it. Memory
 * comes in chunks that never move, so that the texts keep their addresses.
 */
#ifndef EB_STRPOOL_H
#define EB_STRPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EB_STRPOOL_CHUNK ((uint32_t)1 << 20)
#define EB_STRPOOL_MAX (EB_STRPOOL_CHUNK - 1) /* longest text */

struct eb_strpool {
	char **chunk;
	size_t chunks, alloc;
	uint32_t used; /* number of the next text */
	uint32_t *slot;
	uint32_t slots, count;
};

/* Number 0 is the empty text. */
void eb_strpool_init(struct eb_strpool *p);
void eb_strpool_release(struct eb_strpool *p);
/* UINT32_MAX when the text is too long or the pool is full (4 GiB). *fresh
 * (may be NULL) tells whether it was not there before. */
uint32_t eb_strpool_add(struct eb_strpool *p, const char *s, size_t n,
			bool *fresh);
/* 1 found, 0 not there. */
int eb_strpool_find(const struct eb_strpool *p, const char *s, size_t n,
		    uint32_t *id);
/* Memory of the pool that is no text of it; NULL when it is full or `n` is
 * more than half a chunk. Aligned to 8 bytes. */
void *eb_strpool_alloc(struct eb_strpool *p, size_t n);

static inline const char *eb_strpool_text(const struct eb_strpool *p,
					  uint32_t id)
{
	return p->chunk[id / EB_STRPOOL_CHUNK] + id % EB_STRPOOL_CHUNK;
}

#endif
