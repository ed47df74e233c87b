/* SPDX-License-Identifier: Apache-2.0 */
/* Interned strings: an open hash table of numbers over chunks of text. */
#include "strpool.h"

#include <string.h>

#include <envbuild/mem.h>

#define FIRST_SLOTS 4096
#define EMPTY UINT32_MAX

static uint32_t hash(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u ^ n;

	for (; n >= 8; n -= 8, s += 8) {
		uint64_t w;

		memcpy(&w, s, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	for (; n; n--)
		h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
	h *= 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static void clear_slots(struct eb_strpool *p, uint32_t slots)
{
	free(p->slot);
	p->slots = slots;
	p->slot = eb_malloc(slots * sizeof *p->slot);
	memset(p->slot, 0xff, slots * sizeof *p->slot);
}

void eb_strpool_init(struct eb_strpool *p)
{
	memset(p, 0, sizeof *p);
	clear_slots(p, FIRST_SLOTS);
	eb_strpool_add(p, "", 0, NULL);
}

void eb_strpool_release(struct eb_strpool *p)
{
	for (size_t i = 0; i < p->chunks; i++)
		free(p->chunk[i]);
	free(p->chunk);
	free(p->slot);
	memset(p, 0, sizeof *p);
}

/* The slot where the text is, or would be. */
static uint32_t place(const struct eb_strpool *p, const char *s, size_t n)
{
	uint32_t i = hash(s, n) & (p->slots - 1);

	while (p->slot[i] != EMPTY) {
		const char *there = eb_strpool_text(p, p->slot[i]);

		if (!strncmp(there, s, n) && !there[n])
			break;
		i = (i + 1) & (p->slots - 1);
	}
	return i;
}

static void grow(struct eb_strpool *p)
{
	uint32_t *old = eb_steal(p->slot), slots = p->slots;

	clear_slots(p, slots * 2);
	for (uint32_t i = 0; i < slots; i++) {
		const char *s;

		if (old[i] == EMPTY)
			continue;
		s = eb_strpool_text(p, old[i]);
		p->slot[place(p, s, strlen(s))] = old[i];
	}
	free(old);
}

/* Room for n bytes that do not cross a chunk's end. */
static uint32_t room(struct eb_strpool *p, size_t n)
{
	uint32_t left = EB_STRPOOL_CHUNK - p->used % EB_STRPOOL_CHUNK;
	uint32_t id;

	if (!p->chunks || left == EB_STRPOOL_CHUNK || n > left) {
		if (p->chunks >= UINT32_MAX / EB_STRPOOL_CHUNK)
			return UINT32_MAX;
		EB_GROW(p->chunk, p->chunks, p->alloc);
		p->used = (uint32_t)p->chunks * EB_STRPOOL_CHUNK;
		p->chunk[p->chunks++] = eb_calloc(1, EB_STRPOOL_CHUNK);
	}
	id = p->used;
	p->used += (uint32_t)n;
	return id;
}

int eb_strpool_find(const struct eb_strpool *p, const char *s, size_t n,
		    uint32_t *id)
{
	*id = p->slot[place(p, s, n)];
	return *id != EMPTY;
}

uint32_t eb_strpool_add(struct eb_strpool *p, const char *s, size_t n,
			bool *fresh)
{
	uint32_t i = place(p, s, n), id = p->slot[i];

	if (fresh)
		*fresh = id == EMPTY;
	if (id != EMPTY)
		return id;
	id = n < EB_STRPOOL_MAX ? room(p, n + 1) : EMPTY;
	if (id == EMPTY)
		return EMPTY;
	memcpy(p->chunk[id / EB_STRPOOL_CHUNK] + id % EB_STRPOOL_CHUNK, s, n);
	p->chunk[id / EB_STRPOOL_CHUNK][id % EB_STRPOOL_CHUNK + n] = 0;
	p->slot[i] = id;
	if (++p->count > p->slots - p->slots / 4)
		grow(p);
	return id;
}

void *eb_strpool_alloc(struct eb_strpool *p, size_t n)
{
	uint32_t id;

	if (n > EB_STRPOOL_CHUNK / 2)
		return NULL;
	p->used += -p->used & 7u;
	id = room(p, n);
	return id == EMPTY ? NULL
			   : p->chunk[id / EB_STRPOOL_CHUNK] +
				     id % EB_STRPOOL_CHUNK;
}
