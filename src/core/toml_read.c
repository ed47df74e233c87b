/* SPDX-License-Identifier: Apache-2.0 */
/* Reading TOML, character by character: blanks, comments, ends of lines, and
 * where a mistake is. */
#include <stdarg.h>
#include <string.h>

#include "toml_int.h"

/* Columns are characters, not bytes. */
static void place(struct eb_toml *t, const char *at)
{
	unsigned line = 1, column = 1;

	for (const char *p = t->text; p < at; p++) {
		if (*p == '\n') {
			line++;
			column = 1;
		} else if ((*p & 0xc0) != 0x80) {
			column++;
		}
	}
	eb_err_at(t->err, t->name, line, column);
}

int eb_toml_bad(struct eb_toml *t, const char *at, const char *fmt, ...)
{
	EB_AUTOBUF(what, EB_MAX_CONFIG);
	va_list ap;

	va_start(ap, fmt);
	eb_buf_vaddf(&what, fmt, ap);
	va_end(ap);
	eb_err_set(t->err, EB_INPUT, "\"%s\", reading as TOML: %s", t->name,
		   what.data);
	place(t, at);
	return -1;
}

bool eb_toml_at(const struct eb_toml *t, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(t->end - t->p) >= n && !memcmp(t->p, text, n);
}

bool eb_toml_take(struct eb_toml *t, const char *text)
{
	if (!eb_toml_at(t, text))
		return false;
	t->p += strlen(text);
	return true;
}

bool eb_toml_is_plain(char c)
{
	return ((unsigned char)c >= 0x20 && c != 0x7f) || c == '\t';
}

void eb_toml_blanks(struct eb_toml *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
		t->p++;
}

static bool end_of_line(struct eb_toml *t)
{
	return eb_toml_take(t, "\n") || eb_toml_take(t, "\r\n");
}

/* Up to what ends the line. */
static void comment(struct eb_toml *t)
{
	if (!eb_toml_at(t, "#"))
		return;
	while (t->p < t->end && eb_toml_is_plain(*t->p))
		t->p++;
}

int eb_toml_end_of_line(struct eb_toml *t)
{
	bool cut;

	eb_toml_blanks(t);
	cut = eb_toml_at(t, "#");
	comment(t);
	if (t->p == t->end || end_of_line(t))
		return 0;
	if (cut)
		return eb_toml_bad(t, t->p, "a control character in a comment");
	return eb_toml_bad(t, t->p, "the line should end here");
}

int eb_toml_lines(struct eb_toml *t)
{
	for (;;) {
		eb_toml_blanks(t);
		if (eb_toml_at(t, "#")) {
			if (eb_toml_end_of_line(t) < 0)
				return -1;
			continue;
		}
		if (!end_of_line(t))
			return 0;
	}
}
