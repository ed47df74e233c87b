/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON read from a stream in one pass, by asking for what comes next; nothing
 * of it is kept. Grammar, escapes, UTF-8 and depth are checked everywhere,
 * in what is skipped too.
 *
 * All functions give -1 once anything went wrong; the error is in j->err:
 * EB_INPUT for what is no JSON (with line and column), EB_INTEGRITY for a text
 * that breaks off, or the stream's own.
 */
#ifndef EB_JSON_PULL_H
#define EB_JSON_PULL_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/buf.h>
#include <envbuild/stream.h>

#define EB_JSON_PULL_WINDOW ((size_t)64 << 10)
#define EB_JSON_PULL_STRING ((size_t)1 << 20) /* longest string */
#define EB_JSON_PULL_DEPTH 128

struct eb_json_pull {
	struct eb_stream *stream; /* not owned */
	const char *name;	  /* for messages; not owned */
	struct eb_error *err;
	char *window;
	const char *p, *end; /* what is unread of the window */
	struct eb_buf scratch;
	uint64_t before; /* bytes of the stream before the window */
	uint64_t line, line_start;
	unsigned depth;
	bool first; /* nothing yet in the innermost object or array */
};

/* A text; valid until the next call, not terminated. */
struct eb_json_text {
	const char *p;
	size_t n;
};

struct eb_json_number {
	bool negative, is_integer; /* else it has a fraction or exponent */
	uint64_t value;		   /* of the digits before "." or "e" */
	bool overflow;
};

void eb_json_pull_init(struct eb_json_pull *j, struct eb_stream *stream,
		       const char *name, struct eb_error *err);
void eb_json_pull_release(struct eb_json_pull *j);

/* 1 when nothing but white space is left, else 0. */
int eb_json_at_end(struct eb_json_pull *j);
/* The first byte of the next value, which is not taken. */
int eb_json_peek(struct eb_json_pull *j);
/* Begin an object or array: '{' or '['; the next one must be it. */
int eb_json_open(struct eb_json_pull *j, char bracket);
/* In an object: 1 and its next key, 0 at its end (which is taken). */
int eb_json_key(struct eb_json_pull *j, struct eb_json_text *key);
/* In an array: 1 when there is one more value, 0 at its end. */
int eb_json_item(struct eb_json_pull *j);
int eb_json_string(struct eb_json_pull *j, struct eb_json_text *text);
int eb_json_number(struct eb_json_pull *j, struct eb_json_number *number);
/* Any value, checked and dropped. */
int eb_json_skip(struct eb_json_pull *j);
/* true, false or null as 't', 'f', 'n'. */
int eb_json_literal(struct eb_json_pull *j);

int eb_json_fail(struct eb_json_pull *j, const char *what);

#endif
