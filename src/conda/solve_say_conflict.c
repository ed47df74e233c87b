/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why specs do not go together, from what pruning noted: each candidate that
 * went has a reason, and reasons make chains back to what the user wrote.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_DEPTH 6
#define MAX_CLAUSES 4
#define MAX_TEXTS 3

/* --- who wants a name ------------------------------------------------ */

/* The user's spec on a name, EB_SV_NONE when there is none. */
static uint32_t user_spec(const struct eb_sv *sv, uint32_t name)
{
	for (uint32_t i = 0; i < sv->n_user; i++)
		if (sv->spec[sv->user[i]].name == name)
			return sv->user[i];
	return EB_SV_NONE;
}

/* "tensorflow=2.4" (through keras) for the name that has to be there. */
static void say_trail(const struct eb_sv *sv, uint32_t name, struct eb_buf *out)
{
	uint32_t path[MAX_DEPTH], n = 0, spec;

	while ((spec = user_spec(sv, name)) == EB_SV_NONE && n < MAX_DEPTH &&
	       sv->name[name].must_by != EB_SV_NONE) {
		path[n++] = name;
		name = sv->name[name].must_by;
	}
	eb_buf_addf(out, "\"%s\"",
		    spec == EB_SV_NONE ? sv->name[name].name
				       : sv->spec[spec].text);
	for (uint32_t i = n; i--;)
		eb_buf_addf(out, "%s%s%s", i + 1 == n ? " (through " : ", ",
			    sv->name[path[i]].name, i ? "" : ")");
}

/* --- what a name wants of another ------------------------------------ */

struct wants {
	const char *text[MAX_TEXTS];
	unsigned n;
	bool more, excludes;
};

static void want(struct wants *w, const char *text, bool excludes)
{
	for (unsigned i = 0; i < w->n; i++)
		if (!strcmp(w->text[i], text))
			return;
	if (w->n == MAX_TEXTS) {
		w->more = true;
		return;
	}
	w->excludes |= excludes;
	w->text[w->n++] = text;
}

static void wants_of(const struct eb_sv *sv, uint32_t cand, uint32_t other,
		     struct wants *w)
{
	const struct eb_sv_cand *c = &sv->cand[cand];

	for (uint32_t i = 0; i < (uint32_t)c->n_needs + c->n_excludes; i++) {
		const struct eb_sv_spec *s = &sv->spec[sv->needs[c->needs + i]];

		if (s->name == other)
			want(w, s->text, i >= c->n_needs);
	}
}

static void say_wants(const struct eb_sv *sv, uint32_t name, uint32_t other,
		      struct eb_buf *out)
{
	const struct eb_sv_name *self = &sv->name[name];
	struct wants w = { 0 };

	for (uint32_t i = self->n; i--;)
		if (sv->cand[self->first + i].dead == EB_SV_ALIVE)
			wants_of(sv, self->first + i, other, &w);
	for (uint32_t i = self->n; i-- && !w.n;)
		if (sv->cand[self->first + i].dead != EB_SV_USER)
			wants_of(sv, self->first + i, other, &w);
	say_trail(sv, name, out);
	eb_buf_adds(out, w.excludes ? " allows only " : " needs ");
	for (unsigned i = 0; i < w.n; i++)
		eb_buf_addf(out, "%s\"%s\"", i ? " or " : "", w.text[i]);
	if (!w.n)
		eb_buf_addf(out, "another \"%s\"", sv->name[other].name);
	else if (w.more)
		eb_buf_adds(out, " or the like");
}

/* --- why a dependency cannot be met ---------------------------------- */

static void say_unmet(struct eb_sv *sv, uint32_t spec, unsigned depth,
		      struct eb_buf *out);

static void say_dead(struct eb_sv *sv, const struct eb_sv_cand *c,
		     unsigned depth, struct eb_buf *out)
{
	switch ((enum eb_sv_dead)c->dead) {
	case EB_SV_USER:
		eb_buf_addf(out, "but \"%s\" is asked for",
			    sv->spec[c->dead_by].text);
		break;
	case EB_SV_OTHER:
		eb_buf_adds(out, "but ");
		say_wants(sv, c->dead_by, c->name, out);
		break;
	case EB_SV_NEEDS:
	case EB_SV_EXCLUDES:
		eb_buf_addf(out, "whose %s %s \"%s\"", c->r->version,
			    c->dead == EB_SV_NEEDS ? "needs" : "allows only",
			    sv->spec[c->dead_by].text);
		say_unmet(sv, c->dead_by, depth + 1, out);
		break;
	case EB_SV_ALIVE:
		eb_buf_adds(out, "which goes with none of the others");
	}
}

/* The best of what a spec matches: its reason is the most telling. */
static const struct eb_sv_cand *newest(struct eb_sv *sv,
				       const struct eb_sv_spec *s)
{
	const struct eb_sv_cand *best = NULL;

	for (uint32_t i = 0; i < s->n_match; i++) {
		const struct eb_sv_cand *c = &sv->cand[s->match[i]];

		if (!best || eb_version_compare(c->version, best->version) >= 0)
			best = c;
	}
	return best;
}

static void say_nothing_matches(struct eb_sv *sv, uint32_t spec,
				struct eb_buf *out)
{
	const struct eb_sv_name *name = &sv->name[sv->spec[spec].name];

	if (!name->n && eb_sv_is_virtual_name(name->name)) {
		eb_buf_addf(out,
			    ", and the machine that the image is for has no %s",
			    name->name);
	} else if (!name->n) {
		const char *why = eb_repodata_malformed(sv->rd, name->name);

		eb_buf_adds(out, ", which no channel has");
		if (why)
			eb_buf_addf(out, " (malformed: %s)", why);
	} else if (eb_sv_is_virtual_name(name->name)) {
		eb_buf_addf(out,
			    ", and the machine that the image is for has "
			    "%s %s",
			    name->name, sv->cand[name->first].r->version);
	} else {
		eb_buf_adds(out, ", of which there are only ");
		eb_sv_near_versions(sv, sv->spec[spec].name, sv->spec[spec].m,
				    out);
		if (name->hidden)
			eb_buf_addf(out, " in \"%s\" (strict channel priority)",
				    eb_sv_channel_name(sv, name->channel));
	}
}

static void say_unmet(struct eb_sv *sv, uint32_t spec, unsigned depth,
		      struct eb_buf *out)
{
	const struct eb_sv_spec *s = &sv->spec[spec];

	if (!s->m) {
		eb_buf_adds(out, ", which cannot be read");
		return;
	}
	if (depth > MAX_DEPTH)
		return;
	if (!s->n_match) {
		if (s->name != EB_SV_NONE)
			say_nothing_matches(sv, spec, out);
		return;
	}
	eb_buf_adds(out, ", ");
	say_dead(sv, newest(sv, s), depth, out);
}

/* --- a name of which nothing is left --------------------------------- */

#define MAX_REASONS 64

struct reason {
	enum eb_sv_dead why;
	uint32_t by, cand, count;
};

struct reasons {
	struct reason r[MAX_REASONS];
	unsigned n;
};

static void add_reason(struct reasons *list, const struct eb_sv_cand *c,
		       uint32_t cand)
{
	unsigned i;

	for (i = 0; i < list->n; i++)
		if (list->r[i].why == (enum eb_sv_dead)c->dead &&
		    list->r[i].by == c->dead_by)
			break;
	if (i == MAX_REASONS)
		return;
	if (i == list->n) {
		list->r[i].why = c->dead;
		list->r[i].by = c->dead_by;
		list->r[i].count = 0;
		list->n++;
	}
	list->r[i].cand = cand; /* the last one is the newest, mostly */
	list->r[i].count++;
}

static int by_kind_and_count(const void *a, const void *b)
{
	static const int weight[] = {
		[EB_SV_OTHER] = 1, [EB_SV_NEEDS] = 2, [EB_SV_EXCLUDES] = 3,
		[EB_SV_USER] = 4,  [EB_SV_ALIVE] = 5,
	};
	const struct reason *x = a, *y = b;

	if (weight[x->why] != weight[y->why])
		return weight[x->why] - weight[y->why];
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->by < y->by ? -1 : x->by > y->by;
}

static void say_clause(struct eb_sv *sv, const struct reason *r,
		       struct eb_buf *out)
{
	const struct eb_sv_cand *c = &sv->cand[r->cand];

	if (r->why == EB_SV_OTHER) {
		say_wants(sv, r->by, c->name, out);
		return;
	}
	eb_buf_addf(out, "%s %s %s \"%s\"", c->r->name, c->r->version,
		    r->why == EB_SV_NEEDS ? "needs" : "allows only",
		    sv->spec[r->by].text);
	say_unmet(sv, r->by, 1, out);
}

/* Nothing but the user's own specs speaks against it. */
static void say_own(const struct eb_sv *sv, uint32_t name, struct eb_buf *out)
{
	if (sv->name[name].n) {
		eb_buf_addf(out, "no \"%s\" satisfies all that is asked of it",
			    sv->name[name].name);
		return;
	}
	say_trail(sv, name, out);
	eb_buf_addf(out, " needs \"%s\", which no channel has",
		    sv->name[name].name);
}

static void say_empty(struct eb_sv *sv, uint32_t name, struct eb_buf *out)
{
	const struct eb_sv_name *self = &sv->name[name];
	struct reasons list = { .n = 0 };
	unsigned told = 0;

	for (uint32_t i = 0; i < self->n; i++)
		add_reason(&list, &sv->cand[self->first + i], self->first + i);
	qsort(list.r, list.n, sizeof *list.r, by_kind_and_count);
	for (unsigned i = 0; i < list.n && told < MAX_CLAUSES; i++) {
		if (list.r[i].why == EB_SV_ALIVE || list.r[i].why == EB_SV_USER)
			continue;
		eb_buf_adds(out, told++ ? "; " : "");
		say_clause(sv, &list.r[i], out);
	}
	if (!told)
		say_own(sv, name, out);
}

/* The name that has nothing left, EB_SV_NONE when only libsolv found out. */
static uint32_t empty_name(const struct eb_sv *sv)
{
	if (sv->empty != EB_SV_NONE)
		return sv->empty;
	for (uint32_t i = 0; i < sv->n_user; i++)
		if (!sv->spec[sv->user[i]].n_alive)
			return sv->spec[sv->user[i]].name;
	return EB_SV_NONE;
}

void eb_sv_say_conflict(struct eb_sv *sv, struct eb_buf *out)
{
	uint32_t name = empty_name(sv);

	if (name != EB_SV_NONE)
		say_empty(sv, name, out);
	else if (sv->clash)
		eb_buf_addf(out, "for one, %s", sv->clash);
	else
		eb_buf_adds(out, "what they need excludes each other");
}

void eb_sv_say_alone(struct eb_sv *sv, struct eb_buf *out)
{
	eb_buf_addf(out, "\"%s\": ", sv->spec[sv->user[0]].text);
	eb_sv_say_conflict(sv, out);
}
