/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading environment markers (`python_version < "3.8" and extra == 'x'`):
 * names of Python 2 times replaced, values of `extra` normalised.
 */
#include <ctype.h>
#include <string.h>

#include <envbuild/requirement.h>

#include "marker.h"

struct parser {
	const char *p;
	unsigned depth;
	struct eb_error *err;
};

static int parse_list(struct parser *p, struct eb_marker *out);

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

static bool variable(struct parser *p, struct eb_marker_operand *out)
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

static int operand(struct parser *p, struct eb_marker_operand *out)
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

static bool is_extra(const struct eb_marker_operand *o)
{
	return o->variable && strcmp(o->variable, "extra") == 0;
}

static bool is_set(const struct eb_marker_operand *o)
{
	return o->variable && (strcmp(o->variable, "extras") == 0 ||
			       strcmp(o->variable, "dependency_groups") == 0);
}

static void make_name(struct eb_marker_operand *o)
{
	char *name = eb_project_name(o->value);

	free(o->value);
	o->value = name;
}

static void normalise(struct eb_marker_operand *left,
		      struct eb_marker_operand *right)
{
	if (is_extra(left) && right->value)
		make_name(right);
	else if ((is_extra(right) || is_set(right)) && left->value)
		make_name(left);
}

/* ---- comparisons -----------------------------------------------------------
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

static int comparison(struct parser *p, struct eb_marker *out)
{
	if (operand(p, &out->left) < 0)
		return -1;
	skip(p);
	out->op = operator_at(p);
	if (!out->op) {
		eb_err_set(p->err, EB_INPUT, "marker: an operator is missing");
		return eb_err_hint(p->err, "the operators are ==, !=, <=, >=, "
					   "<, >, ~=, ===, in and not in");
	}
	skip(p);
	if (operand(p, &out->right) < 0)
		return -1;
	normalise(&out->left, &out->right);
	return 0;
}

/* ---- and, or, parentheses
 * ----------------------------------------------------
 */

static int in_parentheses(struct parser *p, struct eb_marker *out)
{
	if (++p->depth > EB_MARKER_DEPTH)
		return eb_err_set(p->err, EB_INPUT,
				  "marker: more than %d parentheses deep",
				  EB_MARKER_DEPTH);
	p->p++;
	out->list = eb_calloc(1, sizeof *out->list);
	if (parse_list(p, out->list) < 0)
		return -1;
	if (*p->p != ')')
		return eb_err_set(p->err, EB_INPUT,
				  "marker: a closing parenthesis is missing");
	p->p++;
	p->depth--;
	return 0;
}

static int atom(struct parser *p, struct eb_marker *out)
{
	int rc;

	skip(p);
	rc = *p->p == '(' ? in_parentheses(p, out) : comparison(p, out);
	skip(p);
	return rc;
}

/* `out` is the first of the list; the others are hung behind it. */
static int parse_list(struct parser *p, struct eb_marker *out)
{
	for (;;) {
		bool either;

		if (atom(p, out) < 0)
			return -1;
		either = word(p, "or");
		if (!either && !word(p, "and"))
			return 0;
		out->next = eb_calloc(1, sizeof *out->next);
		out = out->next;
		out->or_before = either;
	}
}

struct eb_marker *eb_marker_parse(const char *text, struct eb_error *err)
{
	struct parser p = { text, 0, err };
	EB_CLEANUP(eb_marker_free_ptr)
	struct eb_marker *m = eb_calloc(1, sizeof *m);

	if (parse_list(&p, m) < 0)
		return NULL;
	if (!*p.p)
		return eb_steal(m);
	eb_err_set(err, EB_INPUT, "marker: \"%s\" is left over", p.p);
	return NULL;
}

void eb_marker_free(struct eb_marker *m)
{
	while (m) {
		struct eb_marker *next = m->next;

		eb_marker_free(m->list);
		free(m->left.value);
		free(m->right.value);
		free(m);
		m = next;
	}
}
