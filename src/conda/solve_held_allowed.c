/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a version that lines and channels allow is not in the answer: what it
 * needs, which pruning tells, or else what a request for it ends in.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

static void take_blame(struct eb_sv_look *l, const struct eb_sv *sv,
		       const struct eb_sv_set *set)
{
	size_t n = l->q->n_specs;
	eb_autofree bool *part = eb_calloc(n + 2, sizeof *part);

	eb_sv_blame_set(sv, set, part);
	for (size_t i = 0; i < n; i++)
		l->line[i] |= part[i];
}

static bool all_dead(const struct eb_sv *sv, const struct eb_sv_set *set)
{
	for (uint32_t i = 0; i < set->n; i++)
		if (sv->cand[set->cand[i]].dead == EB_SV_ALIVE)
			return false;
	return true;
}

/* The lines on a name. */
static void blame_name(struct eb_sv_look *l, const char *name)
{
	for (size_t i = 0; i < l->q->n_specs; i++) {
		const char *own = eb_matchspec_name(l->q->spec[i]);

		l->line[i] |= own && !strcmp(own, name);
	}
}

/* Packages that were asked for and are older in an answer that has it. */
static void say_price(struct eb_sv_look *l, const struct eb_sv *with,
		      struct eb_buf *out)
{
	const char *text = eb_version_text(l->allowed);
	unsigned told = 0;

	for (size_t i = 0; i < l->s->n; i++) {
		const struct eb_record *r = eb_repodata_record(
			l->q->repodata, l->s->record[i], NULL);
		const struct eb_version *was =
			eb_sv_version_of(l->sv, r->version);

		for (uint32_t k = 0; l->s->requested[i] && k < with->n_chosen;
		     k++) {
			const struct eb_sv_cand *c =
				&with->cand[with->chosen[k]];

			if (strcmp(c->r->name, r->name) != 0 ||
			    eb_version_compare(c->version, was) >= 0)
				continue;
			blame_name(l, r->name);
			if (!told++)
				eb_buf_addf(out, "with %s, ", text);
			else
				eb_buf_adds(out, ", and ");
			eb_buf_addf(out, "\"%s\" would be %s instead of %s",
				    r->name, c->r->version, r->version);
		}
	}
	if (!told)
		eb_buf_addf(out,
			    "it goes with %s as well, with other builds "
			    "of what is around it",
			    text);
}

/* A request with one more line. */
struct longer {
	struct eb_solve_request q;
	struct eb_matchspec *more;
	const struct eb_matchspec **spec;
	struct eb_solve_line *line;
	bool *use;
};

static void release_longer(struct longer *x)
{
	eb_matchspec_free(x->more);
	free(x->spec);
	free(x->line);
	free(x->use);
}

/* That one: the version that is allowed. */
static bool make_longer(const struct eb_sv_look *l, struct longer *x)
{
	size_t n = l->q->n_specs;
	eb_autofree char *text =
		eb_asprintf("%s==%s", l->sv->name[l->name].name,
			    eb_version_text(l->allowed));
	struct eb_error err = EB_ERROR_INIT;

	x->more = eb_matchspec_parse(text, EB_LENIENT, &err);
	eb_err_release(&err);
	x->spec = eb_calloc(n + 2, sizeof *x->spec);
	x->line = eb_calloc(n + 2, sizeof *x->line);
	x->use = eb_calloc(n + 2, sizeof *x->use);
	for (size_t i = 0; i < n; i++) {
		x->spec[i] = l->q->spec[i];
		if (l->q->line)
			x->line[i] = l->q->line[i];
	}
	x->spec[n] = x->more;
	memset(x->use, 1, (n + 1) * sizeof *x->use);
	x->q = *l->q;
	x->q.spec = x->spec;
	x->q.line = x->line;
	x->q.n_specs = n + 1;
	x->q.unsolved = NULL;
	return x->more;
}

/* The least of it that fails; the line that is more goes by its version. */
static void say_clash(struct eb_sv_look *l, struct eb_sv *sv,
		      struct eb_buf *out)
{
	struct eb_sv_say say = { .sv = sv,
				 .out = out,
				 .machine = EB_SV_NONE,
				 .pin = EB_SV_NONE,
				 .hidden = EB_SV_NONE };

	for (uint32_t i = 0; i < sv->n_user; i++) {
		if (sv->asked[i] < l->q->n_specs)
			l->line[sv->asked[i]] = true;
		else
			sv->it = sv->user[i];
	}
	sv->it_text = eb_version_text(l->allowed);
	eb_sv_say_conflict(&say);
}

static void say_search(struct eb_sv_look *l, struct eb_buf *out)
{
	struct longer x EB_CLEANUP(release_longer) = { 0 };
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *sv = NULL;
	EB_CLEANUP(eb_sv_free_ptr) struct eb_sv *least = NULL;
	struct eb_error err = EB_ERROR_INIT;

	if (!make_longer(l, &x))
		return;
	sv = eb_sv_new(&x.q, NULL, NULL);
	if (eb_sv_run(sv, &err) != 0) {
		eb_err_release(&err);
		say_price(l, sv, out);
		return;
	}
	least = eb_sv_core(&x.q, sv, x.use, l->until);
	say_clash(l, least ? least : sv, out);
}

void eb_sv_say_allowed(struct eb_sv_look *l, struct eb_buf *out)
{
	struct eb_sv_set set =
		eb_sv_of_version(l->sv, l->name, l->allowed, false);
	struct eb_sv_say say = { .sv = l->sv,
				 .out = out,
				 .machine = EB_SV_NONE,
				 .pin = EB_SV_NONE,
				 .hidden = EB_SV_NONE };

	if (set.n && all_dead(l->sv, &set)) {
		eb_sv_say_reasons(&say, &set, eb_version_text(l->allowed));
		take_blame(l, l->sv, &set);
	} else if (eb_now_ns() < l->until) {
		say_search(l, out);
	}
	eb_sv_set_release(&set);
}
