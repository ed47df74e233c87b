/* SPDX-License-Identifier: Apache-2.0 */
/* Growing byte buffer with a maximum. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/buf.h>

#include "utf8.h"

/* What `data` of a buffer without memory points to; never written. */
static char nothing[1];

void eb_buf_init(struct eb_buf *b, size_t max)
{
	*b = (struct eb_buf){ .data = nothing, .max = max };
	if (b->max > SIZE_MAX / 4)
		b->max = SIZE_MAX / 4;
}

void eb_buf_release(struct eb_buf *b)
{
	if (b->alloc)
		free(b->data);
	eb_buf_init(b, b->max);
}

void eb_buf_wipe(struct eb_buf *b)
{
	if (b->alloc)
		explicit_bzero(b->data, b->alloc);
	eb_buf_release(b);
}

void eb_buf_reset(struct eb_buf *b)
{
	b->len = 0;
	b->overflow = false;
	if (b->alloc)
		b->data[0] = '\0';
}

/* Room for `more` bytes and the NUL behind them, at least doubled. */
static void grow(struct eb_buf *b, size_t more)
{
	size_t want = b->len + more + 1;
	size_t twice = b->alloc < b->max / 2 ? b->alloc * 2 : b->max + 1;

	if (want < 64 && b->max >= 63)
		want = 64;
	if (want < twice)
		want = twice;
	b->data = eb_realloc(b->alloc ? b->data : NULL, want, 1);
	b->alloc = want;
	b->data[b->len] = '\0';
}

int eb_buf_reserve(struct eb_buf *b, size_t more)
{
	if (b->overflow || more > b->max - b->len) {
		b->overflow = true;
		return -1;
	}
	if (b->len + more + 1 > b->alloc)
		grow(b, more);
	return 0;
}

int eb_buf_add(struct eb_buf *b, const void *p, size_t n)
{
	if (eb_buf_reserve(b, n) < 0)
		return -1;
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
	return 0;
}

int eb_buf_adds(struct eb_buf *b, const char *s)
{
	return eb_buf_add(b, s, strlen(s));
}

int eb_buf_addch(struct eb_buf *b, char c)
{
	return eb_buf_add(b, &c, 1);
}

int eb_buf_addf(struct eb_buf *b, const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = eb_buf_vaddf(b, fmt, ap);
	va_end(ap);
	return status;
}

int eb_buf_vaddf(struct eb_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		eb_oom();
	if (eb_buf_reserve(b, (size_t)n) < 0)
		return -1;
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
	return 0;
}

static void add_json_ascii(struct eb_buf *b, char c)
{
	static const char plain[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
	const char *found = c ? strchr(plain, c) : NULL;

	if (found)
		eb_buf_addf(b, "\\%c", letter[found - plain]);
	else if ((unsigned char)c < 0x20)
		eb_buf_addf(b, "\\u%04x", c);
	else
		eb_buf_addch(b, c);
}

static size_t add_json_char(struct eb_buf *b, const char *s, size_t n)
{
	size_t len = eb_utf8_step(s, n);

	if (len == 0) { /* no character: U+FFFD stands for the byte */
		eb_buf_adds(b, "\xef\xbf\xbd");
		return 1;
	}
	if (len == 1)
		add_json_ascii(b, *s);
	else
		eb_buf_add(b, s, len);
	return len;
}

int eb_buf_add_json(struct eb_buf *b, const char *s)
{
	size_t before = b->len, n = strlen(s);

	eb_buf_addch(b, '"');
	while (n) {
		size_t len = add_json_char(b, s, n);

		s += len;
		n -= len;
	}
	eb_buf_addch(b, '"');
	if (!b->overflow)
		return 0;
	b->len = before;
	if (b->alloc)
		b->data[before] = '\0';
	return -1;
}

char *eb_buf_steal(struct eb_buf *b, size_t *len)
{
	char *data = b->alloc ? b->data : eb_calloc(1, 1);

	if (len)
		*len = b->len;
	eb_buf_init(b, b->max);
	return data;
}
