/* SPDX-License-Identifier: Apache-2.0 */
/* Authentication: the value that a request goes out with, and what is done
 * about a 401. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "auth_int.h"

static char *token_dir(const struct eb_registry_options *o)
{
	if (!o->token_dir)
		return eb_xdg_dir("RUNTIME");
	return *o->token_dir ? eb_strdup(o->token_dir) : NULL;
}

/* Tokens of other logins are none of ours. */
static void stamp_logins(struct eb_auth *a)
{
	struct eb_digest files;
	struct eb_keyer k;

	eb_credential_stamp(true, &files);
	eb_key_begin(&k, "envbuild-given");
	eb_key_text(&k, a->user);
	eb_key_text(&k, a->user ? a->login_host : NULL);
	eb_key_digest(&k, &files);
	eb_key_end(&k, &a->file.logins);
}

struct eb_auth *eb_auth_new(const struct eb_registry_options *options,
			    struct eb_http *http, struct eb_events *events)
{
	struct eb_auth *a = eb_calloc(1, sizeof *a);

	a->http = http;
	a->events = events;
	a->user = eb_strdup(options->user);
	a->password = eb_strdup(options->password);
	a->login_host = eb_strdup(options->login_host);
	a->tries = options->tries;
	a->timeout_ms = options->timeout_ms;
	pthread_mutex_init(&a->lock, NULL);
	pthread_mutex_init(&a->login_lock, NULL);
	pthread_mutex_init(&a->file_lock, NULL);
	pthread_cond_init(&a->landed, NULL);
	a->file.events = events;
	a->file.dir = token_dir(options);
	stamp_logins(a);
	return a;
}

static void free_logins(struct eb_auth *a)
{
	struct eb_auth_login *l;

	while ((l = a->logins)) {
		a->logins = l->next;
		free(l->host);
		free(l->repository);
		eb_credential_release(&l->credential);
		free(l);
	}
}

void eb_auth_free(struct eb_auth *a)
{
	if (!a)
		return;
	free_logins(a);
	for (size_t i = 0; i < a->n_hosts; i++) {
		free(a->host[i].name);
		free(a->host[i].realm);
		free(a->host[i].service);
		eb_host_tls_release(&a->host[i].tls);
	}
	free(a->host);
	eb_tokens_release(&a->tokens);
	eb_strv_release(&a->no_mount);
	eb_secret_free(a->user);
	eb_secret_free(a->password);
	free(a->login_host);
	free(a->file.dir);
	pthread_mutex_destroy(&a->lock);
	pthread_mutex_destroy(&a->login_lock);
	pthread_mutex_destroy(&a->file_lock);
	pthread_cond_destroy(&a->landed);
	free(a);
}

static char *basic_value(struct eb_auth *a, const struct eb_scope *scope)
{
	const struct eb_credential *login;
	struct eb_error err = EB_ERROR_INIT;
	char *value = NULL;

	/* What is wrong is said at the 401 that comes without it. */
	if (eb_auth_login(a, scope, &login, &err) == 1 && login->user)
		value = eb_basic_value(login->user, login->password);
	eb_err_release(&err);
	return value;
}

/* The host is known to want a token: the round without one is spared. */
static char *new_token(struct eb_auth *a, const struct eb_scope *scope)
{
	struct eb_want want EB_CLEANUP(eb_want_release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	int status = eb_auth_obtain(a, scope, NULL, NULL, 1, &err);

	eb_err_release(&err);
	if (status < 0)
		return NULL;
	eb_auth_want(a, scope, &want);
	return eb_auth_token(a, &want);
}

char *eb_auth_value(struct eb_auth *a, const struct eb_scope *scope)
{
	struct eb_want want EB_CLEANUP(eb_want_release) = { 0 };
	const struct eb_auth_host *h;
	bool basic, bearer;
	char *value;

	eb_auth_load(a);
	eb_auth_want(a, scope, &want);
	pthread_mutex_lock(&a->lock);
	h = eb_auth_host(a, scope->host, false);
	basic = h && h->basic;
	bearer = h && h->realm;
	pthread_mutex_unlock(&a->lock);
	if (basic)
		return scope->anonymous ? NULL : basic_value(a, scope);
	value = eb_auth_token(a, &want);
	return value || !bearer ? value : new_token(a, scope);
}

static int answer_basic(struct eb_auth *a, const struct eb_scope *scope,
			const char *tried, unsigned round, struct eb_error *err)
{
	const struct eb_credential *login;
	eb_autosecret char *value = NULL;
	int found = eb_auth_login(a, scope, &login, err);

	if (found < 0)
		return -1;
	if (!found)
		return eb_auth_no_login(a, scope, err);
	if (!login->user)
		return eb_err_set(err, EB_REFUSED,
				  "the credentials of %s for \"%s\" are a "
				  "token alone, and it asks for a name and a "
				  "password",
				  login->from, scope->host);
	value = eb_basic_value(login->user, login->password);
	if (round || (tried && !strcmp(tried, value)))
		return eb_auth_wrong_login(scope, login, NULL, err);
	eb_auth_keep_basic(a, scope->host, true);
	return 0;
}

/* A token was got for this very request, and is not enough. */
static int not_enough(struct eb_auth *a, const struct eb_scope *scope,
		      const struct eb_auth_hint *hint, struct eb_error *err)
{
	const struct eb_credential *login;
	int found = eb_auth_login(a, scope, &login, err);

	if (found < 0)
		return -1;
	if (hint->error && !strcmp(hint->error, "invalid_token"))
		return eb_err_set(err, EB_REFUSED,
				  "\"%s\", logging in: it refuses the token "
				  "that its token server has just given",
				  scope->host);
	if (!found)
		return eb_auth_no_login(a, scope, err);
	if (login->registry_token)
		return eb_auth_wrong_login(scope, login, NULL, err);
	return eb_auth_no_permission(scope, login, NULL, err);
}

static int answer_bearer(struct eb_auth *a, const struct eb_scope *scope,
			 const struct eb_auth_hint *hint, const char *tried,
			 unsigned round, struct eb_error *err)
{
	bool narrow = hint->error && !strcmp(hint->error, "insufficient_scope");
	bool unknown = hint->error && !strcmp(hint->error, "invalid_token");
	bool refused = eb_auth_mount_refused(a, scope);

	/* The token is good for all but the mount. */
	if (tried && narrow && scope->mount_from && (round || refused)) {
		eb_auth_refuse_mount(a, scope);
		return not_enough(a, scope, hint, err);
	}
	if (tried)
		eb_auth_drop(a, tried, unknown ? scope->host : NULL);
	if (round)
		return not_enough(a, scope, hint, err);
	return eb_auth_obtain(a, scope, hint->scope, tried, 0, err);
}

int eb_auth_challenge(struct eb_auth *a, const struct eb_scope *scope,
		      const struct eb_http_request *answer, const char *tried,
		      unsigned round, struct eb_error *err)
{
	struct eb_auth_hint hint EB_CLEANUP(eb_auth_hint_release) = { 0 };

	if (eb_auth_learn(a, scope, answer, answer->url, &hint, err) < 0)
		return -1;
	if (hint.basic)
		return answer_basic(a, scope, tried, round, err);
	return answer_bearer(a, scope, &hint, tried, round, err);
}
