/* SPDX-License-Identifier: Apache-2.0 */
/* Strings and vectors of strings. */
#ifndef EB_STR_H
#define EB_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owned strings; `v` has a NULL behind the last (usable as argv). */
struct eb_strv {
	char **v;
	size_t n, alloc;
};

void eb_strv_add(struct eb_strv *s, const char *text);
void eb_strv_addf(struct eb_strv *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void eb_strv_take(struct eb_strv *s, char *text); /* owns text */
void eb_strv_sort(struct eb_strv *s);		  /* bytewise */
void eb_strv_unique(struct eb_strv *s);		  /* of a sorted vector */
bool eb_strv_has(const struct eb_strv *s, const char *text);
void eb_strv_copy(struct eb_strv *to, const struct eb_strv *from);
void eb_strv_release(struct eb_strv *s);
/* Split at any byte of `delimiters`; empty pieces are kept. */
void eb_strv_split(struct eb_strv *s, const char *text, const char *delimiters);

bool eb_starts(const char *s, const char *prefix);
bool eb_ends(const char *s, const char *suffix);
char *eb_strip(char *s); /* in place, ASCII white space of both ends */
void eb_lower(char *s);	 /* in place, ASCII only */
/* Unsigned decimal, whole string, at most `max`; -1 when it is not one. */
int eb_parse_u64(const char *s, uint64_t max, uint64_t *value);
bool eb_utf8_valid(const char *s, size_t n);
/* Copy with control characters (but \n and \t) as \xNN, for terminals. */
char *eb_printable(const char *s);
/* The same for what stands in a line: newlines and tabs are escaped, too. */
char *eb_printable_line(const char *s);
/* 18.5 MB, 1.20 GB; `out` of at least 32 bytes; returns out */
char *eb_human_size(uint64_t bytes, char *out);
/* 2026-11-21T19:00:00Z; `out` of at least 32 bytes; returns out */
char *eb_rfc3339(int64_t seconds, char *out);
/* Insertions, removals, changes and swaps of neighbours from a to b; neither is
 * longer than EB_EDIT_MAX. */
#define EB_EDIT_MAX 255
unsigned eb_edit_distance(const char *a, size_t n, const char *b, size_t m);
/* Remove user:password@ and /t/TOKEN/ from a URL, for messages and locks. */
char *eb_url_redact(const char *url);

#endif
