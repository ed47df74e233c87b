/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of a .gitignore: one a line, "#" comments, "!" takes back, a "/" at
 * the end means folders only, one elsewhere ties the rule to its folder; `*`,
 * `?` and [...] stay within a name, `**` goes across. The last rule that
 * matches holds, an inner folder's before an outer one's.
 */
#include <string.h>

#include "spec_pip_files.h"

#define MAX_RULES 10000
#define MAX_STEPS 20000 /* of one match, so that no rule takes for ever */

static char *without_blanks(char *line)
{
	size_t n = strlen(line);

	while (n &&
	       (line[n - 1] == '\r' || line[n - 1] == ' ' ||
		line[n - 1] == '\t') &&
	       !(n > 1 && line[n - 2] == '\\'))
		line[--n] = '\0';
	return line;
}

void eb_ignore_add(struct eb_ignore *ig, const char *text)
{
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.n && ig->rule.n < MAX_RULES; i++) {
		char *line = without_blanks(lines.v[i]);

		if (*line && *line != '#')
			eb_strv_add(&ig->rule, line);
	}
}

/* ---- patterns
 * ---------------------------------------------------------------------- */

/* [a-z], [!a-z] at `p`; behind it in *end. A "[" without "]" is itself. */
static bool in_class(const char *p, char c, const char **end)
{
	bool no = p[1] == '!' || p[1] == '^', hit = false;
	const char *q = p + 1 + no, *close;

	close = strchr(*q == ']' ? q + 1 : q, ']');
	if (!close) {
		*end = p + 1;
		return c == '[';
	}
	for (; q < close; q++) {
		if (*q == '\\' && q + 1 < close)
			q++;
		if (q + 2 < close && q[1] == '-') {
			hit |= (unsigned char)c >= (unsigned char)q[0] &&
			       (unsigned char)c <= (unsigned char)q[2];
			q += 2;
		} else {
			hit |= *q == c;
		}
	}
	*end = close + 1;
	return hit != no && c != '/';
}

static bool match(const char *p, const char *s, unsigned *steps);

/* "*" and "**" at `p` */
static bool match_star(const char *p, const char *s, unsigned *steps)
{
	bool across = p[1] == '*';

	while (*p == '*')
		p++;
	if (across && *p == '/' && match(p + 1, s, steps))
		return true;
	for (;; s++) {
		if (match(p, s, steps))
			return true;
		if (!*s || (*s == '/' && !across) || *steps > MAX_STEPS)
			return false;
	}
}

static bool match(const char *p, const char *s, unsigned *steps)
{
	for (; *p; s++) {
		if (++*steps > MAX_STEPS)
			return false;
		if (*p == '*')
			return match_star(p, s, steps);
		if (!*s)
			return false;
		if (*p == '[') {
			if (!in_class(p, *s, &p))
				return false;
			continue;
		}
		if (*p == '?'		 ? *s == '/'
		    : *p == '\\' && p[1] ? *++p != *s
					 : *p != *s)
			return false;
		p++;
	}
	return !*s;
}

/* ---- rules
 * ------------------------------------------------------------------------------
 */

/* `path` is relative to the folder of the rule. */
static bool rule_matches(const char *rule, const char *path, bool is_dir)
{
	size_t n = strlen(rule);
	bool folders = n && rule[n - 1] == '/';
	eb_autofree char *pattern = eb_strndup(rule, n - folders);
	bool tied = strchr(pattern, '/');
	const char *base = strrchr(path, '/');
	unsigned steps = 0;

	if (folders && !is_dir)
		return false;
	if (!tied)
		return match(pattern, base ? base + 1 : path, &steps);
	return match(pattern + (*pattern == '/'), path, &steps);
}

bool eb_ignore_matches(const struct eb_ignore *ig, const char *path,
		       bool is_dir)
{
	for (; ig; ig = ig->outer) {
		for (size_t i = ig->rule.n; i; i--) {
			const char *rule = ig->rule.v[i - 1];
			bool back = *rule == '!';

			if (rule_matches(rule + back, path + ig->base, is_dir))
				return !back;
		}
	}
	return false;
}

void eb_ignore_release(struct eb_ignore *ig)
{
	eb_strv_release(&ig->rule);
}
