/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependency texts as numbers. The texts are interned by the repodata, so
 * that an address stands for a text; each is matched once, and only when a
 * candidate that counts asks for it.
 */
#include <stdint.h>
#include <string.h>

#include <envbuild/archspec.h>
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

static uint32_t add(struct eb_sv *sv, struct eb_sv_spec s)
{
	EB_GROW(sv->spec, sv->n_specs, sv->alloc_specs);
	sv->spec[sv->n_specs] = s;
	return sv->n_specs++;
}

static uint32_t name_in(struct eb_sv *sv, const struct eb_matchspec *m)
{
	const char *name = m ? eb_matchspec_name(m) : NULL;

	return name ? eb_sv_name_of(sv, name) : EB_SV_NONE;
}

#define PLAIN "abcdefghijklmnopqrstuvwxyz0123456789_-"

/* Nearly all are NAME or "NAME ..."; false: it takes more to see the name. */
static bool plain_name(const char *text, char name[64])
{
	size_t n = strspn(text, PLAIN);

	if (!n || n >= 64 || (text[n] && text[n] != ' '))
		return false;
	memcpy(name, text, n);
	name[n] = 0;
	return true;
}

uint32_t eb_sv_spec_of(struct eb_sv *sv, const char *text)
{
	struct eb_sv_spec s = { .text = text };
	uint32_t *slot;
	char name[64];

	if (2 * sv->n_specs >= sv->spec_slots)
		grow(sv);
	slot = place(sv, text);
	if (*slot)
		return *slot - 1;
	if (plain_name(text, name)) {
		s.name = eb_sv_name_of(sv, name);
	} else {
		s.m = eb_sv_memo_spec(sv->q->memo, text);
		s.name = name_in(sv, s.m);
	}
	*slot = add(sv, s) + 1;
	return *slot - 1;
}

uint32_t eb_sv_spec_user(struct eb_sv *sv, const struct eb_matchspec *m)
{
	struct eb_sv_spec s = {
		.text = eb_matchspec_text(m),
		.m = m,
		.name = name_in(sv, m),
		.user = true,
	};

	return add(sv, s);
}

/* --- what a spec matches --------------------------------------------- */

/* A machine runs what was built for any that its own descends from. */
static bool archspec_matches(const struct eb_matchspec *m,
			     const struct eb_sv_cand *c)
{
	const char *all[EB_ARCHSPEC_MOST];
	size_t n = eb_archspec_all(c->r->build, all);
	struct eb_record r = *c->r;

	for (size_t i = 0; i < n; i++) {
		r.build = (char *)all[i];
		if (eb_matchspec_match(m, &r, c->version))
			return true;
	}
	return false;
}

static bool is_archspec(const struct eb_sv_cand *c)
{
	return c->row == EB_SV_NONE && !strcmp(c->r->name, "__archspec");
}

static bool matches(struct eb_sv *sv, const struct eb_sv_spec *s,
		    const struct eb_sv_cand *c)
{
	if (is_archspec(c))
		return archspec_matches(s->m, c);
	return eb_matchspec_match(s->m, c->r, c->version) &&
	       eb_sv_channel_fits(sv, s->m, c->r, c->channel);
}

static void take(struct eb_sv_spec *s, uint32_t cand, uint32_t room)
{
	if (!s->match)
		s->match = eb_malloc(room * sizeof *s->match);
	s->match[s->n_match++] = cand;
}

static bool more_matches(struct eb_sv *sv, const struct eb_sv_spec *s,
			 const struct eb_sv_cand *c)
{
	return eb_matchspec_fits_more(s->m, c->r) &&
	       eb_sv_channel_fits(sv, s->m, c->r, c->channel);
}

/* Versions that compare equal may differ in their texts, which a constraint
 * may ask about: it is asked of each, where it is no range. */
static void match_one_name(struct eb_sv *sv, struct eb_sv_spec *s)
{
	const struct eb_sv_name *name = &sv->name[s->name];
	bool more = eb_matchspec_asks_more(s->m), fits = false, range;
	size_t first, end;

	range = eb_matchspec_version_range(s->m, name->version,
					   name->n_versions, &first, &end);
	for (uint32_t i = 0; i < name->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[name->first + i];

		if (is_archspec(c)) {
			if (archspec_matches(s->m, c))
				take(s, name->first + i, name->n - i);
			continue;
		}
		if (range)
			fits = c->version_order > first &&
			       c->version_order <= end;
		else if (!i || c->version != c[-1].version)
			fits = eb_matchspec_fits_version(s->m, c->version);
		if (fits && (!more || more_matches(sv, s, c)))
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
		s->m = eb_sv_memo_spec(sv->q->memo, s->text);
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
