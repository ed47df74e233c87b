/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libsolv need not see twice.
 *
 * Texts that the same candidates match, of those that are left, are one. And of
 * candidates that need the same, exclude the same and are matched by the same
 * texts only the best counts: what goes with another goes with it. Most builds
 * of a version are such, and many versions of a package.
 *
 * Sets are compared by sums over their members' 128 bits.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

#define MAX_ROUNDS 4

struct sum {
	uint64_t a, b;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

enum part {
	NAME,
	CHANNEL,
	CONDITIONS,
	MATCHES,
	NEEDS,
	EXCLUDES,
	IS_MATCHED,
	COND
};

static void add(struct sum *s, enum part part, uint32_t member)
{
	uint64_t x = (uint64_t)part << 32 | member;

	s->a += mix(x + 0x9e3779b97f4a7c15u);
	s->b += mix(x ^ 0xd1b54a32d192ed03u);
}

static bool same(struct sum x, struct sum y)
{
	return x.a == y.a && x.b == y.b;
}

static bool counts(const struct eb_sv *sv, const struct eb_sv_cand *c)
{
	return c->dead == EB_SV_ALIVE && sv->name[c->name].reached && !c->aside;
}

/* --- a table of sums ------------------------------------------------- */

struct table {
	struct sum *key;
	uint32_t *value; /* + 1 */
	uint32_t mask;
};

static void table_init(struct table *t, uint32_t n)
{
	t->mask = 63;
	while (t->mask < 2 * n)
		t->mask = 2 * t->mask + 1;
	t->key = eb_calloc((size_t)t->mask + 1, sizeof *t->key);
	t->value = eb_calloc((size_t)t->mask + 1, sizeof *t->value);
}

static void table_release(struct table *t)
{
	free(t->key);
	free(t->value);
}

/* What stands there for a sum; `value` from now on where nothing did. */
static uint32_t *table_at(struct table *t, struct sum key, uint32_t value)
{
	uint32_t i = (uint32_t)key.a & t->mask;

	while (t->value[i] && !same(t->key[i], key))
		i = (i + 1) & t->mask;
	if (!t->value[i]) {
		t->key[i] = key;
		t->value[i] = value + 1;
	}
	return &t->value[i];
}

/* --- texts ----------------------------------------------------------- */

static void mark(void *data, uint32_t spec)
{
	((bool *)data)[spec] = true;
}

static void mark_conds(struct eb_sv *sv, uint32_t first, uint32_t n, bool *used)
{
	for (uint32_t i = first; i < first + n; i++)
		if (eb_sv_cond_counts(sv, &sv->cond[i]))
			eb_sv_each_part(sv, &sv->cond[i], mark, used);
}

static void mark_part(void *data, uint32_t spec)
{
	((bool *)data)[spec] = true;
}

static void mark_used(struct eb_sv *sv, bool *used)
{
	memset(used, 0, sv->n_specs * sizeof *used);
	for (uint32_t i = 0; i < sv->n_conds; i++)
		if (eb_sv_cond_counts(sv, &sv->cond[i]))
			eb_sv_each_part(sv, &sv->cond[i], mark_part, used);
	mark_conds(sv, 0, sv->n_user_conds, used);
	for (uint32_t i = 0; i < sv->n_user; i++)
		used[sv->user[i]] = true;
	for (uint32_t i = 0; i < sv->n_cands; i++) {
		const struct eb_sv_cand *c = &sv->cand[i];
		uint32_t n = (uint32_t)c->n_needs + c->n_excludes;

		for (uint32_t k = 0; counts(sv, c) && k < n; k++)
			used[sv->needs[c->needs + k]] = true;
		if (counts(sv, c))
			mark_conds(sv, c->conds, c->n_conds, used);
	}
}

/* How many it matches, of those that count. */
static uint32_t sum_of_spec(const struct eb_sv *sv, const struct eb_sv_spec *s,
			    struct sum *sum)
{
	uint32_t n = 0;

	add(sum, NAME, s->name);
	for (uint32_t i = 0; i < s->n_match; i++)
		if (counts(sv, &sv->cand[s->match[i]])) {
			add(sum, MATCHES, s->match[i]);
			n++;
		}
	return n;
}

static uint32_t count_name(const struct eb_sv *sv, uint32_t name)
{
	uint32_t n = 0;

	for (uint32_t i = 0; name != EB_SV_NONE && i < sv->name[name].n; i++)
		n += counts(sv, &sv->cand[sv->name[name].first + i]);
	return n;
}

static void join_specs(struct eb_sv *sv, const bool *used)
{
	struct table t;

	table_init(&t, sv->n_specs);
	for (uint32_t i = 0; i < sv->n_specs; i++) {
		struct eb_sv_spec *s = &sv->spec[i];
		struct sum sum = { 0 };
		uint32_t n;

		s->like = i;
		if (!used[i] || !s->m)
			continue;
		n = sum_of_spec(sv, s, &sum);
		s->all = s->name != EB_SV_NONE && n == count_name(sv, s->name);
		s->like = *table_at(&t, sum, i) - 1;
	}
	table_release(&t);
}

/* --- candidates ------------------------------------------------------ */

struct sums {
	struct eb_sv *sv;
	struct sum *of; /* of each candidate */
	uint32_t *seen; /* of each text: the last candidate that has it */
};

static void add_once(struct sums *s, enum part part, uint32_t spec,
		     uint32_t cand, uint32_t round)
{
	spec = s->sv->spec[spec].like;
	if (s->seen[spec] == 2 * cand + round)
		return;
	s->seen[spec] = 2 * cand + round;
	add(&s->of[cand], part, spec);
}

bool eb_sv_excludes(const struct eb_sv *sv, const struct eb_sv_cand *c,
		    uint32_t spec)
{
	const struct eb_sv_spec *s = &sv->spec[spec];

	return s->name != EB_SV_NONE && s->name != c->name &&
	       sv->name[s->name].reached && s->m && !s->all;
}

/* Spec for spec: other texts are other conditions. */
static void sum_conds(struct sums *s, uint32_t cand)
{
	const struct eb_sv_cand *c = &s->sv->cand[cand];

	for (uint32_t i = c->conds; i < c->conds + c->n_conds; i++) {
		const struct eb_sv_cond *d = &s->sv->cond[i];
		uint32_t what = d->kind == EB_SV_COND_ASKS ? d->asks : d->spec;
		struct sum one = { 0 };

		if (!eb_sv_cond_counts(s->sv, d))
			continue;
		add(&one, COND + d->kind, what);
		add(&one, NAME, d->spec);
		add(&one, CHANNEL, d->group);
		s->of[cand].a += mix(one.a);
		s->of[cand].b += mix(one.b);
	}
}

static void sum_wants(struct sums *s, uint32_t cand)
{
	const struct eb_sv_cand *c = &s->sv->cand[cand];
	const uint32_t *need = &s->sv->needs[c->needs];

	add(&s->of[cand], CHANNEL, c->channel);
	if (c->n_conds) /* stands for itself */
		add(&s->of[cand], CONDITIONS, cand);
	sum_conds(s, cand);
	for (uint32_t k = 0; k < c->n_needs; k++)
		add_once(s, NEEDS, need[k], cand, 1);
	need += c->n_needs;
	for (uint32_t k = 0; k < c->n_excludes; k++)
		if (eb_sv_excludes(s->sv, c, need[k]))
			add_once(s, EXCLUDES, need[k], cand, 2);
}

static void sum_matched(struct sums *s, uint32_t spec)
{
	const struct eb_sv_spec *p = &s->sv->spec[spec];

	for (uint32_t i = 0; i < p->n_match; i++)
		add(&s->of[p->match[i]], IS_MATCHED, spec);
}

/* The best of each kind of a name stays. */
static uint32_t set_aside(struct sums *s, const struct eb_sv_name *name)
{
	struct eb_sv_cand *cand = s->sv->cand;
	uint32_t n = 0;
	struct table t;

	table_init(&t, name->n);
	for (uint32_t i = name->first; i < name->first + name->n; i++) {
		uint32_t *at, other;

		if (!counts(s->sv, &cand[i]))
			continue;
		at = table_at(&t, s->of[i], i);
		other = *at - 1;
		if (other == i)
			continue;
		if (cand[other].rank < cand[i].rank)
			*at = i + 1;
		cand[cand[other].rank < cand[i].rank ? other : i].aside = true;
		n++;
	}
	table_release(&t);
	return n;
}

static uint32_t join_cands(struct eb_sv *sv, const bool *used)
{
	eb_autofree struct sum *of = eb_calloc(sv->n_cands + 1, sizeof *of);
	eb_autofree uint32_t *seen = eb_calloc(sv->n_specs + 1, sizeof *seen);
	struct sums s = { .sv = sv, .of = of, .seen = seen };
	uint32_t n = 0;

	for (uint32_t i = 0; i < sv->n_cands; i++)
		if (counts(sv, &sv->cand[i]))
			sum_wants(&s, i);
	for (uint32_t i = 0; i < sv->n_specs; i++)
		if (used[i] && sv->spec[i].like == i && !sv->spec[i].all)
			sum_matched(&s, i);
	for (uint32_t i = 0; i < sv->n_names; i++)
		if (sv->name[i].reached)
			n += set_aside(&s, &sv->name[i]);
	return n;
}

void eb_sv_join(struct eb_sv *sv)
{
	eb_autofree bool *used = eb_calloc(sv->n_specs + 1, sizeof *used);
	uint32_t n = 1;

	/* with fewer candidates more texts are the same */
	for (unsigned round = 0; n; round++) {
		mark_used(sv, used);
		join_specs(sv, used);
		n = round < MAX_ROUNDS ? join_cands(sv, used) : 0;
	}
}
