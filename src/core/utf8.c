/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 (RFC 3629): recognise and write one character. */
#include <stdbool.h>

#include <envbuild/str.h>

#include "utf8.h"

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* The second byte tells overlong forms, surrogates and what is too large. */
static bool second_fits(unsigned char first, unsigned char second)
{
	switch (first) {
	case 0xe0: return second >= 0xa0;
	case 0xed: return second <= 0x9f;
	case 0xf0: return second >= 0x90;
	case 0xf4: return second <= 0x8f;
	default: return true;
	}
}

static size_t announced(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

size_t eb_utf8_step(const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t len, i;

	if (n == 0)
		return 0;
	len = announced(u[0]);
	if (len > n)
		return 0;
	for (i = 1; i < len; i++)
		if (!is_tail(u[i]))
			return 0;
	if (len > 1 && !second_fits(u[0], u[1]))
		return 0;
	return len;
}

size_t eb_utf8_put(char *out, unsigned long code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

bool eb_utf8_valid(const char *s, size_t n)
{
	size_t i = 0, len;

	while (i < n) {
		len = eb_utf8_step(s + i, n - i);
		if (len == 0)
			return false;
		i += len;
	}
	return true;
}
