/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The candidates: beginning at what the user names, the records of every name
 * that a candidate depends on. Records that the user's own specs and the
 * machine rule out at once are not followed.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

/* --- names ----------------------------------------------------------- */

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 15;
}

static uint32_t *name_place(const struct eb_sv *sv, const char *name)
{
	uint32_t i = hash(name) & (sv->name_slots - 1);

	while (sv->name_slot[i] &&
	       strcmp(sv->name[sv->name_slot[i] - 1].name, name))
		i = (i + 1) & (sv->name_slots - 1);
	return &sv->name_slot[i];
}

static void grow_names(struct eb_sv *sv)
{
	free(sv->name_slot);
	sv->name_slots = sv->name_slots ? sv->name_slots * 2 : 1024;
	sv->name_slot = eb_calloc(sv->name_slots, sizeof *sv->name_slot);
	for (uint32_t i = 0; i < sv->n_names; i++)
		*name_place(sv, sv->name[i].name) = i + 1;
}

uint32_t eb_sv_name_of(struct eb_sv *sv, const char *name)
{
	uint32_t *slot, id;

	if (2 * sv->n_names >= sv->name_slots)
		grow_names(sv);
	slot = name_place(sv, name);
	if (*slot)
		return *slot - 1;
	id = eb_strpool_add(&sv->pool, name, strlen(name), NULL);
	if (id == UINT32_MAX)
		eb_oom();
	EB_GROW(sv->name, sv->n_names, sv->alloc_names);
	sv->name[sv->n_names] = (struct eb_sv_name){
		.name = eb_strpool_text(&sv->pool, id),
		.must_by = EB_SV_NONE,
	};
	*slot = ++sv->n_names;
	return sv->n_names - 1;
}

/* --- candidates ------------------------------------------------------ */

static uint16_t count_words(const char *s)
{
	uint16_t n = 0;

	while (s && *s) {
		size_t len = strcspn(s, " ,");

		n += len > 0;
		s += len + (s[len] != 0);
	}
	return n;
}

static void add_cand(struct eb_sv *sv, uint32_t name, uint32_t row,
		     const struct eb_record *r, unsigned channel)
{
	const struct eb_version *version = eb_sv_version_of(sv, r->version);
	struct eb_sv_cand *c;

	if (!version)
		return;
	EB_GROW(sv->cand, sv->n_cands, sv->alloc_cands);
	c = &sv->cand[sv->n_cands++];
	memset(c, 0, sizeof *c);
	c->row = row;
	c->name = name;
	c->channel = channel;
	c->r = r;
	c->version = version;
	c->tracked = count_words(r->track_features);
	c->favoured = r->features && eb_sv_has_feature(sv, r->features);
	c->unasked = r->features && !c->favoured;
	sv->name[name].n++;
}

static void load_virtual(struct eb_sv *sv, uint32_t name)
{
	for (size_t i = 0; i < sv->q->n_virtuals; i++)
		if (!strcmp(sv->q->virtuals[i].name, sv->name[name].name))
			add_cand(sv, name, EB_SV_NONE, &sv->virtual_record[i],
				 UINT32_MAX);
}

/* Candidates of a name that a spec on it does not match. */
static void keep_matching(struct eb_sv *sv, uint32_t spec, enum eb_sv_dead why)
{
	const struct eb_sv_name *name = &sv->name[sv->spec[spec].name];

	eb_sv_match(sv, spec);
	for (uint32_t i = name->first; i < name->first + name->n; i++) {
		struct eb_sv_cand *c = &sv->cand[i];

		if (c->dead != EB_SV_ALIVE || eb_sv_matches(&sv->spec[spec], i))
			continue;
		c->dead = (uint8_t)why;
		c->dead_by = spec;
	}
}

static void apply_pins(struct eb_sv *sv, uint32_t name)
{
	for (uint32_t i = 0; i < sv->n_pins; i++)
		if (sv->spec[sv->pin[i]].name == name)
			keep_matching(sv, sv->pin[i], EB_SV_PIN);
}

void eb_sv_load_name(struct eb_sv *sv, uint32_t name)
{
	eb_autofree uint32_t *row = NULL;
	size_t n = 0;

	if (sv->name[name].loaded)
		return;
	sv->name[name].loaded = true;
	sv->name[name].first = sv->n_cands;
	load_virtual(sv, name);
	row = eb_sv_filter(sv, &sv->name[name], &n);
	for (size_t i = 0; i < n; i++) {
		unsigned channel;
		const struct eb_record *r =
			eb_repodata_record(sv->rd, row[i], &channel);

		add_cand(sv, name, row[i], r, channel);
	}
	eb_sv_order_versions(sv, &sv->name[name]);
	apply_pins(sv, name);
}

/* --- following dependencies ------------------------------------------ */

/* What counts under a condition is added to the conditions instead. */
static void add_need(struct eb_sv *sv, const char *text,
		     enum eb_sv_cond_kind kind)
{
	uint32_t spec = eb_sv_spec_of(sv, text);

	if (eb_sv_add_conds(sv, spec, kind, EB_SV_NONE))
		return;
	EB_GROW(sv->needs, sv->n_needs, sv->alloc_needs);
	sv->needs[sv->n_needs++] = spec;
}

static bool brings_pip(const struct eb_sv *sv, const struct eb_sv_cand *c)
{
	return sv->add_pip && c->row != EB_SV_NONE &&
	       !strcmp(c->r->name, "python") && *c->r->version >= '2' &&
	       *c->r->version <= '9';
}

/* A condition may bring virtual packages: candidates move. */
static void add_needs(struct eb_sv *sv, uint32_t cand)
{
	const struct eb_record *r = sv->cand[cand].r;
	uint32_t conds = sv->n_conds, needs = sv->n_needs, excludes;
	struct eb_sv_cand *c;

	for (size_t i = 0; i < r->depends.n; i++)
		add_need(sv, r->depends.v[i], EB_SV_COND_NEEDS);
	if (brings_pip(sv, &sv->cand[cand])) {
		static const char pip[] = "pip";

		add_need(sv, pip, EB_SV_COND_NEEDS);
		sv->had_pip = true;
	}
	excludes = sv->n_needs;
	for (size_t i = 0; i < r->constrains.n; i++)
		add_need(sv, r->constrains.v[i], EB_SV_COND_ALLOWS);
	eb_sv_add_groups(sv, sv->cand[cand].name, r);
	c = &sv->cand[cand];
	c->needs = needs;
	c->n_needs = (uint16_t)(excludes - needs);
	c->n_excludes = (uint16_t)(sv->n_needs - excludes);
	c->conds = conds;
	c->n_conds = sv->n_conds - conds;
}

/* A name is settled when the user or the machine says what it is: its
 * candidates are known before anything else is followed. */
static bool is_settled(const struct eb_sv *sv, uint32_t name)
{
	return name != EB_SV_NONE && sv->name[name].loaded &&
	       (sv->name[name].must ||
		eb_sv_is_virtual_name(sv->name[name].name));
}

static bool any_alive(struct eb_sv *sv, uint32_t spec)
{
	const struct eb_sv_spec *s;

	eb_sv_match(sv, spec);
	s = &sv->spec[spec];
	for (uint32_t i = 0; i < s->n_match; i++)
		if (sv->cand[s->match[i]].dead == EB_SV_ALIVE)
			return true;
	return false;
}

/* Is it ruled out by what is settled? */
static bool ruled_out(struct eb_sv *sv, uint32_t cand)
{
	const struct eb_sv_cand *c = &sv->cand[cand];

	for (uint32_t i = 0; i < c->n_needs; i++) {
		uint32_t spec = sv->needs[c->needs + i];

		if (sv->spec[spec].name == EB_SV_NONE
			    ? !sv->spec[spec].m
			    : is_settled(sv, sv->spec[spec].name) &&
				      !any_alive(sv, spec)) {
			sv->cand[cand].dead = EB_SV_NEEDS;
			sv->cand[cand].dead_by = spec;
			return true;
		}
	}
	return false;
}

void eb_sv_load_all(struct eb_sv *sv)
{
	size_t n;
	const char *const *name = eb_rd_names(sv->rd, &n);

	for (size_t i = 0; i < n; i++)
		eb_sv_load_name(sv, eb_sv_name_of(sv, name[i]));
}

static void follow(struct eb_sv *sv, uint32_t cand)
{
	const struct eb_sv_cand c = sv->cand[cand];

	for (uint32_t i = 0; i < c.n_needs; i++) {
		const struct eb_sv_spec *s = &sv->spec[sv->needs[c.needs + i]];

		if (s->name != EB_SV_NONE)
			eb_sv_load_name(sv, s->name);
		else if (s->m)
			eb_sv_load_all(sv);
	}
}

/* All candidates' dependencies get numbers, those of candidates that count
 * are followed; names that come up so are appended to the list. */
static void expand(struct eb_sv *sv, uint32_t name)
{
	uint32_t first = sv->name[name].first, n = sv->name[name].n;

	sv->name[name].expanded = true;
	for (uint32_t i = first; i < first + n; i++) {
		if (sv->cand[i].dead == EB_SV_ALIVE)
			add_needs(sv, i);
		if (sv->cand[i].dead == EB_SV_ALIVE && !ruled_out(sv, i))
			follow(sv, i);
	}
}

/* --- the user -------------------------------------------------------- */

/* What was left out of the repodata is named when it was asked for. */
static void tell_malformed(const struct eb_sv *sv, const char *name)
{
	const char *why = eb_repodata_malformed(sv->rd, name);

	if (why)
		eb_warn(sv->events, "a record of \"%s\" is left out: %s", name,
			why);
}

static void apply_user(struct eb_sv *sv, uint32_t spec)
{
	uint32_t name = sv->spec[spec].name;

	if (name == EB_SV_NONE) {
		eb_sv_load_all(sv);
		return;
	}
	sv->name[name].must = true;
	eb_sv_load_name(sv, name);
	tell_malformed(sv, sv->name[name].name);
	keep_matching(sv, spec, EB_SV_USER);
}

static void load_machine(struct eb_sv *sv)
{
	for (size_t i = 0; i < sv->q->n_virtuals; i++) {
		uint32_t name = eb_sv_name_of(sv, sv->q->virtuals[i].name);

		eb_sv_load_name(sv, name);
		sv->name[name].must = sv->name[name].n > 0;
	}
}

static void match_loaded(struct eb_sv *sv, uint32_t spec)
{
	const struct eb_sv_spec *s = &sv->spec[spec];

	if (s->name == EB_SV_NONE || sv->name[s->name].loaded)
		eb_sv_match(sv, spec);
}

static void match_needs(struct eb_sv *sv, const struct eb_sv_cand *c)
{
	for (uint32_t i = 0; i < (uint32_t)c->n_needs + c->n_excludes; i++)
		match_loaded(sv, sv->needs[c->needs + i]);
}

void eb_sv_load(struct eb_sv *sv)
{
	bool more = true;

	load_machine(sv);
	for (uint32_t i = 0; i < sv->n_user; i++)
		apply_user(sv, sv->user[i]);
	while (more) {
		more = false;
		for (uint32_t i = 0; i < sv->n_names; i++)
			if (sv->name[i].loaded && !sv->name[i].expanded) {
				expand(sv, i);
				more = true;
			}
		more |= eb_sv_follow_conds(sv);
	}
	for (uint32_t i = 0; i < sv->n_cands; i++)
		if (sv->cand[i].dead == EB_SV_ALIVE)
			match_needs(sv, &sv->cand[i]);
	eb_sv_match_conds(sv);
}

void eb_sv_complete(struct eb_sv *sv)
{
	for (uint32_t i = 0; i < sv->n_specs; i++)
		match_loaded(sv, i);
}
