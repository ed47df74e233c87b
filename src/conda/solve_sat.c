/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libsolv: what is left after pruning, as a pool without any conda support.
 *
 * A dependency is a namespace relation whose name is the number of its text;
 * a callback answers with the candidates that it matches. Our rank is the
 * version.
 *
 * Rules against pairs of candidates would grow with the square of the builds.
 * Both kinds of them are made of made-up packages that exclude each other:
 * against two of one name, where it has many, the n-th candidate requires one
 * for each digit of n, in a base that gives it two; for what candidates
 * constrain, those that do require one of a pair, a switch, and those that are
 * excluded so require the other.
 */
#include <solv/pool.h>
#include <solv/queue.h>
#include <solv/repo.h>
#include <solv/solver.h>
#include <solv/transaction.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

#define MOST_PAIRED 5

struct link {
	Id relation;
	uint32_t next; /* number of the next, from 1 */
};

struct sat {
	struct eb_sv *sv;
	Pool *pool;
	Repo **channel;
	unsigned n_channels;
	Repo *machine, *bits;
	Queue jobs;
	uint32_t *of_id; /* candidate + 1 by libsolv's id */
	uint32_t n_ids;
	uint32_t *order; /* candidates by name and rank */
	uint32_t n_order;
	Id always;    /* a package that is always installed */
	Id *first_id; /* of a name's candidates, which stand in a row */
	uint32_t *n_of_name;
	bool *mark;	   /* by id, for a moment */
	struct link *link; /* what candidates require */
	uint32_t n_links, alloc_links;
	uint32_t *head; /* by id: the first link */
	Id *relation;	/* of texts, by number, or 0 */
};

/* --- which candidates ------------------------------------------------ */

static bool counts(const struct sat *s, const struct eb_sv_cand *c)
{
	return c->dead == EB_SV_ALIVE && s->sv->name[c->name].reached &&
	       !c->aside;
}

static int by_text(const void *a, const void *b, void *data)
{
	const struct eb_sv *sv = data;

	return strcmp(sv->name[*(const uint32_t *)a].name,
		      sv->name[*(const uint32_t *)b].name);
}

static int by_rank(const void *a, const void *b, void *data)
{
	const struct eb_sv *sv = data;
	uint32_t x = sv->cand[*(const uint32_t *)a].rank;
	uint32_t y = sv->cand[*(const uint32_t *)b].rank;

	return x < y ? -1 : x > y;
}

static void add_name(struct sat *s, const struct eb_sv_name *name)
{
	uint32_t first = s->n_order;

	for (uint32_t i = name->first; i < name->first + name->n; i++) {
		s->sv->cand[i].id = 0;
		if (counts(s, &s->sv->cand[i]))
			s->order[s->n_order++] = i;
	}
	qsort_r(s->order + first, s->n_order - first, sizeof *s->order, by_rank,
		s->sv);
}

/* Records in another order give the same pool. */
static void make_order(struct sat *s)
{
	uint32_t n = s->sv->n_names;
	eb_autofree uint32_t *name = eb_calloc(n + 1, sizeof *name);

	s->order = eb_calloc(s->sv->n_cands + 1, sizeof *s->order);
	for (uint32_t i = 0; i < n; i++)
		name[i] = i;
	qsort_r(name, n, sizeof *name, by_text, s->sv);
	for (uint32_t i = 0; i < n; i++)
		add_name(s, &s->sv->name[name[i]]);
}

/* --- solvables ------------------------------------------------------- */

static Solvable *add_solvable(struct sat *s, Repo *repo, const char *name,
			      uint32_t rank)
{
	char evr[16];
	Solvable *v;
	Id id = repo_add_solvable(repo);

	snprintf(evr, sizeof evr, "%u", rank);
	v = pool_id2solvable(s->pool, id);
	v->name = pool_str2id(s->pool, name, 1);
	v->evr = pool_str2id(s->pool, evr, 1);
	v->arch = ARCH_ALL;
	v->provides = repo_addid_dep(
		repo, v->provides,
		pool_rel2id(s->pool, v->name, v->evr, REL_EQ, 1), 0);
	return v;
}

/* Two packages that exclude each other, and the relations that name them. */
static void add_switch(struct sat *s, const char *name, Id side[2])
{
	for (uint32_t i = 0; i < 2; i++) {
		Solvable *v = add_solvable(s, s->bits, name, i + 1);

		side[i] = pool_rel2id(s->pool, v->name, v->evr, REL_EQ, 1);
	}
}

/* Kept for now: libsolv copies a list that is not the last one it made, so
 * each is made in one go at the end. */
static void need(struct sat *s, const struct eb_sv_cand *c, Id relation)
{
	EB_GROW(s->link, s->n_links, s->alloc_links);
	s->link[s->n_links++] = (struct link){ relation, s->head[c->id] };
	s->head[c->id] = s->n_links;
}

static void make_lists(struct sat *s)
{
	for (uint32_t i = 0; i < s->n_order; i++) {
		Id id = s->sv->cand[s->order[i]].id;
		Solvable *v = pool_id2solvable(s->pool, id);

		for (uint32_t l = s->head[id]; l; l = s->link[l - 1].next) {
			Id relation = s->link[l - 1].relation;

			v->requires = repo_addid_dep(v->repo, v->requires,
						     relation, 0);
		}
	}
}

/* The relation that stands for a text, by its number. */
static Id relation_of(struct sat *s, uint32_t spec)
{
	char number[16];
	Id name, space;

	spec = s->sv->spec[spec].like;
	if (s->relation[spec])
		return s->relation[spec];
	snprintf(number, sizeof number, "%u", spec);
	name = pool_str2id(s->pool, number, 1);
	space = pool_str2id(s->pool, "c", 1);
	s->relation[spec] = pool_rel2id(s->pool, name, space, REL_NAMESPACE, 1);
	return s->relation[spec];
}

static void add_cand(struct sat *s, struct eb_sv_cand *c)
{
	Repo *repo = c->row == EB_SV_NONE ? s->machine : s->channel[c->channel];
	Solvable *v = add_solvable(s, repo, s->sv->name[c->name].name, c->rank);

	c->id = pool_solvable2id(s->pool, v);
	if (!s->n_of_name[c->name]++)
		s->first_id[c->name] = c->id;
	if (c->row == EB_SV_NONE)
		queue_push2(&s->jobs, SOLVER_INSTALL | SOLVER_SOLVABLE, c->id);
}

/* The user's own names and the machine's have jobs: whatever is chosen of them
 * meets it. */
static bool is_met(const struct eb_sv *sv, uint32_t spec)
{
	const struct eb_sv_name *name = &sv->name[sv->spec[spec].name];

	return sv->spec[spec].all && name->must && name->must_by == EB_SV_NONE;
}

static void add_needs(struct sat *s)
{
	for (uint32_t i = 0; i < s->n_order; i++) {
		const struct eb_sv_cand *c = &s->sv->cand[s->order[i]];

		for (uint32_t k = c->n_needs; k--;) {
			uint32_t spec = s->sv->needs[c->needs + k];

			if (!is_met(s->sv, spec))
				need(s, c, relation_of(s, spec));
		}
	}
}

/* --- what may count -------------------------------------------------- */

static void need_of(void *data, const struct eb_sv_cand *c, Id relation)
{
	need(data, c, relation);
}

static Id relation_of_spec(void *data, uint32_t spec)
{
	return relation_of(data, spec);
}

static void add_conds(struct sat *s)
{
	struct eb_sv_wires w = {
		.sv = s->sv,
		.pool = s->pool,
		.repo = s->bits,
		.always = s->always,
		.data = s,
		.need = need_of,
		.relation = relation_of_spec,
	};

	eb_sv_wire(&w, s->order, s->n_order);
}

/* --- one of a name --------------------------------------------------- */

/* As many made-up packages as a digit has values, of one name: each excludes
 * the others. */
static Id *add_digit(struct sat *s, const char *name, unsigned digit,
		     uint32_t values)
{
	eb_autofree char *text = eb_asprintf("bit:%u:%s", digit, name);
	Id *side = eb_calloc(values, sizeof *side);

	for (uint32_t i = 0; i < values; i++) {
		Solvable *v = add_solvable(s, s->bits, text, i + 1);

		side[i] = pool_rel2id(s->pool, v->name, v->evr, REL_EQ, 1);
	}
	return side;
}

/* The n candidates of one name; of few libsolv's own rules are fewer. */
static void add_bits(struct sat *s, const uint32_t *cand, uint32_t n)
{
	const char *name = s->sv->name[s->sv->cand[*cand].name].name;
	eb_autofree Id *high = NULL, *low = NULL;
	uint32_t base = 1;

	if (n <= MOST_PAIRED)
		return;
	queue_push2(&s->jobs, SOLVER_MULTIVERSION | SOLVER_SOLVABLE_NAME,
		    pool_str2id(s->pool, name, 1));
	while ((uint64_t)base * base < n)
		base++;
	high = add_digit(s, name, 0, (n + base - 1) / base);
	low = add_digit(s, name, 1, base);
	for (uint32_t i = 0; i < n; i++) {
		need(s, &s->sv->cand[cand[i]], high[i / base]);
		need(s, &s->sv->cand[cand[i]], low[i % base]);
	}
}

static void add_all_bits(struct sat *s)
{
	const struct eb_sv_cand *cand = s->sv->cand;
	uint32_t end;

	for (uint32_t i = 0; i < s->n_order; i = end) {
		for (end = i + 1; end < s->n_order; end++)
			if (cand[s->order[end]].name != cand[s->order[i]].name)
				break;
		add_bits(s, s->order + i, end - i);
	}
}

/* --- what candidates constrain --------------------------------------- */

struct excluder {
	uint32_t spec, cand;
};

static int by_spec(const void *a, const void *b)
{
	const struct excluder *x = a, *y = b;

	if (x->spec != y->spec)
		return x->spec < y->spec ? -1 : 1;
	return x->cand < y->cand ? -1 : x->cand > y->cand;
}

/* Every candidate with every text that it constrains another name by. */
static struct excluder *find_excluders(struct sat *s, uint32_t *n)
{
	struct excluder *list = NULL;
	uint32_t alloc = 0;

	*n = 0;
	for (uint32_t i = 0; i < s->n_order; i++) {
		const struct eb_sv_cand *c = &s->sv->cand[s->order[i]];

		for (uint32_t k = 0; k < c->n_excludes; k++) {
			uint32_t spec = s->sv->needs[c->needs + c->n_needs + k];

			if (!eb_sv_excludes(s->sv, c, spec))
				continue;
			EB_GROW(list, *n, alloc);
			list[(*n)++] =
				(struct excluder){ s->sv->spec[spec].like,
						   s->order[i] };
		}
	}
	if (*n)
		qsort(list, *n, sizeof *list, by_spec);
	return list;
}

static void add_exclusion(struct sat *s, const struct excluder *list,
			  uint32_t n)
{
	const struct eb_sv *sv = s->sv;
	const struct eb_sv_spec *spec = &sv->spec[list->spec];
	const struct eb_sv_name *name = &sv->name[spec->name];
	eb_autofree char *text = eb_asprintf("only:%u", list->spec);
	Id side[2];

	add_switch(s, text, side);
	for (uint32_t i = 0; i < n; i++)
		if (!i || list[i].cand != list[i - 1].cand)
			need(s, &sv->cand[list[i].cand], side[0]);
	for (uint32_t i = 0; i < name->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[name->first + i];

		if (c->id && !eb_sv_matches(spec, name->first + i))
			need(s, c, side[1]);
	}
}

static void add_exclusions(struct sat *s)
{
	uint32_t n, end;
	eb_autofree struct excluder *list = find_excluders(s, &n);

	for (uint32_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n; end++)
			if (list[end].spec != list[i].spec)
				break;
		add_exclusion(s, list + i, end - i);
	}
}

/* --- a short walk ---------------------------------------------------- */

/* libsolv makes the rules of a package and then of all that it depends on,
 * with a list that holds every provider it meets as often as it meets it.
 * Beginning at what depends on nothing keeps that list short. The jobs that
 * make it begin there say "one of these, or the package that is installed
 * anyway", which is true. Lists have to be made after the pool. */
static void add_walk_jobs(struct sat *s)
{
	eb_autofree uint32_t *order = eb_sv_name_order(s->sv);
	Queue q, jobs;

	queue_init(&q);
	queue_init(&jobs);
	queue_push2(&jobs, SOLVER_INSTALL | SOLVER_SOLVABLE, s->always);
	for (uint32_t i = 0; i < s->sv->n_names; i++) {
		const struct eb_sv_name *name = &s->sv->name[order[i]];

		queue_empty(&q);
		for (uint32_t k = 0; k < name->n; k++)
			if (s->sv->cand[name->first + k].id)
				queue_push(&q, s->sv->cand[name->first + k].id);
		if (!q.count)
			continue;
		queue_push(&q, s->always);
		queue_push2(&jobs, SOLVER_INSTALL | SOLVER_SOLVABLE_ONE_OF,
			    pool_queuetowhatprovides(s->pool, &q));
	}
	queue_insertn(&s->jobs, 0, jobs.count, jobs.elements);
	queue_free(&q);
	queue_free(&jobs);
}

/* --- the callback ---------------------------------------------------- */

/* Ids of one name are a row without gaps: marks in it give them in order. */
static void push_name(struct sat *s, const struct eb_sv_spec *spec, Queue *q)
{
	for (uint32_t i = 0; i < spec->n_match; i++)
		s->mark[s->sv->cand[spec->match[i]].id] = 1;
	for (uint32_t i = 0; i < s->n_of_name[spec->name]; i++) {
		Id id = s->first_id[spec->name] + (Id)i;

		if (s->mark[id])
			queue_push(q, id);
	}
	for (uint32_t i = 0; i < spec->n_match; i++)
		s->mark[s->sv->cand[spec->match[i]].id] = 0;
}

static void push_glob(struct sat *s, const struct eb_sv_spec *spec, Queue *q)
{
	for (uint32_t i = 0; i < spec->n_match; i++)
		s->mark[s->sv->cand[spec->match[i]].id] = 1;
	for (uint32_t id = 1; id < s->n_ids; id++) {
		if (s->mark[id])
			queue_push(q, (Id)id);
		s->mark[id] = 0;
	}
}

static Id provides(Pool *pool, void *data, Id name, Id evr)
{
	struct sat *s = data;
	const struct eb_sv_spec *spec;
	uint64_t number;
	Queue q;
	Id list;

	(void)evr;
	if (eb_parse_u64(pool_id2str(pool, name), s->sv->n_specs - 1, &number) <
	    0)
		return 0;
	queue_init(&q);
	spec = &s->sv->spec[number];
	if (spec->name == EB_SV_NONE)
		push_glob(s, spec, &q);
	else
		push_name(s, spec, &q);
	s->mark[0] = 0; /* of candidates that are not in the pool */
	list = q.count ? pool_queuetowhatprovides(pool, &q) : 0;
	queue_free(&q);
	return list;
}

/* --- the pool -------------------------------------------------------- */

static void make_repos(struct sat *s)
{
	bool flat = s->sv->q->priority == EB_PRIORITY_DISABLED;

	for (size_t i = 0; i < s->sv->rd->n_sources; i++)
		if (s->sv->rd->source[i].channel >= s->n_channels)
			s->n_channels = s->sv->rd->source[i].channel + 1;
	s->channel = eb_calloc(s->n_channels + 1, sizeof *s->channel);
	for (unsigned i = 0; i < s->n_channels; i++) {
		s->channel[i] = repo_create(s->pool, "channel");
		s->channel[i]->priority = flat ? 0 : (int)(s->n_channels - i);
	}
	s->machine = repo_create(s->pool, "machine");
	s->machine->priority = (int)s->n_channels + 1;
	s->bits = repo_create(s->pool, "bits");
	s->bits->priority = (int)s->n_channels + 2;
}

static int by_user_name(const void *a, const void *b)
{
	const struct eb_sv_spec *x = *(const struct eb_sv_spec *const *)a;
	const struct eb_sv_spec *y = *(const struct eb_sv_spec *const *)b;

	return strcmp(eb_matchspec_text(x->m), eb_matchspec_text(y->m));
}

/* In an order of their own, so that the user's does not matter. */
static void add_jobs(struct sat *s)
{
	struct eb_sv *sv = s->sv;
	eb_autofree const struct eb_sv_spec **list =
		eb_calloc(sv->n_user + 1, sizeof *list);

	for (uint32_t i = 0; i < sv->n_user; i++)
		list[i] = &sv->spec[sv->user[i]];
	qsort(list, sv->n_user, sizeof *list, by_user_name);
	for (uint32_t i = 0; i < sv->n_user; i++)
		queue_push2(&s->jobs, SOLVER_INSTALL | SOLVER_SOLVABLE_PROVIDES,
			    relation_of(s, (uint32_t)(list[i] - sv->spec)));
}

static void make_pool(struct sat *s)
{
	struct eb_sv *sv = s->sv;

	s->pool = pool_create();
	if (!s->pool)
		eb_oom();
	pool_setdisttype(s->pool, DISTTYPE_DEB);
	queue_init(&s->jobs);
	make_repos(s);
	make_order(s);
	s->relation = eb_calloc(sv->n_specs + 1, sizeof *s->relation);
	s->first_id = eb_calloc(sv->n_names + 1, sizeof *s->first_id);
	s->n_of_name = eb_calloc(sv->n_names + 1, sizeof *s->n_of_name);
	for (uint32_t i = 0; i < s->n_order; i++)
		add_cand(s, &sv->cand[s->order[i]]);
	s->head = eb_calloc((size_t)s->pool->nsolvables + 1, sizeof *s->head);
	add_all_bits(s);
	add_exclusions(s);
	add_needs(s);
	s->always =
		pool_solvable2id(s->pool, add_solvable(s, s->bits, "bit:", 1));
	add_conds(s);
	make_lists(s);
	add_jobs(s);
	s->n_ids = (uint32_t)s->pool->nsolvables;
	s->of_id = eb_calloc(s->n_ids + 1, sizeof *s->of_id);
	s->mark = eb_calloc(s->n_ids + 1, sizeof *s->mark);
	for (uint32_t i = 0; i < sv->n_cands; i++)
		if (sv->cand[i].id)
			s->of_id[sv->cand[i].id] = i + 1;
	pool_setnamespacecallback(s->pool, provides, s);
	pool_createwhatprovides(s->pool);
	add_walk_jobs(s);
}

/* --- the answer ------------------------------------------------------ */

static void take_answer(struct sat *s, Solver *solver)
{
	Transaction *t = solver_create_transaction(solver);
	struct eb_sv *sv = s->sv;
	Queue q;

	queue_init(&q);
	transaction_installedresult(t, &q);
	sv->chosen = eb_calloc((size_t)q.count + 1, sizeof *sv->chosen);
	for (int i = 0; i < q.count; i++) {
		uint32_t cand = (uint32_t)q.elements[i] < s->n_ids
					? s->of_id[q.elements[i]]
					: 0;

		if (cand && sv->cand[cand - 1].row != EB_SV_NONE)
			sv->chosen[sv->n_chosen++] = cand - 1;
	}
	queue_free(&q);
	transaction_free(t);
}

/* The name that a rule of one of our switches is about. */
static uint32_t clash_of(const struct sat *s, Solver *solver, Id rule)
{
	Id from = 0, to = 0, dep = 0;
	SolverRuleinfo type = solver_ruleinfo(solver, rule, &from, &to, &dep);
	struct eb_sv *sv = s->sv;
	const char *name;

	if (type != SOLVER_RULE_PKG_SAME_NAME || from <= 0)
		return EB_SV_NONE;
	name = pool_id2str(s->pool, pool_id2solvable(s->pool, from)->name);
	if (eb_starts(name, "bit:"))
		return eb_sv_name_of(sv, strchr(name + 4, ':') + 1);
	if (eb_starts(name, "only:"))
		return sv->spec[atoi(name + 5)].name;
	return strchr(name, ':') ? EB_SV_NONE : eb_sv_name_of(sv, name);
}

/* Of all rules of the first problem, the first that tells a name. */
static void note_clash(struct sat *s, Solver *solver)
{
	Queue rules;

	queue_init(&rules);
	solver_findallproblemrules(solver, 1, &rules);
	for (int i = 0; i < rules.count && s->sv->clash == EB_SV_NONE; i++)
		s->sv->clash = clash_of(s, solver, rules.elements[i]);
	queue_free(&rules);
}

int eb_sv_sat(struct eb_sv *sv, struct eb_error *err)
{
	struct sat s = { .sv = sv };
	Solver *solver;
	int problems;

	(void)err;
	make_pool(&s);
	solver = solver_create(s.pool);
	if (sv->q->priority == EB_PRIORITY_STRICT)
		solver_set_flag(solver, SOLVER_FLAG_STRICT_REPO_PRIORITY, 1);
	problems = solver_solve(solver, &s.jobs);
	if (problems == 0)
		take_answer(&s, solver);
	else
		note_clash(&s, solver);
	solver_free(solver);
	queue_free(&s.jobs);
	pool_free(s.pool);
	free(s.channel);
	free(s.of_id);
	free(s.order);
	free(s.first_id);
	free(s.n_of_name);
	free(s.mark);
	free(s.link);
	free(s.head);
	free(s.relation);
	return problems == 0;
}
