/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text patterns. Channels write regular expressions, so these are kept to
 * what costs time linear in the text: counts and back-references are
 * refused, and so is what POSIX reads otherwise than Python does.
 */
#include <ctype.h>
#include <regex.h>
#include <string.h>

#include "pattern.h"
#include <envbuild/buf.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#define MAX_REGEX 512
#define MAX_GROUPS 32
#define MAX_COST 4096

static int refuse(const char *text, const char *what, const char *why,
		  struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "%s \"%.*s\": %s", what, MAX_REGEX,
			  text, why);
}

/* The class that \d, \w, \s stand for, to be put between brackets. */
static const char *class_of(char c)
{
	switch (c) {
	case 'd': return "0-9";
	case 'w': return "_[:alnum:]";
	case 's': return "[:space:]";
	default: return NULL;
	}
}

/* Escapes: classes, and signs that stand for themselves. */
static int add_escape(struct eb_buf *out, char c, bool in_brackets)
{
	const char *set = class_of(c);

	if (set)
		return eb_buf_addf(out, in_brackets ? "%s" : "[%s]", set);
	if (!ispunct((unsigned char)c) || (in_brackets && strchr("^-]\\", c)))
		return -1;
	return eb_buf_addf(out, in_brackets ? "%c" : "\\%c", c);
}

/* Between brackets; returns the "]", or NULL where POSIX reads otherwise. */
static const char *translate_set(const char *s, struct eb_buf *out)
{
	const char *first = s + (s[1] == '^' ? 2 : 1), *p;

	for (p = s; *p && (*p != ']' || p <= first); p++) {
		if (p > s && *p == '[')
			return NULL;
		if (*p != '\\')
			eb_buf_addch(out, *p);
		else if (add_escape(out, *++p, true) < 0)
			return NULL;
	}
	eb_buf_addch(out, ']');
	return *p ? p : NULL;
}

/* What an expression costs when it is compiled: "x+" is "xx*" there, so that
 * nested ones double. */
struct cost {
	unsigned sum[MAX_GROUPS + 1]; /* of what is open */
	unsigned depth;
	unsigned last; /* what a repeat would repeat; 0: nothing */
	bool repeated;
};

static void add_cost(struct cost *c, unsigned cost)
{
	c->sum[c->depth] += cost;
	c->last = cost;
	c->repeated = false;
}

static int begin_group(struct cost *c)
{
	if (c->depth == MAX_GROUPS)
		return -1;
	c->sum[++c->depth] = 0;
	c->last = 0;
	return 0;
}

static int end_group(struct cost *c)
{
	if (!c->depth)
		return -1;
	c->depth--;
	add_cost(c, c->sum[c->depth + 1] + 1);
	return 0;
}

/* 1 to be written, 0 not: the lazy form matches the same texts. Python has no
 * repeat of a repeat and none of nothing; its possessive ones are others. */
static int add_repeat(struct cost *c, char repeat)
{
	if (!c->last || (c->repeated && repeat != '?'))
		return -1;
	if (c->repeated) {
		c->last = 0;
		return 0;
	}
	if (repeat == '+') {
		c->sum[c->depth] += c->last;
		c->last *= 2;
	}
	c->repeated = true;
	return c->sum[c->depth] > MAX_COST ? -1 : 1;
}

/* A sign that stands for itself, or for more. */
static int translate_sign(char sign, struct cost *c, struct eb_buf *out)
{
	int rc = 1;

	if (strchr("*+?", sign))
		rc = add_repeat(c, sign);
	else if (sign == '(')
		rc = begin_group(c) < 0 ? -1 : 1;
	else if (sign == ')')
		rc = end_group(c) < 0 ? -1 : 1;
	else if (strchr("|^$", sign))
		c->last = 0;
	else
		add_cost(c, 1);
	if (rc > 0)
		eb_buf_addch(out, sign);
	return rc < 0 ? -1 : 0;
}

/* Python's spelling to POSIX's; -1 where there is none. */
static int translate(const char *s, struct eb_buf *out)
{
	struct cost c = { .depth = 0 };

	for (; *s; s++) {
		if (*s == '{' || (*s == '(' && s[1] == '?'))
			return -1;
		if (*s == '[') {
			s = translate_set(s, out);
			if (!s)
				return -1;
			add_cost(&c, 1);
		} else if (*s == '\\') {
			if (add_escape(out, *++s, false) < 0)
				return -1;
			add_cost(&c, 1);
		} else if (translate_sign(*s, &c, out) < 0) {
			return -1;
		}
	}
	return c.depth || out->overflow ? -1 : 0;
}

/* As Python's match(): every branch begins at the start of the text. */
static int compile(const char *text, bool fold, regex_t *regex)
{
	EB_AUTOBUF(posix, 16 * MAX_REGEX);
	int flags = REG_EXTENDED | REG_NOSUB | (fold ? REG_ICASE : 0);

	eb_buf_adds(&posix, "^(");
	if (translate(text, &posix) < 0 || eb_buf_addch(&posix, ')') < 0)
		return -1;
	return regcomp(regex, posix.data, flags) ? -1 : 0;
}

static int parse_regex(const char *text, const char *what, struct eb_pattern *p,
		       struct eb_error *err)
{
	regex_t *regex;

	if (strlen(text) > MAX_REGEX)
		return refuse(text, what,
			      "a regular expression longer than 512 bytes",
			      err);
	regex = eb_malloc(sizeof *regex);
	if (compile(text, p->fold, regex) < 0) {
		free(regex);
		return refuse(text, what,
			      "not a regular expression that is understood "
			      "here",
			      err);
	}
	p->regex = regex;
	return 0;
}

static bool is_regex(const char *text)
{
	size_t n = strlen(text);

	return n > 1 && text[0] == '^' && text[n - 1] == '$';
}

int eb_pattern_parse(const char *text, bool fold, const char *what,
		     struct eb_pattern *out, struct eb_error *err)
{
	struct eb_pattern p = { .kind = EB_PATTERN_EXACT, .fold = fold };

	if (is_regex(text)) {
		p.kind = EB_PATTERN_REGEX;
		if (parse_regex(text, what, &p, err) < 0)
			return -1;
	} else if (strcmp(text, "*") == 0) {
		p.kind = EB_PATTERN_ALL;
	} else if (strchr(text, '*')) {
		p.kind = EB_PATTERN_GLOB;
	}
	p.text = eb_strdup(text);
	*out = p;
	return 0;
}

void eb_pattern_release(struct eb_pattern *p)
{
	if (p->regex)
		regfree(p->regex);
	free(p->regex);
	free(p->text);
	*p = (struct eb_pattern){ 0 };
}

static bool same(char a, char b, bool fold)
{
	return a == b ||
	       (fold && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* "*" alone is special; a mismatch goes back to the last one, so the cost is
 * at most the product of the lengths. */
static bool match_glob(const char *glob, const char *s, bool fold)
{
	const char *star = NULL, *retry = NULL;

	while (*s) {
		if (*glob == '*') {
			star = glob++;
			retry = s;
		} else if (*glob && same(*glob, *s, fold)) {
			glob++;
			s++;
		} else if (star) {
			glob = star + 1;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (*glob == '*')
		glob++;
	return *glob == '\0';
}

bool eb_pattern_match(const struct eb_pattern *p, const char *text)
{
	if (p->kind == EB_PATTERN_NONE)
		return true;
	if (!text)
		return false;
	switch (p->kind) {
	case EB_PATTERN_EXACT:
		return (p->fold ? strcasecmp(p->text, text)
				: strcmp(p->text, text)) == 0;
	case EB_PATTERN_GLOB: return match_glob(p->text, text, p->fold);
	case EB_PATTERN_REGEX: return regexec(p->regex, text, 0, NULL, 0) == 0;
	default: return true;
	}
}
