/* SPDX-License-Identifier: Apache-2.0 */
/* Character references of HTML, as attributes of index pages have them. */
#include "index_int.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name; /* the ";" may be left away */
	const char *text;
} named[] = {
	{ "amp", "&" },	   { "lt", "<" },	{ "gt", ">" },
	{ "quot", "\"" },  { "apos", "'" },	{ "nbsp", "\xc2\xa0" },
	{ "AMP", "&" },	   { "LT", "<" },	{ "GT", ">" },
	{ "equals", "=" }, { "comma", "," },	{ "excl", "!" },
	{ "plus", "+" },   { "period", "." },	{ "num", "#" },
	{ "sol", "/" },	   { "colon", ":" },	{ "commat", "@" },
	{ "lowbar", "_" }, { "ast", "*" },	{ "percnt", "%" },
	{ "Tab", "\t" },   { "NewLine", "\n" },
};

static size_t put_utf8(char *out, unsigned long c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* "#62;" or "#x3e;": bytes read; 0: it is none. */
static size_t numeric(const char *p, char *out, size_t *n)
{
	bool hex = p[1] == 'x' || p[1] == 'X';
	const char *from = p + 1 + hex;
	const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
	size_t len = strspn(from, digits);
	unsigned long c;

	if (!len)
		return 0;
	c = len > 10 ? 0 : strtoul(from, NULL, hex ? 16 : 10);
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	*n = put_utf8(out, c);
	return (size_t)(from - p) + len + (from[len] == ';');
}

static size_t by_name(const char *p, char *out, size_t *n)
{
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		size_t len = strlen(named[i].name);
		bool old = i < 4 || (i >= 5 && i < 9);

		if (strncmp(p, named[i].name, len) != 0 ||
		    (p[len] != ';' && !old))
			continue;
		*n = strlen(named[i].text);
		memcpy(out, named[i].text, *n);
		return len + (p[len] == ';');
	}
	return 0;
}

/* A text never grows: what a reference stands for is shorter than it. */
void eb_html_unescape(char *s)
{
	char *to = s;

	while (*s) {
		char text[4];
		size_t n = 0, read = 0;

		if (*s == '&')
			read = s[1] == '#' ? numeric(s + 1, text, &n)
					   : by_name(s + 1, text, &n);
		if (!read) {
			*to++ = *s++;
			continue;
		}
		memcpy(to, text, n);
		to += n;
		s += 1 + read;
	}
	*to = '\0';
}
