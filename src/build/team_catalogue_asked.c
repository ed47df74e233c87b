/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A version of the team's catalogue that was asked for. Nobody can go on to
 * another one: who comes behind gives up and writes so into his claim, and a
 * claim of one that was killed counts for ten minutes.
 */
#include <string.h>
#include <time.h>

#include "team_catalogue_claim.h"

/* A claim that is older is one of somebody who was killed. */
#define GIVEN_UP_S 600

static int is_other(const struct eb_adding *a, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s:%s\" is there already, with another definition",
		   a->e->name, a->asked);
	return eb_err_hint(err, "a version never changes: leave --version out, "
				"or choose another");
}

/* 1 it is wanted still, 0, -1. */
static int is_wanted(struct eb_adding *a, const char *tag, struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact there = { 0 };
	int rc = eb_artifact_get(a->shared->team, tag, EB_MT_ENVIRONMENT,
				 &there, err);

	if (rc <= 0) /* not there: it is being written */
		return rc < 0 ? -1 : 1;
	return !eb_artifact_noted(&there, EB_NOTE_GIVEN_UP) &&
	       time(NULL) - there.time < GIVEN_UP_S;
}

static int wanted(struct eb_adding *a, const struct eb_others *o,
		  struct eb_error *err)
{
	size_t n = strlen("claim-") + EB_CLAIM_IDENTITY;
	int rc = 0;

	for (size_t i = o->at; rc == 0 && i < a->shared->tags.n; i++) {
		const char *tag = a->shared->tags.v[i];

		if (strncmp(tag, a->shared->tags.v[o->at], n))
			break;
		if (strncmp(tag + n + 1, a->claimant, EB_CLAIM_IDENTITY))
			rc = is_wanted(a, tag, err);
	}
	return rc;
}

/* 1 nobody else wants it any more, or it is there; 0 somebody does; -1 */
static int is_alone(struct eb_adding *a, struct eb_error *err)
{
	eb_autofree char *tag = eb_catalogue_tag("def", a->e->name, a->asked);
	struct eb_others o;

	if (eb_claim_wait(a, a->asked, &o, EB_CLAIM_LISTS / 2, err) < 0)
		return -1;
	for (unsigned i = 0; o.n; i++) {
		int rc = eb_in_sorted(&a->shared->tags, tag)
				 ? 0
				 : wanted(a, &o, err);

		if (rc <= 0)
			return rc < 0 ? -1 : 1;
		if (o.before || i == EB_CLAIM_LISTS / 2)
			return 0;
		if (eb_claim_wait(a, a->asked, &o, 1, err) < 0)
			return -1;
	}
	return 1;
}

static int give_up(struct eb_adding *a, struct eb_error *err)
{
	eb_autofree char *stem = eb_catalogue_claims(a->e->name, a->asked);
	eb_autofree char *tag = eb_asprintf("%s%s", stem, a->claimant);

	if (eb_claim_put(a, tag, a->asked, true, err) < 0)
		return -1;
	eb_err_set(err, EB_INPUT,
		   "\"%s:%s\" is being registered by somebody else, with "
		   "another definition",
		   a->e->name, a->asked);
	return eb_err_hint(err, "leave --version out, or look what stands "
				"there in a moment");
}

int eb_claim_asked(struct eb_adding *a, bool *made, struct eb_error *err)
{
	bool ours;
	int rc = eb_claim_look(a, a->asked, &ours, err);

	*made = rc == 0;
	if (rc)
		return rc < 0 ? -1 : ours ? 0 : is_other(a, err);
	rc = eb_claim(a, a->asked, err) < 0 ? -1 : is_alone(a, err);
	if (rc == 0)
		return give_up(a, err);
	if (rc > 0)
		rc = eb_claim_take(a, a->asked, err);
	return rc < 0 ? -1 : rc ? 0 : is_other(a, err);
}
