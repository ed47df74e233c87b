/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a wheel's METADATA requires (Requires-Dist, core metadata 2.1). Old
 * wheels have lines there that nobody can read, and are installed by pip all
 * the same; a marker that is nested without end is no accident.
 */
#include <string.h>
#include <strings.h>

#include "marker.h"
#include "wheel_int.h"

#define FIELD "Requires-Dist:"

struct lines {
	const char *at, *end;
	unsigned number; /* of the last one, from 1 */
};

/* The next line of the headers without its end; false behind them. */
static bool next_line(struct lines *l, const char **line, size_t *n)
{
	const char *nl;

	if (l->at >= l->end)
		return false;
	nl = memchr(l->at, '\n', (size_t)(l->end - l->at));
	*line = l->at;
	*n = (size_t)((nl ? nl : l->end) - l->at);
	l->at = nl ? nl + 1 : l->end;
	l->number++;
	return *n > 0 && **line != '\r';
}

/* A marker so far: what stands in quotes does not count. */
struct nesting {
	bool begun; /* behind the first ';' */
	char quote; /* that is open, or 0 */
	unsigned depth;
};

static bool is_too_deep(struct nesting *s, const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = line[i];

		if (!s->begun) {
			s->begun = c == ';';
		} else if (s->quote) {
			s->quote = c == s->quote ? 0 : s->quote;
		} else if (c == '"' || c == '\'') {
			s->quote = c;
		} else if (c == '(') {
			if (++s->depth > EB_MARKER_DEPTH)
				return true;
		} else if (c == ')' && s->depth) {
			s->depth--;
		}
	}
	return false;
}

int eb_wheel_check_requires(const struct eb_wheel *w, struct eb_error *err)
{
	struct lines l = { w->metadata, w->metadata + w->metadata_len, 0 };
	struct nesting s = { 0 };
	bool in_field = false;
	unsigned field = 0;
	const char *line;
	size_t n;

	while (next_line(&l, &line, &n)) {
		if (*line != ' ' && *line != '\t') {
			s = (struct nesting){ 0 };
			in_field = n >= strlen(FIELD) &&
				   !strncasecmp(line, FIELD, strlen(FIELD));
			field = l.number;
		}
		if (in_field && is_too_deep(&s, line, n))
			return eb_wheel_bad(
				w, err,
				"requires something by a marker that is more "
				"than %d parentheses deep, in line %u of its "
				"METADATA",
				EB_MARKER_DEPTH, field);
	}
	return 0;
}
