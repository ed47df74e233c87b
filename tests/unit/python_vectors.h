/* SPDX-License-Identifier: Apache-2.0 */
/* The tables below $ENVBUILD_DATA/python that the reference made, row by row:
 * tab separated, the first line names the fields, \\ \t \n \r escaped. */
#ifndef TEST_PYTHON_VECTORS_H
#define TEST_PYTHON_VECTORS_H

#include "vectors.h"

#include <envbuild/buf.h>
#include <envbuild/error.h>
#include <envbuild/file.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define N(list) (sizeof(list) / sizeof *(list))

static inline void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
			*to++ = *s == 'n'   ? '\n'
				: *s == 't' ? '\t'
				: *s == 'r' ? '\r'
					    : *s;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

typedef bool table_fn(const struct eb_strv *row);

/* Every row but the first one; all that differ are named. Skipped, said, when
 * the table is not here. */
static inline void each_vector(const char *name, size_t least, table_fn *fn)
{
	eb_autofree char *below = eb_asprintf("python/vectors/%s", name);
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(text, EB_MAX_METADATA);
	AUTOERR(err);
	size_t n = 0, bad = 0;

	NEED_DATA(path, below);
	assert_int_equal(eb_read_file(path, EB_MAX_METADATA, &text, &err), 0);
	eb_strv_split(&lines, text.data, "\n");
	for (size_t i = 1; i < lines.n; i++) {
		struct eb_strv row EB_CLEANUP(eb_strv_release) = { 0 };

		if (!*lines.v[i] && i + 1 == lines.n)
			continue;
		eb_strv_split(&row, lines.v[i], "\t");
		for (size_t k = 0; k < row.n; k++)
			unescape(row.v[k]);
		n++;
		if (!fn(&row)) {
			print_message("%s:%zu: %s\n", name, i + 1, lines.v[i]);
			bad++;
		}
	}
	print_message("%s: %zu rows, %zu differ\n", name, n, bad);
	assert_int_equal(bad, 0);
	assert_true(n >= least);
}

static inline char *joined(const struct eb_strv *v, const char *between)
{
	EB_AUTOBUF(out, EB_MAX_METADATA);

	for (size_t i = 0; i < v->n; i++)
		eb_buf_addf(&out, "%s%s", i ? between : "", v->v[i]);
	return eb_buf_steal(&out, NULL);
}

static inline bool same_text(const char *got, const char *wanted)
{
	bool equal = strcmp(got ? got : "", wanted) == 0;

	if (!equal)
		print_message("got \"%s\", not \"%s\"\n", got ? got : "",
			      wanted);
	return equal;
}

#endif
