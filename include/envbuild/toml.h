/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOML 1.0 as a tree of JSON values: what pylock.toml, pyproject.toml and a
 * resolver's answers are written in.
 *
 * Tables are objects, arrays arrays, integers JSON integers (64 bits; others
 * are refused), floats reals, dates and times strings as they stand; so are
 * inf, nan and floats beyond what a double holds, which JSON has no numbers
 * for. An escaped NUL is refused, as in JSON. A byte order mark is skipped.
 */
#ifndef EB_TOML_H
#define EB_TOML_H

#include <jansson.h>
#include <stddef.h>

#include <envbuild/error.h>

#define EB_TOML_DEPTH 64 /* nested arrays and tables */

/* NULL: EB_INPUT with file:line:column. `name` is the file's, for messages;
 * the text has to be UTF-8. Time and memory are in proportion to `len`, which
 * the caller bounds. */
json_t *eb_toml_parse(const char *text, size_t len, const char *name,
		      struct eb_error *err);

#endif
