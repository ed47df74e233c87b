/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependency texts as numbers. The texts are interned by the repodata, so
 * that an address stands for a text; each is parsed and matched once.
 */
#include <stdint.h>
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

/* --- numbers --------------------------------------------------------- */

static uint32_t *place(const struct eb_sv *sv, const char *text)
{
	uint64_t h = (uint64_t)(uintptr_t)text * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(h >> 32) & (sv->spec_slots - 1);

	while (sv->spec_slot[i] && sv->spec[sv->spec_slot[i] - 1].text != text)
		i = (i + 1) & (sv->spec_slots - 1);
	return &sv->spec_slot[i];
}

static void grow(struct eb_sv *sv)
{
	free(sv->spec_slot);
	sv->spec_slots = sv->spec_slots ? sv->spec_slots * 2 : 4096;
	sv->spec_slot = eb_calloc(sv->spec_slots, sizeof *sv->spec_slot);
	for (uint32_t i = 0; i < sv->n_specs; i++)
		if (!sv->spec[i].user)
			*place(sv, sv->spec[i].text) = i + 1;
}

static uint32_t add(struct eb_sv *sv, const char *text,
		    const struct eb_matchspec *m)
{
	struct eb_sv_spec s = { .text = text, .m = m, .name = EB_SV_NONE };
	const char *name = m ? eb_matchspec_name(m) : NULL;
	uint32_t number = sv->n_specs;

	if (name)
		s.name = eb_sv_name_of(sv, name);
	EB_GROW(sv->spec, sv->n_specs, sv->alloc_specs);
	sv->spec[sv->n_specs++] = s;
	return number;
}

uint32_t eb_sv_spec_of(struct eb_sv *sv, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_matchspec *m;
	uint32_t *slot, number;

	if (2 * sv->n_specs >= sv->spec_slots)
		grow(sv);
	slot = place(sv, text);
	if (*slot)
		return *slot - 1;
	m = eb_matchspec_parse(text, EB_LENIENT, &err);
	eb_err_release(&err);
	number = add(sv, text, m);
	sv->spec[number].own = m;
	*slot = number + 1;
	return number;
}

uint32_t eb_sv_spec_user(struct eb_sv *sv, const struct eb_matchspec *m)
{
	uint32_t number = add(sv, eb_matchspec_text(m), m);

	sv->spec[number].user = true;
	return number;
}

/* --- what a spec matches --------------------------------------------- */

static bool matches(struct eb_sv *sv, const struct eb_sv_spec *s,
		    const struct eb_sv_cand *c)
{
	return eb_matchspec_match(s->m, c->r, c->version) &&
	       eb_sv_channel_fits(sv, s->m, c->r, c->channel);
}

/* A version is all that `name[version='...']` looks at. */
static bool version_alone(const struct eb_matchspec *m)
{
	const char *normal = eb_matchspec_normal(m);
	const char *bracket = strchr(normal, '[');
	const char *quote;

	if (!bracket || strncmp(bracket, "[version='", 10))
		return false;
	quote = strchr(bracket + 10, '\'');
	return quote && !strcmp(quote, "']");
}

static void take(struct eb_sv_spec *s, uint32_t cand, uint32_t room)
{
	if (!s->match)
		s->match = eb_malloc(room * sizeof *s->match);
	s->match[s->n_match++] = cand;
}

static void match_one_name(struct eb_sv *sv, struct eb_sv_spec *s)
{
	const struct eb_sv_name *name = &sv->name[s->name];
	bool all = eb_matchspec_is_bare(s->m), by_version = false;
	bool last = false;

	if (!all)
		by_version = version_alone(s->m);
	for (uint32_t i = 0; i < name->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[name->first + i];

		/* builds of one version stand together more often than not */
		if (all)
			last = true;
		else if (!by_version || !i || c->version != c[-1].version)
			last = matches(sv, s, c);
		if (last)
			take(s, name->first + i, name->n - i);
	}
}

static void match_globs(struct eb_sv *sv, struct eb_sv_spec *s)
{
	for (uint32_t i = 0; i < sv->n_cands; i++)
		if (matches(sv, s, &sv->cand[i]))
			take(s, i, sv->n_cands - i);
}

void eb_sv_match(struct eb_sv *sv, uint32_t number)
{
	struct eb_sv_spec *s = &sv->spec[number];

	if (s->matched)
		return;
	s->matched = true;
	if (!s->m)
		return;
	if (s->name == EB_SV_NONE)
		match_globs(sv, s);
	else
		match_one_name(sv, s);
}

bool eb_sv_matches(const struct eb_sv_spec *s, uint32_t cand)
{
	uint32_t low = 0, high = s->n_match;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (s->match[mid] < cand)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n_match && s->match[low] == cand;
}
