/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A new version in the team's catalogue. A registry has no compare-and-set, but
 * everybody can write a tag that is nobody else's:
 *
 *	1. list the tags: the next number; who has this definition already
 *	2. write claim-<version>-<identity>-<mark>
 *	3. list the tags: is there another claim for that version, of one who
 *	   has not gone on to a later one?
 *	   no: it is ours.
 *	   yes, and it comes before ours: go on to a later number, from 1.
 *	   yes, behind ours: wait until all those have gone on.
 *	4. write def-NAME.vVERSION, and read it back
 *
 * Never two get to step 4 with one version: had each a list without the other's
 * claim, or with the other's next one, then the later of the lists would lack a
 * claim that was written before it, or one of the two would have gone on.
 * Nothing of this depends on time: who waits for one that was killed, or that
 * is very slow, goes on himself after a while, and the number is left out.
 * Claims stay, for somebody may be between 1 and 3 for however long. A version
 * that is asked for is taken by team_catalogue_asked.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "team_catalogue_claim.h"

#define ROUNDS 64

/* --- which version ---------------------------------------------------- */
/* The newest that has the definition: 1 (a->e->version), 0, -1. */
static int find_same(struct eb_adding *a, const struct eb_versions *v,
		     struct eb_error *err)
{
	for (size_t i = 0; i < v->n; i++) {
		const char *version = v->v[i].version;
		bool ours;
		int rc;

		if (!eb_claim_may_be_there(a, version))
			continue;
		rc = eb_claim_look_listed(a, version, &ours, err);
		if (rc > 0 && ours)
			a->e->version = eb_strdup(version);
		if (rc < 0 || (rc > 0 && ours))
			return rc;
	}
	return 0;
}

/* The next number that nobody has, and nobody else wants. */
static char *next(struct eb_adding *a, const struct eb_versions *v)
{
	uint64_t n = v->n ? v->v[0].number + 1 : 1;

	for (n = n > a->least ? n : a->least;; n++) {
		eb_autofree char *version =
			eb_asprintf("%llu", (unsigned long long)n);

		if (!eb_claims_of_others(a, version).n)
			return eb_steal(version);
	}
}

/* --- the next number -------------------------------------------------- */
/* 1 done, 0 somebody else wants that number, -1 */
static int add_next(struct eb_adding *a, bool *made, struct eb_error *err)
{
	EB_CLEANUP(eb_versions_release) struct eb_versions v = { 0 };
	eb_autofree char *version = NULL;
	struct eb_others o;
	int rc;

	if (eb_versions_read(a->shared, a->e->name, &v, err) < 0)
		return -1;
	*made = false;
	rc = find_same(a, &v, err);
	if (rc)
		return rc;
	version = next(a, &v);
	if (eb_claim(a, version, err) < 0 ||
	    eb_claim_wait(a, version, &o, EB_CLAIM_PATIENCE, err) < 0)
		return -1;
	*made = true;
	rc = o.n ? 0 : eb_claim_take(a, version, err);
	if (rc == 0)
		a->least =
			eb_version_number(version) + (o.before ? o.before : 1);
	if (rc > 0)
		a->e->version = eb_steal(version);
	return rc;
}

static int too_many(const struct eb_adding *a, struct eb_error *err)
{
	eb_err_set(err, EB_NETWORK,
		   "\"%s\" has got no version: in %d rounds another one wanted "
		   "the same number",
		   a->e->name, ROUNDS);
	return eb_err_hint(err, "try again");
}

/* The blob, and the empty configuration. */
static int send(struct eb_adding *a, struct eb_error *err)
{
	struct eb_team *t = a->shared->team;
	struct eb_digest empty;

	eb_environment_format(a->e, &a->text);
	eb_sha256(a->text.data, a->text.len, &a->blob);
	eb_sha256("{}", 2, &empty);
	return eb_team_put_blob(t, &a->blob, a->text.data, a->text.len, err) <
				       0 ||
			       eb_team_put_blob(t, &empty, "{}", 2, err) < 0
		       ? -1
		       : 0;
}

/* What our claims end with. */
static int mark(struct eb_adding *a, struct eb_error *err)
{
	char hex[EB_HEX_SIZE];
	uint32_t number;

	if (getrandom(&number, sizeof number, 0) != sizeof number)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "taking a random number");
	snprintf(a->claimant, sizeof a->claimant, "%.*s-%08x",
		 EB_CLAIM_IDENTITY, eb_digest_hex(a->identity, hex), number);
	return 0;
}

/* The next number is the latest; a version that was asked for may be none. */
static void keep(const struct eb_shared *s, const struct eb_named *e,
		 bool latest)
{
	const struct eb_env_ref ref = { .name = e->name,
					.version = latest ? NULL : e->version };

	eb_environment_keep(&s->config, &ref, e, s->events);
}

int eb_shared_add(void *place, struct eb_named *e,
		  const struct eb_digest *identity, bool *made,
		  struct eb_error *err)
{
	struct eb_adding a = { .shared = place,
			       .e = e,
			       .identity = identity,
			       .asked = e->version,
			       .text = { .max = EB_MAX_ENVIRONMENT } };
	int rc = eb_environment_check(e, err);

	if (rc == 0)
		rc = mark(&a, err);
	if (rc == 0)
		rc = send(&a, err);
	if (rc == 0 && a.asked) {
		rc = eb_claim_asked(&a, made, err);
		rc = rc < 0 ? -1 : 1;
	}
	for (unsigned i = 0; rc == 0 && i < ROUNDS; i++)
		rc = add_next(&a, made, err);
	eb_buf_release(&a.text);
	if (rc > 0)
		keep(place, e, *made && !a.asked);
	return rc < 0 ? -1 : rc ? 0 : too_many(&a, err);
}
