/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pip itself, and easy_install, come under names that hold the version of
 * Python, whatever versions their wheel names (facts 4.5).
 */
#include <ctype.h>
#include <string.h>

#include "wheel_int.h"

/* digits(.digits)? to the end */
static bool is_number(const char *s, bool needs_dot)
{
	size_t n = strspn(s, "0123456789"), m;

	if (!n || (!s[n] && !needs_dot))
		return n > 0;
	if (s[n] != '.')
		return false;
	m = strspn(s + n + 1, "0123456789");
	return m && !s[n + 1 + m];
}

static bool is_versioned(const char *command, const char *base)
{
	size_t n = strlen(base);

	if (!eb_starts(command, base))
		return false;
	return is_number(command + n, command[n - 1] == '-');
}

static void add(struct eb_wheel_points *to, const char *command,
		const struct eb_wheel_point *p)
{
	EB_GROW(to->point, to->n, to->alloc);
	to->point[to->n++] =
		(struct eb_wheel_point){ .command = eb_strdup(command),
					 .module = eb_strdup(p->module),
					 .function = eb_strdup(p->function) };
}

static void add_named(struct eb_wheel_points *to, const char *before,
		      const char *version, const struct eb_wheel_point *p)
{
	eb_autofree char *command = eb_asprintf("%s%s", before, version);

	add(to, command, p);
}

static int by_command(const void *a, const void *b)
{
	const struct eb_wheel_point *x = a, *y = b;

	return strcmp(x->command, y->command);
}

void eb_wheel_points_for(const struct eb_wheel_points *from,
			 const char *python_minor, struct eb_wheel_points *to)
{
	eb_autofree char *major =
		eb_strndup(python_minor, strcspn(python_minor, "."));
	bool pip = eb_wheel_points_have(from, "pip");
	bool easy = eb_wheel_points_have(from, "easy_install");

	*to = (struct eb_wheel_points){ 0 };
	for (size_t i = 0; i < from->n; i++) {
		const struct eb_wheel_point *p = &from->point[i];

		if ((pip && is_versioned(p->command, "pip")) ||
		    (easy && is_versioned(p->command, "easy_install-")))
			continue;
		add(to, p->command, p);
		if (strcmp(p->command, "pip") == 0) {
			add_named(to, "pip", major, p);
			add_named(to, "pip", python_minor, p);
		}
		if (strcmp(p->command, "easy_install") == 0)
			add_named(to, "easy_install-", python_minor, p);
	}
	if (to->n)
		qsort(to->point, to->n, sizeof *to->point, by_command);
}
