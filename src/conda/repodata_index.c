/* SPDX-License-Identifier: Apache-2.0 */
/* Rows grouped by name, made when first asked for. */
#include <string.h>

#include <envbuild/mem.h>

#include "repodata_int.h"

void eb_rd_index_drop(struct eb_repodata *rd)
{
	free(eb_steal(rd->by_name));
	free(eb_steal(rd->slot));
	free(eb_steal(rd->group));
	rd->slots = rd->n_groups = 0;
}

static uint32_t *place(const struct eb_repodata *rd, uint32_t name)
{
	uint32_t i = name * 0x9e3779b1u & (rd->slots - 1);

	while (rd->slot[i] && rd->group[rd->slot[i] - 1].name != name)
		i = (i + 1) & (rd->slots - 1);
	return &rd->slot[i];
}

static void make_slots(struct eb_repodata *rd, uint32_t slots)
{
	free(rd->slot);
	rd->slots = slots;
	rd->slot = eb_calloc(slots, sizeof *rd->slot);
	for (uint32_t g = 0; g < rd->n_groups; g++)
		*place(rd, rd->group[g].name) = g + 1;
}

static struct eb_rd_group *group_of(struct eb_repodata *rd, uint32_t name,
				    uint32_t *alloc)
{
	uint32_t *slot = place(rd, name);

	if (*slot)
		return &rd->group[*slot - 1];
	EB_GROW(rd->group, rd->n_groups, *alloc);
	rd->group[rd->n_groups] = (struct eb_rd_group){ .name = name };
	*slot = ++rd->n_groups;
	if (rd->n_groups > rd->slots / 2)
		make_slots(rd, rd->slots * 2);
	return &rd->group[rd->n_groups - 1];
}

void eb_rd_groups(const struct eb_repodata *cache)
{
	struct eb_repodata *rd = (struct eb_repodata *)cache;
	uint32_t alloc = 0, first = 0;

	if (rd->slot)
		return;
	make_slots(rd, 1024);
	for (size_t i = 0; i < rd->n; i++)
		group_of(rd, rd->row[i].name, &alloc)->n++;
	for (uint32_t g = 0; g < rd->n_groups; g++) {
		rd->group[g].first = first;
		first += rd->group[g].n;
		rd->group[g].n = 0;
	}
	rd->by_name = eb_malloc((rd->n + 1) * sizeof *rd->by_name);
	for (size_t i = 0; i < rd->n; i++) {
		struct eb_rd_group *g =
			&rd->group[*place(rd, rd->row[i].name) - 1];

		rd->by_name[g->first + g->n++] = (uint32_t)i;
	}
}

const struct eb_rd_group *eb_rd_group(const struct eb_repodata *rd,
				      const char *name)
{
	uint32_t id, slot;

	if (!eb_strpool_find(&rd->pool, name, strlen(name), &id))
		return NULL;
	eb_rd_groups(rd);
	slot = *place(rd, id);
	return slot ? &rd->group[slot - 1] : NULL;
}
