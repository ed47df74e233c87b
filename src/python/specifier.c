/* SPDX-License-Identifier: Apache-2.0 */
/* Version specifiers, and the form of them that is hashed. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>

#include "specifier.h"

static const char *const operators[] = {
	[EB_OP_ARBITRARY] = "===", [EB_OP_EQUAL] = "==",
	[EB_OP_COMPATIBLE] = "~=", [EB_OP_UNEQUAL] = "!=",
	[EB_OP_AT_MOST] = "<=",	   [EB_OP_AT_LEAST] = ">=",
	[EB_OP_BELOW] = "<",	   [EB_OP_ABOVE] = ">",
};

size_t eb_specifier_op(const char *p, enum eb_specifier_op *op)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (eb_starts(p, operators[i])) {
			*op = (enum eb_specifier_op)i;
			return strlen(operators[i]);
		}
	return 0;
}

/* ---- one ------------------------------------------------------------------
 */

static int no_version(const char *p, size_t n, enum eb_specifier_op op,
		      struct eb_error *err)
{
	if (n == 0) {
		eb_err_set(err, EB_INPUT, "no version behind \"%s\"",
			   operators[op]);
		return *p == '=' || *p == '<' || *p == '>'
			       ? eb_err_hint(err, "the operators are ==, !=, "
						  "<=, >=, <, >, ~= and ===")
			       : -1;
	}
	return eb_err_set(err, EB_INPUT, "\"%.*s\" is no version (PEP 440)",
			  (int)n, p);
}

/* Which operators take which versions. */
static int check(const struct eb_specifier *s, struct eb_error *err)
{
	const struct eb_pep440 *v = &s->version;
	bool equal = s->op == EB_OP_EQUAL || s->op == EB_OP_UNEQUAL;

	if (s->wild && !equal)
		return eb_err_set(err, EB_INPUT,
				  "\".*\" goes with == and != only, not with "
				  "%s",
				  operators[s->op]);
	if (s->wild && (v->has_suffix || v->has_local))
		return eb_err_set(err, EB_INPUT,
				  "\"%s.*\": \".*\" goes behind numbers only",
				  v->text);
	if (v->has_local && !equal)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": a local version goes with == and != "
				  "only, not with %s",
				  v->text, operators[s->op]);
	if (s->op == EB_OP_COMPATIBLE && v->n_release < 2)
		return eb_err_set(err, EB_INPUT,
				  "\"~=%s\": ~= takes two numbers at least",
				  v->text);
	return 0;
}

/* The operator and the `n` bytes of its version. */
static int read_one(enum eb_specifier_op op, const char *p, size_t n,
		    struct eb_specifier *out, struct eb_error *err)
{
	*out = (struct eb_specifier){ .op = op, .given = eb_strndup(p, n) };
	if (op == EB_OP_ARBITRARY)
		return 0;
	out->wild = n > 2 && eb_ends(out->given, ".*");
	if (eb_pep440_parse(p, out->wild ? n - 2 : n, &out->version) < 0 ||
	    eb_pep440_key_read(out->version.text, strlen(out->version.text),
			       &out->key) < 0)
		return no_version(p, n, op, err);
	return check(out, err);
}

void eb_specifier_release(struct eb_specifier *s)
{
	free(s->given);
	eb_pep440_release(&s->version);
	eb_pep440_key_release(&s->key);
}

static void add_hashed(const struct eb_specifier *s, struct eb_strv *out)
{
	const char *op = operators[s->op];

	if (s->op == EB_OP_ARBITRARY || s->wild)
		eb_strv_addf(out, "%s%s", op, s->given);
	else
		eb_strv_addf(out, "%s%s", op,
			     s->op == EB_OP_COMPATIBLE ? s->version.text
						       : s->version.canonical);
}

/* ---- those of a requirement ------------------------------------------------
 */

static size_t version_length(const char *p, enum eb_specifier_op op)
{
	size_t n = 0;

	if (op == EB_OP_ARBITRARY)
		return strcspn(p, " \t;,)");
	while (isalnum((unsigned char)p[n]) || (p[n] && strchr(".*+!_-", p[n])))
		n++;
	return n;
}

static void skip(const char **at)
{
	while (**at == ' ' || **at == '\t')
		++*at;
}

int eb_specifiers_parse(const char **at, struct eb_strv *out,
			struct eb_error *err)
{
	enum eb_specifier_op op;
	size_t n;

	while ((n = eb_specifier_op(*at, &op))) {
		struct eb_specifier s EB_CLEANUP(eb_specifier_release) = { 0 };

		*at += n;
		skip(at);
		n = version_length(*at, op);
		if (n == 0)
			return no_version(*at, n, op, err);
		if (read_one(op, *at, n, &s, err) < 0)
			return -1;
		add_hashed(&s, out);
		*at += n;
		skip(at);
		if (**at != ',')
			break;
		++*at;
		skip(at);
	}
	return 0;
}

/* ---- those that stand alone
 * --------------------------------------------------
 */

int eb_specifier_read(const char *text, struct eb_specifier *out,
		      struct eb_error *err)
{
	eb_autofree char *copy = eb_strdup(text);
	const char *p = eb_strip(copy);
	enum eb_specifier_op op;
	size_t n = eb_specifier_op(p, &op);

	*out = (struct eb_specifier){ 0 };
	if (n == 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" begins with no operator of a version",
				  p);
	for (p += n; isspace((unsigned char)*p);)
		p++;
	if (op == EB_OP_ARBITRARY && p[strcspn(p, " \t\r\n\f\v;)")])
		return no_version(p, strlen(p), op, err);
	return read_one(op, p, strlen(p), out, err);
}

int eb_specifiers_read(const char *text, struct eb_specifiers *out,
		       struct eb_error *err)
{
	struct eb_strv piece EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_split(&piece, text, ",");
	for (size_t i = 0; i < piece.n; i++) {
		if (!*eb_strip(piece.v[i]))
			continue;
		EB_GROW(out->v, out->n, out->alloc);
		if (eb_specifier_read(piece.v[i], &out->v[out->n++], err) < 0)
			return -1;
	}
	return 0;
}

void eb_specifiers_release(struct eb_specifiers *s)
{
	for (size_t i = 0; i < s->n; i++)
		eb_specifier_release(&s->v[i]);
	free(s->v);
}
