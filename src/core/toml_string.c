/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of TOML: "basic", 'literal', and both over several lines. */
#include <string.h>

#include "toml_int.h"
#include "utf8.h"

struct kind {
	char quote;
	bool lines;
};

static int add(struct eb_toml *t, const char *from, size_t n)
{
	return eb_buf_add(&t->scratch, from, n);
}

/* ---- escapes ----------------------------------------------------------------
 */

/* The value of `digits` hexadecimal digits, -1 when they are none. */
static long hex(struct eb_toml *t, unsigned digits)
{
	long value = 0;

	if ((size_t)(t->end - t->p) < digits)
		return -1;
	for (unsigned i = 0; i < digits; i++) {
		char c = t->p[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

static int code_point(struct eb_toml *t, const char *at, unsigned digits)
{
	long code = hex(t, digits);
	char utf8[4];

	if (code < 0)
		return eb_toml_bad(t, at, "%u hexadecimal digits belong here",
				   digits);
	if (code == 0)
		return eb_toml_bad(t, at, "a NUL character is not taken");
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return eb_toml_bad(t, at, "there is no such character");
	t->p += digits;
	return add(t, utf8, eb_utf8_put(utf8, (unsigned long)code));
}

/* A backslash at the end of a line: white space is left out up to the next
 * other character. 1: so it was, 0: it was something else. */
static int line_ending(struct eb_toml *t)
{
	const char *start = t->p;
	bool seen = false;

	for (;;) {
		eb_toml_blanks(t);
		if (!eb_toml_take(t, "\n") && !eb_toml_take(t, "\r\n"))
			break;
		seen = true;
	}
	if (!seen)
		t->p = start;
	return seen;
}

/* Behind the backslash. */
static int escape(struct eb_toml *t, bool lines)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	const char *at = t->p - 1, *found;
	char c = t->p < t->end ? *t->p : '\0';

	if (lines && line_ending(t))
		return 0;
	t->p++;
	if (c == 'u' || c == 'U')
		return code_point(t, at, c == 'u' ? 4 : 8);
	found = c ? strchr(from, c) : NULL;
	if (!found)
		return eb_toml_bad(t, at,
				   "no such escape; a backslash itself is "
				   "written \\\\");
	return eb_buf_addch(&t->scratch, to[found - from]);
}

/* ---- the four kinds
 * -----------------------------------------------------------
 */

/* Quotes: 1: they end the text, 0: they belong to it. */
static int quotes(struct eb_toml *t, const struct kind *k)
{
	size_t n = 0, most = k->lines ? 5 : 1, least = k->lines ? 3 : 1;

	while (n < most && t->p + n < t->end && t->p[n] == k->quote)
		n++;
	add(t, t->p, n < least ? n : n - least);
	t->p += n;
	return n >= least;
}

static int unclosed(struct eb_toml *t, const char *start, const struct kind *k)
{
	if (t->p == t->end || *t->p == '\n' || eb_toml_at(t, "\r\n"))
		return eb_toml_bad(t, start, "the closing %s%c is missing",
				   k->lines ? "three " : "", k->quote);
	return eb_toml_bad(t, t->p, "a control character in a text");
}

/* What stands for itself, as much as there is. */
static void plain(struct eb_toml *t, const struct kind *k)
{
	const char *from = t->p;

	while (t->p < t->end && eb_toml_is_plain(*t->p) && *t->p != k->quote &&
	       (*t->p != '\\' || k->quote == '\''))
		t->p++;
	add(t, from, (size_t)(t->p - from));
}

static int body(struct eb_toml *t, const struct kind *k, const char *start)
{
	for (;;) {
		plain(t, k);
		if (t->p == t->end)
			return unclosed(t, start, k);
		if (*t->p == k->quote) {
			if (quotes(t, k))
				return 0;
		} else if (*t->p == '\\') {
			t->p++;
			if (escape(t, k->lines) < 0)
				return -1;
		} else if (k->lines &&
			   (eb_toml_take(t, "\n") || eb_toml_take(t, "\r\n"))) {
			eb_buf_addch(&t->scratch, '\n');
		} else {
			return unclosed(t, start, k);
		}
	}
}

int eb_toml_string(struct eb_toml *t, bool lines)
{
	const char *start = t->p;
	struct kind k = { *start,
			  eb_toml_at(t, "\"\"\"") || eb_toml_at(t, "'''") };

	if (k.lines && !lines)
		return eb_toml_bad(t, start,
				   "a text of several lines is no key");
	eb_buf_reset(&t->scratch);
	t->p += k.lines ? 3 : 1;
	if (k.lines && !eb_toml_take(t, "\n"))
		eb_toml_take(t, "\r\n");
	return body(t, &k, start);
}
