/* SPDX-License-Identifier: Apache-2.0 */
/* A version of the team's catalogue, looked at and taken. */
#include <string.h>
#include <time.h>

#include "team_catalogue_claim.h"

#define LOOKS 6
#define PAUSE_NS 10000000L /* 10, 20, ... 320 ms */

static bool is_ours(const struct eb_adding *a, const struct eb_artifact *there)
{
	const char *is = eb_artifact_noted(there, EB_NOTE_IDENTITY);
	char hex[EB_HEX_SIZE];

	return is && !strcmp(is, eb_digest_hex(a->identity, hex));
}

int eb_claim_look(struct eb_adding *a, const char *version, bool *ours,
		  struct eb_error *err)
{
	EB_CLEANUP(eb_artifact_release) struct eb_artifact there = { 0 };
	int rc = eb_shared_artifact(a->shared, "def", a->e->name, version,
				    &there, err);

	*ours = rc > 0 && is_ours(a, &there);
	return rc;
}

int eb_claim_look_listed(struct eb_adding *a, const char *version, bool *ours,
			 struct eb_error *err)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };
	int rc = eb_claim_look(a, version, ours, err);

	for (unsigned i = 0; rc == 0 && i < LOOKS; i++, pause.tv_nsec *= 2) {
		nanosleep(&pause, NULL);
		rc = eb_claim_look(a, version, ours, err);
	}
	return rc;
}

static int not_there(const struct eb_adding *a, const char *tag,
		     struct eb_error *err)
{
	return eb_err_set(err, EB_NETWORK,
			  "\"%s:%s\" is listed, and reading it the registry "
			  "says that it is not there",
			  a->shared->team->text, tag);
}

int eb_claim_take(struct eb_adding *a, const char *version,
		  struct eb_error *err)
{
	eb_autofree char *tag = eb_catalogue_tag("def", a->e->name, version);
	bool ours, listed = eb_in_sorted(&a->shared->tags, tag);
	int rc = listed ? eb_claim_look_listed(a, version, &ours, err)
			: eb_claim_look(a, version, &ours, err);

	if (rc)
		return rc < 0 ? -1 : ours;
	if (listed)
		return not_there(a, tag, err);
	if (eb_claim_put(a, tag, version, false, err) < 0)
		return -1;
	rc = eb_claim_look_listed(a, version, &ours, err);
	if (rc == 0)
		return not_there(a, tag, err);
	return rc < 0 ? -1 : ours;
}
