/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environment markers (`python_version < "3.8" and extra == 'x'`) and their
 * normal text: double quotes, names of Python 2 times replaced, values of
 * `extra` normalised, parentheses only around what has `and` or `or` in it.
 */
#include <ctype.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/str.h>

#include "pep508.h"

#define MAX_DEPTH 64

struct parser {
	const char *p;
	unsigned depth;
	struct eb_error *err;
};

/* A part of a marker as text; compound: it has `and` or `or` outside of
 * parentheses. */
struct term {
	char *text;
	bool compound;
};

struct operand {
	const char *variable; /* normal name, or NULL: a value */
	char *value;
};

static int parse_list(struct parser *p, struct term *out);

static void skip(struct parser *p)
{
	while (*p->p == ' ' || *p->p == '\t')
		p->p++;
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool word(struct parser *p, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(p->p, text, n) != 0 || is_word_byte(p->p[n]))
		return false;
	p->p += n;
	return true;
}

/* ---- operands ------------------------------------------------------------ */

static const struct {
	const char *name, *normal;
} variables[] = {
	{ "python_version", NULL },
	{ "python_full_version", NULL },
	{ "os_name", NULL },
	{ "os.name", "os_name" },
	{ "sys_platform", NULL },
	{ "sys.platform", "sys_platform" },
	{ "platform_release", NULL },
	{ "platform_system", NULL },
	{ "platform_version", NULL },
	{ "platform.version", "platform_version" },
	{ "platform_machine", NULL },
	{ "platform.machine", "platform_machine" },
	{ "platform_python_implementation", NULL },
	{ "platform.python_implementation", "platform_python_implementation" },
	{ "python_implementation", "platform_python_implementation" },
	{ "implementation_name", NULL },
	{ "implementation_version", NULL },
	{ "extra", NULL },
	{ "extras", NULL },
	{ "dependency_groups", NULL },
};

static bool variable(struct parser *p, struct operand *out)
{
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		if (!word(p, variables[i].name))
			continue;
		out->variable = variables[i].normal ? variables[i].normal
						    : variables[i].name;
		return true;
	}
	return false;
}

static int bad_operand(struct parser *p)
{
	size_t n = 0;

	while (is_word_byte(p->p[n]) || p->p[n] == '.')
		n++;
	if (n)
		return eb_err_set(p->err, EB_INPUT,
				  "marker: \"%.*s\" is neither a variable nor "
				  "a text in quotes",
				  (int)n, p->p);
	return eb_err_set(p->err, EB_INPUT,
			  "marker: a variable or a text in quotes is missing");
}

static int operand(struct parser *p, struct operand *out)
{
	char quote = *p->p;
	const char *end;

	if (quote != '"' && quote != '\'')
		return variable(p, out) ? 0 : bad_operand(p);
	end = strchr(p->p + 1, quote);
	if (!end)
		return eb_err_set(p->err, EB_INPUT,
				  "marker: a closing %c is missing", quote);
	out->value = eb_strndup(p->p + 1, (size_t)(end - p->p - 1));
	p->p = end + 1;
	return 0;
}

static void operand_release(struct operand *o)
{
	free(o->value);
}

static bool is_extra(const struct operand *o)
{
	return o->variable && strcmp(o->variable, "extra") == 0;
}

static bool is_set(const struct operand *o)
{
	return o->variable && (strcmp(o->variable, "extras") == 0 ||
			       strcmp(o->variable, "dependency_groups") == 0);
}

static void make_name(struct operand *o)
{
	char *name = eb_project_name(o->value);

	free(o->value);
	o->value = name;
}

static void normalise(struct operand *left, struct operand *right)
{
	if (is_extra(left) && right->value)
		make_name(right);
	else if ((is_extra(right) || is_set(right)) && left->value)
		make_name(left);
}

static void add_operand(struct eb_buf *out, const struct operand *o)
{
	char quote = o->value && strchr(o->value, '"') ? '\'' : '"';

	if (o->variable)
		eb_buf_adds(out, o->variable);
	else
		eb_buf_addf(out, "%c%s%c", quote, o->value, quote);
}

/* ---- comparisons ----------------------------------------------------------
 */

static const char *not_in(struct parser *p)
{
	if (*p->p != ' ' && *p->p != '\t')
		return NULL;
	skip(p);
	return word(p, "in") ? "not in" : NULL;
}

static const char *operator_at(struct parser *p)
{
	static const char *const list[] = { "===", "==", "~=", "!=",
					    "<=",  ">=", "<",  ">" };

	if (word(p, "in"))
		return "in";
	if (word(p, "not"))
		return not_in(p);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (eb_starts(p->p, list[i])) {
			p->p += strlen(list[i]);
			return list[i];
		}
	return NULL;
}

static int comparison(struct parser *p, struct term *out)
{
	struct operand left EB_CLEANUP(operand_release) = { 0 };
	struct operand right EB_CLEANUP(operand_release) = { 0 };
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	const char *op;

	if (operand(p, &left) < 0)
		return -1;
	skip(p);
	op = operator_at(p);
	if (!op) {
		eb_err_set(p->err, EB_INPUT, "marker: an operator is missing");
		return eb_err_hint(p->err, "the operators are ==, !=, <=, >=, "
					   "<, >, ~=, ===, in and not in");
	}
	skip(p);
	if (operand(p, &right) < 0)
		return -1;
	normalise(&left, &right);
	add_operand(&text, &left);
	eb_buf_addf(&text, " %s ", op);
	add_operand(&text, &right);
	out->text = eb_buf_steal(&text, NULL);
	out->compound = false;
	return 0;
}

/* ---- and, or, parentheses --------------------------------------------------
 */

static int in_parentheses(struct parser *p, struct term *out)
{
	if (++p->depth > MAX_DEPTH)
		return eb_err_set(p->err, EB_INPUT,
				  "marker: more than %d parentheses deep",
				  MAX_DEPTH);
	p->p++;
	if (parse_list(p, out) < 0)
		return -1;
	if (*p->p != ')')
		return eb_err_set(p->err, EB_INPUT,
				  "marker: a closing parenthesis is missing");
	p->p++;
	p->depth--;
	return 0;
}

static int atom(struct parser *p, struct term *out)
{
	int rc;

	skip(p);
	rc = *p->p == '(' ? in_parentheses(p, out) : comparison(p, out);
	skip(p);
	return rc;
}

static void release_term(struct term *t)
{
	free(t->text);
}

static void add_term(struct eb_buf *out, const struct term *t)
{
	if (t->compound)
		eb_buf_addf(out, "(%s)", t->text);
	else
		eb_buf_adds(out, t->text);
}

static int parse_list(struct parser *p, struct term *out)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	const char *op;

	if (atom(p, out) < 0)
		return -1;
	while ((op = word(p, "and") ? "and" : word(p, "or") ? "or" : NULL)) {
		struct term next EB_CLEANUP(release_term) = { 0 };

		if (!text.len)
			add_term(&text, out);
		if (atom(p, &next) < 0)
			return -1;
		eb_buf_addf(&text, " %s ", op);
		add_term(&text, &next);
	}
	if (text.len) {
		free(out->text);
		out->text = eb_buf_steal(&text, NULL);
		out->compound = true;
	}
	return 0;
}

char *eb_marker_normal(const char *text, struct eb_error *err)
{
	struct parser p = { text, 0, err };
	struct term out EB_CLEANUP(release_term) = { 0 };

	if (parse_list(&p, &out) < 0)
		return NULL;
	if (!*p.p)
		return eb_steal(out.text);
	eb_err_set(err, EB_INPUT, "marker: \"%s\" is left over", p.p);
	return NULL;
}
