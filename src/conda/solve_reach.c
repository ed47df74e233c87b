/* SPDX-License-Identifier: Apache-2.0 */
/* Names that an answer can have: what must be there, what candidates of such
 * names depend on, and what conditions can bring. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

struct walk {
	struct eb_sv *sv;
	uint32_t *todo;
	uint32_t n;
};

static void reach(struct walk *w, uint32_t name)
{
	if (name == EB_SV_NONE || w->sv->name[name].reached)
		return;
	w->sv->name[name].reached = true;
	w->todo[w->n++] = name;
}

/* What perhaps counts. */
static void follow_conds(struct walk *w, uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++) {
		const struct eb_sv_cond *c = &w->sv->cond[i];

		if (c->kind == EB_SV_COND_NEEDS && eb_sv_cond_counts(w->sv, c))
			reach(w, w->sv->spec[c->spec].name);
	}
}

static void follow(struct walk *w, const struct eb_sv_cand *c)
{
	for (uint32_t k = 0; k < c->n_needs; k++)
		reach(w, w->sv->spec[w->sv->needs[c->needs + k]].name);
	follow_conds(w, c->conds, c->n_conds);
}

/* A glob may be satisfied by any name. */
static bool has_globs(const struct eb_sv *sv)
{
	for (uint32_t i = 0; i < sv->n_specs; i++)
		if (sv->spec[i].name == EB_SV_NONE && sv->spec[i].n_match)
			return true;
	return false;
}

void eb_sv_reach(struct eb_sv *sv)
{
	eb_autofree uint32_t *todo = eb_calloc(sv->n_names + 1, sizeof *todo);
	struct walk w = { .sv = sv, .todo = todo };
	bool all = has_globs(sv);

	for (uint32_t i = 0; i < sv->n_names; i++)
		if (all || sv->name[i].must)
			reach(&w, i);
	for (uint32_t i = 0; i < sv->n_conds; i++)
		if (eb_sv_cond_counts(sv, &sv->cond[i]) &&
		    sv->cond[i].kind == EB_SV_COND_NEEDS)
			reach(&w, sv->spec[sv->cond[i].spec].name);
	follow_conds(&w, 0, sv->n_user_conds);
	while (w.n) {
		const struct eb_sv_name *name = &sv->name[todo[--w.n]];

		for (uint32_t i = name->first; i < name->first + name->n; i++)
			if (sv->cand[i].dead == EB_SV_ALIVE)
				follow(&w, &sv->cand[i]);
	}
}
