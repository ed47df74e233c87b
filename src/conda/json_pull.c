/* SPDX-License-Identifier: Apache-2.0 */
/* The pull reader: the window over the stream, structure, numbers. */
#include "json_pull.h"

#include <string.h>

#include "json_pull_int.h"

void eb_json_pull_init(struct eb_json_pull *j, struct eb_stream *stream,
		       const char *name, struct eb_error *err)
{
	memset(j, 0, sizeof *j);
	j->stream = stream;
	j->name = name;
	j->err = err;
	j->window = eb_malloc(EB_JSON_PULL_WINDOW);
	j->p = j->end = j->window;
	j->line = 1;
	eb_buf_init(&j->scratch, EB_JSON_PULL_STRING);
}

void eb_json_pull_release(struct eb_json_pull *j)
{
	free(j->window);
	eb_buf_release(&j->scratch);
}

static uint64_t offset(const struct eb_json_pull *j)
{
	return j->before + (uint64_t)(j->p - j->window);
}

int eb_json_fail(struct eb_json_pull *j, const char *what)
{
	if (eb_err_is_set(j->err))
		return -1;
	return eb_err_set(j->err, EB_INPUT,
			  "\"%s\": reading JSON: %s at line %llu, column %llu",
			  j->name, what, (unsigned long long)j->line,
			  (unsigned long long)(offset(j) - j->line_start + 1));
}

/* Refill the empty window: 1, 0 at the end, -1. */
int eb_json_fill(struct eb_json_pull *j)
{
	ssize_t n;

	if (eb_err_is_set(j->err))
		return -1;
	j->before += (uint64_t)(j->end - j->window);
	j->p = j->end = j->window;
	n = eb_stream_read(j->stream, j->window, EB_JSON_PULL_WINDOW, j->err);
	if (n <= 0)
		return (int)n;
	j->end += n;
	return 1;
}

/* The next byte where there has to be one. */
int eb_json_byte(struct eb_json_pull *j)
{
	int got = j->p < j->end ? 1 : eb_json_fill(j);

	if (got > 0)
		return (unsigned char)*j->p++;
	if (got == 0)
		eb_err_set(j->err, EB_INTEGRITY,
			   "\"%s\" breaks off after %llu bytes", j->name,
			   (unsigned long long)offset(j));
	return -1;
}

/* The first byte that is no white space, not taken; 0 at the end. */
static int next(struct eb_json_pull *j)
{
	for (;;) {
		if (j->p == j->end) {
			int got = eb_json_fill(j);

			if (got <= 0)
				return got;
		}
		switch (*j->p) {
		case '\n':
			j->p++;
			j->line++;
			j->line_start = offset(j);
			break;
		case ' ':
		case '\t':
		case '\r': j->p++; break;
		case '\0': return eb_json_fail(j, "a NUL byte");
		default: return (unsigned char)*j->p;
		}
	}
}

int eb_json_at_end(struct eb_json_pull *j)
{
	int c = next(j);

	return c < 0 ? -1 : !c;
}

int eb_json_peek(struct eb_json_pull *j)
{
	int c = next(j);

	return c ? c : eb_json_byte(j);
}

/* --- structure ------------------------------------------------------- */

int eb_json_open(struct eb_json_pull *j, char bracket)
{
	int c = eb_json_peek(j);

	if (c < 0)
		return -1;
	if (c != bracket)
		return eb_json_fail(j,
				    bracket == '{' ? "no object" : "no array");
	if (++j->depth > EB_JSON_PULL_DEPTH)
		return eb_json_fail(j, "more than 128 levels");
	j->p++;
	j->first = true;
	return 0;
}

/* 1 before a member or item, 0 when `bracket` ends it. */
static int more(struct eb_json_pull *j, char bracket)
{
	int c = eb_json_peek(j);

	if (c < 0)
		return -1;
	if (c == bracket) {
		j->p++;
		j->depth--;
		j->first = false;
		return 0;
	}
	if (j->first) {
		j->first = false;
		return 1;
	}
	if (c != ',')
		return eb_json_fail(j, bracket == '}'
					       ? "neither \",\" nor \"}\""
					       : "neither \",\" nor \"]\"");
	j->p++;
	return eb_json_peek(j) < 0 ? -1 : 1;
}

int eb_json_key(struct eb_json_pull *j, struct eb_json_text *key)
{
	int got = more(j, '}');

	if (got <= 0)
		return got;
	if (eb_json_peek(j) != '"')
		return eb_json_fail(j, "a key that is no string");
	if (eb_json_string(j, key) < 0)
		return -1;
	if (j->p < j->end && *j->p == ':') {
		j->p++;
		return 1;
	}
	/* the text may lie in the window, which is perhaps filled anew */
	if (key->p != j->scratch.data) {
		eb_buf_reset(&j->scratch);
		eb_buf_add(&j->scratch, key->p, key->n);
		key->p = j->scratch.data;
	}
	if (eb_json_peek(j) != ':')
		return eb_json_fail(j, "no \":\" behind a key");
	j->p++;
	return 1;
}

int eb_json_item(struct eb_json_pull *j)
{
	return more(j, ']');
}

/* --- scalars --------------------------------------------------------- */

int eb_json_literal(struct eb_json_pull *j)
{
	static const char *const word[] = { "true", "false", "null" };
	int c = eb_json_peek(j);

	for (size_t i = 0; i < 3; i++) {
		if (c != word[i][0])
			continue;
		for (const char *p = word[i]; *p; p++)
			if (eb_json_byte(j) != *p)
				return eb_json_fail(j, "an unknown word");
		return c;
	}
	return eb_json_fail(j, "no value");
}

static int digits(struct eb_json_pull *j, struct eb_json_number *value)
{
	int n = 0;

	for (;; n++) {
		unsigned d;

		if (j->p == j->end && eb_json_fill(j) <= 0)
			break;
		d = (unsigned)(unsigned char)*j->p - '0';
		if (d > 9)
			break;
		j->p++;
		if (!value)
			continue;
		if (value->value > (UINT64_MAX - d) / 10)
			value->overflow = true;
		else
			value->value = value->value * 10 + d;
	}
	if (eb_err_is_set(j->err))
		return -1;
	return n ? n : eb_json_fail(j, "no digit in a number");
}

static bool take(struct eb_json_pull *j, const char *any)
{
	if (j->p == j->end && eb_json_fill(j) <= 0)
		return false;
	if (!*j->p || !strchr(any, *j->p))
		return false;
	j->p++;
	return true;
}

int eb_json_number(struct eb_json_pull *j, struct eb_json_number *number)
{
	int n, c = eb_json_peek(j);
	bool zero;

	memset(number, 0, sizeof *number);
	if (c < 0)
		return -1;
	number->negative = take(j, "-");
	zero = j->p < j->end && *j->p == '0';
	n = digits(j, number);
	if (n < 0)
		return -1;
	if (zero && n > 1)
		return eb_json_fail(j, "a number with a zero in front");
	number->is_integer = true;
	if (take(j, ".")) {
		number->is_integer = false;
		if (digits(j, NULL) < 0)
			return -1;
	}
	if (take(j, "eE")) {
		number->is_integer = false;
		take(j, "+-");
		if (digits(j, NULL) < 0)
			return -1;
	}
	return eb_err_is_set(j->err) ? -1 : 0;
}

/* --- whole values ---------------------------------------------------- */

static int skip_object(struct eb_json_pull *j)
{
	struct eb_json_text key;
	int got;

	if (eb_json_open(j, '{') < 0)
		return -1;
	while ((got = eb_json_key(j, &key)) > 0)
		if (eb_json_skip(j) < 0)
			return -1;
	return got;
}

static int skip_array(struct eb_json_pull *j)
{
	int got;

	if (eb_json_open(j, '[') < 0)
		return -1;
	while ((got = eb_json_item(j)) > 0)
		if (eb_json_skip(j) < 0)
			return -1;
	return got;
}

int eb_json_skip(struct eb_json_pull *j)
{
	struct eb_json_number number;
	struct eb_json_text text;
	int c = eb_json_peek(j);

	switch (c) {
	case -1: return -1;
	case '{': return skip_object(j);
	case '[': return skip_array(j);
	case '"': return eb_json_string(j, &text);
	case 't':
	case 'f':
	case 'n': return eb_json_literal(j) < 0 ? -1 : 0;
	default:
		if (c != '-' && (c < '0' || c > '9'))
			return eb_json_fail(j, "no value");
		return eb_json_number(j, &number);
	}
}
