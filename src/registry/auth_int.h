/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of hosts, logins and tokens while a client lives. */
#ifndef EB_AUTH_INT_H
#define EB_AUTH_INT_H

#include <pthread.h>
#include <stdbool.h>

#include "auth.h"
#include "challenge.h"
#include "credential_int.h"
#include "token_int.h"

/* How a host wants to be asked; learned from its challenges. */
struct eb_auth_host {
	char *name;
	bool basic;
	char *realm, *service;	/* realm NULL: no Bearer */
	struct eb_host_tls tls; /* of the realm's host */
	bool insecure;
};

/* Who we are to one repository. */
struct eb_auth_login {
	struct eb_auth_login *next;
	char *host, *repository;
	bool found;
	struct eb_credential credential;
};

/* A token that is being asked for; others who want no more wait for it. */
struct eb_auth_flight {
	struct eb_auth_flight *next;
	const struct eb_want *want; /* the asking one's */
	bool done;
	unsigned users;
	struct eb_error err; /* set when there was none */
};

struct eb_auth {
	struct eb_http *http;
	struct eb_events *events;
	char *user, *password, *login_host;
	unsigned tries, timeout_ms;

	pthread_mutex_t lock; /* of what follows, up to the next one */
	pthread_cond_t landed;
	struct eb_auth_host *host;
	size_t n_hosts, hosts_alloc;
	struct eb_tokens tokens;
	struct eb_auth_flight *flights;
	struct eb_strv no_mount; /* "HOST FROM TO": refused before */

	pthread_mutex_t login_lock; /* also while a helper runs */
	struct eb_auth_login *logins;

	pthread_mutex_t file_lock;
	struct eb_token_file file;
	bool loaded;
};

/* What a 401 said. */
struct eb_auth_hint {
	bool basic;	     /* else Bearer */
	char *scope, *error; /* of the challenge, or NULL */
};
void eb_auth_hint_release(struct eb_auth_hint *h);

/* --- auth_login.c --------------------------------------------------------- */
/* 1, 0 anonymous, -1. `out` is borrowed and lives as long as `a`. */
int eb_auth_login(struct eb_auth *a, const struct eb_scope *scope,
		  const struct eb_credential **out, struct eb_error *err);
/* Are the environment's and the given login for this host? */
bool eb_auth_given_counts(const struct eb_auth *a, const char *host);

/* --- auth_learn.c --------------------------------------------------------- */
/* With a->lock held. NULL: not seen yet; `make` does that. */
struct eb_auth_host *eb_auth_host(struct eb_auth *a, const char *name,
				  bool make);
/* What the 401 says is noted for the host, and given in `out`. */
int eb_auth_learn(struct eb_auth *a, const struct eb_scope *scope,
		  const struct eb_http_request *answer, const char *url,
		  struct eb_auth_hint *out, struct eb_error *err);

/* --- auth_token.c --------------------------------------------------------- */
/* Without a mount that was refused before. */
void eb_auth_want(struct eb_auth *a, const struct eb_scope *scope,
		  struct eb_want *out);
/* A copy of one that covers it and lives on; NULL: none. */
char *eb_auth_token(struct eb_auth *a, const struct eb_want *want);
/* Makes sure that there is a token other than the one tried. `challenge`: the
 * scope attribute, or NULL; `tries` 0: as usual. */
int eb_auth_obtain(struct eb_auth *a, const struct eb_scope *scope,
		   const char *challenge, const char *tried, unsigned tries,
		   struct eb_error *err);
/* A token that was refused goes, from the file as well; with `host` (or NULL)
 * all of that host's, for a registry that was set up anew knows none. */
void eb_auth_drop(struct eb_auth *a, const char *value, const char *host);
/* What the file has, once. */
void eb_auth_load(struct eb_auth *a);
/* Whether the host asks for Basic: for later processes. */
void eb_auth_keep_basic(struct eb_auth *a, const char *host, bool basic);
bool eb_auth_mount_refused(struct eb_auth *a, const struct eb_scope *scope);
void eb_auth_refuse_mount(struct eb_auth *a, const struct eb_scope *scope);

/* --- auth_words.c: -1, EB_REFUSED ----------------------------------------- */
int eb_auth_no_login(struct eb_auth *a, const struct eb_scope *scope,
		     struct eb_error *err);
int eb_auth_wrong_login(const struct eb_scope *scope,
			const struct eb_credential *login, const char *said,
			struct eb_error *err);
int eb_auth_no_permission(const struct eb_scope *scope,
			  const struct eb_credential *login, const char *said,
			  struct eb_error *err);

#endif
