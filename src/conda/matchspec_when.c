/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The condition of a MatchSpec (CEP 43): specs joined by "and", "or" and
 * parentheses; "and" binds tighter. Specs in it have a plain name, and neither
 * a condition nor extras of their own: what those would mean is not defined.
 */
#include <ctype.h>
#include <string.h>

#include "matchspec_parts.h"

#define MAX_NODES 127 /* 64 specs and what joins them */
#define MAX_DEPTH 16

struct reader {
	struct eb_when *w;
	const char *at;
	unsigned depth;
	enum eb_strictness how;
	struct eb_error *err;
};

void eb_when_free(struct eb_when *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		eb_matchspec_free(w->node[i].m);
	free(w->node);
	free(w);
}

static int bad(struct reader *r, const char *why)
{
	return eb_err_set(r->err, EB_INPUT, "condition: %s", why);
}

static int add(struct reader *r, struct eb_when_node node, uint32_t *number)
{
	struct eb_when *w = r->w;

	if (w->n == MAX_NODES) {
		eb_matchspec_free(node.m);
		return bad(r, "more than 64 specs");
	}
	EB_GROW(w->node, w->n, w->alloc);
	w->node[w->n] = node;
	*number = w->n++;
	return 0;
}

/* ---- words -------------------------------------------------------------- */

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

/* "and" as a word of its own, not in "android". */
static bool is_word(const char *at, const char *word)
{
	size_t n = strlen(word);

	return strncmp(at, word, n) == 0 &&
	       (!at[n] || at[n] == '(' || isspace((unsigned char)at[n]));
}

static bool take_word(struct reader *r, const char *word)
{
	skip_blanks(r);
	if (!is_word(r->at, word))
		return false;
	r->at += strlen(word);
	return true;
}

/* Up to " and ", " or " or a parenthesis that is in no brackets or quotes. */
static size_t spec_length(const char *s)
{
	char quote = '\0';
	int depth = 0;
	const char *p;

	for (p = s; *p; p++) {
		if (quote)
			quote = *p == quote ? '\0' : quote;
		else if (*p == '\'' || *p == '"')
			quote = *p;
		else if (*p == '[' || *p == ']')
			depth += *p == '[' ? 1 : -1;
		else if (depth <= 0 && (*p == '(' || *p == ')'))
			break;
		else if (depth <= 0 && isspace((unsigned char)*p) &&
			 (is_word(p + 1, "and") || is_word(p + 1, "or")))
			break;
	}
	return (size_t)(p - s);
}

/* ---- specs -------------------------------------------------------------- */

/* Before it is read, so that conditions are not read in conditions. */
static bool has_when(const char *spec)
{
	const char *p = strchr(spec, '[');

	while (p && (p = strstr(p + 1, "when")))
		if (strchr("[, ", p[-1]) && p[4 + strspn(p + 4, " ")] == '=')
			return true;
	return false;
}

static int read_spec(struct reader *r, uint32_t *number)
{
	size_t n = spec_length(r->at);
	eb_autofree char *copy = eb_strndup(r->at, n);
	char *text = eb_strip(copy);
	struct eb_matchspec *m;

	if (!*text || is_word(text, "and") || is_word(text, "or"))
		return bad(r, "a package is missing");
	if (has_when(text))
		return bad(r, "a condition in a condition");
	m = eb_matchspec_parse(text, r->how, r->err);
	if (!m)
		return eb_err_prefix(r->err, "condition");
	if (!eb_matchspec_name(m) || m->extras.n) {
		eb_matchspec_free(m);
		return bad(r, "a spec in it needs a plain name, and has no "
			      "extras");
	}
	r->at += n;
	return add(r, (struct eb_when_node){ .m = m }, number);
}

/* ---- and, or, parentheses ----------------------------------------------- */

static int read_or(struct reader *r, uint32_t *number);

static int read_one(struct reader *r, uint32_t *number)
{
	skip_blanks(r);
	if (*r->at != '(')
		return read_spec(r, number);
	if (++r->depth > MAX_DEPTH)
		return bad(r, "parentheses more than 16 deep");
	r->at++;
	if (read_or(r, number) < 0)
		return -1;
	skip_blanks(r);
	if (*r->at != ')')
		return bad(r, "a \")\" is missing");
	r->at++;
	r->depth--;
	return 0;
}

static int join(struct reader *r, enum eb_when_kind kind, uint32_t right,
		uint32_t *number)
{
	return add(r,
		   (struct eb_when_node){
			   .kind = kind, .left = *number, .right = right },
		   number);
}

static int read_and(struct reader *r, uint32_t *number)
{
	uint32_t right;

	if (read_one(r, number) < 0)
		return -1;
	while (take_word(r, "and"))
		if (read_one(r, &right) < 0 ||
		    join(r, EB_WHEN_AND, right, number) < 0)
			return -1;
	return 0;
}

static int read_or(struct reader *r, uint32_t *number)
{
	uint32_t right;

	if (read_and(r, number) < 0)
		return -1;
	while (take_word(r, "or"))
		if (read_and(r, &right) < 0 ||
		    join(r, EB_WHEN_OR, right, number) < 0)
			return -1;
	return 0;
}

int eb_matchspec_set_when(struct eb_matchspec *m, enum eb_strictness how,
			  struct eb_error *err)
{
	struct reader r = { .at = m->when, .how = how, .err = err };
	uint32_t root;

	if (!m->when || !m->when[strspn(m->when, " ")])
		return 0;
	m->condition = r.w = eb_calloc(1, sizeof *r.w);
	if (read_or(&r, &root) < 0)
		return -1;
	return *r.at ? bad(&r, "\"and\" or \"or\" is missing") : 0;
}

/* ---- does it hold? ------------------------------------------------------ */

static int both(int a, int b)
{
	return !a || !b ? 0 : a < 0 || b < 0 ? -1 : 1;
}

static int either(int a, int b)
{
	return a > 0 || b > 0 ? 1 : a < 0 || b < 0 ? -1 : 0;
}

int eb_when_holds(const struct eb_when *w, eb_when_fn *holds, void *data)
{
	int value[MAX_NODES];

	for (uint32_t i = 0; i < w->n; i++) {
		const struct eb_when_node *n = &w->node[i];

		if (n->kind == EB_WHEN_SPEC)
			value[i] = holds(data, n->m);
		else if (n->kind == EB_WHEN_AND)
			value[i] = both(value[n->left], value[n->right]);
		else
			value[i] = either(value[n->left], value[n->right]);
	}
	return value[w->n - 1];
}
