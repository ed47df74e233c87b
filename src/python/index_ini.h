/* SPDX-License-Identifier: Apache-2.0 */
/* Files as Python's configparser reads them (its RawConfigParser, as pip uses
 * it): sections, "key = value" or "key: value", values over several indented
 * lines, whole-line comments, [DEFAULT] for all sections. */
#ifndef EB_INDEX_INI_H
#define EB_INDEX_INI_H

#include <stddef.h>

#include <envbuild/error.h>
#include <envbuild/str.h>

struct eb_ini_item {
	char *section, *key, *value; /* key in lower case */
	unsigned line;
};
struct eb_ini {
	struct eb_strv section; /* in their order, without DEFAULT */
	struct eb_ini_item *item;
	size_t n, alloc;
};

/* EB_INPUT with the place in `name`. */
int eb_ini_parse(const char *text, size_t len, const char *name,
		 struct eb_ini *out, struct eb_error *err);
/* The n-th item of a section, [DEFAULT]'s first, as an assignment of the
 * section's own over them; NULL behind the last. */
const struct eb_ini_item *eb_ini_item(const struct eb_ini *ini,
				      const char *section, size_t n);
void eb_ini_release(struct eb_ini *ini); /* overwrites the values */

#endif
