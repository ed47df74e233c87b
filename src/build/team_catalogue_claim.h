/* SPDX-License-Identifier: Apache-2.0 */
/* Claims for versions of the team's catalogue (team_catalogue_add.c). */
#ifndef EB_TEAM_CATALOGUE_CLAIM_H
#define EB_TEAM_CATALOGUE_CLAIM_H

#include "team_catalogue.h"

#define EB_NOTE_GIVEN_UP "dev.envbuild.given-up"
#define EB_CLAIM_LISTS 8 /* at most, until it is seen who wants it: 2 s */
/* The same, until those behind us have gone on, who may be slow: 12 s. */
#define EB_CLAIM_PATIENCE 24

struct eb_adding {
	struct eb_shared *shared;
	struct eb_named *e;
	const struct eb_digest *identity;
	const char *asked; /* the version, or NULL: the next number */
	struct eb_buf text;
	struct eb_digest blob;
	char claimant[EB_HEX_SIZE]; /* eb_catalogue_claimant() of our claims */
	uint64_t least;		    /* no smaller number is tried any more */
};

/* Who wants a version for another definition and has not gone on, by the tags
 * as last listed. */
struct eb_others {
	size_t n, before; /* all; those whose claims come before ours */
	size_t at;	  /* the first claim for the version, in the tags */
};
struct eb_others eb_claims_of_others(const struct eb_adding *a,
				     const char *version);
/* Has anybody claimed it for our definition? A list is none of one moment: it
 * may have a version and not its claim, which came before; then anybody may. */
bool eb_claim_may_be_there(const struct eb_adding *a, const char *version);

/* Our artifact under a tag. */
int eb_claim_put(struct eb_adding *a, const char *tag, const char *version,
		 bool given_up, struct eb_error *err);
/* Our claim, until the list shows it: one that lags is asked again. */
int eb_claim(struct eb_adding *a, const char *version, struct eb_error *err);
/* Until nobody else wants it, somebody has it, or comes before us; so many
 * lists at most. */
int eb_claim_wait(struct eb_adding *a, const char *version, struct eb_others *o,
		  unsigned lists, struct eb_error *err);

/* team_catalogue_take.c: what is there under a version: 1 with *ours (our
 * definition), 0 nothing, -1. */
int eb_claim_look(struct eb_adding *a, const char *version, bool *ours,
		  struct eb_error *err);
/* The same of what the list has, or was just written: a registry lists a tag
 * while somebody writes it, and says for that moment that it is not there. */
int eb_claim_look_listed(struct eb_adding *a, const char *version, bool *ours,
			 struct eb_error *err);
/* Written where nothing is: 1 it is ours, 0 somebody has it, -1. */
int eb_claim_take(struct eb_adding *a, const char *version,
		  struct eb_error *err);
/* team_catalogue_asked.c: the version a->asked; *made: it was not there. 0,
 * -1. */
int eb_claim_asked(struct eb_adding *a, bool *made, struct eb_error *err);

#endif
