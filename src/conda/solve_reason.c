/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What speaks against each of a row of candidates, and groups of them by what
 * they fail at: another name that they need or exclude, a line of the user,
 * another package that has to be there.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

/* --- the reason of a candidate --------------------------------------- */

/* Not there, or not of the machine. */
static bool is_unmatched(const struct eb_sv *sv, uint32_t spec)
{
	const struct eb_sv_spec *s = &sv->spec[spec];

	return s->m && s->matched && s->name != EB_SV_NONE && !s->n_match;
}

/* All that it matches is out by lines of the user. */
static bool is_outvoted(const struct eb_sv *sv, uint32_t spec)
{
	const struct eb_sv_spec *s = &sv->spec[spec];

	for (uint32_t i = 0; i < s->n_match; i++)
		if (sv->cand[s->match[i]].dead != EB_SV_USER &&
		    sv->cand[s->match[i]].dead != EB_SV_PIN)
			return false;
	return s->n_match > 0;
}

static bool may_exclude(const struct eb_sv *sv, const struct eb_sv_cand *c,
			uint32_t spec)
{
	uint32_t name = sv->spec[spec].name;

	return name != EB_SV_NONE && name != c->name && sv->name[name].must &&
	       sv->name[name].n;
}

/* The one of its dependencies that is plainest: what is not there goes before
 * what a line keeps out. */
static uint32_t plain_reason(const struct eb_sv *sv, const struct eb_sv_cand *c,
			     bool *excludes)
{
	uint32_t outvoted = EB_SV_NONE;

	for (uint32_t i = 0; i < (uint32_t)c->n_needs + c->n_excludes; i++) {
		uint32_t spec = sv->needs[c->needs + i];
		bool constrains = i >= c->n_needs;

		if (constrains && !may_exclude(sv, c, spec))
			continue;
		if (is_unmatched(sv, spec)) {
			*excludes = constrains;
			return spec;
		}
		if (outvoted == EB_SV_NONE && is_outvoted(sv, spec)) {
			*excludes = constrains;
			outvoted = spec;
		}
	}
	return outvoted;
}

static struct eb_sv_fault reason_of(const struct eb_sv *sv, uint32_t cand,
				    uint32_t *spec)
{
	const struct eb_sv_cand *c = &sv->cand[cand];
	struct eb_sv_fault g = { .kind = EB_SV_WHY_NOTHING };
	bool excludes = false;

	*spec = EB_SV_NONE;
	if (c->dead == EB_SV_USER || c->dead == EB_SV_PIN) {
		g.kind = c->dead == EB_SV_USER ? EB_SV_WHY_USER : EB_SV_WHY_PIN;
		g.target = c->dead_by;
		return g;
	}
	*spec = plain_reason(sv, c, &excludes);
	g.outright = *spec != EB_SV_NONE;
	if (!g.outright && c->dead == EB_SV_OTHER) {
		g.kind = EB_SV_WHY_OTHER;
		g.target = c->dead_by;
		return g;
	}
	if (!g.outright && c->dead != EB_SV_ALIVE) {
		*spec = c->dead_by;
		excludes = c->dead == EB_SV_EXCLUDES;
	}
	if (*spec == EB_SV_NONE)
		return g;
	g.kind = excludes ? EB_SV_WHY_EXCLUDES : EB_SV_WHY_NEEDS;
	g.target = sv->spec[*spec].name;
	return g;
}

/* --- groups ---------------------------------------------------------- */

/* What is needed and what is gone together with are told as one. */
static bool is_like(const struct eb_sv_fault *a, const struct eb_sv_fault *b)
{
	enum eb_sv_why x =
		a->kind == EB_SV_WHY_EXCLUDES ? EB_SV_WHY_NEEDS : a->kind;
	enum eb_sv_why y =
		b->kind == EB_SV_WHY_EXCLUDES ? EB_SV_WHY_NEEDS : b->kind;

	return x == y && a->target == b->target && a->outright == b->outright;
}

static void add_to(struct eb_sv_faults *list, struct eb_sv_fault g,
		   uint32_t name, uint32_t cand, uint32_t spec, uint32_t room)
{
	struct eb_sv_fault *p;
	uint32_t i = 0;

	while (i < list->n && !is_like(&list->v[i], &g))
		i++;
	if (i == list->n) {
		EB_GROW(list->v, list->n, list->alloc);
		g.set.name = name;
		g.set.cand = eb_malloc(room * sizeof *g.set.cand);
		g.spec = eb_malloc(room * sizeof *g.spec);
		list->v[list->n++] = g;
	}
	p = &list->v[i];
	if (g.kind < p->kind)
		p->kind = g.kind;
	p->spec[p->set.n] = spec;
	p->set.cand[p->set.n++] = cand;
}

static int by_weight(const void *a, const void *b)
{
	const struct eb_sv_fault *x = a, *y = b;

	if (x->set.n != y->set.n)
		return x->set.n > y->set.n ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->target < y->target ? -1 : x->target > y->target;
}

struct eb_sv_faults eb_sv_faults_of(const struct eb_sv *sv,
				    const struct eb_sv_set *set)
{
	struct eb_sv_faults list = { 0 };

	for (uint32_t i = 0; i < set->n; i++) {
		uint32_t spec;
		struct eb_sv_fault g = reason_of(sv, set->cand[i], &spec);

		add_to(&list, g, set->name, set->cand[i], spec, set->n);
	}
	if (list.n)
		qsort(list.v, list.n, sizeof *list.v, by_weight);
	return list;
}

void eb_sv_faults_release(struct eb_sv_faults *list)
{
	for (uint32_t i = 0; i < list->n; i++) {
		eb_sv_set_release(&list->v[i].set);
		free(list->v[i].spec);
	}
	free(list->v);
}

/* --- what a group wants ---------------------------------------------- */

struct eb_sv_set eb_sv_wanted(const struct eb_sv *sv,
			      const struct eb_sv_fault *g)
{
	const struct eb_sv_name *name = &sv->name[g->target];
	struct eb_sv_set out = { .name = g->target };
	eb_autofree bool *mark = eb_calloc(name->n + 1, sizeof *mark);

	out.cand = eb_calloc(name->n + 1, sizeof *out.cand);
	for (uint32_t i = 0; i < g->set.n; i++) {
		const struct eb_sv_spec *s = &sv->spec[g->spec[i]];

		for (uint32_t k = 0; k < s->n_match; k++)
			mark[s->match[k] - name->first] = true;
	}
	for (uint32_t i = 0; i < name->n; i++)
		if (mark[i])
			out.cand[out.n++] = name->first + i;
	return out;
}

uint32_t eb_sv_fault_newest(const struct eb_sv *sv, const struct eb_sv_fault *g)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < g->set.n; i++)
		if (eb_version_compare(sv->cand[g->set.cand[i]].version,
				       sv->cand[g->set.cand[best]].version) > 0)
			best = i;
	return best;
}

bool eb_sv_one_text(const struct eb_sv *sv, const struct eb_sv_fault *g)
{
	for (uint32_t i = 1; i < g->set.n; i++)
		if (strcmp(sv->spec[g->spec[i]].text,
			   sv->spec[g->spec[0]].text) != 0)
			return false;
	return true;
}
