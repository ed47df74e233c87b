/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of TOML as the files that make it see it. */
#ifndef EB_CORE_TOML_INT_H
#define EB_CORE_TOML_INT_H

#include <stdbool.h>

#include <envbuild/buf.h>
#include <envbuild/json.h>
#include <envbuild/str.h>
#include <envbuild/toml.h>

/* How a table or an array of tables came to be, and so who may still add to
 * it. Those that are written out as a value have no entry: they are closed. */
enum eb_toml_mark {
	EB_TOML_CLOSED,
	EB_TOML_IMPLICIT, /* above a table with a header, [a.b]: a */
	EB_TOML_HEADER,	  /* [a], or one of [[a]] */
	EB_TOML_DOTTED,	  /* a.b = 1: a */
	EB_TOML_LIST,	  /* [[a]]: all of them */
};

struct eb_toml_entry {
	const json_t *table;
	enum eb_toml_mark mark;
};

struct eb_toml_marks { /* open addressing; n is at most half of alloc */
	struct eb_toml_entry *entry;
	size_t n, alloc; /* a power of two, or 0 */
};

struct eb_toml {
	const char *text, *p, *end;
	const char *name;
	struct eb_toml_marks marks;
	struct eb_buf scratch; /* of the text that is being read */
	unsigned depth;	       /* of the table or array that is being filled */
	struct eb_error *err;
};

/* `a."b".c`, and where it stands. */
struct eb_toml_key {
	struct eb_strv part;
	const char *at;
};

/* --- toml_read.c: characters ------------------------------------------------
 */
/* Fills the error with the line and column of `at`; -1. */
int eb_toml_bad(struct eb_toml *t, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool eb_toml_at(const struct eb_toml *t, const char *text);
bool eb_toml_take(struct eb_toml *t, const char *text); /* and go on behind */
/* A byte that may stand in a comment or a text: no control character. */
bool eb_toml_is_plain(char c);
void eb_toml_blanks(struct eb_toml *t);
/* Blanks, comments and ends of lines; -1: a comment with something in it. */
int eb_toml_lines(struct eb_toml *t);
/* Blanks, a comment, and the end of the line or of the text. */
int eb_toml_end_of_line(struct eb_toml *t);

/* --- toml_string.c, toml_key.c, toml_number.c, toml_date.c, toml_value.c
 * ------
 */
/* A text of one of the four kinds, at its quote, into t->scratch. `lines`:
 * those of several lines are allowed. */
int eb_toml_string(struct eb_toml *t, bool lines);
int eb_toml_key(struct eb_toml *t, struct eb_toml_key *out);
int eb_toml_shown(const char *key); /* bytes of it that a message shows */
void eb_toml_key_release(struct eb_toml_key *k);
/* Is the text a date, a time or both? -1: it looks so, but is none. */
int eb_toml_is_date(const char *s, size_t n);
/* A number, a date or time; NULL on error. */
json_t *eb_toml_number(struct eb_toml *t);
json_t *eb_toml_value(struct eb_toml *t);
/* `key = value` into the table. */
int eb_toml_pair(struct eb_toml *t, json_t *table);

/* --- toml_table.c: which table a key means -----------------------------------
 */
void eb_toml_mark(struct eb_toml *t, const json_t *table,
		  enum eb_toml_mark mark);
enum eb_toml_mark eb_toml_mark_of(const struct eb_toml *t, const json_t *table);
void eb_toml_set(json_t *table, const char *key, json_t *value);
void eb_toml_append(json_t *list, json_t *value);
/* One level down from here; -1: too deep. */
int eb_toml_deeper(struct eb_toml *t, const char *at);
/* The table of a header `[key]`, or a new one of `[[key]]`; borrowed. */
json_t *eb_toml_open(struct eb_toml *t, json_t *root,
		     const struct eb_toml_key *key, bool list);
/* The table that holds the last part of a dotted key; borrowed. */
json_t *eb_toml_descend(struct eb_toml *t, json_t *table,
			const struct eb_toml_key *key);

#endif
