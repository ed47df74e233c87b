/* SPDX-License-Identifier: Apache-2.0 */
/* Bytecode: of which files, its names, its key. */
#include <stdlib.h>
#include <string.h>

#include <envbuild/str.h>

#include "interpreter.h"

/* Raised when the same interpreter would be made to write other bytes. */
#define EPOCH 2

char *eb_cache_tag(const char *python_minor)
{
	char *tag = eb_asprintf("cpython-%s", python_minor), *dot;

	for (dot = strchr(tag, '.'); dot; dot = strchr(dot, '.'))
		memmove(dot, dot + 1, strlen(dot));
	return tag;
}

char *eb_python_library(const char *prefix, const char *python_minor)
{
	return eb_asprintf("%s/lib/python%s/", prefix + 1, python_minor);
}

/* x/y.py -> x/__pycache__/y.cpython-37.pyc; NULL when it is no source (a file,
 * or a link that leads to one) below the library. */
static char *path_beside(const struct eb_entry *e, const char *library,
			 const char *tag)
{
	const char *slash = strrchr(e->path, '/');

	if (e->type == EB_ENTRY_DIR || !slash || !eb_starts(e->path, library) ||
	    !eb_ends(e->path, ".py") || strlen(slash) < 5)
		return NULL;
	return eb_asprintf("%.*s/__pycache__/%.*s.%s.pyc",
			   (int)(slash - e->path), e->path,
			   (int)(strlen(slash) - 4), slash + 1, tag);
}

/* What a package ships itself stays as it is. */
char *eb_bytecode_path(const struct eb_entries *paths, const struct eb_entry *e,
		       const char *library, const char *tag)
{
	eb_autofree char *path = path_beside(e, library, tag);

	if (!path || eb_entries_find(paths, path) || !eb_source_of(paths, e))
		return NULL;
	return eb_steal(path);
}

bool eb_bytecode_wanted(const struct eb_entries *payload, const char *prefix,
			const char *python_minor)
{
	eb_autofree char *library = eb_python_library(prefix, python_minor);
	eb_autofree char *tag = eb_cache_tag(python_minor);
	size_t k;

	for (k = 0; k < payload->n; k++) {
		eb_autofree char *path = eb_bytecode_path(
			payload, &payload->entry[k], library, tag);

		if (path)
			return true;
	}
	return false;
}

void eb_bytecode_key(const struct eb_digest *payload_key,
		     const struct eb_digest *interpreter, struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "bytecode");
	eb_key_u64(&k, EPOCH);
	eb_key_digest(&k, payload_key);
	eb_key_digest(&k, interpreter);
	eb_key_end(&k, key);
}
