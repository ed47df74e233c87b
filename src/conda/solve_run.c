/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt: load, prune, rank, libsolv. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

static void make_virtuals(struct eb_sv *sv)
{
	const struct eb_solve_request *q = sv->q;
	static char none[] = "", subdir[] = "noarch";

	sv->virtual_record =
		eb_calloc(q->n_virtuals + 1, sizeof *sv->virtual_record);
	for (size_t i = 0; i < q->n_virtuals; i++) {
		struct eb_record *r = &sv->virtual_record[i];

		r->name = q->virtuals[i].name;
		r->version = q->virtuals[i].version;
		r->build = q->virtuals[i].build;
		r->subdir = subdir;
		r->fn = r->channel = r->url = none;
	}
}

static bool repodata_has(const struct eb_sv *sv, const char *name)
{
	const uint32_t *row;

	return eb_repodata_by_name(sv->rd, name, &row) > 0;
}

struct eb_sv *eb_sv_new(const struct eb_solve_request *q, const bool *use,
			struct eb_events *events)
{
	struct eb_sv *sv = eb_calloc(1, sizeof *sv);

	sv->q = q;
	sv->rd = (struct eb_repodata *)q->repodata; /* fills its cache */
	sv->alias = q->alias ? q->alias : EB_CHANNEL_ALIAS;
	sv->events = events;
	sv->use = use;
	sv->empty = sv->clash = sv->it = EB_SV_NONE;
	sv->it_text = "it";
	eb_strpool_init(&sv->pool);
	make_virtuals(sv);
	sv->add_pip = q->pip_beside_python && repodata_has(sv, "pip");
	return sv;
}

void eb_sv_free(struct eb_sv *sv)
{
	if (!sv)
		return;
	for (uint32_t i = 0; i < sv->n_specs; i++)
		free(sv->spec[i].match);
	eb_strpool_release(&sv->pool);
	eb_strv_release(&sv->asked_features);
	for (uint32_t i = 0; i < sv->n_names; i++)
		free(sv->name[i].version);
	free(sv->cand);
	free(sv->name);
	free(sv->name_slot);
	free(sv->spec);
	free(sv->spec_slot);
	free(sv->needs);
	free(sv->user);
	free(sv->asked);
	free(sv->perhaps);
	free(sv->cond);
	free(sv->group);
	free(sv->group_slot);
	free(sv->pin);
	free(sv->virtual_record);
	free(sv->chosen);
	free(sv);
}

static int by_normal(const void *a, const void *b, void *data)
{
	const struct eb_solve_request *q = data;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	int c = strcmp(eb_matchspec_normal(q->spec[x]),
		       eb_matchspec_normal(q->spec[y]));

	if (!c && q->line)
		c = q->line[x].line < q->line[y].line
			    ? -1
			    : q->line[x].line > q->line[y].line;
	return c ? c : x < y ? -1 : x > y;
}

void eb_sv_line_order(const struct eb_solve_request *q, size_t *order)
{
	for (size_t i = 0; i < q->n_specs; i++)
		order[i] = i;
	qsort_r(order, q->n_specs, sizeof *order, by_normal, (void *)q);
}

/* In an order of their own: the user's does not matter. */
static void take_user(struct eb_sv *sv)
{
	const struct eb_solve_request *q = sv->q;
	eb_autofree size_t *order = eb_calloc(q->n_specs + 1, sizeof *order);

	eb_sv_line_order(q, order);
	sv->user = eb_calloc(q->n_specs + 1, sizeof *sv->user);
	sv->perhaps = eb_calloc(q->n_specs + 1, sizeof *sv->perhaps);
	sv->asked = eb_calloc(q->n_specs + 1, sizeof *sv->asked);
	for (size_t i = 0; i < q->n_specs; i++) {
		size_t at = order[i];
		uint32_t spec;

		if (sv->use && !sv->use[at])
			continue;
		spec = eb_sv_spec_user(sv, q->spec[at]);
		if (q->line && q->line[at].text)
			sv->spec[spec].text = q->line[at].text;
		if (!eb_sv_add_conds(sv, spec, EB_SV_COND_NEEDS, EB_SV_NONE)) {
			sv->asked[sv->n_user] = at;
			sv->user[sv->n_user++] = spec;
		} else if (eb_sv_when(sv, spec)) {
			sv->perhaps[sv->n_perhaps++] = spec;
		}
	}
	sv->n_user_conds = sv->n_conds;
}

static void take_pins(struct eb_sv *sv)
{
	sv->pin = eb_calloc(sv->q->n_pins + 1, sizeof *sv->pin);
	for (size_t i = 0; i < sv->q->n_pins; i++)
		sv->pin[sv->n_pins++] = eb_sv_spec_user(sv, sv->q->pin[i]);
}

static int attempt(struct eb_sv *sv, struct eb_error *err)
{
	take_user(sv);
	take_pins(sv);
	eb_sv_ask_features(sv);
	eb_sv_load(sv);
	if (!eb_sv_prune(sv))
		return 0;
	eb_sv_prefer_cuda(sv);
	eb_sv_rank(sv);
	eb_sv_reach(sv);
	eb_sv_join(sv);
	return eb_sv_sat(sv, err);
}

int eb_sv_run(struct eb_sv *sv, struct eb_error *err)
{
	int got = attempt(sv, err);

	if (got == 0)
		eb_sv_complete(sv);
	return got;
}
