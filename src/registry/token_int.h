/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: what is wanted of one, how it is asked for, where it is kept. */
#ifndef EB_TOKEN_INT_H
#define EB_TOKEN_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <envbuild/credential.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/http.h>
#include <envbuild/str.h>

#define EB_CLIENT_ID "envbuild"
#define EB_TOKEN_SPARE 10 /* s that a token has to live on */
#define EB_NULL_GUID "00000000-0000-0000-0000-000000000000"

/* --- token_scope.c -------------------------------------------------------- */
enum { EB_PULL = 1, EB_PUSH = 2, EB_DELETE = 4 };
struct eb_access {
	char *repository;
	unsigned actions;
};
/* Of one request: its repository first, then the one it mounts from. */
struct eb_want {
	char *host;
	bool anonymous;
	struct eb_access access[2];
	unsigned n;
};
void eb_want_release(struct eb_want *w);
bool eb_access_covers(const struct eb_access *have, size_t n,
		      const struct eb_want *want);
char *eb_access_text(const struct eb_access *a); /* repository:a/b:pull */
int eb_access_parse(const char *text, struct eb_access *out);
/* What to ask the token server for: the request's own scope first, then
 * `challenge`'s (its scope attribute, may be NULL), each repository once. A
 * challenge that names other repositories alone is taken at its word. */
void eb_scopes_make(const struct eb_want *want, bool mount,
		    const char *challenge, struct eb_strv *out);

/* --- token_realm.c -------------------------------------------------------- */
/* May tokens be asked for there, for the registry that answered at `url`?
 * EB_REFUSED tells why not. */
int eb_realm_check(const char *realm, const char *url, struct eb_error *err);
/* "host" of a URL, lower case, without port and brackets; NULL: no URL. */
char *eb_url_hostname(const char *url);
/* "host" or "host:port" where the port is not the scheme's. */
char *eb_url_host(const char *url);

/* --- token_answer.c ------------------------------------------------------- */
struct eb_token_answer {
	char *token;
	int64_t life; /* s from now */
	long status;  /* of a refusal */
	char *said;   /* the server's words then, redacted; or NULL */
};
void eb_token_answer_release(struct eb_token_answer *a);
int eb_token_read(const char *text, size_t len, const char *realm, int64_t now,
		  struct eb_token_answer *out, struct eb_error *err);
/* One word of visible ASCII: can it stand in a header? */
bool eb_token_is_text(const char *text);
/* The words in a refusal's body; NULL: none. */
char *eb_token_words(const char *body, const struct eb_credential *login);

/* --- token.c -------------------------------------------------------------- */
struct eb_token_ask {
	struct eb_http *http;
	const char *realm, *service; /* service may be NULL */
	const struct eb_strv *scopes;
	const struct eb_credential *login; /* NULL: anonymous */
	const struct eb_http_tls *tls;	   /* or NULL */
	unsigned tries, timeout_ms;
};
/* 1 a token, 0 refused, -1. */
int eb_token_ask(const struct eb_token_ask *ask, struct eb_token_answer *out,
		 struct eb_error *err);

/* --- token_file.c --------------------------------------------------------- */
struct eb_token {
	char key[EB_HEX_SIZE]; /* of (realm, service, scopes, user) */
	char *host;
	bool anonymous;
	bool basic; /* no token: the host asks for Basic */
	struct eb_access *access;
	size_t n;
	int64_t expires; /* s since 1970 */
	char *value;	 /* "Bearer ...", NULL with `basic` */
};
struct eb_tokens {
	struct eb_token *v;
	size_t n, alloc;
};
void eb_token_release(struct eb_token *t);
void eb_tokens_release(struct eb_tokens *t);

struct eb_token_file {
	char *dir;		 /* NULL: nothing is kept */
	struct eb_digest logins; /* eb_credential_stamp and the given user */
	struct eb_events *events;
};
/* Entries that live and were made by the same logins. */
void eb_token_file_load(struct eb_token_file *f, int64_t now,
			struct eb_tokens *out);
void eb_token_file_put(struct eb_token_file *f, int64_t now,
		       const struct eb_token *t);
void eb_token_file_drop(struct eb_token_file *f, int64_t now, const char *key);

#endif
