/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of this process: found, asked for by one for all who wait, dropped.
 */
#include <string.h>
#include <time.h>

#include <envbuild/mem.h>

#include "auth_int.h"

#define FOREVER INT64_MAX
#define BASIC_LIFE (30 * 24 * 3600)

/* --- what is wanted ------------------------------------------------------- */

static char *mount_text(const struct eb_scope *scope)
{
	return eb_asprintf("%s %s %s", scope->host, scope->mount_from,
			   scope->repository);
}

static bool has_mount(const struct eb_scope *scope)
{
	return scope->repository && scope->mount_from &&
	       strcmp(scope->repository, scope->mount_from) != 0;
}

/* With the lock held. */
static bool mount_refused(struct eb_auth *a, const struct eb_scope *scope)
{
	eb_autofree char *text = NULL;

	if (!has_mount(scope))
		return false;
	text = mount_text(scope);
	return eb_strv_has(&a->no_mount, text);
}

bool eb_auth_mount_refused(struct eb_auth *a, const struct eb_scope *scope)
{
	bool refused;

	pthread_mutex_lock(&a->lock);
	refused = mount_refused(a, scope);
	pthread_mutex_unlock(&a->lock);
	return refused;
}

void eb_auth_refuse_mount(struct eb_auth *a, const struct eb_scope *scope)
{
	eb_autofree char *text = NULL;

	if (!has_mount(scope))
		return;
	text = mount_text(scope);
	pthread_mutex_lock(&a->lock);
	if (!eb_strv_has(&a->no_mount, text))
		eb_strv_add(&a->no_mount, text);
	pthread_mutex_unlock(&a->lock);
}

void eb_auth_want(struct eb_auth *a, const struct eb_scope *scope,
		  struct eb_want *out)
{
	*out = (struct eb_want){ .host = eb_strdup(scope->host),
				 .anonymous = scope->anonymous };
	if (!scope->repository)
		return;
	out->access[out->n++] =
		(struct eb_access){ eb_strdup(scope->repository),
				    EB_PULL | (scope->push ? EB_PUSH : 0) |
					    (scope->remove ? EB_DELETE : 0) };
	if (has_mount(scope) && !eb_auth_mount_refused(a, scope))
		out->access[out->n++] =
			(struct eb_access){ eb_strdup(scope->mount_from),
					    EB_PULL };
}

/* --- what is there -------------------------------------------------------- */

static const struct eb_token *
find(struct eb_auth *a, const struct eb_want *want, const char *except)
{
	int64_t now = time(NULL);

	for (size_t i = 0; i < a->tokens.n; i++) {
		const struct eb_token *t = &a->tokens.v[i];

		if (t->expires > now + EB_TOKEN_SPARE &&
		    !strcmp(t->host, want->host) &&
		    t->anonymous == want->anonymous &&
		    eb_access_covers(t->access, t->n, want) &&
		    !(except && !strcmp(t->value, except)))
			return t;
	}
	return NULL;
}

char *eb_auth_token(struct eb_auth *a, const struct eb_want *want)
{
	const struct eb_token *t;
	char *value;

	pthread_mutex_lock(&a->lock);
	t = find(a, want, NULL);
	value = t ? eb_strdup(t->value) : NULL;
	pthread_mutex_unlock(&a->lock);
	return value;
}

static void remove_token(struct eb_tokens *t, size_t i)
{
	eb_token_release(&t->v[i]);
	t->v[i] = t->v[--t->n];
}

/* Takes the token over; expired ones and the one of its key make room. */
static void add(struct eb_auth *a, struct eb_token *t)
{
	struct eb_tokens *all = &a->tokens;
	int64_t now = time(NULL);

	for (size_t i = all->n; i-- > 0;)
		if (all->v[i].expires <= now || !strcmp(all->v[i].key, t->key))
			remove_token(all, i);
	EB_GROW(all->v, all->n, all->alloc);
	all->v[all->n++] = *t;
	*t = (struct eb_token){ 0 };
}

void eb_auth_load(struct eb_auth *a)
{
	struct eb_tokens kept EB_CLEANUP(eb_tokens_release) = { 0 };

	pthread_mutex_lock(&a->file_lock);
	if (!a->loaded)
		eb_token_file_load(&a->file, time(NULL), &kept);
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < kept.n; i++) {
		if (kept.v[i].basic)
			eb_auth_host(a, kept.v[i].host, true)->basic = true;
		else
			add(a, &kept.v[i]);
	}
	pthread_mutex_unlock(&a->lock);
	a->loaded = true;
	pthread_mutex_unlock(&a->file_lock);
}

static void put_file(struct eb_auth *a, const struct eb_token *t)
{
	pthread_mutex_lock(&a->file_lock);
	eb_token_file_put(&a->file, time(NULL), t);
	pthread_mutex_unlock(&a->file_lock);
}

static void drop_file(struct eb_auth *a, const char *key)
{
	pthread_mutex_lock(&a->file_lock);
	eb_token_file_drop(&a->file, time(NULL), key);
	pthread_mutex_unlock(&a->file_lock);
}

void eb_auth_keep_basic(struct eb_auth *a, const char *host, bool basic)
{
	struct eb_token t EB_CLEANUP(eb_token_release) = {
		.host = eb_strdup(host),
		.basic = true,
		.expires = time(NULL) + BASIC_LIFE,
	};
	struct eb_digest d;
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild-basic");
	eb_key_text(&k, host);
	eb_key_end(&k, &d);
	eb_digest_hex(&d, t.key);
	if (basic)
		put_file(a, &t);
	else
		drop_file(a, t.key);
}

/* With the lock held. */
static void drop_where(struct eb_auth *a, const char *value, const char *host,
		       struct eb_strv *keys)
{
	for (size_t i = a->tokens.n; i-- > 0;) {
		const struct eb_token *t = &a->tokens.v[i];

		if (value ? strcmp(t->value, value) : strcmp(t->host, host))
			continue;
		eb_strv_add(keys, t->key);
		remove_token(&a->tokens, i);
	}
}

/* Where another has dropped it before, what is there is newer. */
void eb_auth_drop(struct eb_auth *a, const char *value, const char *host)
{
	struct eb_strv keys EB_CLEANUP(eb_strv_release) = { 0 };

	pthread_mutex_lock(&a->lock);
	drop_where(a, value, NULL, &keys);
	if (keys.n && host)
		drop_where(a, NULL, host, &keys);
	pthread_mutex_unlock(&a->lock);
	for (size_t i = 0; i < keys.n; i++)
		drop_file(a, keys.v[i]);
}

/* --- asking for one ------------------------------------------------------- */

struct asking {
	struct eb_auth *a;
	const struct eb_scope *scope;
	const struct eb_want *want;
	const char *challenge;
	unsigned tries;
	/* copies of what is known of the host */
	char *realm, *service;
	struct eb_host_tls tls;
	bool insecure;
	const struct eb_credential *login; /* or NULL */
};

static void release_asking(struct asking *k)
{
	free(k->realm);
	free(k->service);
	eb_host_tls_release(&k->tls);
}

static int know_host(struct asking *k, struct eb_error *err)
{
	const struct eb_auth_host *h;
	bool known;

	pthread_mutex_lock(&k->a->lock);
	h = eb_auth_host(k->a, k->scope->host, false);
	known = h && h->realm;
	if (known) {
		k->realm = eb_strdup(h->realm);
		k->service = eb_strdup(h->service);
		k->insecure = h->insecure;
		k->tls = (struct eb_host_tls){ eb_strdup(h->tls.ca),
					       eb_strdup(h->tls.cert),
					       eb_strdup(h->tls.key) };
	}
	pthread_mutex_unlock(&k->a->lock);
	if (known)
		return 0;
	return eb_err_set(err, EB_REFUSED,
			  "\"%s\", logging in: where tokens are to be had is "
			  "no longer known",
			  k->scope->host);
}

static void make_key(const struct asking *k, const struct eb_strv *scopes,
		     char hex[EB_HEX_SIZE])
{
	struct eb_digest d;
	struct eb_keyer key;

	eb_key_begin(&key, "envbuild-token");
	eb_key_text(&key, k->realm);
	eb_key_text(&key, k->service);
	for (size_t i = 0; i < scopes->n; i++)
		eb_key_text(&key, scopes->v[i]);
	eb_key_text(&key, NULL);
	eb_key_text(&key, k->scope->host);
	eb_key_text(&key, k->login ? k->login->user : NULL);
	eb_key_end(&key, &d);
	eb_digest_hex(&d, hex);
}

/* `n`: how many of the wanted are covered. */
static void fill(const struct asking *k, const char *token, int64_t expires,
		 unsigned n, struct eb_token *out)
{
	out->host = eb_strdup(k->scope->host);
	out->anonymous = k->scope->anonymous;
	out->expires = expires;
	out->value = eb_secret_join("Bearer ", token, "");
	out->access = eb_calloc(n + 1, sizeof *out->access);
	for (; out->n < n; out->n++)
		out->access[out->n] = (struct eb_access){
			eb_strdup(k->want->access[out->n].repository),
			k->want->access[out->n].actions
		};
}

/* 1, 0 refused, -1. */
static int ask(const struct asking *k, bool mount, struct eb_token *out,
	       struct eb_token_answer *answer, struct eb_error *err)
{
	struct eb_strv scopes EB_CLEANUP(eb_strv_release) = { 0 };
	const struct eb_http_tls tls = { .ca = k->tls.ca,
					 .cert = k->tls.cert,
					 .key = k->tls.key,
					 .insecure = k->insecure };
	const struct eb_token_ask question = {
		.http = k->a->http,
		.realm = k->realm,
		.service = k->service,
		.scopes = &scopes,
		.login = k->login,
		.tls = tls.ca || tls.cert || tls.insecure ? &tls : NULL,
		.tries = k->tries ? k->tries : k->a->tries,
		.timeout_ms = k->a->timeout_ms,
	};
	int got;

	eb_scopes_make(k->want, mount, k->challenge, &scopes);
	got = eb_token_ask(&question, answer, err);
	if (got != 1)
		return got;
	make_key(k, &scopes, out->key);
	fill(k, answer->token, time(NULL) + answer->life,
	     mount ? k->want->n : k->want->n > 0, out);
	return 1;
}

static int refused(const struct asking *k, const struct eb_token_answer *answer,
		   struct eb_error *err)
{
	if (!k->login)
		return eb_auth_no_login(k->a, k->scope, err);
	if (answer->status == 403)
		return eb_auth_no_permission(k->scope, k->login, answer->said,
					     err);
	return eb_auth_wrong_login(k->scope, k->login, answer->said, err);
}

/* A login that is a token: for as long as it works, and never in the file. */
static int use_registry_token(const struct asking *k, struct eb_token *out,
			      struct eb_error *err)
{
	struct eb_strv scopes EB_CLEANUP(eb_strv_release) = { 0 };

	if (!eb_token_is_text(k->login->registry_token))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading the login of \"%s\": "
				  "\"registrytoken\" is no token",
				  k->login->from, k->scope->host);
	eb_scopes_make(k->want, true, NULL, &scopes);
	make_key(k, &scopes, out->key);
	fill(k, k->login->registry_token, FOREVER, k->want->n, out);
	return 0;
}

static int fetch(struct asking *k, struct eb_token *out, struct eb_error *err)
{
	struct eb_token_answer answer EB_CLEANUP(
		eb_token_answer_release) = { 0 };
	int got;

	if (know_host(k, err) < 0 ||
	    eb_auth_login(k->a, k->scope, &k->login, err) < 0)
		return -1;
	if (k->login && k->login->registry_token)
		return use_registry_token(k, out, err);
	got = ask(k, true, out, &answer, err);
	if (got == 0 && k->want->n > 1) {
		got = ask(k, false, out, &answer, err);
		if (got == 1)
			eb_auth_refuse_mount(k->a, k->scope);
	}
	if (got == 0)
		return refused(k, &answer, err);
	if (got == 1)
		put_file(k->a, out);
	return got == 1 ? 0 : -1;
}

/* --- one asks, the others wait -------------------------------------------- */

static struct eb_auth_flight *find_flight(struct eb_auth *a,
					  const struct eb_want *want)
{
	struct eb_auth_flight *f = a->flights;

	while (f && (strcmp(f->want->host, want->host) ||
		     f->want->anonymous != want->anonymous ||
		     !eb_access_covers(f->want->access, f->want->n, want)))
		f = f->next;
	return f;
}

static void copy_error(struct eb_error *to, const struct eb_error *from)
{
	eb_err_set(to, from->code, "%s", from->message);
	if (from->hint)
		eb_err_hint(to, "%s", from->hint);
	if (from->file)
		eb_err_at(to, from->file, from->line, from->column);
}

/* The last one who looks at it takes it away. */
static void leave(struct eb_auth_flight *f)
{
	if (--f->users)
		return;
	eb_err_release(&f->err);
	free(f);
}

static int wait_for(struct eb_auth *a, struct eb_auth_flight *f,
		    struct eb_error *err)
{
	int status = 0;

	f->users++;
	while (!f->done)
		pthread_cond_wait(&a->landed, &a->lock);
	if (eb_err_is_set(&f->err)) {
		copy_error(err, &f->err);
		status = -1;
	}
	leave(f);
	return status;
}

static struct eb_auth_flight *start(struct eb_auth *a,
				    const struct eb_want *want)
{
	struct eb_auth_flight *f = eb_calloc(1, sizeof *f);

	f->want = want;
	f->users = 1;
	f->next = a->flights;
	a->flights = f;
	return f;
}

static void land(struct eb_auth *a, struct eb_auth_flight *f,
		 const struct eb_error *err)
{
	struct eb_auth_flight **p = &a->flights;

	while (*p != f)
		p = &(*p)->next;
	*p = f->next;
	f->want = NULL; /* it is the asking one's, who leaves */
	f->done = true;
	if (eb_err_is_set(err))
		copy_error(&f->err, err);
	pthread_cond_broadcast(&a->landed);
	leave(f);
}

/* With the lock held; not while the request is under way. */
static int fly(struct asking *k, struct eb_error *err)
{
	struct eb_token t EB_CLEANUP(eb_token_release) = { 0 };
	struct eb_auth_flight *f = start(k->a, k->want);
	int status;

	pthread_mutex_unlock(&k->a->lock);
	status = fetch(k, &t, err);
	pthread_mutex_lock(&k->a->lock);
	if (status == 0)
		add(k->a, &t);
	land(k->a, f, err);
	return status;
}

int eb_auth_obtain(struct eb_auth *a, const struct eb_scope *scope,
		   const char *challenge, const char *tried, unsigned tries,
		   struct eb_error *err)
{
	struct eb_want want EB_CLEANUP(eb_want_release) = { 0 };
	struct asking k EB_CLEANUP(release_asking) = { .a = a,
						       .scope = scope,
						       .want = &want,
						       .challenge = challenge,
						       .tries = tries };
	struct eb_auth_flight *f;
	int status = 0;

	eb_auth_want(a, scope, &want);
	pthread_mutex_lock(&a->lock);
	while (status == 0 && !find(a, &want, tried)) {
		f = find_flight(a, &want);
		if (!f) {
			status = fly(&k, err);
			break;
		}
		status = wait_for(a, f, err);
		if (want.n > 1 && mount_refused(a, scope))
			free(want.access[--want.n].repository);
	}
	pthread_mutex_unlock(&a->lock);
	return status;
}
