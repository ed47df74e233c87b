/* SPDX-License-Identifier: Apache-2.0 */
/* MessagePack as JSON text: one pass over bytes in memory. */
#include "msgpack_json.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct reader {
	const unsigned char *p, *start, *end;
	const char *name;
	struct eb_buf *out;
	struct eb_error *err;
	unsigned depth;
};

static int fail(const struct reader *r, const char *what)
{
	return eb_err_set(r->err, EB_INPUT,
			  "\"%s\": reading MessagePack: %s at byte %zu",
			  r->name, what, (size_t)(r->p - r->start));
}

static int broken_off(const struct reader *r)
{
	return eb_err_set(r->err, EB_INTEGRITY,
			  "\"%s\" breaks off after %zu bytes", r->name,
			  (size_t)(r->end - r->start));
}

/* `n` bytes as a number, the most significant first. */
static int take(struct reader *r, unsigned n, uint64_t *value)
{
	if ((size_t)(r->end - r->p) < n)
		return broken_off(r);
	*value = 0;
	while (n--)
		*value = *value << 8 | *r->p++;
	return 0;
}

/* --- scalars --------------------------------------------------------- */

static int put_text(struct reader *r, uint64_t n)
{
	const unsigned char *from = r->p;

	if ((uint64_t)(r->end - r->p) < n)
		return broken_off(r);
	eb_buf_addch(r->out, '"');
	for (r->p += n; from < r->p; from++) {
		if (*from < ' ')
			eb_buf_addf(r->out, "\\u%04x", *from);
		else if (*from == '"' || *from == '\\')
			eb_buf_addf(r->out, "\\%c", *from);
		else
			eb_buf_addch(r->out, (char)*from);
	}
	eb_buf_addch(r->out, '"');
	return 0;
}

static int put_hex(struct reader *r, uint64_t n)
{
	static const char digit[] = "0123456789abcdef";

	if ((uint64_t)(r->end - r->p) < n)
		return broken_off(r);
	eb_buf_addch(r->out, '"');
	for (; n; n--, r->p++) {
		eb_buf_addch(r->out, digit[*r->p >> 4]);
		eb_buf_addch(r->out, digit[*r->p & 15]);
	}
	eb_buf_addch(r->out, '"');
	return 0;
}

static int put_signed(struct reader *r, unsigned n)
{
	uint64_t value;
	int shift = (int)(64 - 8 * n);

	if (take(r, n, &value) < 0)
		return -1;
	eb_buf_addf(r->out, "%lld", (long long)(value << shift) >> shift);
	return 0;
}

static int put_unsigned(struct reader *r, unsigned n)
{
	uint64_t value;

	if (take(r, n, &value) < 0)
		return -1;
	eb_buf_addf(r->out, "%llu", (unsigned long long)value);
	return 0;
}

static int put_float(struct reader *r, unsigned n)
{
	uint64_t bits;
	uint32_t half;
	float narrow;
	double value;

	if (take(r, n, &bits) < 0)
		return -1;
	half = (uint32_t)bits;
	memcpy(&narrow, &half, sizeof narrow);
	memcpy(&value, &bits, sizeof value);
	if (n == 4)
		value = (double)narrow;
	if (isfinite(value))
		eb_buf_addf(r->out, "%.17g", value);
	else
		eb_buf_adds(r->out, "null");
	return 0;
}

/* --- values ---------------------------------------------------------- */

static int value(struct reader *r);

static int key(struct reader *r)
{
	unsigned char c = r->p < r->end ? *r->p : 0xc1;

	if (r->p == r->end)
		return broken_off(r);
	if (c >> 5 != 5 && (c < 0xd9 || c > 0xdb))
		return fail(r, "a key that is no text");
	return value(r);
}

static int list(struct reader *r, uint64_t n, bool map)
{
	if (++r->depth > EB_MSGPACK_DEPTH)
		return fail(r, "more than 64 levels");
	eb_buf_addch(r->out, map ? '{' : '[');
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			eb_buf_addch(r->out, ',');
		if (map && key(r) < 0)
			return -1;
		if (map)
			eb_buf_addch(r->out, ':');
		if (value(r) < 0)
			return -1;
		if (r->out->overflow)
			return fail(r, "more than is allowed");
	}
	eb_buf_addch(r->out, map ? '}' : ']');
	r->depth--;
	return 0;
}

enum kind { TEXT, BINARY, LIST, MAP };

/* A length of `n` bytes, then what it is of. */
static int sized(struct reader *r, unsigned n, enum kind kind)
{
	uint64_t size = 0;

	if (take(r, n, &size) < 0)
		return -1;
	switch (kind) {
	case TEXT: return put_text(r, size);
	case BINARY: return put_hex(r, size);
	default: return list(r, size, kind == MAP);
	}
}

static int word(struct reader *r, const char *text)
{
	eb_buf_adds(r->out, text);
	return 0;
}

static int long_value(struct reader *r, unsigned char c)
{
	switch (c) {
	case 0xc0: return word(r, "null");
	case 0xc2: return word(r, "false");
	case 0xc3: return word(r, "true");
	case 0xc4:
	case 0xc5:
	case 0xc6: return sized(r, 1u << (c - 0xc4), BINARY);
	case 0xca:
	case 0xcb: return put_float(r, 4u << (c - 0xca));
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf: return put_unsigned(r, 1u << (c - 0xcc));
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3: return put_signed(r, 1u << (c - 0xd0));
	case 0xd9:
	case 0xda:
	case 0xdb: return sized(r, 1u << (c - 0xd9), TEXT);
	case 0xdc:
	case 0xdd: return sized(r, 2u << (c - 0xdc), LIST);
	case 0xde:
	case 0xdf: return sized(r, 2u << (c - 0xde), MAP);
	default: r->p--; return fail(r, "an unknown type");
	}
}

static int value(struct reader *r)
{
	unsigned char c;

	if (r->p == r->end)
		return broken_off(r);
	c = *r->p++;
	if (c < 0x80 || c >= 0xe0)
		return eb_buf_addf(r->out, "%d", (signed char)c) < 0
			       ? fail(r, "more than is allowed")
			       : 0;
	if (c < 0x90)
		return list(r, c & 15u, true);
	if (c < 0xa0)
		return list(r, c & 15u, false);
	return c < 0xc0 ? put_text(r, c & 31u) : long_value(r, c);
}

int eb_msgpack_json(const void *p, size_t n, const char *name,
		    struct eb_buf *out, struct eb_error *err)
{
	struct reader r = {
		.p = p, .start = p, .name = name, .out = out, .err = err
	};

	r.end = r.p + n;
	if (value(&r) < 0)
		return -1;
	if (r.p < r.end)
		return fail(&r, "something behind the end");
	return out->overflow ? fail(&r, "more than is allowed") : 0;
}
