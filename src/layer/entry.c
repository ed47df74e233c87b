/* SPDX-License-Identifier: Apache-2.0 */
/* Entries: a growing row of them, with the spools that hold their content. */
#include <string.h>

#include "layer_priv.h"

struct eb_entry *eb_entries_add(struct eb_entries *e, const char *path,
				enum eb_entry_type type)
{
	struct eb_entry *entry;

	EB_GROW(e->entry, e->n, e->alloc);
	entry = memset(&e->entry[e->n++], 0, sizeof *entry);
	entry->path = eb_strdup(path);
	entry->type = type;
	entry->mode = type == EB_ENTRY_DIR ? 0755 : 0644;
	entry->mtime = EB_FIXED_MTIME;
	return entry;
}

void eb_entries_take_spool(struct eb_entries *e, struct eb_spool *spool)
{
	e->spool = eb_realloc(e->spool, e->n_spools + 1, sizeof *e->spool);
	e->spool[e->n_spools++] = spool;
}

/* Content that is given whole is small and stays in memory. */
static struct eb_spool *own_spool(struct eb_entries *e)
{
	if (!e->own) {
		e->own = eb_spool_new("/", SIZE_MAX);
		eb_entries_take_spool(e, e->own);
	}
	return e->own;
}

int eb_entries_add_file(struct eb_entries *e, const char *path, unsigned mode,
			int64_t mtime, const void *content, size_t size,
			struct eb_error *err)
{
	struct eb_spool *spool = own_spool(e);
	struct eb_entry *entry = eb_entries_add(e, path, EB_ENTRY_FILE);

	entry->mode = mode;
	entry->mtime = mtime;
	entry->spool = spool;
	entry->offset = eb_spool_size(spool);
	entry->size = size;
	eb_sha256(content, size, &entry->sha256);
	return eb_spool_add(spool, content, size, err);
}

void eb_entry_release(struct eb_entry *e)
{
	free(e->path);
	free(e->target);
	free(e->note);
	free(e->deflated);
	memset(e, 0, sizeof *e);
}

void eb_entries_release(struct eb_entries *e)
{
	size_t i;

	for (i = 0; i < e->n; i++)
		eb_entry_release(&e->entry[i]);
	for (i = 0; i < e->n_spools; i++)
		eb_spool_free(e->spool[i]);
	free(e->entry);
	free(e->spool);
	memset(e, 0, sizeof *e);
}
