/* SPDX-License-Identifier: Apache-2.0 */
/* One term of a version constraint. */
#include <ctype.h>
#include <string.h>

#include "verspec_term.h"
#include <envbuild/str.h>

struct operator
{
	const char *sign;
	enum eb_term_op op;
};

/* The longer of two that begin alike comes first. */
static const struct operator operators[] = {
	{ "==", EB_TERM_EQ },	      { "!=", EB_TERM_NE },
	{ "<=", EB_TERM_LE },	      { ">=", EB_TERM_GE },
	{ "~=", EB_TERM_COMPATIBLE }, { "<", EB_TERM_LT },
	{ ">", EB_TERM_GT },	      { "=", EB_TERM_STARTS },
};

static int bad(const char *text, const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "version constraint \"%s\": %s", text,
			  why);
}

static int take_version(const char *term, const char *text,
			struct eb_version **out, struct eb_error *err)
{
	*out = eb_version_parse(text, err);
	if (!*out)
		return eb_err_prefix(err, "version constraint \"%s\"", term);
	return 0;
}

/* ---- with an operator --------------------------------------------------- */

static const struct operator* find_operator(const char *text)
{
	size_t i, n;

	for (i = 0; i < sizeof operators / sizeof *operators; i++) {
		n = strlen(operators[i].sign);
		if (strncmp(text, operators[i].sign, n) == 0)
			return text[n] && !strchr("=<>!~", text[n])
				       ? &operators[i]
				       : NULL;
	}
	return NULL;
}

/* A final ".*" says something behind "!=" alone. */
static int drop_star(const char *term, char *literal, enum eb_term_op *op,
		     struct eb_error *err)
{
	if (!eb_ends(literal, ".*"))
		return 0;
	if (*op == EB_TERM_COMPATIBLE)
		return bad(term, "\".*\" does not go with \"~=\"", err);
	if (*op == EB_TERM_NE)
		*op = EB_TERM_NOT_STARTS;
	literal[strlen(literal) - 2] = '\0';
	return 0;
}

/* ~=1.4.2 starts with 1.4; ~=1 is >=1. */
static int take_prefix(const char *term, const char *literal, struct eb_term *t,
		       struct eb_error *err)
{
	eb_autofree char *prefix = eb_strdup(literal);
	char *dot = strrchr(prefix, '.');

	if (!dot) {
		t->op = EB_TERM_GE;
		return 0;
	}
	*dot = '\0';
	return take_version(term, prefix, &t->prefix, err);
}

static char *join(const char *a, const char *b, const char *c)
{
	char *text = eb_malloc(strlen(a) + strlen(b) + strlen(c) + 1);

	stpcpy(stpcpy(stpcpy(text, a), b), c);
	return text;
}

static char *normal_of(enum eb_term_op op, const char *literal)
{
	/* "37.*" as a version, written ">=37.*.*": the last goes again */
	const char *sign = "", *tail = eb_ends(literal, ".*") ? ".*" : "";

	switch (op) {
	case EB_TERM_NE: sign = "!="; break;
	case EB_TERM_LT: sign = "<"; break;
	case EB_TERM_LE: sign = "<="; break;
	case EB_TERM_GT: sign = ">"; break;
	case EB_TERM_GE: sign = ">="; break;
	case EB_TERM_COMPATIBLE: sign = "~="; break;
	case EB_TERM_STARTS: /* "1.*.3.*" would be a glob */
		sign = strchr(literal, '*') ? "=" : "";
		tail = *sign ? tail : ".*";
		break;
	case EB_TERM_NOT_STARTS:
		sign = "!=";
		tail = ".*";
		break;
	default: /* "1.**" alone would be 1.* */
		sign = strchr(literal, '*') ? "==" : "";
		break;
	}
	return join(sign, literal, tail);
}

static int parse_relation(const char *text, struct eb_term *t,
			  struct eb_error *err)
{
	const struct operator* o = find_operator(text);
	eb_autofree char *literal = NULL;

	if (!o)
		return bad(text,
			   "no operator that is known, or nothing "
			   "behind it",
			   err);
	t->op = o->op;
	literal = eb_strdup(text + strlen(o->sign));
	eb_lower(literal);
	if (drop_star(text, literal, &t->op, err) < 0)
		return -1;
	if (take_version(text, literal, &t->version, err) < 0)
		return -1;
	if (t->op == EB_TERM_COMPATIBLE &&
	    take_prefix(text, literal, t, err) < 0)
		return -1;
	t->normal = normal_of(t->op, literal);
	return 0;
}

/* ---- without ------------------------------------------------------------ */

static int take_pattern(const char *text, struct eb_term *t,
			struct eb_error *err)
{
	t->op = EB_TERM_PATTERN;
	t->normal = eb_strdup(text);
	return eb_pattern_parse(text, false, "version constraint", &t->pattern,
				err);
}

static int parse_regex(const char *text, struct eb_term *t,
		       struct eb_error *err)
{
	if (strlen(text) < 2 || text[0] != '^' || !eb_ends(text, "$"))
		return bad(text,
			   "a regular expression begins with \"^\" and "
			   "ends with \"$\"",
			   err);
	return take_pattern(text, t, err);
}

/* Matched against the version's text. `extra`: which signs it may have beside
 * those of versions. */
static int parse_text(const char *text, const char *extra, struct eb_term *t,
		      struct eb_error *err)
{
	const char *p;

	for (p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._+!-", *p) &&
		    !strchr(extra, *p))
			return bad(text, "a character is not allowed", err);
	return take_pattern(text, t, err);
}

static int parse_prefix(const char *text, struct eb_term *t,
			struct eb_error *err)
{
	eb_autofree char *literal = eb_strdup(text);
	size_t n = strlen(literal);

	while (n && literal[n - 1] == '*')
		literal[--n] = '\0';
	while (n && literal[n - 1] == '.')
		literal[--n] = '\0';
	t->op = EB_TERM_STARTS;
	if (take_version(text, literal, &t->version, err) < 0)
		return -1;
	free(t->text);
	t->text = join(literal, ".*", "");
	eb_lower(literal);
	t->normal = join(literal, ".*", "");
	return 0;
}

static int parse_exact(const char *text, struct eb_term *t,
		       struct eb_error *err)
{
	if (strchr(text, '@'))
		return parse_text(text, "@", t, err);
	t->normal = eb_strdup(text);
	eb_lower(t->normal);
	t->op = EB_TERM_EQ;
	return take_version(text, text, &t->version, err);
}

static int parse_any_kind(const char *text, struct eb_term *t,
			  struct eb_error *err)
{
	size_t n = strlen(text);

	if (text[0] == '^' || text[n - 1] == '$')
		return parse_regex(text, t, err);
	if (strchr("=<>!~", text[0]))
		return parse_relation(text, t, err);
	if (strcmp(text, "*") == 0) {
		t->op = EB_TERM_ANY;
		t->normal = eb_strdup(text);
		return 0;
	}
	while (n && text[n - 1] == '*')
		n--;
	if (memchr(text, '*', n)) /* 2.7.5 is no 2.7.*.*, in conda as well */
		return parse_text(text, "*", t, err);
	return text[n] ? parse_prefix(text, t, err) : parse_exact(text, t, err);
}

int eb_term_parse(const char *text, struct eb_term *out, struct eb_error *err)
{
	struct eb_term t = { .text = eb_strdup(text) };

	if (parse_any_kind(text, &t, err) < 0) {
		eb_term_release(&t);
		return -1;
	}
	*out = t;
	return 0;
}

void eb_term_release(struct eb_term *t)
{
	eb_version_free(t->version);
	eb_version_free(t->prefix);
	eb_pattern_release(&t->pattern);
	free(t->text);
	free(t->normal);
	*t = (struct eb_term){ 0 };
}

bool eb_term_match(const struct eb_term *t, const struct eb_version *v)
{
	switch (t->op) {
	case EB_TERM_ANY: return true;
	case EB_TERM_EQ: return eb_version_compare(v, t->version) == 0;
	case EB_TERM_NE: return eb_version_compare(v, t->version) != 0;
	case EB_TERM_LT: return eb_version_compare(v, t->version) < 0;
	case EB_TERM_LE: return eb_version_compare(v, t->version) <= 0;
	case EB_TERM_GT: return eb_version_compare(v, t->version) > 0;
	case EB_TERM_GE: return eb_version_compare(v, t->version) >= 0;
	case EB_TERM_STARTS: return eb_version_starts_with(v, t->version);
	case EB_TERM_NOT_STARTS: return !eb_version_starts_with(v, t->version);
	case EB_TERM_COMPATIBLE:
		return eb_version_compare(v, t->version) >= 0 &&
		       eb_version_starts_with(v, t->prefix);
	case EB_TERM_PATTERN:
		return eb_pattern_match(&t->pattern, eb_version_text(v));
	}
	return false;
}
