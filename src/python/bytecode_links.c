/* SPDX-License-Identifier: Apache-2.0 */
/* Sources that are links: which file of the payload they lead to. Python looks
 * for their bytecode beside the link, under the link's name. */
#include <string.h>

#include <envbuild/str.h>

#include "interpreter.h"

#define HOPS 8

/* "a/b/c.py" with target "../d.py" is "a/d.py"; NULL when it leaves. */
static char *beside(const char *link, const char *target)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv part = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv kept = { 0 };
	const char *slash = strrchr(link, '/');
	eb_autofree char *full = eb_asprintf(
		"%.*s/%s", slash ? (int)(slash - link) : 0, link, target);
	struct eb_buf out;

	eb_strv_split(&part, full, "/");
	eb_buf_init(&out, EB_MAX_TEXT);
	for (size_t i = 0; i < part.n; i++) {
		if (!strcmp(part.v[i], "..")) {
			if (!kept.n) {
				eb_buf_release(&out);
				return NULL;
			}
			free(kept.v[--kept.n]);
			kept.v[kept.n] = NULL;
		} else if (*part.v[i] && strcmp(part.v[i], ".")) {
			eb_strv_add(&kept, part.v[i]);
		}
	}
	for (size_t i = 0; i < kept.n; i++)
		eb_buf_addf(&out, "%s%s", i ? "/" : "", kept.v[i]);
	return eb_buf_steal(&out, NULL);
}

const struct eb_entry *eb_source_of(const struct eb_entries *paths,
				    const struct eb_entry *e)
{
	for (int hop = 0; e && hop < HOPS; hop++) {
		eb_autofree char *next = NULL;

		if (e->type == EB_ENTRY_FILE)
			return e;
		if (e->type != EB_ENTRY_LINK || !e->target)
			return NULL;
		next = *e->target == '/' ? eb_strdup(e->target + 1)
					 : beside(e->path, e->target);
		e = next ? eb_entries_find(paths, next) : NULL;
	}
	return NULL;
}

void eb_linked_sources(const struct eb_entries *paths, const char *library,
		       struct eb_strv *out)
{
	for (size_t i = 0; i < paths->n; i++) {
		const struct eb_entry *e = &paths->entry[i], *file;

		if (e->type != EB_ENTRY_LINK || !eb_ends(e->path, ".py") ||
		    !eb_in_library(e->path, library))
			continue;
		file = eb_source_of(paths, e);
		if (file)
			eb_strv_add(out, file->path);
	}
	eb_strv_sort(out);
	eb_strv_unique(out);
}
