/* SPDX-License-Identifier: Apache-2.0 */
/* What a package that has to be there wants of another name. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

/* What the candidates of `name` that keep all of a row out want instead. */
static struct eb_sv_set instead(const struct eb_sv *sv, uint32_t name,
				const struct eb_sv_set *out_of)
{
	const struct eb_sv_name *n = &sv->name[name];
	const struct eb_sv_name *o = &sv->name[out_of->name];
	eb_autofree bool *mark = eb_calloc(o->n + 1, sizeof *mark);
	struct eb_sv_set all = { .name = out_of->name };

	for (uint32_t i = n->first; i < n->first + n->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[i];
		bool fits = false;

		if (c->dead == EB_SV_USER || (!out_of->n && c->dead))
			continue;
		for (uint32_t k = 0; k < out_of->n && !fits; k++)
			fits = eb_sv_admits(sv, c, out_of->cand[k]);
		for (uint32_t k = 0; k < o->n && !fits; k++)
			mark[k] |= eb_sv_admits(sv, c, o->first + k);
	}
	all.cand = eb_calloc(o->n + 1, sizeof *all.cand);
	for (uint32_t k = 0; k < o->n; k++)
		if (mark[k])
			all.cand[all.n++] = o->first + k;
	return all;
}

/* The one text by which candidates that keep a row out speak of its name;
 * NULL: there are several. */
static const char *one_demand(const struct eb_sv *sv, uint32_t name,
			      const struct eb_sv_set *out_of, bool *excludes)
{
	const struct eb_sv_name *n = &sv->name[name];
	const char *one = NULL;

	for (uint32_t i = n->first; i < n->first + n->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[i];
		uint32_t all = (uint32_t)c->n_needs + c->n_excludes;

		if (c->dead == EB_SV_USER || (!out_of->n && c->dead))
			continue;
		for (uint32_t k = 0; k < all; k++) {
			const struct eb_sv_spec *s =
				&sv->spec[sv->needs[c->needs + k]];

			if (s->name != out_of->name)
				continue;
			if (one && strcmp(one, s->text) != 0)
				return NULL;
			one = s->text;
			*excludes = k >= c->n_needs;
		}
	}
	return one;
}

/* `"scipy" needs "numpy <1.19"`: what another package wants. */
void eb_sv_say_other(struct eb_sv_say *say, uint32_t by,
		     const struct eb_sv_set *out_of)
{
	const char *name = say->sv->name[out_of->name].name;
	bool excludes = false;
	const char *one = one_demand(say->sv, by, out_of, &excludes);
	struct eb_sv_set want;

	eb_sv_say_trail(say->sv, by, say->out);
	if (one) {
		eb_buf_addf(say->out, " %s \"%s\"",
			    excludes ? "goes only with" : "needs", one);
		return;
	}
	want = instead(say->sv, by, out_of);
	eb_buf_adds(say->out, want.n ? " needs " : " needs another ");
	eb_buf_adds(say->out, name);
	if (want.n) {
		eb_buf_addch(say->out, ' ');
		eb_sv_say_versions(say->sv, &want, say->out);
	}
	eb_sv_set_release(&want);
}

void eb_sv_say_restriction(struct eb_sv_say *say, uint32_t by, uint32_t name)
{
	const struct eb_sv *sv = say->sv;
	const struct eb_sv_name *n = &sv->name[name];
	struct eb_sv_set out_of = { .name = name };

	out_of.cand = eb_calloc(n->n + 1, sizeof *out_of.cand);
	for (uint32_t i = n->first; i < n->first + n->n; i++)
		if (sv->cand[i].dead == EB_SV_OTHER &&
		    sv->cand[i].dead_by == by)
			out_of.cand[out_of.n++] = i;
	eb_sv_say_other(say, by, &out_of);
	eb_sv_set_release(&out_of);
}
