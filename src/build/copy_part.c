/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a cached part, with their content, but for some paths. */
#include <stdlib.h>
#include <string.h>

#include <envbuild/spool.h>
#include <envbuild/stream.h>
#include <envbuild/str.h>

#include "build_private.h"

#define SPOOL_MEMORY ((size_t)16 << 20)

static int by_text(const void *key, const void *item)
{
	return strcmp(key, *(char *const *)item);
}

bool eb_in_sorted(const struct eb_strv *sorted, const char *text)
{
	return sorted->n &&
	       bsearch(text, sorted->v, sorted->n, sizeof *sorted->v, by_text);
}

struct copy {
	const struct eb_strv *paths; /* sorted */
	bool only;		     /* take these alone, or all but these */
	struct eb_entries *to;
	struct eb_spool *spool;
};

static int copy_content(struct copy *c, struct eb_stream *content,
			struct eb_error *err)
{
	char chunk[1 << 16];
	ssize_t n;

	while (content &&
	       (n = eb_stream_read(content, chunk, sizeof chunk, err)) != 0)
		if (n < 0 || eb_spool_add(c->spool, chunk, (size_t)n, err) < 0)
			return -1;
	return 0;
}

static int copy_entry(void *data, const struct eb_entry *from,
		      struct eb_stream *content, struct eb_error *err)
{
	struct copy *c = data;
	struct eb_entry *to;

	if (eb_in_sorted(c->paths, from->path) != c->only)
		return 0;
	to = eb_entries_add(c->to, from->path, from->type);
	to->mode = from->mode;
	to->mtime = from->mtime;
	to->sha256 = from->sha256;
	to->size = from->size;
	to->target = eb_strdup(from->target);
	to->note = eb_strdup(from->note);
	to->spool = c->spool;
	to->offset = eb_spool_size(c->spool);
	return copy_content(c, content, err);
}

/* A walk leaves empty folders out: they come from the path list. */
static int copy_folders(struct copy *c, struct eb_build *b,
			const struct eb_item *item, struct eb_error *err)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries list = { 0 };

	if (eb_build_paths(b, item, &list, err) < 0)
		return -1;
	for (size_t i = 0; i < list.n; i++) {
		const struct eb_entry *from = &list.entry[i];
		struct eb_entry *to;

		if (from->type != EB_ENTRY_DIR ||
		    eb_in_sorted(c->paths, from->path) != c->only)
			continue;
		to = eb_entries_add(c->to, from->path, from->type);
		to->mode = from->mode;
		to->mtime = from->mtime;
		to->note = eb_strdup(from->note);
	}
	return 0;
}

int eb_copy_part(struct eb_build *b, const struct eb_item *item,
		 const struct eb_strv *paths, bool only, struct eb_entries *out,
		 struct eb_error *err)
{
	struct copy c = { .paths = paths, .only = only, .to = out };

	c.spool = eb_spool_new(eb_store_tmp(b->store), SPOOL_MEMORY);
	eb_entries_take_spool(out, c.spool);
	if (eb_build_bring(b, item, 1, err) < 0 ||
	    eb_part_walk(b->store, item, copy_entry, &c, err) < 0)
		return -1;
	return copy_folders(&c, b, item, err);
}
