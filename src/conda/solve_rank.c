/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a name's candidates, worst first, total and the same whatever
 * the order of records:
 *
 *   features that nothing asked for, a framework for the CPU where CUDA is
 *   asked for (both worse), tracks features (worse), version, how
 *   many it tracks (fewer are better), channel where channels have no priority,
 *   asked features, build number, which admits the newer dependencies, time;
 *   at last channel, subdir, build string and file name, which only make it
 *   total.
 *
 * That it tracks any comes before the version, how many comes behind: who asks
 * for a variant by its build string gets the newest of that variant.
 *
 * "Admits the newer dependencies" compares two candidates by every name that
 * both depend on: the one whose dependencies admit the higher version of it
 * scores. That need not be transitive, so a candidate's place among its equals
 * is how many it beats less how many beat it.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

#define MAX_TOURNAMENT 1500 /* kinds; with more it goes by time alone */

struct item {
	const struct eb_sv *sv;
	uint32_t cand;
	int64_t score;
};

static struct item *items_of(const struct eb_sv *sv,
			     const struct eb_sv_name *name)
{
	struct item *list = eb_calloc(name->n + 1, sizeof *list);

	for (uint32_t i = 0; i < name->n; i++)
		list[i] = (struct item){ .sv = sv, .cand = name->first + i };
	return list;
}

/* --- what a dependency admits ---------------------------------------- */

static void find_best(struct eb_sv *sv, struct eb_sv_spec *s)
{
	s->best_tracked = true;
	for (uint32_t i = 0; i < s->n_match; i++) {
		const struct eb_sv_cand *c = &sv->cand[s->match[i]];

		if (c->dead != EB_SV_ALIVE)
			continue;
		s->has_best = true;
		if (c->version_order > s->best)
			s->best = c->version_order;
		s->best_tracked &= c->tracked > 0;
	}
}

/* One name that a candidate depends on. */
struct admit {
	uint32_t name, best;
	bool tracked, has;
};

struct admits {
	struct admit *a;
	uint32_t n;
};

/* Of several texts on one name, the one that matches least. */
static const struct eb_sv_spec *
narrowest(const struct eb_sv *sv, const struct eb_sv_cand *c, uint32_t name)
{
	const struct eb_sv_spec *best = NULL;

	for (uint32_t k = 0; k < c->n_needs; k++) {
		const struct eb_sv_spec *s = &sv->spec[sv->needs[c->needs + k]];

		if (s->name == name && (!best || s->n_match < best->n_match))
			best = s;
	}
	return best;
}

static bool fits_all(const struct eb_sv *sv, const struct eb_sv_cand *c,
		     uint32_t name, uint32_t cand)
{
	for (uint32_t k = 0; k < c->n_needs; k++) {
		const struct eb_sv_spec *s = &sv->spec[sv->needs[c->needs + k]];

		if (s->name == name && s->n_match < sv->name[name].n &&
		    !eb_sv_matches(s, cand))
			return false;
	}
	return true;
}

/* Several texts on one name: what satisfies all of them. */
static void narrow(struct eb_sv *sv, const struct eb_sv_cand *c,
		   struct admit *a)
{
	const struct eb_sv_spec *s = narrowest(sv, c, a->name);

	a->has = a->tracked = false;
	a->best = 0;
	for (uint32_t i = 0; i < s->n_match; i++) {
		const struct eb_sv_cand *o = &sv->cand[s->match[i]];

		if (o->dead != EB_SV_ALIVE ||
		    !fits_all(sv, c, a->name, s->match[i]))
			continue;
		a->tracked = (!a->has || a->tracked) && o->tracked > 0;
		a->has = true;
		if (o->version_order > a->best)
			a->best = o->version_order;
	}
}

static int admit_by_name(const void *a, const void *b)
{
	const struct admit *x = a, *y = b;

	return x->name < y->name ? -1 : x->name > y->name;
}

static struct admits admits_of(struct eb_sv *sv, uint32_t cand)
{
	const struct eb_sv_cand *c = &sv->cand[cand];
	struct admits out = { 0 };
	uint32_t to = 0;

	out.a = eb_calloc(c->n_needs + 1u, sizeof *out.a);
	for (uint32_t i = 0; i < c->n_needs; i++) {
		const struct eb_sv_spec *s = &sv->spec[sv->needs[c->needs + i]];

		if (s->name == EB_SV_NONE)
			continue;
		out.a[out.n++] = (struct admit){ s->name, s->best,
						 s->best_tracked, s->has_best };
	}
	qsort(out.a, out.n, sizeof *out.a, admit_by_name);
	for (uint32_t i = 0; i < out.n; i++) {
		bool again = to && out.a[to - 1].name == out.a[i].name;

		if (again)
			narrow(sv, c, &out.a[to - 1]);
		else
			out.a[to++] = out.a[i];
	}
	out.n = to;
	return out;
}

/* > 0: x admits newer dependencies. */
static int compare_admits(const struct admits *x, const struct admits *y)
{
	uint32_t i = 0, k = 0;
	int score = 0;

	while (i < x->n && k < y->n) {
		const struct admit *a = &x->a[i], *b = &y->a[k];

		i += a->name <= b->name;
		k += b->name <= a->name;
		if (a->name != b->name || !a->has || !b->has)
			continue;
		if (a->tracked != b->tracked)
			score += a->tracked ? -100 : 100;
		score += (a->best > b->best) - (a->best < b->best);
	}
	return score;
}

/* --- the order ------------------------------------------------------- */

static int fewer_first(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int more_last(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* What stands before the comparison by dependencies. */
static int by_kind(const void *a, const void *b)
{
	const struct item *p = a, *q = b;
	const struct eb_sv *sv = p->sv;
	const struct eb_sv_cand *x = &sv->cand[p->cand];
	const struct eb_sv_cand *y = &sv->cand[q->cand];
	int c = fewer_first(x->unasked, y->unasked);

	if (!c)
		c = fewer_first(x->on_cpu, y->on_cpu);
	if (!c)
		c = fewer_first(x->tracked > 0, y->tracked > 0);
	if (!c)
		c = more_last(x->version_order, y->version_order);
	if (!c)
		c = fewer_first(x->tracked, y->tracked);
	if (!c && sv->q->priority == EB_PRIORITY_DISABLED)
		c = fewer_first(x->channel, y->channel);
	if (!c)
		c = more_last(x->favoured, y->favoured);
	if (!c)
		c = more_last(x->r->build_number, y->r->build_number);
	return c;
}

static int by_all(const void *a, const void *b)
{
	const struct item *p = a, *q = b;
	const struct eb_sv_cand *x = &p->sv->cand[p->cand];
	const struct eb_sv_cand *y = &q->sv->cand[q->cand];
	int c = by_kind(a, b);

	if (!c)
		c = p->score < q->score ? -1 : p->score > q->score;
	if (!c)
		c = x->r->timestamp < y->r->timestamp
			    ? -1
			    : x->r->timestamp > y->r->timestamp;
	if (!c)
		c = fewer_first(x->channel, y->channel);
	if (!c)
		c = strcmp(y->r->subdir, x->r->subdir);
	if (!c)
		c = strcmp(x->r->build, y->r->build);
	if (!c && x->r->fn && y->r->fn)
		c = strcmp(x->r->fn, y->r->fn);
	return c ? c : more_last(x->row, y->row);
}

/* Candidates that admit the same, by their places in the list. */
struct kind {
	struct admits admits;
	uint32_t place, n;
	int64_t score;
};

static int admit_by_bytes(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	int c = x->admits.n < y->admits.n ? -1 : x->admits.n > y->admits.n;

	for (uint32_t i = 0; !c && i < x->admits.n; i++) {
		const struct admit *p = &x->admits.a[i], *q = &y->admits.a[i];

		c = more_last(p->name, q->name);
		if (!c)
			c = more_last(p->best, q->best);
		if (!c)
			c = (p->tracked - q->tracked) * 2 + p->has - q->has;
	}
	return c;
}

/* Everyone against everyone, once for all that admit the same. */
static void play(struct kind *kind, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += kind[i].n)
		for (uint32_t k = i + kind[i].n; k < n; k += kind[k].n) {
			int c = compare_admits(&kind[i].admits,
					       &kind[k].admits);

			kind[i].score +=
				((c > 0) - (c < 0)) * (int64_t)kind[k].n;
			kind[k].score -=
				((c > 0) - (c < 0)) * (int64_t)kind[i].n;
		}
}

/* The first of each kind gets how many they are; how many kinds. */
static uint32_t count_kinds(struct kind *kind, uint32_t n)
{
	uint32_t kinds = 0, first = 0;

	qsort(kind, n, sizeof *kind, admit_by_bytes);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || admit_by_bytes(&kind[first], &kind[i])) {
			first = i;
			kinds++;
		}
		kind[first].n++;
	}
	return kinds;
}

/* Everyone against everyone among equals. */
static void tournament(struct eb_sv *sv, struct item *list, uint32_t n)
{
	struct kind *kind;

	if (n < 2)
		return;
	kind = eb_calloc(n, sizeof *kind);
	for (uint32_t i = 0; i < n; i++)
		kind[i] = (struct kind){ admits_of(sv, list[i].cand), i, 0, 0 };
	if (count_kinds(kind, n) <= MAX_TOURNAMENT)
		play(kind, n);
	for (uint32_t i = 0; i < n; i++) {
		if (!kind[i].n)
			kind[i].score = kind[i - 1].score;
		list[kind[i].place].score = kind[i].score;
	}
	for (uint32_t i = 0; i < n; i++)
		free(kind[i].admits.a);
	free(kind);
}

static void rank_name(struct eb_sv *sv, const struct eb_sv_name *name)
{
	eb_autofree struct item *list = items_of(sv, name);
	uint32_t n = 0, end;

	for (uint32_t i = 0; i < name->n; i++)
		if (sv->cand[list[i].cand].dead == EB_SV_ALIVE)
			list[n++] = list[i];
	qsort(list, n, sizeof *list, by_kind);
	for (uint32_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (by_kind(&list[i], &list[end]))
				break;
		tournament(sv, list + i, end - i);
	}
	qsort(list, n, sizeof *list, by_all);
	for (uint32_t i = 0; i < n; i++)
		sv->cand[list[i].cand].rank = i + 1;
}

void eb_sv_rank(struct eb_sv *sv)
{
	for (uint32_t i = 0; i < sv->n_specs; i++)
		find_best(sv, &sv->spec[i]);
	for (uint32_t i = 0; i < sv->n_names; i++)
		rank_name(sv, &sv->name[i]);
}
