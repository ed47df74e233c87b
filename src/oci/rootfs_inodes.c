/* SPDX-License-Identifier: Apache-2.0 */
/* A set of inode numbers: open addressing, at most half full. */
#include <string.h>

#include "rootfs_tree.h"

static size_t place(const struct eb_inodes *s, uint64_t inode)
{
	size_t mask = s->alloc - 1;
	size_t i = (size_t)((inode * 0x9e3779b97f4a7c15u) >> 20) & mask;

	while (s->slot[i] && s->slot[i] != inode)
		i = (i + 1) & mask;
	return i;
}

static void grow(struct eb_inodes *s)
{
	struct eb_inodes larger = { .alloc = s->alloc ? s->alloc * 2 : 1024 };
	size_t i;

	larger.slot = eb_calloc(larger.alloc, sizeof *larger.slot);
	for (i = 0; i < s->alloc; i++) {
		if (s->slot[i])
			larger.slot[place(&larger, s->slot[i])] = s->slot[i];
	}
	larger.n = s->n;
	free(s->slot);
	*s = larger;
}

void eb_inodes_add(struct eb_inodes *s, uint64_t inode)
{
	size_t at;

	if (s->n * 2 >= s->alloc)
		grow(s);
	at = place(s, inode);
	s->n += !s->slot[at];
	s->slot[at] = inode;
}

bool eb_inodes_has(const struct eb_inodes *s, uint64_t inode)
{
	return s->n && s->slot[place(s, inode)] == inode;
}

void eb_inodes_clear(struct eb_inodes *s)
{
	if (s->n)
		memset(s->slot, 0, s->alloc * sizeof *s->slot);
	s->n = 0;
}
