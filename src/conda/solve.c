/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Solving from outside. Two things give way, and say so, before there is "no
 * solution": builds with features that nothing asked for are left aside, and
 * pip comes beside python.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

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
	return make_solution(sv, out, err) < 0 ? -1 : 1;
}

static int attempt_with(const struct eb_solve_request *q, bool featured,
			bool pip, struct eb_solution *out,
			struct eb_events *events, struct eb_error *err)
{
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *sv = NULL;

	sv = eb_sv_new(q, NULL, events);
	sv->allow_featured = featured;
	sv->add_pip &= pip;
	return attempt(sv, out, events, err);
}

static void tell_cost(const struct eb_sv *sv, struct eb_events *events)
{
	eb_detail(events,
		  "solving looked at %u records of %u names, with %u different "
		  "dependencies",
		  sv->n_cands, sv->n_names, sv->n_specs);
}

int eb_solve(const struct eb_solve_request *q, struct eb_solution *out,
	     struct eb_events *events, struct eb_error *err)
{
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *sv = NULL;
	int got;

	memset(out, 0, sizeof *out);
	sv = eb_sv_new(q, NULL, events);
	got = attempt(sv, out, events, err);
	tell_cost(sv, events);
	if (got == 0 && sv->had_featured)
		got = attempt_with(q, true, true, out, events, err);
	if (got == 0 && sv->had_pip) {
		got = attempt_with(q, false, false, out, events, err);
		if (got > 0)
			eb_warn(events, "no pip goes together with the python "
					"of this environment; it has none");
	}
	if (got == 0)
		return eb_sv_explain(q, sv, err);
	return got < 0 ? -1 : 0;
}
