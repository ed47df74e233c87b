/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of real data below $ENVBUILD_DATA, read row by row. */
#ifndef TEST_VECTORS_H
#define TEST_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

/* The path of a file below the data folder; NULL, said, when it is missing.
 * Caller frees. */
static inline char *data_path(const char *name)
{
	const char *folder = getenv("ENVBUILD_DATA");
	char *path = eb_asprintf("%s/%s", folder ? folder : "", name);

	if (folder && access(path, R_OK) == 0)
		return path;
	print_message("ENVBUILD_DATA: \"%s\" is missing\n", name);
	free(path);
	return NULL;
}

#define NEED_DATA(path, name)                     \
	eb_autofree char *path = data_path(name); \
	if (!path)                                \
	skip()

/* A JSON string's text; caller frees. */
static inline char *unquoted(const char *cell)
{
	json_t *j = json_loads(cell, JSON_DECODE_ANY, NULL);
	char *text;

	assert_true(json_is_string(j));
	text = eb_strdup(json_string_value(j));
	json_decref(j);
	return text;
}

typedef void row_fn(const struct eb_strv *cells, void *data);

/* Each row of a TSV file but those that begin with "#"; their number. */
static inline size_t each_row(const char *path, row_fn *fn, void *data)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t alloc = 0, n = 0;
	struct eb_strv cells = { 0 };

	assert_non_null(f);
	while (getline(&line, &alloc, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '#')
			continue;
		eb_strv_split(&cells, line, "\t");
		fn(&cells, data);
		eb_strv_release(&cells);
		n++;
	}
	free(line);
	fclose(f);
	return n;
}

static inline json_t *load_json(const char *path)
{
	json_t *j = json_load_file(path, 0, NULL);

	assert_non_null(j);
	return j;
}

static inline const char *text_of(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	assert_non_null(s);
	return s;
}

#endif
