/* SPDX-License-Identifier: Apache-2.0 */
/* The best wheels for a target: highest version, best tag, highest build. */
#include <stdint.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/tags.h>

#include "pep440_key.h"

struct candidate {
	size_t at; /* in the list of files */
	long rank;
	struct eb_wheel_name name;
	struct eb_pep440_key version;
};

struct candidates {
	struct candidate *v;
	size_t n;
};

static void candidates_release(struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++) {
		eb_wheel_name_release(&c->v[i].name);
		eb_pep440_key_release(&c->v[i].version);
	}
	free(c->v);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

long eb_wheel_rank(const struct eb_wheel_name *w, const struct eb_strv *tags)
{
	for (size_t i = 0; w->tags.n && i < tags->n; i++)
		if (bsearch(&tags->v[i], w->tags.v, w->tags.n,
			    sizeof *w->tags.v, by_text))
			return (long)i;
	return -1;
}

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* The number without bound, then the text behind it; none is the lowest. */
static int build_order(const char *a, const char *b)
{
	size_t m, n;
	int order;

	if (!a || !b)
		return (a != NULL) - (b != NULL);
	m = digits(a);
	n = digits(b);
	if (m != n)
		return m < n ? -1 : 1;
	order = memcmp(a, b, m);
	return order ? order : strcmp(a + m, b + n);
}

/* Best first; equal ones as they were offered. */
static int better(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = eb_pep440_key_compare(&y->version, &x->version);

	if (!order)
		order = (x->rank > y->rank) - (x->rank < y->rank);
	if (!order)
		order = build_order(y->name.build, x->name.build);
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static void offer(struct candidates *c, size_t at, const char *file,
		  const struct eb_strv *tags)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct candidate *new = &c->v[c->n];

	if (eb_wheel_name_parse(file, &new->name, &err) < 0)
		return;
	new->at = at;
	new->rank = eb_wheel_rank(&new->name, tags);
	if (new->rank < 0 ||
	    eb_pep440_key_read(new->name.version, strlen(new->name.version),
			       &new->version) < 0)
		eb_wheel_name_release(&new->name);
	else
		c->n++;
}

void eb_wheel_choice(const struct eb_strv *files, const struct eb_strv *tags,
		     size_t *order, size_t *n)
{
	struct candidates c EB_CLEANUP(candidates_release) = {
		.v = eb_calloc(files->n + 1, sizeof *c.v),
	};

	for (size_t i = 0; i < files->n; i++)
		offer(&c, i, files->v[i], tags);
	qsort(c.v, c.n, sizeof *c.v, better);
	for (size_t i = 0; i < c.n; i++)
		order[i] = c.v[i].at;
	*n = c.n;
}
