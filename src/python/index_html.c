/* SPDX-License-Identifier: Apache-2.0 */
/* Pages in HTML (PEP 503): a reader of start tags that takes what browsers
 * take and never looks outside its text. */
#include "index_int.h"

#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>

struct scan {
	const char *p, *end;
};

static bool is_space(char c)
{
	return c && strchr(" \t\r\n\f", c);
}

static void skip_space(struct scan *s)
{
	while (s->p < s->end && is_space(*s->p))
		s->p++;
}

static bool at_text(const struct scan *s, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(s->end - s->p) >= n && !strncasecmp(s->p, text, n);
}

/* Behind the next `text`, or to the end. */
static void skip_behind(struct scan *s, const char *text)
{
	size_t n = strlen(text);

	while (s->p < s->end && !at_text(s, text)) {
		const char *next =
			memchr(s->p + 1, *text, (size_t)(s->end - s->p - 1));

		s->p = next ? next : s->end;
	}
	s->p = (size_t)(s->end - s->p) >= n ? s->p + n : s->end;
}

/* ---- tags -----------------------------------------------------------------
 */

/* Lower case; "" when it does not fit. */
static void take_name(struct scan *s, char *out, size_t size, const char *stop)
{
	size_t n = 0;

	while (s->p < s->end && !is_space(*s->p) &&
	       !memchr(stop, *s->p, strlen(stop))) {
		if (n < size)
			out[n] = (char)tolower((unsigned char)*s->p);
		n++;
		s->p++;
	}
	out[n < size ? n : 0] = '\0';
}

/* "" when it is too long or has a NUL in it. */
static char *take_value(struct scan *s)
{
	const char *from = s->p;
	size_t n;
	char *value;

	if (*s->p == '"' || *s->p == '\'') {
		const char *close =
			memchr(s->p + 1, *s->p, (size_t)(s->end - s->p - 1));

		from++;
		n = (size_t)((close ? close : s->end) - from);
		s->p = close ? close + 1 : s->end;
	} else {
		while (s->p < s->end && !is_space(*s->p) && *s->p != '>')
			s->p++;
		n = (size_t)(s->p - from);
	}
	if (n > EB_HTML_VALUE || memchr(from, '\0', n))
		return eb_strdup("");
	value = eb_strndup(from, n);
	eb_html_unescape(value);
	return value;
}

/* Of two with one name the later one holds. */
static void put_attribute(struct eb_html_tag *tag, const char *name,
			  char *value)
{
	unsigned i = 0;

	while (i < tag->n && strcmp(tag->attribute[i].name, name))
		i++;
	if (!*name || i == EB_HTML_ATTRIBUTES) {
		free(value);
		return;
	}
	if (i == tag->n) {
		strcpy(tag->attribute[i].name, name);
		tag->attribute[tag->n++].value = NULL;
	}
	free(tag->attribute[i].value);
	tag->attribute[i].value = value;
}

static void take_attributes(struct scan *s, struct eb_html_tag *tag)
{
	char name[sizeof tag->attribute[0].name];

	for (;;) {
		char *value;

		skip_space(s);
		if (s->p == s->end || *s->p == '>')
			break;
		if (*s->p == '/' || *s->p == '=') {
			s->p++;
			continue;
		}
		take_name(s, name, sizeof name, "=/>");
		skip_space(s);
		if (s->p < s->end && *s->p == '=') {
			s->p++;
			skip_space(s);
			if (s->p == s->end)
				break;
			value = take_value(s);
		} else {
			value = eb_strdup("");
		}
		put_attribute(tag, name, value);
	}
	s->p += s->p < s->end;
}

/* Text in which "<" says nothing. */
static void skip_content(struct scan *s, const char *name)
{
	if (!strcmp(name, "script"))
		skip_behind(s, "</script");
	else if (!strcmp(name, "style"))
		skip_behind(s, "</style");
}

/* What begins with "<" and is no start tag; false: it is one. */
static bool skip_other(struct scan *s)
{
	char next = s->end - s->p < 2 ? ' ' : s->p[1];

	if (isalpha((unsigned char)next))
		return false;
	if (next != '!' && next != '?' && next != '/') {
		s->p++;
	} else if (at_text(s, "<!-->") || at_text(s, "<!--->")) {
		skip_behind(s, ">");
	} else if (at_text(s, "<!--")) {
		s->p += 4;
		skip_behind(s, "-->");
	} else {
		skip_behind(s, ">");
	}
	return true;
}

bool eb_html_next(const char *text, size_t len, size_t *at,
		  struct eb_html_tag *tag)
{
	struct scan s = { text + *at, text + len };

	eb_html_tag_release(tag);
	while (s.p < s.end) {
		s.p = memchr(s.p, '<', (size_t)(s.end - s.p));
		if (!s.p)
			break;
		if (skip_other(&s))
			continue;
		s.p++;
		take_name(&s, tag->name, sizeof tag->name, "/>");
		take_attributes(&s, tag);
		skip_content(&s, tag->name);
		*at = (size_t)(s.p - text);
		return true;
	}
	*at = len;
	return false;
}

const char *eb_html_attribute(const struct eb_html_tag *tag, const char *name)
{
	for (unsigned i = 0; i < tag->n; i++)
		if (!strcmp(tag->attribute[i].name, name))
			return tag->attribute[i].value;
	return NULL;
}

void eb_html_tag_release(struct eb_html_tag *tag)
{
	while (tag->n)
		free(tag->attribute[--tag->n].value);
	*tag->name = '\0';
}
