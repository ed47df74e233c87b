/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markers of pylock.toml may ask what was chosen: `'test' in extras`, `'dev'
 * in dependency_groups`. Nothing is chosen here but the lock's default groups,
 * so these questions are answered, and what is left is a marker as usual.
 */
#include <string.h>

#include <envbuild/json.h>

#include "pylock_int.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

static const char *blanks(const char *p)
{
	return p + strspn(p, " \t");
}

static bool take(const char **p, const char *word)
{
	const char *at = blanks(*p);
	size_t n = strlen(word);

	if (strncmp(at, word, n) || is_word(at[n]))
		return false;
	*p = at + n;
	return true;
}

static bool is_group(const json_t *groups, const char *name, size_t n)
{
	size_t i;
	const json_t *g;

	json_array_foreach (groups, i, g) {
		const char *s = json_string_value(g);

		if (s && strlen(s) == n && strncmp(s, name, n) == 0)
			return true;
	}
	return false;
}

/* `p` is at a quote: where the question ends, or NULL when it is none. */
static const char *question(const char *p, const json_t *groups, bool *answer)
{
	const char *end = strchr(p + 1, *p), *rest;
	bool no;

	if (!end)
		return NULL;
	rest = end + 1;
	no = take(&rest, "not");
	if (!take(&rest, "in"))
		return NULL;
	if (take(&rest, "extras"))
		*answer = no;
	else if (take(&rest, "dependency_groups"))
		*answer = is_group(groups, p + 1, (size_t)(end - p) - 1) != no;
	else
		return NULL;
	return rest;
}

char *eb_pylock_marker(const char *marker, const json_t *groups)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);
	const char *p = marker;

	while (*p) {
		const char *end = NULL;
		bool answer = false;

		if (*p == '"' || *p == '\'') {
			end = question(p, groups, &answer);
			if (end) {
				eb_buf_adds(&out, answer ? "os_name == 'posix'"
							 : "os_name == ''");
				p = end;
				continue;
			}
			end = strchr(p + 1, *p);
		}
		end = end ? end + 1 : p + 1;
		eb_buf_add(&out, p, (size_t)(end - p));
		p = end;
	}
	return eb_buf_steal(&out, NULL);
}
