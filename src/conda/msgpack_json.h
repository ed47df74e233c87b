/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MessagePack as JSON text, so that one reader of records serves both. Binary
 * data becomes hex digits; numbers that JSON has not become null. Depth is
 * limited, and no size is believed: every byte that is announced has to be
 * there.
 */
#ifndef EB_MSGPACK_JSON_H
#define EB_MSGPACK_JSON_H

#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>

#define EB_MSGPACK_DEPTH 64

/* Exactly one value. EB_INTEGRITY: it breaks off; EB_INPUT: not that form, or
 * more than fits `out`. */
int eb_msgpack_json(const void *p, size_t n, const char *name,
		    struct eb_buf *out, struct eb_error *err);

#endif
