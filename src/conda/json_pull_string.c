/* SPDX-License-Identifier: Apache-2.0 */
/* Strings of the pull reader: mostly a piece of the window as it stands. */
#include <envbuild/str.h>

#include "json_pull_int.h"

/* What ends a run of plain bytes: a quote, a backslash, a control. Bytes
 * above 127 are plain, but the text has to be looked at then. */
static bool is_stop(unsigned char c)
{
	return c == '"' || c == '\\' || c < 0x20;
}

/* The end of the run that begins at `p`; *high when a byte is above 127. */
static const char *run_end(const char *p, const char *end, bool *high)
{
	unsigned char all = 0;

	while (p < end && !is_stop((unsigned char)*p))
		all |= (unsigned char)*p++;
	*high |= all > 127;
	return p;
}

static int too_long(struct eb_json_pull *j)
{
	return eb_json_fail(j, "a string of more than 1 MiB");
}

/* --- escapes --------------------------------------------------------- */

static int hex4(struct eb_json_pull *j, unsigned *value)
{
	*value = 0;
	for (int i = 0; i < 4; i++) {
		int c = eb_json_byte(j), lower = c | 32;

		if (c < 0)
			return -1;
		if (c >= '0' && c <= '9')
			*value = *value << 4 | (unsigned)(c - '0');
		else if (lower >= 'a' && lower <= 'f')
			*value = *value << 4 | (unsigned)(lower - 'a' + 10);
		else
			return eb_json_fail(j, "a \\u without four hex digits");
	}
	return 0;
}

static void add_utf8(struct eb_buf *b, unsigned c)
{
	if (c < 0x80) {
		eb_buf_addch(b, (char)c);
		return;
	}
	if (c < 0x800) {
		eb_buf_addch(b, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			eb_buf_addch(b, (char)(0xe0 | c >> 12));
		} else {
			eb_buf_addch(b, (char)(0xf0 | c >> 18));
			eb_buf_addch(b, (char)(0x80 | (c >> 12 & 63)));
		}
		eb_buf_addch(b, (char)(0x80 | (c >> 6 & 63)));
	}
	eb_buf_addch(b, (char)(0x80 | (c & 63)));
}

static int unicode(struct eb_json_pull *j)
{
	unsigned c, low;

	if (hex4(j, &c) < 0)
		return -1;
	if (!c)
		return eb_json_fail(j, "a NUL in a string");
	if (c >= 0xd800 && c < 0xdc00) {
		if (eb_json_byte(j) != '\\' || eb_json_byte(j) != 'u')
			return eb_json_fail(j, "half of a surrogate pair");
		if (hex4(j, &low) < 0)
			return -1;
		if (low < 0xdc00 || low > 0xdfff)
			return eb_json_fail(j, "half of a surrogate pair");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	} else if (c >= 0xdc00 && c < 0xe000) {
		return eb_json_fail(j, "half of a surrogate pair");
	}
	add_utf8(&j->scratch, c);
	return 0;
}

static int escape(struct eb_json_pull *j)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c = eb_json_byte(j);

	if (c < 0)
		return -1;
	if (c == 'u')
		return unicode(j);
	for (size_t i = 0; from[i]; i++)
		if (from[i] == c) {
			eb_buf_addch(&j->scratch, to[i]);
			return 0;
		}
	return eb_json_fail(j, "an unknown escape");
}

/* --- strings --------------------------------------------------------- */

static int finish(struct eb_json_pull *j, struct eb_json_text *text, bool high)
{
	if (high && !eb_utf8_valid(text->p, text->n))
		return eb_json_fail(j, "a string that is not UTF-8");
	return 0;
}

/* The general way: piece by piece into the scratch buffer. */
static int gather(struct eb_json_pull *j, struct eb_json_text *text)
{
	bool high = false;

	eb_buf_reset(&j->scratch);
	for (;;) {
		const char *from = j->p;
		int c;

		j->p = run_end(from, j->end, &high);
		eb_buf_add(&j->scratch, from, (size_t)(j->p - from));
		c = eb_json_byte(j);
		if (c < 0)
			return -1;
		if (c == '"')
			break;
		if (c == '\\') {
			if (escape(j) < 0)
				return -1;
		} else if (is_stop((unsigned char)c)) {
			return eb_json_fail(j, "a control in a string");
		} else {
			j->p--; /* the window is a new one */
		}
		if (j->scratch.overflow)
			return too_long(j);
	}
	if (j->scratch.overflow)
		return too_long(j);
	text->p = j->scratch.data;
	text->n = j->scratch.len;
	return finish(j, text, high);
}

int eb_json_string(struct eb_json_pull *j, struct eb_json_text *text)
{
	bool high = false;
	const char *from, *to;

	if (eb_json_peek(j) != '"')
		return eb_json_fail(j, "no string");
	from = ++j->p;
	to = run_end(from, j->end, &high);
	if (to == j->end || *to != '"')
		return gather(j, text);
	j->p = to + 1;
	text->p = from;
	text->n = (size_t)(to - from);
	return finish(j, text, high);
}
