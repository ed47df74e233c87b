/* SPDX-License-Identifier: Apache-2.0 */
/* Header fields of WHEEL, METADATA and PKG-INFO: lines "Name: value" up to the
 * first empty one; a line that begins with white space goes on. */
#include <string.h>
#include <strings.h>

#include "wheel_int.h"

struct cursor {
	const char *at, *end;
};

/* The next line without its end; false at the end of the headers. */
static bool next_line(struct cursor *c, const char **line, size_t *n)
{
	const char *nl;

	if (c->at == c->end)
		return false;
	nl = memchr(c->at, '\n', (size_t)(c->end - c->at));
	*line = c->at;
	*n = (size_t)((nl ? nl : c->end) - c->at);
	c->at = nl ? nl + 1 : c->end;
	if (*n && (*line)[*n - 1] == '\r')
		--*n;
	return *n > 0;
}

static bool is_field(const char *line, size_t n, const char *field)
{
	size_t len = strlen(field);

	return n > len && line[len] == ':' &&
	       strncasecmp(line, field, len) == 0;
}

static bool goes_on(const struct cursor *c)
{
	return c->at < c->end && (*c->at == ' ' || *c->at == '\t');
}

char *eb_wheel_header(const char *text, size_t len, const char *field)
{
	struct cursor c = { text, text + len };
	size_t skip = strlen(field) + 1, n;
	const char *line;
	EB_AUTOBUF(value, EB_MAX_METADATA);

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		c.at += 3;
	while (next_line(&c, &line, &n)) {
		if (!is_field(line, n, field))
			continue;
		eb_buf_add(&value, line + skip, n - skip);
		while (goes_on(&c) && next_line(&c, &line, &n))
			eb_buf_add(&value, line, n);
		eb_strip(value.data);
		return eb_strdup(value.data);
	}
	return NULL;
}
