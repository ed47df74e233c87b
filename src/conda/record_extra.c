/* SPDX-License-Identifier: Apache-2.0 */
/* What v3 records have more: groups of optional dependencies, flags. */
#include <string.h>

#include <envbuild/record.h>

#define WORD "abcdefghijklmnopqrstuvwxyz0123456789_"

bool eb_is_extra(const char *name)
{
	size_t n = strspn(name, WORD ".+-");

	return n && n <= 64 && !name[n];
}

bool eb_is_flag(const char *flag, bool globs)
{
	const char *bytes = globs ? WORD "*" : WORD;
	size_t n = strspn(flag, bytes);

	if (!n || !flag[n])
		return n;
	if (flag[n] != ':')
		return false;
	flag += n + 1;
	n = strspn(flag, bytes);
	return n && !flag[n];
}

const struct eb_extra *eb_record_extra(const struct eb_record *r,
				       const char *name)
{
	for (size_t i = 0; i < r->n_extras; i++)
		if (!strcmp(r->extra[i].name, name))
			return &r->extra[i];
	return NULL;
}
