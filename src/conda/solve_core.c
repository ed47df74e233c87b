/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest set of lines that fail. Pruning notes for each candidate why it
 * went; following that back from where nothing was left gives the few lines
 * that had a part in it, without another solve. Of these, each is left out in
 * turn.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

/* --- attempts -------------------------------------------------------- */

struct eb_sv *eb_sv_fails(const struct eb_solve_request *q, const bool *use,
			  uint64_t until)
{
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *sv = NULL;
	struct eb_error err = EB_ERROR_INIT;

	if (eb_now_ns() > until)
		return NULL;
	sv = eb_sv_new(q, use, NULL);
	sv->allow_featured = true;
	sv->add_pip = false;
	if (eb_sv_run(sv, &err) == 0)
		return eb_steal(sv);
	eb_err_release(&err);
	return NULL;
}

/* --- who had a part in it -------------------------------------------- */

struct blame {
	const struct eb_sv *sv;
	bool *use;	   /* by the request's index: had a part */
	bool *cand, *name; /* seen */
	uint32_t *todo;
	uint32_t n;
};

static void blame_cand(struct blame *b, uint32_t cand)
{
	if (b->cand[cand] || b->sv->cand[cand].dead == EB_SV_ALIVE)
		return;
	b->cand[cand] = true;
	b->todo[b->n++] = cand;
}

static void blame_matches(struct blame *b, uint32_t spec)
{
	const struct eb_sv_spec *s = &b->sv->spec[spec];

	for (uint32_t i = 0; i < s->n_match; i++)
		blame_cand(b, s->match[i]);
}

static bool depends_on(const struct eb_sv *sv, const struct eb_sv_cand *c,
		       uint32_t name)
{
	for (uint32_t i = 0; i < c->n_needs; i++)
		if (sv->spec[sv->needs[c->needs + i]].name == name)
			return true;
	return false;
}

bool eb_sv_admits(const struct eb_sv *sv, const struct eb_sv_cand *c,
		  uint32_t cand)
{
	uint32_t name = sv->cand[cand].name;

	for (uint32_t i = 0; i < (uint32_t)c->n_needs + c->n_excludes; i++) {
		const struct eb_sv_spec *s = &sv->spec[sv->needs[c->needs + i]];

		if (s->name == name && s->m && !eb_sv_matches(s, cand))
			return false;
	}
	return true;
}

/* Why does it have to be there? */
static void blame_must(struct blame *b, uint32_t name)
{
	const struct eb_sv *sv = b->sv;

	while (!b->name[name]) {
		const struct eb_sv_name *by;
		uint32_t spec = eb_sv_user_spec(sv, name);

		b->name[name] = true;
		if (spec != EB_SV_NONE)
			b->use[eb_sv_asked(sv, spec)] = true;
		if (spec != EB_SV_NONE || sv->name[name].must_by == EB_SV_NONE)
			return;
		by = &sv->name[sv->name[name].must_by];
		for (uint32_t i = by->first; i < by->first + by->n; i++)
			if (!depends_on(sv, &sv->cand[i], name))
				blame_cand(b, i);
		name = sv->name[name].must_by;
	}
}

static void blame_other(struct blame *b, uint32_t cand, uint32_t name)
{
	const struct eb_sv_name *n = &b->sv->name[name];

	blame_must(b, name);
	for (uint32_t i = n->first; i < n->first + n->n; i++)
		if (eb_sv_admits(b->sv, &b->sv->cand[i], cand))
			blame_cand(b, i);
}

static void blame_one(struct blame *b, uint32_t cand)
{
	const struct eb_sv_cand *c = &b->sv->cand[cand];

	switch ((enum eb_sv_dead)c->dead) {
	case EB_SV_USER: b->use[eb_sv_asked(b->sv, c->dead_by)] = true; break;
	case EB_SV_EXCLUDES:
		blame_must(b, b->sv->spec[c->dead_by].name);
		blame_matches(b, c->dead_by);
		break;
	case EB_SV_NEEDS: blame_matches(b, c->dead_by); break;
	case EB_SV_OTHER: blame_other(b, cand, c->dead_by); break;
	case EB_SV_PIN: /* no line */
	case EB_SV_ALIVE: break;
	}
}

static void blame_empty(struct blame *b, uint32_t name)
{
	const struct eb_sv_name *n = &b->sv->name[name];

	blame_must(b, name);
	for (uint32_t i = n->first; i < n->first + n->n; i++)
		blame_cand(b, i);
}

/* Where pruning found no end, each line may have a part. */
static bool blame_root(struct blame *b)
{
	const struct eb_sv *sv = b->sv;

	if (sv->empty != EB_SV_NONE) {
		blame_empty(b, sv->empty);
		return true;
	}
	for (uint32_t i = 0; i < sv->n_user; i++)
		if (!sv->spec[sv->user[i]].n_alive) {
			b->use[eb_sv_asked(sv, sv->user[i])] = true;
			blame_matches(b, sv->user[i]);
			return true;
		}
	return false;
}

/* All that had a part; false where each may have. `use` is by the request's
 * index, `seen` by candidate. */
static bool blame_all(const struct eb_sv *sv, bool *use, bool *seen)
{
	eb_autofree bool *name = eb_calloc(sv->n_names + 1, sizeof *name);
	eb_autofree uint32_t *todo = eb_calloc(sv->n_cands + 1, sizeof *todo);
	struct blame b = { sv, use, seen, name, todo, 0 };

	if (!blame_root(&b))
		return false;
	while (b.n)
		blame_one(&b, b.todo[--b.n]);
	return true;
}

void eb_sv_blame_set(const struct eb_sv *sv, const struct eb_sv_set *set,
		     bool *use)
{
	eb_autofree bool *name = eb_calloc(sv->n_names + 1, sizeof *name);
	eb_autofree bool *seen = eb_calloc(sv->n_cands + 1, sizeof *seen);
	eb_autofree uint32_t *todo = eb_calloc(sv->n_cands + 1, sizeof *todo);
	struct blame b = { sv, use, seen, name, todo, 0 };

	for (uint32_t i = 0; i < set->n; i++)
		blame_cand(&b, set->cand[i]);
	while (b.n)
		blame_one(&b, b.todo[--b.n]);
}

/* Lines that had no part are not in use any more. */
static void drop_innocent(const struct eb_sv *sv, bool *use)
{
	size_t n = sv->q->n_specs;
	eb_autofree bool *part = eb_calloc(n + 1, sizeof *part);
	eb_autofree bool *seen = eb_calloc(sv->n_cands + 1, sizeof *seen);

	if (!blame_all(sv, part, seen))
		return;
	for (size_t i = 0; i < n; i++)
		use[i] = use[i] && part[i];
}

/* Had the name a part in a candidate's end? */
static bool died_of(const struct eb_sv *sv, const struct eb_sv_cand *c,
		    const char *name)
{
	uint32_t of = c->name;

	if (c->dead == EB_SV_NEEDS || c->dead == EB_SV_EXCLUDES)
		of = sv->spec[c->dead_by].name;
	else if (c->dead == EB_SV_OTHER)
		of = c->dead_by;
	return of != EB_SV_NONE && !strcmp(sv->name[of].name, name);
}

bool eb_sv_blames(const struct eb_sv *sv, const char *name)
{
	eb_autofree bool *part = eb_calloc(sv->q->n_specs + 1, sizeof *part);
	eb_autofree bool *seen = eb_calloc(sv->n_cands + 1, sizeof *seen);

	if (!blame_all(sv, part, seen))
		return true;
	for (uint32_t i = 0; i < sv->n_cands; i++)
		if (seen[i] && (died_of(sv, &sv->cand[i], name) ||
				!strcmp(sv->cand[i].r->name, name)))
			return true;
	return false;
}

/* --- leaving out ----------------------------------------------------- */

static size_t count(const bool *use, size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		used += use[i];
	return used;
}

struct shrink {
	const struct eb_solve_request *q;
	bool *use;
	uint64_t until;
	struct eb_sv *last; /* what failed with fewest lines */
	size_t lines;	    /* in it */
};

/* Does it still fail without these? Then they are out. */
static bool leave_out(struct shrink *s, const size_t *line, size_t n)
{
	size_t all = s->q->n_specs;
	eb_autofree bool *less = eb_malloc((all + 1) * sizeof *less);
	struct eb_sv *sv;

	memcpy(less, s->use, all * sizeof *less);
	for (size_t i = 0; i < n; i++)
		less[line[i]] = false;
	if (!count(less, all) || !(sv = eb_sv_fails(s->q, less, s->until)))
		return false;
	eb_sv_free(s->last);
	s->last = sv;
	s->lines = count(less, all);
	memcpy(s->use, less, all * sizeof *less);
	drop_innocent(sv, s->use);
	return true;
}

/* In steps of so many lines, in the order of the specs' texts. */
static void pass(struct shrink *s, const size_t *order, size_t step)
{
	size_t n = s->q->n_specs;
	eb_autofree size_t *line = eb_calloc(step, sizeof *line);
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		if (s->use[order[i]])
			line[k++] = order[i];
		if (k < step && (i + 1 < n || !k))
			continue;
		leave_out(s, line, k);
		k = 0;
	}
}

struct eb_sv *eb_sv_core(const struct eb_solve_request *q, struct eb_sv *sv,
			 bool *use, uint64_t until)
{
	size_t n = q->n_specs, step = 1;
	eb_autofree size_t *order = eb_calloc(n + 1, sizeof *order);
	struct shrink s = { q, use, until, NULL, count(use, n) };

	eb_sv_line_order(q, order);
	drop_innocent(sv, use);
	/* where pruning tells nothing, the greater part goes at one blow */
	while (count(use, n) / (2 * step) > 3)
		step *= 2;
	for (; step; step /= 2)
		pass(&s, order, step);
	if (count(use, n) == s.lines)
		return s.last;
	eb_sv_free(s.last);
	return eb_sv_fails(q, use, UINT64_MAX);
}
