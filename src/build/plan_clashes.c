/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of a plan that several packages have. */
#include <string.h>

#include "plan_private.h"

static struct eb_planned_clash *add(struct eb_build_plan *out)
{
	struct eb_planned_clash *c;

	EB_GROW(out->clash, out->n_clashes, out->clashes_alloc);
	c = &out->clash[out->n_clashes++];
	*c = (struct eb_planned_clash){ 0 };
	return c;
}

static void add_clash(struct eb_planning *p, const struct eb_clash *from)
{
	struct eb_planned_clash *c = add(p->out);

	c->path = eb_strdup(from->path);
	c->winner = from->winner;
	c->same = !eb_build_clash_differs(&p->b, from);
	c->package = eb_calloc(from->n, sizeof *c->package);
	for (size_t i = 0; i < from->n; i++)
		c->package[c->n++] = from->member[i];
}

static void add_cased(struct eb_planning *p, const struct eb_case_clash *from)
{
	struct eb_planned_clash *c = add(p->out);

	c->path = eb_strdup(from->path);
	c->other = eb_strdup(from->other);
	c->winner = from->member;
	c->package = eb_calloc(2, sizeof *c->package);
	c->package[c->n++] = from->member;
	c->package[c->n++] = from->other_member;
}

static int by_path(const void *pa, const void *pb)
{
	const struct eb_planned_clash *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

void eb_plan_clashes(struct eb_planning *p)
{
	for (size_t i = 0; i < p->b.clashes.n; i++)
		add_clash(p, &p->b.clashes.clash[i]);
	for (size_t i = 0; i < p->b.clashes.n_cased; i++)
		add_cased(p, &p->b.clashes.cased[i]);
	if (p->out->n_clashes)
		qsort(p->out->clash, p->out->n_clashes, sizeof *p->out->clash,
		      by_path);
	p->out->cased_within = p->b.clashes.cased_within;
}
