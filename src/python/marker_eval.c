/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a marker hold in an environment? As packaging 26 has it: versions where
 * the variable is one and the other side makes a specifier of the operator,
 * else texts; every comparison is looked at, so a senseless one is an error
 * wherever it stands.
 */
#include <string.h>

#include <envbuild/requirement.h>
#include <envbuild/tags.h>

#include "marker.h"
#include "specifier.h"

struct evaluation {
	const struct eb_marker_env *env;
	const char *extra; /* normal name; "" */
	struct eb_error *err;
};

/* What is not known is taken for "", and the result with it is a guess. */
struct answer {
	bool holds, known;
};

/* ---- values -----------------------------------------------------------------
 */

static bool is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(s, *list) == 0)
			return true;
	return false;
}

static bool is_version(const char *variable)
{
	static const char *const list[] = { "python_version",
					    "python_full_version",
					    "implementation_version",
					    "platform_release", NULL };

	return is_one_of(variable, list);
}

/* Of the machine that will run the image. */
static bool is_later(const char *variable)
{
	static const char *const list[] = { "platform_release",
					    "platform_version", NULL };

	return is_one_of(variable, list);
}

static const char *given(const struct eb_marker_env *env, const char *variable)
{
	for (size_t i = 0; i < env->name.n; i++)
		if (strcmp(env->name.v[i], variable) == 0)
			return env->value.v[i];
	return NULL;
}

static const char *value_of(const struct evaluation *e, const char *variable)
{
	const char *value;

	if (strcmp(variable, "extra") == 0)
		return e->extra;
	value = given(e->env, variable);
	return value || !is_later(variable) ? value : "";
}

/* ---- comparisons
 * -------------------------------------------------------------
 */

/* 1, 0; -1: operator and text make no specifier. */
static int as_versions(const char *left, const char *op, const char *right)
{
	eb_autofree char *text = eb_asprintf("%s%s", op, right);
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_specifier s EB_CLEANUP(eb_specifier_release) = { 0 };
	struct eb_pep440_key v EB_CLEANUP(eb_pep440_key_release) = { 0 };
	bool valid = eb_pep440_key_read(left, strlen(left), &v) == 0;

	if (eb_specifier_read(text, &s, &err) < 0)
		return -1;
	return eb_specifier_matches(&s, left, valid ? &v : NULL);
}

/* 1, 0; -1: texts are not compared so. */
static int as_texts(const char *left, const char *op, const char *right)
{
	if (strcmp(op, "in") == 0)
		return strstr(right, left) != NULL;
	if (strcmp(op, "not in") == 0)
		return strstr(right, left) == NULL;
	if (strcmp(op, "==") == 0 || strcmp(op, "<=") == 0 ||
	    strcmp(op, ">=") == 0)
		return strcmp(left, right) == 0;
	if (strcmp(op, "!=") == 0)
		return strcmp(left, right) != 0;
	return strcmp(op, "<") == 0 || strcmp(op, ">") == 0 ? 0 : -1;
}

static int no_value(const struct evaluation *e, const char *variable)
{
	if (!variable)
		return eb_err_set(e->err, EB_INPUT,
				  "marker: two texts are compared, and no "
				  "variable");
	return eb_err_set(e->err, EB_INPUT,
			  "marker: the environment has no value of \"%s\"",
			  variable);
}

/* A variable on both sides: the right one counts as its name. */
static int compare(const struct evaluation *e, const struct eb_marker *m,
		   struct answer *out)
{
	const char *variable =
		m->left.variable ? m->left.variable : m->right.variable;
	const char *value = variable ? value_of(e, variable) : NULL;
	const char *left, *right;
	int rc = -1;

	if (!value)
		return no_value(e, variable);
	left = m->left.variable ? value : m->left.value;
	right = !m->left.variable ? value
		: m->right.value  ? m->right.value
				  : m->right.variable;
	if (is_version(variable))
		rc = as_versions(left, m->op, right);
	if (rc < 0)
		rc = as_texts(left, m->op, right);
	if (rc < 0)
		return eb_err_set(e->err, EB_INPUT,
				  "marker: \"%s\" and \"%s\" are texts, which "
				  "%s does not compare",
				  left, right, m->op);
	out->holds = rc;
	out->known = *value || !is_later(variable);
	return 0;
}

/* ---- and, or
 * -----------------------------------------------------------------
 */

static struct answer both(struct answer a, struct answer b)
{
	bool no = (a.known && !a.holds) || (b.known && !b.holds);

	return (struct answer){ a.holds && b.holds,
				no || (a.known && b.known) };
}

static struct answer either(struct answer a, struct answer b)
{
	bool yes = (a.known && a.holds) || (b.known && b.holds);

	return (struct answer){ a.holds || b.holds,
				yes || (a.known && b.known) };
}

/* `and` binds tighter; groups of it are joined by `or`. */
static int evaluate(const struct evaluation *e, const struct eb_marker *m,
		    struct answer *out)
{
	struct answer group = { true, true };

	*out = (struct answer){ false, true };
	for (; m; m = m->next) {
		struct answer one;

		if (m->list ? evaluate(e, m->list, &one) < 0
			    : compare(e, m, &one) < 0)
			return -1;
		if (m->or_before) {
			*out = either(*out, group);
			group = one;
		} else {
			group = both(group, one);
		}
	}
	*out = either(*out, group);
	return 0;
}

int eb_marker_holds(const char *marker, const struct eb_marker_env *env,
		    const char *extra, bool *unknown, struct eb_error *err)
{
	EB_CLEANUP(eb_marker_free_ptr)
	struct eb_marker *m = eb_marker_parse(marker, err);
	eb_autofree char *name = NULL;
	struct evaluation e = { .env = env, .err = err };
	struct answer all;

	extra = extra ? extra : given(env, "extra");
	e.extra = name = eb_project_name(extra ? extra : "");
	if (!m || evaluate(&e, m, &all) < 0)
		return -1;
	if (unknown)
		*unknown = !all.known;
	return all.holds;
}
