/* SPDX-License-Identifier: Apache-2.0 */
/* Build arguments, and words of a Dockerfile that have them filled in. */
#include <string.h>

#include "dockerfile_read.h"

#define MAX_WORD ((size_t)64 << 10)
#define MAX_DEPTH 8

static const char *value_of(const struct eb_strv *list, const char *name,
			    size_t n)
{
	for (size_t i = list->n; i; i--)
		if (!strncmp(list->v[i - 1], name, n) &&
		    list->v[i - 1][n] == '=')
			return list->v[i - 1] + n + 1;
	return NULL;
}

/* ---- filling in -----------------------------------------------------------
 */

struct expansion {
	const struct eb_docker_args *a;
	struct eb_buf *out;
	char **unset;
	unsigned depth;
};

static int expand(struct expansion *x, const char *p, size_t n);

static size_t name_length(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n &&
	       ((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') ||
		p[i] == '_' || (i && p[i] >= '0' && p[i] <= '9')))
		i++;
	return i;
}

/* What stands behind the name in the braces: "", ":-word", ":+word", ... */
static int variable(struct expansion *x, const char *name, size_t n,
		    const char *rest, size_t len)
{
	const char *value = value_of(&x->a->known, name, n);
	eb_autofree char *text = eb_strndup(name, n);
	bool colon = len && *rest == ':', plus;
	bool set = value && (!colon || *value);

	if (eb_strv_has(&x->a->unknown, text) || !n)
		return 0;
	if (!len && !value) {
		free(*x->unset);
		*x->unset = eb_steal(text);
		return -1;
	}
	if (!len)
		return eb_buf_adds(x->out, value) < 0 ? 0 : 1;
	rest += colon;
	len -= colon;
	if (!len || !strchr("-+", *rest))
		return 0;
	plus = *rest == '+';
	if (set == plus)
		return expand(x, rest + 1, len - 1);
	return plus || eb_buf_adds(x->out, value) == 0;
}

/* At a "$": its length into *used. */
static int dollar(struct expansion *x, const char *p, size_t n, size_t *used)
{
	const char *end;
	size_t name;

	if (n < 2 || p[1] != '{') {
		name = name_length(p + 1, n - 1);
		*used = 1 + name;
		return variable(x, p + 1, name, "", 0);
	}
	end = memchr(p, '}', n);
	if (!end)
		return 0;
	*used = (size_t)(end - p) + 1;
	name = name_length(p + 2, *used - 3);
	return variable(x, p + 2, name, p + 2 + name, *used - 3 - name);
}

static int expand(struct expansion *x, const char *p, size_t n)
{
	char quote = 0;
	int rc = 1;

	if (++x->depth > MAX_DEPTH)
		return 0;
	for (size_t i = 0, used; rc > 0 && i < n; i += used) {
		used = 1;
		if (p[i] == quote) {
			quote = 0;
		} else if (!quote && (p[i] == '"' || p[i] == '\'')) {
			quote = p[i];
		} else if (p[i] == '$' && quote != '\'') {
			rc = dollar(x, p + i, n - i, &used);
		} else {
			i += p[i] == x->a->escape && quote != '\'' && i + 1 < n;
			rc = eb_buf_addch(x->out, p[i]) == 0;
		}
	}
	x->depth--;
	return rc > 0 && quote ? 0 : rc;
}

int eb_docker_expand(const struct eb_docker_args *a, const char *word,
		     char **out, char **unset)
{
	EB_AUTOBUF(text, MAX_WORD);
	struct expansion x = { .a = a, .out = &text, .unset = unset };
	int rc = expand(&x, word, strlen(word));

	if (rc > 0)
		*out = eb_buf_steal(&text, NULL);
	return rc;
}

/* ---- what is known --------------------------------------------------------
 */

void eb_docker_args_begin(struct eb_docker_args *a, const struct eb_strv *given,
			  const char *platform, char escape)
{
	static const char *const whose[] = { "TARGET", "BUILD" };
	size_t os = strcspn(platform, "/");
	const char *arch = platform + os + (platform[os] == '/');

	*a = (struct eb_docker_args){ .given = given, .escape = escape };
	for (size_t i = 0; i < 2; i++) {
		eb_strv_addf(&a->known, "%sPLATFORM=%s", whose[i], platform);
		eb_strv_addf(&a->known, "%sOS=%.*s", whose[i], (int)os,
			     platform);
		eb_strv_addf(&a->known, "%sARCH=%s", whose[i], arch);
		eb_strv_addf(&a->known, "%sVARIANT=", whose[i]);
	}
}

void eb_docker_args_declare(struct eb_docker_args *a, const char *word)
{
	size_t n = strcspn(word, "=");
	const char *given = a->given ? value_of(a->given, word, n) : NULL;
	eb_autofree char *name = eb_strndup(word, n);
	eb_autofree char *value = NULL, *unset = NULL;

	if (given)
		eb_strv_addf(&a->known, "%s=%s", name, given);
	else if (!word[n])
		return;
	else if (eb_docker_expand(a, word + n + 1, &value, &unset) > 0)
		eb_strv_addf(&a->known, "%s=%s", name, value);
	else
		eb_strv_add(&a->unknown, name);
}

void eb_docker_args_release(struct eb_docker_args *a)
{
	eb_strv_release(&a->known);
	eb_strv_release(&a->unknown);
}
