/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of a file to the text that the YAML parser gets: encoding,
 * characters that YAML does not allow, line ends, where lines begin. */
#include <string.h>

#include "utf8.h"
#include "yaml_doc.h"

/* How far the reading is, for messages. */
struct place {
	const char *name;
	unsigned line, column;
};

static int refuse(const struct place *at, struct eb_error *err,
		  const char *what, unsigned long code)
{
	eb_err_set(err, EB_INPUT, "\"%s\", reading as YAML: %s%02lX", at->name,
		   what, code);
	return eb_err_at(err, at->name, at->line, at->column);
}

static unsigned long unit_of(const unsigned char *p, bool little)
{
	return little ? p[0] | (unsigned long)p[1] << 8
		      : p[1] | (unsigned long)p[0] << 8;
}

/* One character of UTF-16 at p[0..n), n even; gives its bytes, 0 when it is
 * half a pair. */
static size_t utf16_step(const unsigned char *p, size_t n, bool little,
			 unsigned long *code)
{
	unsigned long low;

	*code = unit_of(p, little);
	if (*code < 0xd800 || *code > 0xdfff)
		return 2;
	if (*code > 0xdbff || n < 4)
		return 0;
	low = unit_of(p + 2, little);
	if (low < 0xdc00 || low > 0xdfff)
		return 0;
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return 4;
}

static int from_utf16(const unsigned char *p, size_t n, bool little,
		      const char *name, struct eb_buf *out,
		      struct eb_error *err)
{
	struct place at = { name, 1, 0 };
	char utf8[4];
	unsigned long code;
	size_t len;

	if (n % 2)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading as YAML: UTF-16 with half a "
				  "character at its end",
				  name);
	for (; n; p += len, n -= len) {
		len = utf16_step(p, n, little, &code);
		if (len == 0)
			return refuse(&at, err, "no UTF-16: unpaired 0x", code);
		at.line += code == '\n';
		eb_buf_add(out, utf8, eb_utf8_put(utf8, code));
	}
	return 0;
}

static int to_utf8(const char *data, size_t len, const char *name,
		   struct eb_buf *out, struct eb_error *err)
{
	const unsigned char *p = (const unsigned char *)data;
	bool little = len >= 2 && p[0] == 0xff && p[1] == 0xfe;

	if (len >= 4 && little && !p[2] && !p[3])
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading as YAML: its encoding is "
				  "UTF-32, neither UTF-8 nor UTF-16",
				  name);
	if (little || (len >= 2 && p[0] == 0xfe && p[1] == 0xff))
		return from_utf16(p + 2, len - 2, little, name, out, err);
	if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		return eb_buf_add(out, data + 3, len - 3);
	return eb_buf_add(out, data, len);
}

/* NEL, LS and PS count as line ends in YAML 1.1, and so in libyaml's marks. */
static bool is_break(const char *s)
{
	return *s == '\n' || strncmp(s, "\xc2\x85", 2) == 0 ||
	       strncmp(s, "\xe2\x80\xa8", 3) == 0 ||
	       strncmp(s, "\xe2\x80\xa9", 3) == 0;
}

static bool is_forbidden(const char *s, size_t len)
{
	unsigned char a = (unsigned char)s[0], b;

	if (len == 1)
		return (a < 0x20 && !strchr("\t\n\r", a)) || a == 0 ||
		       a == 0x7f;
	b = (unsigned char)s[1];
	if (len == 2)
		return a == 0xc2 && b < 0xa0 && b != 0x85;
	return len == 3 && memcmp(s, "\xef\xbf", 2) == 0 &&
	       (unsigned char)s[2] >= 0xbe; /* U+FFFE, U+FFFF */
}

static unsigned long code_point(const char *s, size_t len)
{
	unsigned long code = (unsigned char)s[0];
	size_t i;

	if (len > 1)
		code &= 0x7fUL >> len;
	for (i = 1; i < len; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	return code;
}

static int bad_utf8(const struct place *at, unsigned char byte,
		    struct eb_error *err)
{
	refuse(at, err, "no UTF-8: byte 0x", byte);
	return eb_err_hint(err, "save the file as UTF-8");
}

/* CRLF and a CR alone become LF. */
int eb_yaml_decode(const char *data, size_t len, const char *name,
		   struct eb_buf *out, struct eb_error *err)
{
	EB_AUTOBUF(text, 2 * EB_MAX_YAML);
	struct place at = { name, 1, 1 };
	size_t i, step;

	if (to_utf8(data, len, name, &text, err) < 0)
		return -1;
	for (i = 0; i < text.len; i += step) {
		const char *s = text.data + i;

		step = eb_utf8_step(s, text.len - i);
		if (step == 0)
			return bad_utf8(&at, (unsigned char)*s, err);
		if (is_forbidden(s, step))
			return refuse(&at, err, "control character U+",
				      code_point(s, step));
		at.column++;
		if (*s == '\r' && s[1] == '\n')
			continue;
		if (*s == '\r')
			s = "\n";
		if (is_break(s))
			at = (struct place){ name, at.line + 1, 1 };
		eb_buf_add(out, s, step);
	}
	return 0;
}

void eb_yaml_find_lines(struct eb_yaml *yaml)
{
	size_t alloc = 0, i;
	const char *s = yaml->source;

	EB_GROW(yaml->line_offset, yaml->n_lines, alloc);
	yaml->line_offset[yaml->n_lines++] = 0;
	for (i = 0; s[i]; i++) {
		if (!is_break(s + i))
			continue;
		i += eb_utf8_step(s + i, strnlen(s + i, 4)) - 1;
		EB_GROW(yaml->line_offset, yaml->n_lines, alloc);
		yaml->line_offset[yaml->n_lines++] = i + 1;
	}
}
