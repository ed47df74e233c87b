/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditional dependencies (CEP 43) and groups of optional ones (CEP 44).
 * Neither is a dependency for pruning and for ranks: they may not count. What
 * can be told from the machine alone is told here; solve_sat_when.c leaves the
 * rest to libsolv.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "matchspec_parts.h"
#include "solve_int.h"

/* --- what is known of a condition ------------------------------------ */

uint32_t eb_sv_part(struct eb_sv *sv, const struct eb_matchspec *m)
{
	return eb_sv_spec_of(
		sv, eb_sv_memo_text(sv->q->memo, eb_matchspec_normal(m)));
}

int eb_sv_on_machine(void *data, const struct eb_matchspec *m)
{
	struct eb_sv *sv = data;
	const char *name = eb_matchspec_name(m);
	uint32_t spec;

	if (!eb_sv_is_virtual_name(name))
		return -1;
	eb_sv_load_name(sv, eb_sv_name_of(sv, name));
	spec = eb_sv_part(sv, m);
	eb_sv_match(sv, spec);
	for (uint32_t i = 0; i < sv->spec[spec].n_match; i++)
		if (sv->cand[sv->spec[spec].match[i]].row != EB_SV_NONE)
			return -1;
	return sv->spec[spec].n_match > 0;
}

/* Only brackets can hold either. */
static const struct eb_matchspec *parsed(struct eb_sv *sv, uint32_t spec)
{
	struct eb_sv_spec *s = &sv->spec[spec];

	if (!s->m && strchr(s->text, '['))
		s->m = eb_sv_memo_spec(sv->q->memo, s->text);
	return s->m;
}

int eb_sv_when(struct eb_sv *sv, uint32_t spec)
{
	const struct eb_matchspec *m;
	int holds = 1;

	if (sv->spec[spec].told)
		return sv->spec[spec].when;
	m = parsed(sv, spec);
	if (m && m->condition)
		holds = eb_when_holds(m->condition, eb_sv_on_machine, sv);
	sv->spec[spec].told = true;
	sv->spec[spec].when = (int8_t)holds;
	sv->spec[spec].simple = !m || (!m->condition && !m->extras.n);
	return holds;
}

/* --- groups ---------------------------------------------------------- */

static uint32_t *group_place(const struct eb_sv *sv, uint32_t name,
			     const char *text)
{
	uint32_t i = eb_rd_hash(text) ^ name * 0x9e3779b9u;
	uint32_t mask = sv->group_slots - 1;

	for (;; i++) {
		uint32_t at = sv->group_slot[i & mask];

		if (!at || (sv->group[at - 1].name == name &&
			    !strcmp(sv->group[at - 1].text, text)))
			return &sv->group_slot[i & mask];
	}
}

static void grow_groups(struct eb_sv *sv)
{
	free(sv->group_slot);
	sv->group_slots = sv->group_slots ? 2 * sv->group_slots : 64;
	sv->group_slot = eb_calloc(sv->group_slots, sizeof *sv->group_slot);
	for (uint32_t i = 0; i < sv->n_groups; i++)
		*group_place(sv, sv->group[i].name, sv->group[i].text) = i + 1;
}

/* `text` has to live as long as the solve. */
static uint32_t group_of(struct eb_sv *sv, uint32_t name, const char *text)
{
	uint32_t *slot;

	if (2 * sv->n_groups >= sv->group_slots)
		grow_groups(sv);
	slot = group_place(sv, name, text);
	if (*slot)
		return *slot - 1;
	EB_GROW(sv->group, sv->n_groups, sv->alloc_groups);
	sv->group[sv->n_groups] =
		(struct eb_sv_group){ .name = name, .text = text };
	*slot = ++sv->n_groups;
	return sv->n_groups - 1;
}

/* --- conditions ------------------------------------------------------ */

static void add(struct eb_sv *sv, struct eb_sv_cond c)
{
	EB_GROW(sv->cond, sv->n_conds, sv->alloc_conds);
	sv->cond[sv->n_conds++] = c;
}

bool eb_sv_add_conds(struct eb_sv *sv, uint32_t spec, enum eb_sv_cond_kind kind,
		     uint32_t group)
{
	int when = eb_sv_when(sv, spec);
	const struct eb_matchspec *m = sv->spec[spec].m;
	uint32_t name = sv->spec[spec].name;

	if (sv->spec[spec].simple && group == EB_SV_NONE)
		return false;
	if (!when)
		return true;
	for (size_t i = 0; m && kind == EB_SV_COND_NEEDS &&
			   name != EB_SV_NONE && i < m->extras.n;
	     i++)
		add(sv, (struct eb_sv_cond){
				.kind = EB_SV_COND_ASKS,
				.spec = spec,
				.asks = group_of(sv, name, m->extras.v[i]),
				.group = group,
			});
	if (when > 0 && group == EB_SV_NONE)
		return false;
	add(sv,
	    (struct eb_sv_cond){ .kind = kind, .spec = spec, .group = group });
	return true;
}

void eb_sv_add_groups(struct eb_sv *sv, uint32_t name,
		      const struct eb_record *r)
{
	for (size_t i = 0; i < r->n_extras; i++) {
		const struct eb_extra *e = &r->extra[i];
		uint32_t group = group_of(sv, name, e->name);

		for (size_t k = 0; k < e->depends.n; k++)
			eb_sv_add_conds(sv, eb_sv_spec_of(sv, e->depends.v[k]),
					EB_SV_COND_NEEDS, group);
	}
}

/* --- following ------------------------------------------------------- */

bool eb_sv_cond_counts(const struct eb_sv *sv, const struct eb_sv_cond *c)
{
	return c->group == EB_SV_NONE || sv->group[c->group].wanted;
}

static void follow(struct eb_sv *sv, const struct eb_sv_cond *c)
{
	const struct eb_sv_spec *s = &sv->spec[c->spec];

	if (c->kind == EB_SV_COND_ASKS)
		sv->group[c->asks].wanted = true;
	else if (c->kind == EB_SV_COND_NEEDS && s->name != EB_SV_NONE)
		eb_sv_load_name(sv, s->name);
	else if (c->kind == EB_SV_COND_NEEDS && s->m)
		eb_sv_load_all(sv);
}

bool eb_sv_follow_conds(struct eb_sv *sv)
{
	bool more = false;

	for (uint32_t i = 0; i < sv->n_conds; i++) {
		if (sv->cond[i].followed ||
		    !eb_sv_cond_counts(sv, &sv->cond[i]))
			continue;
		sv->cond[i].followed = more = true;
		follow(sv, &sv->cond[i]);
	}
	return more;
}

/* --- the specs of conditions ----------------------------------------- */

void eb_sv_each_part(struct eb_sv *sv, const struct eb_sv_cond *c,
		     eb_sv_part_fn *fn, void *data)
{
	const struct eb_matchspec *m = sv->spec[c->spec].m;
	const struct eb_when *when = m ? m->condition : NULL;

	if (c->kind != EB_SV_COND_ASKS)
		fn(data, c->spec);
	if (sv->spec[c->spec].when > 0)
		return;
	for (uint32_t i = 0; when && i < when->n; i++)
		if (when->node[i].kind == EB_WHEN_SPEC)
			fn(data, eb_sv_part(sv, when->node[i].m));
}

static void match(void *data, uint32_t spec)
{
	struct eb_sv *sv = data;
	uint32_t name = sv->spec[spec].name;

	if (name == EB_SV_NONE || sv->name[name].loaded)
		eb_sv_match(sv, spec);
}

void eb_sv_match_conds(struct eb_sv *sv)
{
	for (uint32_t i = 0; i < sv->n_conds; i++)
		if (eb_sv_cond_counts(sv, &sv->cond[i])) {
			struct eb_sv_cond c = sv->cond[i];

			eb_sv_each_part(sv, &c, match, sv);
		}
}
