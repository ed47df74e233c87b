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
	sv->empty = EB_SV_NONE;
	eb_strpool_init(&sv->pool);
	make_virtuals(sv);
	sv->add_pip = q->pip_beside_python && repodata_has(sv, "pip");
	return sv;
}

void eb_sv_free(struct eb_sv *sv)
{
	if (!sv)
		return;
	for (uint32_t i = 0; i < sv->n_specs; i++) {
		eb_matchspec_free(sv->spec[i].own);
		free(sv->spec[i].match);
	}
	for (uint32_t i = 0; i < sv->version_slots; i++)
		eb_version_free(sv->version[i].version);
	eb_strpool_release(&sv->pool);
	eb_strv_release(&sv->asked_features);
	free(sv->cand);
	free(sv->name);
	free(sv->name_slot);
	free(sv->spec);
	free(sv->spec_slot);
	free(sv->needs);
	free(sv->user);
	free(sv->virtual_record);
	free(sv->version);
	free(sv->chosen);
	free(sv->clash);
	free(sv);
}

static void take_user(struct eb_sv *sv)
{
	sv->user = eb_calloc(sv->q->n_specs + 1, sizeof *sv->user);
	for (size_t i = 0; i < sv->q->n_specs; i++)
		if (!sv->use || sv->use[i])
			sv->user[sv->n_user++] =
				eb_sv_spec_user(sv, sv->q->spec[i]);
}

int eb_sv_run(struct eb_sv *sv, struct eb_error *err)
{
	take_user(sv);
	eb_sv_ask_features(sv);
	eb_sv_load(sv);
	if (!eb_sv_prune(sv))
		return 0;
	eb_sv_rank(sv);
	return eb_sv_sat(sv, err);
}
