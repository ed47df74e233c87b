/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growing byte buffer. `data` is never NULL after init and always has a NUL
 * behind `len` bytes. No buffer grows beyond its maximum: an addition that
 * would is left out whole, returns -1 and sets `overflow`. That stays set, and
 * nothing more is added, until eb_buf_reset(); so a row of additions may be
 * checked once at its end, and no text has a gap.
 */
#ifndef EB_BUF_H
#define EB_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <envbuild/mem.h>

struct eb_buf {
	char *data;
	size_t len, alloc, max;
	bool overflow;
};

/* All maxima of the program in one list, in bytes. */
#define EB_MAX_TEXT ((size_t)1 << 30)	   /* text that we ourselves make */
#define EB_MAX_YAML ((size_t)4 << 20)	   /* limit yaml-size */
#define EB_MAX_METADATA ((size_t)16 << 20) /* limit metadata-size */
#define EB_MAX_MANIFEST ((size_t)4 << 20)  /* as registries have it */
#define EB_MAX_LOCK ((size_t)64 << 20)
#define EB_MAX_REPODATA ((size_t)2 << 30)
#define EB_MAX_CONFIG ((size_t)1 << 20)
#define EB_MAX_PATHLIST ((size_t)512 << 20)
#define EB_MAX_LOG_TAIL ((size_t)64 << 10)

void eb_buf_init(struct eb_buf *b, size_t max);
void eb_buf_release(struct eb_buf *b);
void eb_buf_reset(struct eb_buf *b); /* len 0, memory kept */
int eb_buf_reserve(struct eb_buf *b, size_t more);
int eb_buf_add(struct eb_buf *b, const void *p, size_t n);
int eb_buf_adds(struct eb_buf *b, const char *s);
int eb_buf_addch(struct eb_buf *b, char c);
int eb_buf_addf(struct eb_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int eb_buf_vaddf(struct eb_buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* JSON string with quotes (RFC 8259), for text that people read as JSON. */
int eb_buf_add_json(struct eb_buf *b, const char *s);
/* The bytes, owned by the caller; the buffer is released. */
char *eb_buf_steal(struct eb_buf *b, size_t *len);

/* Of what may hold credentials: overwritten before it is released. (What it
 * outgrew is not: reserve what is needed.) */
void eb_buf_wipe(struct eb_buf *b);

#define EB_WIPEDBUF(name, max)                              \
	struct eb_buf name EB_CLEANUP(eb_buf_wipe) = { 0 }; \
	eb_buf_init(&name, max)

#define EB_AUTOBUF(name, max)                                  \
	struct eb_buf name EB_CLEANUP(eb_buf_release) = { 0 }; \
	eb_buf_init(&name, max)

#endif
