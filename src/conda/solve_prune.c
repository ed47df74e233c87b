/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cannot be in any answer goes before libsolv sees it, until nothing
 * more goes:
 *
 *  - a candidate with a dependency that nothing satisfies any more
 *  - a candidate that excludes all that is left of a name that has to be there
 *  - where a name has to be there: of any other name, what none of its
 *    candidates goes together with
 *
 * A name has to be there when the user names it, or when all candidates of
 * such a name depend on it.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

static bool kill(struct eb_sv *sv, uint32_t cand, enum eb_sv_dead why,
		 uint32_t by)
{
	struct eb_sv_cand *c = &sv->cand[cand];

	if (c->dead != EB_SV_ALIVE)
		return false;
	c->dead = (uint8_t)why;
	c->dead_by = by;
	sv->name[c->name].changed = true;
	return true;
}

/* Of the names that lost some. */
static void count_alive(struct eb_sv *sv)
{
	for (uint32_t i = 0; i < sv->n_names; i++) {
		struct eb_sv_name *n = &sv->name[i];

		if (!n->changed)
			continue;
		n->alive = 0;
		for (uint32_t k = 0; k < n->n; k++)
			n->alive += sv->cand[n->first + k].dead == EB_SV_ALIVE;
	}
	for (uint32_t i = 0; i < sv->n_specs; i++) {
		struct eb_sv_spec *s = &sv->spec[i];

		if (s->name != EB_SV_NONE && !sv->name[s->name].changed)
			continue;
		s->n_alive = 0;
		for (uint32_t k = 0; k < s->n_match; k++)
			s->n_alive += sv->cand[s->match[k]].dead == EB_SV_ALIVE;
	}
	for (uint32_t i = 0; i < sv->n_names; i++)
		sv->name[i].changed = false;
}

/* --- one candidate at a time ----------------------------------------- */

static bool prune_needs(struct eb_sv *sv, uint32_t cand)
{
	const struct eb_sv_cand *c = &sv->cand[cand];

	for (uint32_t i = 0; i < c->n_needs; i++) {
		uint32_t spec = sv->needs[c->needs + i];

		if (!sv->spec[spec].n_alive)
			return kill(sv, cand, EB_SV_NEEDS, spec);
	}
	return false;
}

static bool prune_excludes(struct eb_sv *sv, uint32_t cand)
{
	const struct eb_sv_cand *c = &sv->cand[cand];

	for (uint32_t i = 0; i < c->n_excludes; i++) {
		uint32_t spec = sv->needs[c->needs + c->n_needs + i];
		uint32_t name = sv->spec[spec].name;

		if (name != EB_SV_NONE && name != c->name &&
		    sv->name[name].must && sv->name[name].alive &&
		    sv->spec[spec].m && !sv->spec[spec].n_alive)
			return kill(sv, cand, EB_SV_EXCLUDES, spec);
	}
	return false;
}

/* --- a name that has to be there ------------------------------------- */

struct view {
	struct eb_sv *sv;
	uint32_t name;	 /* that has to be there */
	uint32_t *count; /* of each name: candidates that speak of it */
	uint32_t *seen;	 /* of each name: the last candidate counted */
	uint32_t *needy; /* of each name: those that depend on it */
	uint32_t *list;	 /* the names spoken of */
	uint32_t n;
	uint32_t *done; /* of each text: the last turn that marked by it */
	uint32_t turn;
};

static void speak(struct view *v, uint32_t cand, uint32_t i)
{
	const struct eb_sv_cand *c = &v->sv->cand[cand];
	uint32_t spec = v->sv->needs[c->needs + i];
	uint32_t name = v->sv->spec[spec].name;

	if (name == EB_SV_NONE || name == v->name || v->seen[name] == cand + 1)
		return;
	if (!v->sv->spec[spec].m)
		return;
	if (!v->count[name])
		v->list[v->n++] = name;
	v->seen[name] = cand + 1;
	v->count[name]++;
	v->needy[name] += i < c->n_needs;
}

/* Mark what one candidate allows of `name`: by its narrowest text on it. */
static void allow(struct view *v, uint32_t cand, uint32_t name, uint32_t *mark)
{
	const struct eb_sv *sv = v->sv;
	const struct eb_sv_cand *c = &sv->cand[cand];
	uint32_t best = EB_SV_NONE;

	for (uint32_t i = 0; i < (uint32_t)c->n_needs + c->n_excludes; i++) {
		uint32_t spec = sv->needs[c->needs + i];

		if (sv->spec[spec].name == name && sv->spec[spec].m &&
		    (best == EB_SV_NONE ||
		     sv->spec[spec].n_alive < sv->spec[best].n_alive))
			best = spec;
	}
	if (best == EB_SV_NONE || v->done[best] == v->turn)
		return;
	v->done[best] = v->turn;
	for (uint32_t i = 0; i < sv->spec[best].n_match; i++)
		mark[sv->spec[best].match[i] - sv->name[name].first] = 1;
}

static bool restrict_other(struct view *v, uint32_t name)
{
	struct eb_sv *sv = v->sv;
	const struct eb_sv_name *self = &sv->name[v->name];
	const struct eb_sv_name *other = &sv->name[name];
	eb_autofree uint32_t *mark = eb_calloc(other->n + 1, sizeof *mark);
	bool changed = false;

	v->turn++;
	for (uint32_t i = 0; i < self->n; i++)
		if (sv->cand[self->first + i].dead == EB_SV_ALIVE)
			allow(v, self->first + i, name, mark);
	for (uint32_t i = 0; i < other->n; i++)
		if (!mark[i])
			changed |= kill(sv, other->first + i, EB_SV_OTHER,
					v->name);
	return changed;
}

static bool require(struct view *v, uint32_t name)
{
	struct eb_sv_name *n = &v->sv->name[name];

	if (n->must)
		return false;
	n->must = true;
	n->must_by = v->name;
	return true;
}

static void look(struct view *v)
{
	const struct eb_sv *sv = v->sv;
	const struct eb_sv_name *self = &sv->name[v->name];

	for (uint32_t i = 0; i < self->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[self->first + i];

		if (c->dead != EB_SV_ALIVE)
			continue;
		for (uint32_t k = 0; k < (uint32_t)c->n_needs + c->n_excludes;
		     k++)
			speak(v, self->first + i, k);
	}
}

static bool prune_by_name(struct view *v)
{
	struct eb_sv *sv = v->sv;
	bool changed = false;

	v->n = 0;
	look(v);
	for (uint32_t i = 0; i < v->n; i++) {
		uint32_t name = v->list[i];

		if (v->count[name] == sv->name[v->name].alive &&
		    sv->name[name].alive)
			changed |= restrict_other(v, name);
		if (v->needy[name] == sv->name[v->name].alive)
			changed |= require(v, name);
		v->count[name] = v->seen[name] = v->needy[name] = 0;
	}
	return changed;
}

/* --- until nothing changes ------------------------------------------- */

static bool prune_names(struct eb_sv *sv)
{
	eb_autofree uint32_t *count =
		eb_calloc(4u * sv->n_names + 1, sizeof *count);
	eb_autofree uint32_t *done = eb_calloc(sv->n_specs + 1, sizeof *done);
	struct view v = { .sv = sv, .count = count, .done = done };
	bool changed = false;

	v.seen = count + sv->n_names;
	v.needy = v.seen + sv->n_names;
	v.list = v.needy + sv->n_names;
	for (uint32_t i = 0; i < sv->n_names; i++) {
		v.name = i;
		if (sv->name[i].must && sv->name[i].alive)
			changed |= prune_by_name(&v);
	}
	return changed;
}

static bool find_empty(struct eb_sv *sv)
{
	for (uint32_t i = 0; i < sv->n_names; i++)
		if (sv->name[i].must && !sv->name[i].alive) {
			sv->empty = i;
			return true;
		}
	for (uint32_t i = 0; i < sv->n_user; i++)
		if (!sv->spec[sv->user[i]].n_alive)
			return true;
	return false;
}

bool eb_sv_prune(struct eb_sv *sv)
{
	bool changed = true;

	sv->empty = EB_SV_NONE;
	for (uint32_t i = 0; i < sv->n_names; i++)
		sv->name[i].changed = true;
	while (changed) {
		changed = false;
		count_alive(sv);
		if (find_empty(sv))
			return false;
		for (uint32_t i = 0; i < sv->n_cands; i++)
			if (sv->cand[i].dead == EB_SV_ALIVE)
				changed |= prune_needs(sv, i) ||
					   prune_excludes(sv, i);
		if (changed)
			continue;
		changed = prune_names(sv);
	}
	return true;
}
