/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solving from outside. Two things give way, and say so, before there is "no
 * solution": builds with features that nothing asked for are left aside, and
 * pip comes beside python.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

void eb_solution_release(struct eb_solution *s)
{
	free(s->record);
	free(s->requested);
	memset(s, 0, sizeof *s);
}

/* --- the answer ------------------------------------------------------ */

static bool is_requested(const struct eb_sv *sv, uint32_t cand)
{
	for (uint32_t i = 0; i < sv->n_user; i++)
		if (eb_sv_matches(&sv->spec[sv->user[i]], cand))
			return true;
	for (uint32_t i = 0; i < sv->n_perhaps; i++)
		if (eb_sv_matches(&sv->spec[sv->perhaps[i]], cand))
			return true;
	return false;
}

static int make_solution(const struct eb_sv *sv, struct eb_solution *out,
			 struct eb_error *err)
{
	eb_autofree const struct eb_record **r =
		eb_calloc(sv->n_chosen + 1, sizeof *r);
	eb_autofree size_t *order = eb_calloc(sv->n_chosen + 1, sizeof *order);

	for (uint32_t i = 0; i < sv->n_chosen; i++)
		r[i] = sv->cand[sv->chosen[i]].r;
	if (eb_link_order(r, sv->n_chosen, order, err) < 0)
		return -1;
	out->n = sv->n_chosen;
	out->record = eb_calloc(out->n + 1, sizeof *out->record);
	out->requested = eb_calloc(out->n + 1, sizeof *out->requested);
	for (size_t i = 0; i < out->n; i++) {
		uint32_t cand = sv->chosen[order[i]];

		out->record[i] = sv->cand[cand].row;
		out->requested[i] = is_requested(sv, cand);
	}
	return 0;
}

static void tell_featured(const struct eb_sv *sv, struct eb_events *events)
{
	for (uint32_t i = 0; i < sv->n_chosen; i++) {
		const struct eb_sv_cand *c = &sv->cand[sv->chosen[i]];

		if (c->unasked)
			eb_warn(events,
				"\"%s\" has the feature \"%s\", which nothing "
				"asks for; without it there is no solution",
				c->r->fn, c->r->features);
	}
}

/* --- attempts -------------------------------------------------------- */

/* 1 solved, 0 not, -1 */
static int attempt(struct eb_sv *sv, struct eb_solution *out,
		   struct eb_events *events, struct eb_error *err)
{
	int got = eb_sv_run(sv, err);

	if (got <= 0)
		return got;
	tell_featured(sv, events);
	eb_sv_tell_cpu(sv, events);
	return make_solution(sv, out, err) < 0 ? -1 : 1;
}

static void tell_cost(const struct eb_sv *sv, struct eb_events *events)
{
	eb_detail(events,
		  "solving looked at %u records of %u names, with %u different "
		  "dependencies",
		  sv->n_cands, sv->n_names, sv->n_specs);
}

/* What an attempt gives way in. */
struct leeway {
	bool featured, no_pip;
};

/* Might it help, after an attempt that gave way in nothing? */
static bool may_help(const struct eb_sv *first, struct leeway l)
{
	return (!l.featured || first->had_featured) &&
	       (!l.no_pip || (first->had_pip && eb_sv_blames(first, "pip")));
}

static int attempt_with(const struct eb_solve_request *q, struct leeway l,
			struct eb_sv **last, struct eb_solution *out,
			struct eb_events *events, struct eb_error *err)
{
	struct eb_sv *sv = eb_sv_new(q, NULL, events);
	int got;

	sv->allow_featured = l.featured;
	sv->add_pip &= !l.no_pip;
	got = attempt(sv, out, events, err);
	if (got > 0 && l.no_pip)
		eb_warn(events, "no pip goes together with the python of this "
				"environment; it has none");
	eb_sv_free(*last);
	*last = sv;
	return got;
}

static int solve(const struct eb_solve_request *q, struct eb_solution *out,
		 struct eb_events *events, struct eb_error *err)
{
	static const struct leeway more[] = { { true, false },
					      { false, true },
					      { true, true } };
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *first = NULL;
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *last = NULL;
	int got;

	memset(out, 0, sizeof *out);
	if (q->unsolved)
		memset(q->unsolved, 0, sizeof *q->unsolved);
	first = eb_sv_new(q, NULL, events);
	got = attempt(first, out, events, err);
	tell_cost(first, events);
	for (size_t i = 0; got == 0 && i < sizeof more / sizeof *more; i++)
		if (may_help(first, more[i]))
			got = attempt_with(q, more[i], &last, out, events, err);
	if (got == 0)
		return eb_sv_explain(q, last ? last : first, err);
	return got < 0 ? -1 : 0;
}

int eb_solve(const struct eb_solve_request *request, struct eb_solution *out,
	     struct eb_events *events, struct eb_error *err)
{
	EB_CLEANUP(eb_sv_memo_free_ptr) struct eb_sv_memo *memo = NULL;
	struct eb_solve_request q = *request;

	q.memo = memo = eb_sv_memo_new();
	return solve(&q, out, events, err);
}
