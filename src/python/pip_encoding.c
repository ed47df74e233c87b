/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-16, UTF-32, Latin-1 and what iconv knows, as UTF-8. */
#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "pip_text.h"

static int add_char(struct eb_buf *out, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return -1;
	if (c >= 0x10000) {
		eb_buf_addch(out, (char)(0xf0 | c >> 18));
		eb_buf_addch(out, (char)(0x80 | (c >> 12 & 0x3f)));
	} else if (c >= 0x800) {
		eb_buf_addch(out, (char)(0xe0 | c >> 12));
	}
	if (c >= 0x800)
		eb_buf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
	else if (c >= 0x80)
		eb_buf_addch(out, (char)(0xc0 | c >> 6));
	eb_buf_addch(out, (char)(c < 0x80 ? c : 0x80 | (c & 0x3f)));
	return 0;
}

/* One unit of `size` bytes. */
static uint32_t unit(const char *data, size_t size, bool big)
{
	uint32_t c = 0;

	for (size_t i = 0; i < size; i++)
		c |= (uint32_t)(unsigned char)data[big ? size - 1 - i : i]
		     << 8 * i;
	return c;
}

static int wide(const char *data, size_t len, size_t size, bool big,
		struct eb_buf *out)
{
	for (size_t i = 0; i < len; i += size) {
		uint32_t c, low;

		if (len - i < size)
			return -1;
		c = unit(data + i, size, big);
		if (size == 2 && c >= 0xd800 && c < 0xdc00) {
			if (len - i < 4)
				return -1;
			i += 2;
			low = unit(data + i, 2, big);
			if (low < 0xdc00 || low >= 0xe000)
				return -1;
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		}
		if (add_char(out, c) < 0)
			return -1;
	}
	return 0;
}

static int latin1(const char *data, size_t len, uint32_t last,
		  struct eb_buf *out)
{
	for (size_t i = 0; i < len; i++) {
		uint32_t c = (unsigned char)data[i];

		if (c > last || add_char(out, c) < 0)
			return -1;
	}
	return 0;
}

static void close_iconv(iconv_t *cd)
{
	if (*cd != (iconv_t)-1)
		iconv_close(*cd);
}

static int by_iconv(const char *data, size_t len, const char *name,
		    struct eb_buf *out)
{
	iconv_t cd EB_CLEANUP(close_iconv) = iconv_open("UTF-8", name);
	char *in = (char *)(uintptr_t)data; /* iconv does not write there */
	bool end = false;

	if (cd == (iconv_t)-1)
		return -1;
	while (!out->overflow) {
		char piece[4096], *to = piece;
		size_t room = sizeof piece;
		size_t n = iconv(cd, end ? NULL : &in, end ? NULL : &len, &to,
				 &room);

		eb_buf_add(out, piece, (size_t)(to - piece));
		if (n == (size_t)-1 && errno != E2BIG)
			return -1;
		if (n != (size_t)-1 && end)
			break;
		end = end || (n != (size_t)-1 && len == 0);
	}
	return 0;
}

/* "Latin_1" and "iso-latin-1" are one. */
static void plain_name(char *name)
{
	char *to = name;

	for (const char *p = name; *p; p++)
		if (isalnum((unsigned char)*p))
			*to++ = (char)tolower((unsigned char)*p);
	*to = '\0';
}

static bool one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return true;
	return false;
}

int eb_text_decode(const char *data, size_t len, const char *encoding,
		   struct eb_buf *out)
{
	static const char *const utf8[] = { "utf8", "utf8sig", "u8", "cp65001",
					    NULL };
	static const char *const latin[] = { "latin1",	 "isolatin1", "latin",
					     "iso88591", "l1",	      "cp819",
					     NULL };
	static const char *const ascii[] = { "ascii", "usascii", "646", NULL };
	eb_autofree char *name = eb_strdup(encoding);

	plain_name(name);
	if (one_of(name, utf8))
		return eb_buf_add(out, data, len) < 0 && !out->overflow ? -1
									: 0;
	if (one_of(name, latin))
		return latin1(data, len, 0xff, out);
	if (one_of(name, ascii))
		return latin1(data, len, 0x7f, out);
	if (eb_starts(name, "utf16") || eb_starts(name, "utf32"))
		return wide(data, len, name[3] == '1' ? 2 : 4,
			    eb_ends(name, "be"), out);
	return by_iconv(data, len, encoding, out);
}

int eb_text_cannot(const char *encoding, const char *file, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\", reading as requirements: its encoding is said to "
		   "be \"%s\", and it is not, or that one is not known here",
		   file, encoding ? encoding : "utf-8");
	eb_err_hint(err, "save it as UTF-8");
	return eb_err_at(err, file, 1, 1);
}
