/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of WWW-Authenticate: several challenges in a field, parameters as
 * tokens or quoted strings, token68. */
#include <string.h>
#include <strings.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "challenge.h"

#define MAX_VALUE ((size_t)16 << 10)

static bool is_token(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static const char *skip_token(const char *p)
{
	while (is_token(*p))
		p++;
	return p;
}

static const char *skip_space(const char *p)
{
	return p + strspn(p, " \t");
}

static const char *skip_separators(const char *p)
{
	return p + strspn(p, " \t,");
}

/* To the next comma that is in no quotes. */
static const char *skip_item(const char *p)
{
	bool quoted = false;

	for (; *p && (quoted || *p != ','); p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (quoted && *p == '\\' && p[1])
			p++;
	}
	return p;
}

/* token68 is told from a parameter by what follows its last "=". */
static const char *skip_token68(const char *p)
{
	const char *q = p;

	while (is_token(*q) || *q == '/')
		q++;
	if (q == p)
		return NULL;
	q += strspn(q, "=");
	p = skip_space(q);
	return !*p || *p == ',' ? p : NULL;
}

static const char *read_quoted(const char *p, struct eb_buf *value)
{
	for (p++; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1])
			p++;
		eb_buf_addch(value, *p);
	}
	return *p ? p + 1 : p;
}

static const char *read_value(const char *p, struct eb_buf *value)
{
	const char *end;

	if (*p == '"')
		return read_quoted(p, value);
	/* Some write URLs without quotes: to the comma, then. */
	end = p + strcspn(p, ", \t");
	eb_buf_add(value, p, (size_t)(end - p));
	return end;
}

static char **member(struct eb_challenge *c, const char *name, size_t n)
{
	const struct {
		const char *name;
		char **to;
	} known[] = { { "realm", &c->realm },
		      { "service", &c->service },
		      { "scope", &c->scope },
		      { "error", &c->error } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i].name) == n &&
		    !strncasecmp(known[i].name, name, n))
			return known[i].to;
	return NULL;
}

/* `p` is at NAME = VALUE of `c`, which is NULL before the first scheme. */
static const char *read_parameter(struct eb_challenge *c, const char *p)
{
	EB_AUTOBUF(value, MAX_VALUE);
	const char *name = p, *end = skip_token(p);
	char **to = c ? member(c, name, (size_t)(end - name)) : NULL;

	p = skip_space(skip_space(end) + 1);
	p = read_value(p, &value);
	if (to && !*to && !value.overflow)
		*to = eb_buf_steal(&value, NULL);
	return p;
}

static bool at_parameter(const char *p)
{
	const char *end = skip_token(p);

	return end > p && *skip_space(end) == '=';
}

static struct eb_challenge *begin(struct eb_challenges *c, const char *name,
				  size_t n)
{
	struct eb_challenge *new;

	if (c->n == EB_MAX_CHALLENGES)
		return NULL;
	EB_GROW(c->v, c->n, c->alloc);
	new = &c->v[c->n++];
	*new = (struct eb_challenge){ .name = eb_strndup(name, n) };
	if (!strcasecmp(new->name, "basic"))
		new->scheme = EB_CHALLENGE_BASIC;
	else if (!strcasecmp(new->name, "bearer"))
		new->scheme = EB_CHALLENGE_BEARER;
	return new;
}

/* `p` is at a scheme's name; what follows it may be a token68. */
static const char *read_scheme(struct eb_challenges *c,
			       struct eb_challenge **now, const char *p)
{
	const char *end = skip_token(p), *rest, *behind;

	*now = begin(c, p, (size_t)(end - p));
	rest = skip_space(end);
	if (rest == end)
		return end;
	behind = skip_token68(rest);
	return behind ? behind : rest;
}

void eb_challenges_add(struct eb_challenges *c, const char *value)
{
	struct eb_challenge *now = NULL;
	const char *p = skip_separators(value);

	for (; *p; p = skip_separators(p)) {
		const char *from = p;

		if (at_parameter(p))
			p = read_parameter(now, p);
		else if (is_token(*p))
			p = read_scheme(c, &now, p);
		if (p == from) /* nothing that belongs here */
			p = skip_item(p);
		if (p == from)
			p++;
	}
}

void eb_challenges_release(struct eb_challenges *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].name);
		free(c->v[i].realm);
		free(c->v[i].service);
		free(c->v[i].scope);
		free(c->v[i].error);
	}
	free(c->v);
	*c = (struct eb_challenges){ 0 };
}

const struct eb_challenge *eb_challenges_pick(const struct eb_challenges *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].scheme == EB_CHALLENGE_BASIC ||
		    (c->v[i].scheme == EB_CHALLENGE_BEARER && c->v[i].realm &&
		     *c->v[i].realm))
			return &c->v[i];
	return NULL;
}
