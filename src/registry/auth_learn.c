/* SPDX-License-Identifier: Apache-2.0 */
/* What a 401 says of a host: Basic or Bearer, and where tokens are to be had.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "auth_int.h"

void eb_auth_hint_release(struct eb_auth_hint *h)
{
	free(h->scope);
	free(h->error);
	*h = (struct eb_auth_hint){ 0 };
}

struct eb_auth_host *eb_auth_host(struct eb_auth *a, const char *name,
				  bool make)
{
	for (size_t i = 0; i < a->n_hosts; i++)
		if (!strcmp(a->host[i].name, name))
			return &a->host[i];
	if (!make)
		return NULL;
	EB_GROW(a->host, a->n_hosts, a->hosts_alloc);
	a->host[a->n_hosts] = (struct eb_auth_host){ .name = eb_strdup(name) };
	return &a->host[a->n_hosts++];
}

static bool is_registry(const struct eb_scope *scope, const char *url)
{
	eb_autofree char *named = eb_asprintf("https://%s/", scope->host);
	eb_autofree char *own = eb_url_hostname(named);
	eb_autofree char *there = eb_url_hostname(url);

	if (!own || !there)
		return false;
	return !strcmp(own, there) ||
	       (eb_host_is_hub(scope->host) && eb_ends(there, ".docker.io"));
}

/* Whoever a redirect or a Location led to is not whom credentials are for. */
static int check_origin(const struct eb_scope *scope, const char *url,
			const struct eb_http_request *answer,
			struct eb_error *err)
{
	const char *last = answer->final_url ? answer->final_url : url;
	eb_autofree char *from = eb_http_origin(url);
	eb_autofree char *to = eb_http_origin(last);
	eb_autofree char *shown = NULL;

	if (from && to && !strcmp(from, to) && is_registry(scope, url))
		return 0;
	shown = eb_url_redact(last);
	shown[strcspn(shown, "?")] = '\0'; /* it may be a signature */
	return eb_err_set(err, EB_REFUSED,
			  "\"%s\", logging in: it led to \"%.200s\", which "
			  "asks for a login and gets none",
			  scope->host, shown);
}

static void collect(const struct eb_http_request *answer,
		    struct eb_challenges *out)
{
	for (unsigned i = 0; i < EB_MAX_CHALLENGES; i++) {
		eb_autofree char *value =
			eb_http_field(answer, "WWW-Authenticate", i);

		if (!value)
			return;
		eb_challenges_add(out, value);
	}
}

/* Some refuse a request without a word and challenge at /v2/ alone. */
static int ping(struct eb_auth *a, const struct eb_scope *scope,
		const struct eb_http_request *answer, const char *url,
		struct eb_challenges *out, struct eb_error *err)
{
	eb_autofree char *ping_url = eb_http_resolve(url, "/v2/");
	struct eb_http_request r EB_CLEANUP(eb_http_request_release) = {
		.url = ping_url,
		.no_netrc = true,
		.tls = answer->tls,
		.max_bytes = EB_MAX_SECRET_JSON,
		.fd = -1,
		.tries = a->tries,
		.timeout_ms = a->timeout_ms,
		.any_status = true,
	};
	struct eb_http_request *list[] = { &r };

	if (!ping_url)
		return 0;
	if (eb_http_do(a->http, list, 1, err) < 0)
		return -1;
	if (r.status != 401)
		return 0;
	if (check_origin(scope, url, &r, err) < 0)
		return -1;
	collect(&r, out);
	return 0;
}

static int unknown_schemes(const struct eb_scope *scope,
			   const struct eb_challenges *c, struct eb_error *err)
{
	EB_AUTOBUF(names, (size_t)1 << 10);
	eb_autofree char *shown = NULL;

	for (size_t i = 0; i < c->n; i++)
		eb_buf_addf(&names, "%s%.40s", i ? ", " : "", c->v[i].name);
	shown = eb_printable(names.data);
	return eb_err_set(err, EB_REFUSED,
			  "\"%s\", logging in: it asks for %s; Basic and "
			  "Bearer with a realm are known",
			  scope->host, shown);
}

static int no_challenge(const struct eb_scope *scope, struct eb_error *err)
{
	return eb_err_set(err, EB_REFUSED,
			  "\"%s\", logging in: it refuses and there was no "
			  "challenge that says what it wants",
			  scope->host);
}

/* TLS towards the token server: the registry's where the host is one, else
 * what certs.d has for it. */
static int find_tls(const struct eb_http_request *answer, const char *url,
		    const char *realm, struct eb_host_tls *tls, bool *insecure,
		    struct eb_error *err)
{
	eb_autofree char *own = eb_url_hostname(url);
	eb_autofree char *theirs = eb_url_hostname(realm);
	eb_autofree char *host = eb_url_host(realm);
	const struct eb_http_tls *t = answer->tls;

	*insecure = false;
	*tls = (struct eb_host_tls){ 0 };
	if (own && theirs && !strcmp(own, theirs)) {
		if (!t)
			return 0;
		*insecure = t->insecure;
		*tls = (struct eb_host_tls){ eb_strdup(t->ca),
					     eb_strdup(t->cert),
					     eb_strdup(t->key) };
		return 0;
	}
	return eb_host_tls_find(host, tls, err) < 0 ? -1 : 0;
}

static int note_bearer(struct eb_auth *a, const struct eb_scope *scope,
		       const struct eb_http_request *answer, const char *url,
		       const struct eb_challenge *c, struct eb_error *err)
{
	struct eb_auth_host *h;
	struct eb_host_tls tls;
	bool insecure, was_basic;

	if (eb_realm_check(c->realm, url, err) < 0 ||
	    find_tls(answer, url, c->realm, &tls, &insecure, err) < 0)
		return -1;
	pthread_mutex_lock(&a->lock);
	h = eb_auth_host(a, scope->host, true);
	free(h->realm);
	free(h->service);
	eb_host_tls_release(&h->tls);
	h->realm = eb_strdup(c->realm);
	h->service = eb_strdup(c->service);
	h->tls = tls;
	h->insecure = insecure;
	was_basic = h->basic;
	h->basic = false;
	pthread_mutex_unlock(&a->lock);
	if (was_basic)
		eb_auth_keep_basic(a, scope->host, false);
	return 0;
}

static void note_basic(struct eb_auth *a, const struct eb_scope *scope)
{
	struct eb_auth_host *h;

	pthread_mutex_lock(&a->lock);
	h = eb_auth_host(a, scope->host, true);
	h->basic = true;
	free(eb_steal(h->realm));
	pthread_mutex_unlock(&a->lock);
}

/* 1 the host's scheme is known from before, 0 not. */
static int recall(struct eb_auth *a, const struct eb_scope *scope,
		  struct eb_auth_hint *out)
{
	const struct eb_auth_host *h;
	int known;

	pthread_mutex_lock(&a->lock);
	h = eb_auth_host(a, scope->host, false);
	known = h && (h->basic || h->realm);
	out->basic = h && h->basic;
	pthread_mutex_unlock(&a->lock);
	return known;
}

static int note(struct eb_auth *a, const struct eb_scope *scope,
		const struct eb_http_request *answer, const char *url,
		const struct eb_challenge *c, struct eb_auth_hint *out,
		struct eb_error *err)
{
	out->basic = c->scheme == EB_CHALLENGE_BASIC;
	out->scope = eb_strdup(c->scope);
	out->error = eb_strdup(c->error);
	if (!out->basic)
		return note_bearer(a, scope, answer, url, c, err);
	note_basic(a, scope);
	return 0;
}

int eb_auth_learn(struct eb_auth *a, const struct eb_scope *scope,
		  const struct eb_http_request *answer, const char *url,
		  struct eb_auth_hint *out, struct eb_error *err)
{
	struct eb_challenges c EB_CLEANUP(eb_challenges_release) = { 0 };
	const struct eb_challenge *one;

	if (check_origin(scope, url, answer, err) < 0)
		return -1;
	collect(answer, &c);
	if (!c.n) {
		if (recall(a, scope, out))
			return 0;
		if (ping(a, scope, answer, url, &c, err) < 0)
			return -1;
	}
	one = eb_challenges_pick(&c);
	if (one)
		return note(a, scope, answer, url, one, out, err);
	return c.n ? unknown_schemes(scope, &c, err) : no_challenge(scope, err);
}
