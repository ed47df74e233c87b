/* SPDX-License-Identifier: Apache-2.0 */
/* Version specifiers of a requirement, in the form that is hashed. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>

#include "pep440.h"

static const char *const operators[] = {
	"===", "==", "~=", "!=", "<=", ">=", "<", ">",
};

static const char *operator_at(const char *p)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (eb_starts(p, operators[i]))
			return operators[i];
	return NULL;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static size_t version_length(const char *p, const char *op)
{
	size_t n = 0;

	if (strcmp(op, "===") == 0)
		return strcspn(p, " \t;,)");
	while (isalnum((unsigned char)p[n]) || (p[n] && strchr(".*+!_-", p[n])))
		n++;
	return n;
}

static int no_version(const char *p, size_t n, const char *op,
		      struct eb_error *err)
{
	if (n == 0) {
		eb_err_set(err, EB_INPUT, "no version behind \"%s\"", op);
		return *p == '=' || *p == '<' || *p == '>'
			       ? eb_err_hint(err, "the operators are ==, !=, "
						  "<=, >=, <, >, ~= and ===")
			       : -1;
	}
	return eb_err_set(err, EB_INPUT, "\"%.*s\" is no version (PEP 440)",
			  (int)n, p);
}

/* Which operators take which versions. */
static int check(const struct eb_pep440 *v, const char *op, bool wild,
		 struct eb_error *err)
{
	bool equal = strcmp(op, "==") == 0 || strcmp(op, "!=") == 0;

	if (wild && !equal)
		return eb_err_set(err, EB_INPUT,
				  "\".*\" goes with == and != only, not with "
				  "%s",
				  op);
	if (wild && (v->has_suffix || v->has_local))
		return eb_err_set(err, EB_INPUT,
				  "\"%s.*\": \".*\" goes behind numbers only",
				  v->text);
	if (v->has_local && !equal)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": a local version goes with == and != "
				  "only, not with %s",
				  v->text, op);
	if (strcmp(op, "~=") == 0 && v->n_release < 2)
		return eb_err_set(err, EB_INPUT,
				  "\"~=%s\": ~= takes two numbers at least",
				  v->text);
	return 0;
}

static int add_version(const char *p, size_t n, const char *op,
		       struct eb_strv *out, struct eb_error *err)
{
	struct eb_pep440 v EB_CLEANUP(eb_pep440_release) = { 0 };
	bool wild = n > 2 && memcmp(p + n - 2, ".*", 2) == 0;

	if (n == 0)
		return no_version(p, n, op, err);
	if (strcmp(op, "===") == 0) {
		eb_strv_addf(out, "===%.*s", (int)n, p);
		return 0;
	}
	if (eb_pep440_parse(p, wild ? n - 2 : n, &v) < 0)
		return no_version(p, n, op, err);
	if (check(&v, op, wild, err) < 0)
		return -1;
	if (wild)
		eb_strv_addf(out, "%s%.*s", op, (int)n, p);
	else
		eb_strv_addf(out, "%s%s", op,
			     strcmp(op, "~=") ? v.canonical : v.text);
	return 0;
}

static void skip(const char **at)
{
	while (is_space(**at))
		++*at;
}

int eb_specifiers_parse(const char **at, struct eb_strv *out,
			struct eb_error *err)
{
	const char *op;
	size_t n;

	while ((op = operator_at(*at))) {
		*at += strlen(op);
		skip(at);
		n = version_length(*at, op);
		if (add_version(*at, n, op, out, err) < 0)
			return -1;
		*at += n;
		skip(at);
		if (**at != ',')
			break;
		++*at;
		skip(at);
	}
	return 0;
}
