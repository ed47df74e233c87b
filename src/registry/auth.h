/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authentication to registries: challenges are answered, tokens kept.
 *
 * A request goes out with eb_auth_value(), when there is one. At a 401 its
 * answer is given to eb_auth_challenge(), which asks the token server (or
 * settles for Basic), and the request is made again with the new value; at the
 * second 401 for one request the challenge gives EB_REFUSED.
 */
#ifndef EB_AUTH_H
#define EB_AUTH_H

#include <stdbool.h>

#include <envbuild/credential.h>
#include <envbuild/http.h>
#include <envbuild/registry.h>

/* What a request wants to do (distribution spec, auth/scope.md). */
struct eb_scope {
	const char *host, *repository; /* repository NULL: /v2/ alone */
	bool push, remove;
	const char *mount_from; /* another repository of this host, or NULL */
	bool anonymous;		/* a mirror: no credentials of ours */
};

struct eb_auth;
/* `http` and `events` are borrowed. Thread-safe; two who need one token make
 * one request for it. */
struct eb_auth *eb_auth_new(const struct eb_registry_options *options,
			    struct eb_http *http, struct eb_events *events);
void eb_auth_free(struct eb_auth *a);

/* The Authorization field's value as far as one is known (a kept token with
 * these scopes or more, that lives 10 s more; Basic where the host asked for
 * it); NULL: none yet. Where the host's token server is known from an earlier
 * challenge, it is asked at once, by one try. Freed with eb_secret_free(). */
char *eb_auth_value(struct eb_auth *a, const struct eb_scope *scope);
/* `answer` ended with 401 (`tried`: the value it went out with, or NULL) at
 * the URL `url`; `round` counts from 0 for one request. 0: make it again with
 * eb_auth_value(). -1: EB_REFUSED (no credentials found and where was looked;
 * wrong credentials and where they came from; no permission: insufficient
 * scope), EB_NETWORK. Realms have to be https (http where the registry itself
 * is), on a public host name or the registry's own host. */
int eb_auth_challenge(struct eb_auth *a, const struct eb_scope *scope,
		      const struct eb_http_request *answer, const char *tried,
		      unsigned round, struct eb_error *err);

#endif
