/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving in rounds: a base by the lines, packages for it, and the base once
 * more by the packages; where no packages are found for a CUDA, the next one
 * that the lines allow. */
#include <string.h>

#include "resolve_base.h"
#include "resolve_packages.h"

#define ROUNDS 2 /* bases that packages are chosen for */
#define CUDAS 4	 /* that are tried */

struct attempt {
	struct eb_resolver *r;
	const char *cuda; /* of the lines; NULL: as the options say */
	struct eb_base *base;
	struct eb_lock *lock;
	bool solved; /* conda's part */
};

static void release(struct attempt *a)
{
	eb_base_free(a->base);
	eb_lock_free(a->lock);
	a->base = NULL;
	a->lock = NULL;
	a->r->glibc = NULL;
}

static void keep(struct eb_resolver *r, struct eb_decision *d)
{
	if (!d)
		return;
	eb_decision_free(r->decision);
	r->decision = d;
}

static int choose(struct attempt *a, struct eb_error *err)
{
	struct eb_decision *d = NULL;
	struct eb_stage stage;
	int rc;

	eb_stage_begin(a->r->events, &stage, "base");
	rc = eb_choose_base(a->r, a->cuda, &a->base, &d, err);
	eb_stage_end(a->r->events, &stage);
	keep(a->r, d);
	return rc;
}

static int packages(struct attempt *a, struct eb_error *err)
{
	a->r->glibc = a->r->explains ? a->base->glibc : NULL;
	return eb_resolve_with_base(a->r, a->base, &a->lock, &a->solved, err);
}

/* The decision that counts, from the packages: 1 it wants another base, 0, -1.
 */
static int decide_again(struct attempt *a, struct eb_error *err)
{
	struct eb_resolver *r = a->r;
	bool stands_in = r->explains && a->base->scratch;
	const struct eb_deciding from = { .base = stands_in ? NULL : a->base,
					  .lock = a->lock };
	eb_autofree char *image = eb_strdup(r->decision->image);
	struct eb_decision *d = NULL;

	if (eb_decide_base(r->env, r->config, &from, &d, err) < 0)
		return -1;
	keep(r, d);
	if (d->refused)
		return eb_decision_error(d, err);
	return !r->config->base && strcmp(image, d->image);
}

static int another_base(struct attempt *a, struct eb_error *err)
{
	const struct eb_decision *d = a->r->decision;

	eb_note(a->r->events, "the packages want another base: %s", d->image);
	release(a);
	return eb_open_decided(a->r, a->r->decision, &a->base, err);
}

static int unsettled(const struct attempt *a, struct eb_error *err)
{
	eb_err_set(err, EB_NO,
		   "the packages for one base ask for another, and those for "
		   "that one for a third, \"%s\"",
		   a->r->decision->image);
	return eb_err_hint(err, "--base names one");
}

static int rounds(struct attempt *a, struct eb_error *err)
{
	if (choose(a, err) < 0)
		return -1;
	for (unsigned round = 1;; round++) {
		int other;

		if (packages(a, err) < 0)
			return -1;
		other = decide_again(a, err);
		if (other <= 0)
			return other;
		if (round == ROUNDS)
			return unsettled(a, err);
		if (another_base(a, err) < 0)
			return -1;
	}
}

/* Might another CUDA do? Not where the lines are refused, or what failed is
 * the pip section. */
static bool may_differ(const struct attempt *a, const struct eb_error *err)
{
	const struct eb_decision *d = a->r->decision;

	return err->code == EB_NO && a->base && d && !a->r->config->cuda &&
	       !getenv("CONDA_OVERRIDE_CUDA") &&
	       (d->refused ? d->solved : d->gpu && !a->solved);
}

static void cudas_of(const struct eb_decision *d, struct eb_strv *out)
{
	for (size_t i = 0; d && i < d->n_alternatives && out->n < CUDAS - 1;
	     i++)
		if (!eb_strv_has(out, d->alternative[i].cuda))
			eb_strv_add(out, d->alternative[i].cuda);
}

/* Which the lines allow, beside the one that was chosen. */
static int find_cudas(struct attempt *a, struct eb_strv *out,
		      struct eb_error *err)
{
	const struct eb_deciding lines = { 0 };
	EB_CLEANUP(eb_decision_free_ptr) struct eb_decision *d = NULL;

	if (eb_decide_base(a->r->env, a->r->config, &lines, &d, err) < 0)
		return -1;
	cudas_of(d, out);
	return 0;
}

/* The first failure is the one that is told, and its decision. */
static int with_others(struct attempt *a, struct eb_error *first)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv cuda = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	struct eb_decision *was = eb_steal(a->r->decision);

	if (find_cudas(a, &cuda, &err) < 0)
		eb_err_release(&err);
	for (size_t i = 0; i < cuda.n; i++) {
		eb_note(a->r->events,
			"no packages for a GPU are found; trying CUDA %s",
			cuda.v[i]);
		release(a);
		eb_err_release(&err);
		a->cuda = cuda.v[i];
		if (rounds(a, &err) == 0) {
			eb_err_release(first);
			eb_decision_free(was);
			return 0;
		}
	}
	keep(a->r, was);
	return -1;
}

static void warn(const struct eb_resolver *r)
{
	const struct eb_decision *d = r->decision;

	for (size_t i = 0; i < d->warning.n && !r->explains; i++)
		eb_warn(r->events, "%s", d->warning.v[i]);
}

int eb_resolve_definition(struct eb_resolver *r, struct eb_lock **out,
			  struct eb_error *err)
{
	struct attempt a EB_CLEANUP(release) = { .r = r };

	if (rounds(&a, err) < 0 &&
	    (!may_differ(&a, err) || with_others(&a, err) < 0))
		return -1;
	warn(r);
	if (!r->explains)
		eb_tell_defaults(r, a.lock);
	eb_lock_take_decision(a.lock, r->decision);
	*out = eb_steal(a.lock);
	return 0;
}
