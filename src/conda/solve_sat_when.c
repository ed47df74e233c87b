/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may count, for libsolv. A made-up package stands for each part of a
 * condition: what matches a spec requires the spec's package, so that it is
 * installed where the spec holds; of "a or b" both require the whole, of "a
 * and b" a requires the whole if b is installed. Another one stands for each
 * group: who asks for it requires it. Then a package requires what it needs
 * "if" those of its condition and group are installed. Nothing else asks for
 * them, so where nothing makes them true they are not there.
 */
#include <solv/pool.h>
#include <solv/repo.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/mem.h>

#include "matchspec_parts.h"
#include "solve_int.h"

/* What is known stands for itself; ids of packages are from 1. */
enum { NEVER = -1, ALWAYS = -2 };

/* A condition by its text. */
struct whole {
	const char *text;
	Id id;
};

struct wiring {
	struct eb_sv_wires *w;
	Id *spec; /* by number: the package of a condition's part, or 0 */
	struct whole *whole;
	uint32_t slots;
	Id *group;     /* by number */
	Id (*only)[2]; /* by number: the sides of a switch */
	unsigned made;
};

/* --- made-up packages ------------------------------------------------ */

static Solvable *solvable_of(struct wiring *x, const char *name, unsigned rank)
{
	Pool *pool = x->w->pool;
	Solvable *v = pool_id2solvable(pool, repo_add_solvable(x->w->repo));
	char evr[16];

	snprintf(evr, sizeof evr, "%u", rank);
	v->name = pool_str2id(pool, name, 1);
	v->evr = pool_str2id(pool, evr, 1);
	v->arch = ARCH_ALL;
	v->provides = repo_addid_dep(
		x->w->repo, v->provides,
		pool_rel2id(pool, v->name, v->evr, REL_EQ, 1), 0);
	return v;
}

static Id make(struct wiring *x)
{
	char name[32];

	snprintf(name, sizeof name, "when:%u", x->made++);
	return pool_solvable2id(x->w->pool, solvable_of(x, name, 1));
}

static Id relation_to(const struct wiring *x, Id id)
{
	const Solvable *v = pool_id2solvable(x->w->pool, id);

	return pool_rel2id(x->w->pool, v->name, v->evr, REL_EQ, 1);
}

static void require(struct wiring *x, Id id, Id relation)
{
	Solvable *v = pool_id2solvable(x->w->pool, id);

	v->requires = repo_addid_dep(v->repo, v->requires, relation, 0);
}

static Id wanted_if(struct wiring *x, Id relation, Id condition)
{
	return pool_rel2id(x->w->pool, relation, condition, REL_COND, 1);
}

/* --- conditions ------------------------------------------------------ */

static Id spec_package(struct wiring *x, const struct eb_matchspec *m)
{
	struct eb_sv *sv = x->w->sv;
	uint32_t number = eb_sv_part(sv, m);
	const struct eb_sv_spec *s = &sv->spec[number];

	if (x->spec[number])
		return x->spec[number];
	x->spec[number] = make(x);
	for (uint32_t i = 0; i < s->n_match; i++) {
		const struct eb_sv_cand *c = &sv->cand[s->match[i]];

		if (c->id)
			x->w->need(x->w->data, c,
				   relation_to(x, x->spec[number]));
	}
	return x->spec[number];
}

static Id join_package(struct wiring *x, enum eb_when_kind kind, Id left,
		       Id right)
{
	Id none = kind == EB_WHEN_AND ? ALWAYS : NEVER;
	Id whole, relation;

	if (left == none || left == right)
		return right;
	if (right == none)
		return left;
	if (left < 0 || right < 0)
		return left < 0 ? left : right;
	whole = make(x);
	relation = relation_to(x, whole);
	if (kind == EB_WHEN_OR) {
		require(x, left, relation);
		require(x, right, relation);
	} else {
		require(x, left, wanted_if(x, relation, relation_to(x, right)));
	}
	return whole;
}

static Id node_package(struct wiring *x, const struct eb_when_node *n,
		       const Id *of)
{
	int known;

	if (n->kind != EB_WHEN_SPEC)
		return join_package(x, n->kind, of[n->left], of[n->right]);
	known = eb_sv_on_machine(x->w->sv, n->m);
	return known > 0 ? ALWAYS : known ? spec_package(x, n->m) : NEVER;
}

/* There is room for twice the conditions that there are. */
static struct whole *whole_of(struct wiring *x, const char *text)
{
	uint32_t i = eb_rd_hash(text) & (x->slots - 1);

	while (x->whole[i].text && strcmp(x->whole[i].text, text) != 0)
		i = (i + 1) & (x->slots - 1);
	return &x->whole[i];
}

/* What can be told from the machine alone is no condition any more: the
 * package of one that is left is a package. */
static Id condition_package(struct wiring *x, uint32_t spec)
{
	const struct eb_matchspec *m = x->w->sv->spec[spec].m;
	struct whole *whole = whole_of(x, m->when);
	eb_autofree Id *of = NULL;

	if (whole->text)
		return whole->id;
	of = eb_calloc(m->condition->n, sizeof *of);
	for (uint32_t i = 0; i < m->condition->n; i++)
		of[i] = node_package(x, &m->condition->node[i], of);
	*whole = (struct whole){ m->when, of[m->condition->n - 1] };
	return whole->id;
}

/* --- what counts ----------------------------------------------------- */

static Id group_package(struct wiring *x, uint32_t group)
{
	if (!x->group[group])
		x->group[group] = make(x);
	return x->group[group];
}

/* Two packages that exclude each other: what allows the spec alone requires
 * the one, and what the spec does not match the other. */
static Id allowed_only(struct wiring *x, uint32_t number)
{
	const struct eb_sv_spec *s = &x->w->sv->spec[number];
	const struct eb_sv_name *name = &x->w->sv->name[s->name];
	char text[32];

	if (x->only[number][0])
		return relation_to(x, x->only[number][0]);
	snprintf(text, sizeof text, "only-when:%u", x->made++);
	for (unsigned i = 0; i < 2; i++)
		x->only[number][i] = pool_solvable2id(
			x->w->pool, solvable_of(x, text, i + 1));
	for (uint32_t i = name->first; i < name->first + name->n; i++)
		if (x->w->sv->cand[i].id && !eb_sv_matches(s, i))
			x->w->need(x->w->data, &x->w->sv->cand[i],
				   relation_to(x, x->only[number][1]));
	return relation_to(x, x->only[number][0]);
}

static Id target_of(struct wiring *x, const struct eb_sv_cond *c)
{
	switch (c->kind) {
	case EB_SV_COND_ASKS: return relation_to(x, group_package(x, c->asks));
	case EB_SV_COND_ALLOWS: return allowed_only(x, c->spec);
	default: return x->w->relation(x->w->data, c->spec);
	}
}

static Id relation_of(struct wiring *x, const struct eb_sv_cond *c)
{
	Id relation = target_of(x, c);

	if (x->w->sv->spec[c->spec].when < 0)
		relation = wanted_if(
			x, relation,
			relation_to(x, condition_package(x, c->spec)));
	if (c->group != EB_SV_NONE)
		relation =
			wanted_if(x, relation,
				  relation_to(x, group_package(x, c->group)));
	return relation;
}

static bool says_something(const struct eb_sv *sv, const struct eb_sv_cond *c,
			   uint32_t own_name)
{
	const struct eb_sv_spec *s = &sv->spec[c->spec];

	if (!eb_sv_cond_counts(sv, c))
		return false;
	return c->kind != EB_SV_COND_ALLOWS ||
	       (s->m && s->name != EB_SV_NONE && s->name != own_name);
}

/* --- all of it ------------------------------------------------------- */

static int by_text(const void *a, const void *b, void *data)
{
	const struct eb_sv *sv = data;
	const struct eb_sv_cond *x = a, *y = b;
	int order = strcmp(sv->spec[x->spec].text, sv->spec[y->spec].text);

	return order		    ? order
	       : x->kind != y->kind ? (x->kind < y->kind ? -1 : 1)
	       : x->asks < y->asks  ? -1
				    : x->asks > y->asks;
}

/* In an order of their own, so that the user's does not matter. */
static void wire_user(struct wiring *x)
{
	struct eb_sv *sv = x->w->sv;

	qsort_r(sv->cond, sv->n_user_conds, sizeof *sv->cond, by_text, sv);
	for (uint32_t i = 0; i < sv->n_user_conds; i++)
		require(x, x->w->always, relation_of(x, &sv->cond[i]));
}

static void wire_cand(struct wiring *x, const struct eb_sv_cand *c)
{
	struct eb_sv *sv = x->w->sv;

	for (uint32_t i = c->conds; i < c->conds + c->n_conds; i++)
		if (says_something(sv, &sv->cond[i], c->name))
			x->w->need(x->w->data, c, relation_of(x, &sv->cond[i]));
}

void eb_sv_wire(struct eb_sv_wires *w, const uint32_t *order, uint32_t n)
{
	struct eb_sv *sv = w->sv;
	struct wiring x = { .w = w };

	if (!sv->n_conds)
		return;
	x.spec = eb_calloc(sv->n_specs, sizeof *x.spec);
	for (x.slots = 16; x.slots < 2 * sv->n_conds;)
		x.slots *= 2;
	x.whole = eb_calloc(x.slots, sizeof *x.whole);
	x.only = eb_calloc(sv->n_specs, sizeof *x.only);
	x.group = eb_calloc(sv->n_groups + 1, sizeof *x.group);
	wire_user(&x);
	for (uint32_t i = 0; i < n; i++)
		wire_cand(&x, &sv->cand[order[i]]);
	free(x.spec);
	free(x.whole);
	free(x.only);
	free(x.group);
}
