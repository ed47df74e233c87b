/* SPDX-License-Identifier: Apache-2.0 */
/* Where a link in a source distribution leads. */
#include <string.h>

#include "sdist_int.h"

#define TARGET_MAX 4095

static unsigned folders_above(const char *path)
{
	unsigned n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* A component ".." of `n` bytes. */
static bool is_up(const char *p, size_t n)
{
	return n == 2 && p[0] == '.' && p[1] == '.';
}

bool eb_sdist_link_stays(const char *path, const char *target)
{
	unsigned above = folders_above(path);
	bool named = false;
	size_t n;

	if (!*target || *target == '/' || strlen(target) > TARGET_MAX ||
	    !eb_utf8_valid(target, strlen(target)))
		return false;
	for (const char *p = target; *p; p += n + strspn(p + n, "/")) {
		n = strcspn(p, "/");
		if (n == 1 && *p == '.')
			continue;
		if (!is_up(p, n))
			named = true;
		else if (named || !above--)
			return false;
	}
	return true;
}
