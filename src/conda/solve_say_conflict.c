/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why the lines in use do not go together: from a name that has to be there
 * and of which pruning left nothing, or else from the name about which the
 * search fell out.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_TRAIL 6
#define MAX_SIDES 4

/* --- who wants a name ------------------------------------------------ */

uint32_t eb_sv_user_spec(const struct eb_sv *sv, uint32_t name)
{
	for (uint32_t i = 0; i < sv->n_user; i++)
		if (sv->spec[sv->user[i]].name == name)
			return sv->user[i];
	return EB_SV_NONE;
}

void eb_sv_say_trail(const struct eb_sv *sv, uint32_t name, struct eb_buf *out)
{
	uint32_t path[MAX_TRAIL], n = 0, first = 0, spec;

	while ((spec = eb_sv_user_spec(sv, name)) == EB_SV_NONE &&
	       n < MAX_TRAIL && sv->name[name].must_by != EB_SV_NONE) {
		path[n++] = name;
		name = sv->name[name].must_by;
	}
	if (spec == EB_SV_NONE)
		eb_buf_adds(out, sv->name[name].name);
	else if (spec == sv->it && n && !strcmp(sv->it_text, "it"))
		eb_buf_addf(out, "its dependency %s",
			    sv->name[path[first++]].name);
	else if (spec == sv->it)
		eb_buf_adds(out, sv->it_text);
	else
		eb_buf_addf(out, "\"%s\"", sv->spec[spec].text);
	for (uint32_t i = n; i-- > first;)
		eb_buf_addf(out, "%s%s%s", i + 1 == n ? " (through " : ", ",
			    sv->name[path[i]].name, i > first ? "" : ")");
}

/* --- a name of which nothing is left --------------------------------- */

/* Those that no line keeps out. */
static struct eb_sv_set contested(const struct eb_sv *sv, uint32_t name)
{
	const struct eb_sv_name *self = &sv->name[name];
	struct eb_sv_set out = { .name = name };

	out.cand = eb_calloc(self->n + 1, sizeof *out.cand);
	for (uint32_t i = self->first; i < self->first + self->n; i++)
		if (sv->cand[i].dead != EB_SV_USER)
			out.cand[out.n++] = i;
	return out;
}

static unsigned lines_on(const struct eb_sv *sv, uint32_t name)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < sv->n_user; i++)
		n += sv->spec[sv->user[i]].name == name;
	return n;
}

/* Nothing but the user's own lines speaks against it. */
static void say_own(struct eb_sv_say *say, uint32_t name)
{
	const struct eb_sv *sv = say->sv;

	if (sv->name[name].n) {
		eb_buf_addf(say->out, "no \"%s\" satisfies %s",
			    sv->name[name].name,
			    lines_on(sv, name) == 2 ? "both" : "all of them");
		return;
	}
	eb_sv_say_trail(sv, name, say->out);
	eb_buf_addf(say->out, " needs \"%s\", which %s", sv->name[name].name,
		    sv->name[name].hidden ? "the channel asked for has not"
					  : "no channel has");
}

/* `"a" needs x 1, but "b" needs x 2`: nothing but others speaks against it. */
static bool say_sides(struct eb_sv_say *say, const struct eb_sv_set *set)
{
	const struct eb_sv *sv = say->sv;
	uint32_t by[MAX_SIDES], n = 0, k;

	for (uint32_t i = 0; i < set->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[set->cand[i]];

		if (c->dead != EB_SV_OTHER)
			return false;
		for (k = 0; k < n && by[k] != c->dead_by; k++)
			;
		if (k == MAX_SIDES)
			return false;
		by[k] = c->dead_by;
		n += k == n;
	}
	if (n < 2)
		return false;
	for (k = 0; k < n; k++) {
		eb_buf_adds(say->out, !k	  ? ""
				      : n == 2	  ? ", but "
				      : k + 1 < n ? ", "
						  : ", and ");
		eb_sv_say_restriction(say, by[k], set->name);
	}
	return true;
}

static void say_empty(struct eb_sv_say *say, uint32_t name)
{
	const struct eb_sv *sv = say->sv;
	uint32_t line = eb_sv_user_spec(sv, name);
	struct eb_sv_set set = contested(sv, name);
	eb_autofree char *subject =
		line == EB_SV_NONE ? eb_strdup("which")
		: line == sv->it   ? eb_strdup(sv->it_text)
				   : eb_asprintf("\"%s\"", sv->spec[line].text);

	if (!set.n) {
		say_own(say, name);
	} else if (!say_sides(say, &set)) {
		if (line == EB_SV_NONE &&
		    sv->name[name].must_by != EB_SV_NONE) {
			eb_sv_say_trail(sv, sv->name[name].must_by, say->out);
			eb_buf_addf(say->out, " needs %s, ",
				    sv->name[name].name);
		}
		eb_sv_say_reasons(say, &set, subject);
	}
	eb_sv_set_release(&set);
}

/* --- what only the search found -------------------------------------- */

/* Does each of what is left of `name` say which of `other` it wants? */
static bool restricts(const struct eb_sv *sv, uint32_t name, uint32_t other)
{
	const struct eb_sv_name *n = &sv->name[name];
	uint32_t restricting = 0;

	for (uint32_t i = n->first; i < n->first + n->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[i];
		uint32_t k = 0, all = (uint32_t)c->n_needs + c->n_excludes;

		if (c->dead != EB_SV_ALIVE)
			continue;
		while (k < all &&
		       sv->spec[sv->needs[c->needs + k]].name != other)
			k++;
		if (k == all)
			return false;
		restricting++;
	}
	return restricting > 0;
}

static void say_search(struct eb_sv_say *say)
{
	const struct eb_sv *sv = say->sv;
	unsigned told = 0;

	if (sv->clash == EB_SV_NONE) {
		eb_buf_adds(say->out, "what they need excludes each other");
		return;
	}
	eb_buf_addf(say->out, "they need different builds of %s",
		    sv->name[sv->clash].name);
	for (uint32_t i = 0; i < sv->n_names && told < MAX_SIDES; i++) {
		if (!sv->name[i].must || i == sv->clash ||
		    !restricts(sv, i, sv->clash))
			continue;
		eb_buf_adds(say->out, told++ ? ", " : ": ");
		eb_sv_say_restriction(say, i, sv->clash);
	}
}

/* --- all ------------------------------------------------------------- */

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

/* A glob has no name: all that it matches is out. */
static bool say_glob(struct eb_sv_say *say)
{
	const struct eb_sv *sv = say->sv;

	for (uint32_t i = 0; i < sv->n_user; i++) {
		const struct eb_sv_spec *s = &sv->spec[sv->user[i]];

		if (s->name != EB_SV_NONE || s->n_alive)
			continue;
		eb_buf_addf(say->out, "nothing that \"%s\" matches can be had",
			    s->text);
		return true;
	}
	return false;
}

void eb_sv_say_conflict(struct eb_sv_say *say)
{
	uint32_t name = empty_name(say->sv);

	if (name != EB_SV_NONE)
		say_empty(say, name);
	else if (!say_glob(say))
		say_search(say);
}
