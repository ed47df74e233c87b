/* SPDX-License-Identifier: Apache-2.0 */
/* TOML as far as registries.conf needs it: tables, arrays of tables, keys,
 * strings of all four kinds, booleans; other values are read over. (TOML 1.0)
 */
#include <stdint.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "registries_conf.h"

#define DEPTH 32
#define MAX_TEXT ((size_t)64 << 10)

struct toml {
	const char *p, *end, *begin; /* of the line: for the column */
	const char *name;
	unsigned line;
	struct eb_error *err;
};

static int bad(struct toml *t, const char *what)
{
	eb_err_set(t->err, EB_INPUT, "\"%s\", reading: %s", t->name, what);
	return eb_err_at(t->err, t->name, t->line,
			 (unsigned)(t->p - t->begin) + 1);
}

static bool at(const struct toml *t, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(t->end - t->p) >= n && !memcmp(t->p, text, n);
}

static void new_line(struct toml *t)
{
	t->p++;
	t->line++;
	t->begin = t->p;
}

static void skip_space(struct toml *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
		t->p++;
}

static void skip_comment(struct toml *t)
{
	if (at(t, "#"))
		while (t->p < t->end && *t->p != '\n')
			t->p++;
}

/* White space, comments and ends of lines. */
static void skip_lines(struct toml *t)
{
	for (;;) {
		skip_space(t);
		skip_comment(t);
		if (at(t, "\r\n"))
			t->p++;
		if (!at(t, "\n"))
			return;
		new_line(t);
	}
}

static int end_of_line(struct toml *t)
{
	skip_space(t);
	skip_comment(t);
	if (at(t, "\r\n"))
		t->p++;
	if (t->p == t->end)
		return 0;
	if (*t->p != '\n')
		return bad(t, "the line should end here");
	new_line(t);
	return 0;
}

static void add_utf8(struct eb_buf *b, uint32_t c)
{
	if (c < 0x80) {
		eb_buf_addch(b, (char)c);
	} else if (c < 0x800) {
		eb_buf_addch(b, (char)(0xc0 | c >> 6));
		eb_buf_addch(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		eb_buf_addch(b, (char)(0xe0 | c >> 12));
		eb_buf_addch(b, (char)(0x80 | (c >> 6 & 0x3f)));
		eb_buf_addch(b, (char)(0x80 | (c & 0x3f)));
	} else {
		eb_buf_addch(b, (char)(0xf0 | c >> 18));
		eb_buf_addch(b, (char)(0x80 | (c >> 12 & 0x3f)));
		eb_buf_addch(b, (char)(0x80 | (c >> 6 & 0x3f)));
		eb_buf_addch(b, (char)(0x80 | (c & 0x3f)));
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int code_point(struct toml *t, unsigned digits, struct eb_buf *out)
{
	uint32_t c = 0;

	for (; digits; digits--, t->p++) {
		int v = t->p < t->end ? hex_value(*t->p) : -1;

		if (v < 0)
			return bad(t, "not a hexadecimal digit");
		c = c << 4 | (uint32_t)v;
	}
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return bad(t, "not a character's number");
	add_utf8(out, c);
	return 0;
}

static int escape(struct toml *t, struct eb_buf *out)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	const char *p;

	t->p++;
	if (t->p == t->end)
		return bad(t, "a quote is not closed");
	p = memchr(from, *t->p, sizeof from - 1);
	if (p) {
		t->p++;
		return eb_buf_addch(out, to[p - from]);
	}
	if (*t->p != 'u' && *t->p != 'U')
		return bad(t, "an escape that TOML does not have");
	return code_point(t, *t->p++ == 'u' ? 4 : 8, out);
}

/* A backslash at the end of a line: the white space behind it goes. */
static bool folded(struct toml *t)
{
	const char *p = t->p + 1;

	while (p < t->end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	if (p == t->end || *p != '\n')
		return false;
	t->p = p;
	while (t->p < t->end && strchr(" \t\r\n", *t->p)) {
		if (*t->p == '\n')
			new_line(t);
		else
			t->p++;
	}
	return true;
}

/* Up to two quotes may stand before the closing three. */
static bool closes(const struct toml *t, const char *mark)
{
	return at(t, mark) &&
	       (!mark[1] || t->end - t->p == 3 || t->p[3] != mark[0]);
}

static int text_step(struct toml *t, const char *mark, struct eb_buf *out)
{
	bool many = mark[1] != '\0';

	if (t->p == t->end || (*t->p == '\n' && !many))
		return bad(t, "a quote is not closed");
	if (*t->p == '\\' && mark[0] == '"')
		return many && folded(t) ? 0 : escape(t, out);
	if ((unsigned char)*t->p < 0x20 && *t->p != '\t' &&
	    !(many && (*t->p == '\n' || *t->p == '\r')))
		return bad(t, "a control character in a text");
	eb_buf_addch(out, *t->p);
	if (*t->p == '\n')
		new_line(t);
	else
		t->p++;
	return out->overflow ? bad(t, "a text of more than 64 KiB") : 0;
}

static int read_text(struct toml *t, char **text)
{
	static const char *const marks[] = { "\"\"\"", "'''", "\"", "'" };
	EB_AUTOBUF(out, MAX_TEXT);
	const char *mark;
	int i = 0;

	while (!at(t, marks[i]))
		i++;
	mark = marks[i];
	t->p += strlen(mark);
	if (mark[1] && at(t, "\r\n"))
		t->p++;
	if (mark[1] && at(t, "\n"))
		new_line(t);
	while (!closes(t, mark))
		if (text_step(t, mark, &out) < 0)
			return -1;
	t->p += strlen(mark);
	if (!eb_utf8_valid(out.data, out.len))
		return bad(t, "a text that is no UTF-8");
	*text = eb_buf_steal(&out, NULL);
	return 0;
}

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static int read_key_part(struct toml *t, struct eb_strv *key)
{
	const char *from = t->p;
	char *text;

	if (at(t, "\"\"\"") || at(t, "'''"))
		return bad(t, "a key is one line");
	if (at(t, "\"") || at(t, "'")) {
		if (read_text(t, &text) < 0)
			return -1;
		eb_strv_take(key, text);
		return 0;
	}
	while (t->p < t->end && is_bare(*t->p))
		t->p++;
	if (t->p == from)
		return bad(t, "a key should be here");
	eb_strv_take(key, eb_strndup(from, (size_t)(t->p - from)));
	return 0;
}

static int read_key(struct toml *t, struct eb_strv *key)
{
	for (;;) {
		skip_space(t);
		if (read_key_part(t, key) < 0)
			return -1;
		if (key->n > DEPTH)
			return bad(t, "a key of too many parts");
		skip_space(t);
		if (!at(t, "."))
			return 0;
		t->p++;
	}
}

static int read_value(struct toml *t, unsigned depth, struct eb_toml_value *v);

static void release_value(struct eb_toml_value *v)
{
	free(v->text);
	*v = (struct eb_toml_value){ .kind = EB_TOML_OTHER };
}
#define AUTOVALUE(v)                       \
	struct eb_toml_value v EB_CLEANUP( \
		release_value) = { .kind = EB_TOML_OTHER }

static int read_array(struct toml *t, unsigned depth)
{
	t->p++;
	for (;;) {
		AUTOVALUE(item);

		skip_lines(t);
		if (at(t, "]"))
			break;
		if (read_value(t, depth, &item) < 0)
			return -1;
		skip_lines(t);
		if (at(t, "]"))
			break;
		if (!at(t, ","))
			return bad(t, "a comma or ] should be here");
		t->p++;
	}
	t->p++;
	return 0;
}

static int read_pair(struct toml *t, unsigned depth, struct eb_strv *key,
		     struct eb_toml_value *v)
{
	if (read_key(t, key) < 0)
		return -1;
	if (!at(t, "="))
		return bad(t, "= should be here");
	t->p++;
	skip_space(t);
	return read_value(t, depth, v);
}

static int read_inline_table(struct toml *t, unsigned depth)
{
	t->p++;
	skip_space(t);
	while (!at(t, "}")) {
		struct eb_strv key EB_CLEANUP(eb_strv_release) = { 0 };
		AUTOVALUE(item);

		if (read_pair(t, depth, &key, &item) < 0)
			return -1;
		skip_space(t);
		if (at(t, "}"))
			break;
		if (!at(t, ","))
			return bad(t, "a comma or } should be here");
		t->p++;
	}
	t->p++;
	return 0;
}

/* true, false, a number, a date (which may have one space). */
static int read_bare(struct toml *t, struct eb_toml_value *v)
{
	const char *from = t->p;
	bool digit = t->p < t->end && *t->p >= '0' && *t->p <= '9';
	size_t n;

	while (t->p < t->end &&
	       (is_bare(*t->p) || strchr("+.:", *t->p) ||
		(digit && t->p - from == 10 && *t->p == ' ' &&
		 t->end - t->p > 1 && t->p[1] >= '0' && t->p[1] <= '9')) &&
	       *t->p)
		t->p++;
	n = (size_t)(t->p - from);
	if (n == 4 && !memcmp(from, "true", 4)) {
		*v = (struct eb_toml_value){ EB_TOML_BOOLEAN, NULL, true };
	} else if (n == 5 && !memcmp(from, "false", 5)) {
		*v = (struct eb_toml_value){ EB_TOML_BOOLEAN, NULL, false };
	} else if (!digit && !(n > 1 && (*from == '+' || *from == '-')) &&
		   !(n == 3 &&
		     (!memcmp(from, "inf", 3) || !memcmp(from, "nan", 3)))) {
		t->p = from;
		return bad(t, "a value should be here");
	}
	return 0;
}

static int read_value(struct toml *t, unsigned depth, struct eb_toml_value *v)
{
	v->kind = EB_TOML_OTHER;
	if (depth > DEPTH)
		return bad(t, "nested too deep");
	if (at(t, "[")) {
		return read_array(t, depth + 1);
	} else if (at(t, "{")) {
		return read_inline_table(t, depth + 1);
	} else if (at(t, "\"") || at(t, "'")) {
		v->kind = EB_TOML_TEXT;
		return read_text(t, &v->text);
	}
	return read_bare(t, v);
}

/* A callback's error gets the place. */
static int placed(struct toml *t, unsigned line, int status)
{
	if (status < 0 && !t->err->file)
		eb_err_at(t->err, t->name, line, 0);
	return status;
}

static int read_header(struct toml *t, const struct eb_toml_calls *calls,
		       void *data)
{
	struct eb_strv path EB_CLEANUP(eb_strv_release) = { 0 };
	bool array = at(t, "[[");
	unsigned line = t->line;

	t->p += array ? 2 : 1;
	if (read_key(t, &path) < 0)
		return -1;
	if (!at(t, array ? "]]" : "]"))
		return bad(t, "] should be here");
	t->p += array ? 2 : 1;
	if (end_of_line(t) < 0)
		return -1;
	return placed(t, line, calls->table(data, &path, array, line, t->err));
}

static int read_line(struct toml *t, const struct eb_toml_calls *calls,
		     void *data)
{
	struct eb_strv key EB_CLEANUP(eb_strv_release) = { 0 };
	AUTOVALUE(v);
	unsigned line = t->line;

	if (at(t, "["))
		return read_header(t, calls, data);
	if (read_pair(t, 0, &key, &v) < 0 || end_of_line(t) < 0)
		return -1;
	return placed(t, line, calls->value(data, &key, &v, t->err));
}

int eb_toml_read(const char *text, size_t len, const char *name,
		 const struct eb_toml_calls *calls, void *data,
		 struct eb_error *err)
{
	struct toml t = { .p = text,
			  .end = text + len,
			  .begin = text,
			  .name = name,
			  .line = 1,
			  .err = err };

	if (at(&t, "\xef\xbb\xbf"))
		t.p += 3;
	for (;;) {
		skip_lines(&t);
		if (t.p == t.end)
			return 0;
		if (read_line(&t, calls, data) < 0)
			return -1;
	}
}
