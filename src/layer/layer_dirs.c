/* SPDX-License-Identifier: Apache-2.0 */
/* The directories of a layer: all that lie above its entries, and those that
 * a package wants though they are empty. */
#include <string.h>

#include "layer_priv.h"

/* Bytes of the path's directory with its final slash; 0 at the top. */
static size_t dir_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Those of the last path added, which lie above this one too, are there. */
static void add_above(struct eb_strv *dirs, const char *path, size_t n,
		      const char *last)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (path[i] == '/' && strncmp(path, last, i + 1) != 0)
			eb_strv_take(dirs, eb_strndup(path, i + 1));
}

static size_t own_length(const struct eb_entry *e, size_t *len)
{
	*len = strlen(e->path);
	return e->type == EB_ENTRY_DIR || e->type == EB_ENTRY_OPAQUE
		       ? *len
		       : dir_length(e->path);
}

void eb_dirs_add(struct eb_strv *dirs, const struct eb_entries *entries)
{
	const char *last = "";
	size_t i, n, len;

	for (i = 0; i < entries->n; i++) {
		const struct eb_entry *e = &entries->entry[i];

		n = own_length(e, &len);
		add_above(dirs, e->path, n, last);
		if (n == len)
			eb_strv_addf(dirs, "%s/", e->path);
		last = e->path;
	}
}
