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
	return eb_asprintf("%s/lib/python%s", prefix + 1, python_minor);
}

const char *eb_in_library(const char *path, const char *library)
{
	size_t n = strlen(library);

	if (strncmp(path, library, n) != 0)
		return NULL;
	path += n + (path[n] == 't');
	return *path == '/' ? path + 1 : NULL;
}

char *eb_bytecode_place(const char *source, const char *python_minor)
{
	const char *slash = strrchr(source, '/');
	const char *name = slash ? slash + 1 : source;
	eb_autofree char *tag = eb_cache_tag(python_minor);

	if (eb_starts(python_minor, "2."))
		return eb_asprintf("%sc", source);
	return eb_asprintf("%.*s__pycache__/%.*s.%s.pyc", (int)(name - source),
			   source, (int)strlen(name) - 3, name, tag);
}

/* NULL when it is no source (a file, or a link that leads to one) below the
 * library. */
static char *path_beside(const struct eb_entry *e, const char *library,
			 const char *python_minor)
{
	const char *slash = strrchr(e->path, '/');

	if (e->type == EB_ENTRY_DIR || !slash ||
	    !eb_in_library(e->path, library) || !eb_ends(e->path, ".py") ||
	    strlen(slash) < 5)
		return NULL;
	return eb_bytecode_place(e->path, python_minor);
}

/* What a package ships itself stays as it is. */
char *eb_bytecode_path(const struct eb_entries *paths, const struct eb_entry *e,
		       const char *library, const char *python_minor)
{
	eb_autofree char *path = path_beside(e, library, python_minor);

	if (!path || eb_entries_find(paths, path) || !eb_source_of(paths, e))
		return NULL;
	return eb_steal(path);
}

bool eb_bytecode_wanted(const struct eb_entries *payload, const char *prefix,
			const char *python_minor)
{
	eb_autofree char *library = eb_python_library(prefix, python_minor);
	size_t k;

	for (k = 0; k < payload->n; k++) {
		eb_autofree char *path = eb_bytecode_path(
			payload, &payload->entry[k], library, python_minor);

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
