/* SPDX-License-Identifier: Apache-2.0 */
/* WWW-Authenticate fields, read. (RFC 9110 11.6.1; facts oci 2.1) */
#ifndef EB_CHALLENGE_H
#define EB_CHALLENGE_H

#include <stddef.h>

enum eb_challenge_scheme {
	EB_CHALLENGE_OTHER,
	EB_CHALLENGE_BASIC,
	EB_CHALLENGE_BEARER,
};

struct eb_challenge {
	enum eb_challenge_scheme scheme;
	char *name; /* of the scheme, as it was written */
	char *realm, *service, *scope, *error; /* or NULL */
};

#define EB_MAX_CHALLENGES 32
struct eb_challenges {
	struct eb_challenge *v;
	size_t n, alloc;
};

/* Adds what one field's value holds: any number of challenges. What cannot be
 * read is passed by up to the next comma; never an error. */
void eb_challenges_add(struct eb_challenges *c, const char *value);
void eb_challenges_release(struct eb_challenges *c);
/* The first Bearer with a realm or Basic; NULL: none. */
const struct eb_challenge *eb_challenges_pick(const struct eb_challenges *c);

#endif
