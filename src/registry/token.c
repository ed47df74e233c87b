/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a token server: GET with Basic or without a login, POST with a
 * refresh token or a password, one after the other where a server lacks one.
 */
#include <string.h>
#include <time.h>

#include <envbuild/mem.h>

#include "credential_int.h"
#include "token_int.h"

#define MAX_FORM ((size_t)512 << 10)

enum way { WAY_GET, WAY_REFRESH, WAY_PASSWORD };

struct sent {
	struct eb_http_request r;
	struct eb_buf text;
};

static void release_sent(struct sent *s)
{
	eb_http_request_release(&s->r);
	eb_buf_wipe(&s->text);
}

static void add_encoded(struct eb_buf *b, const char *text)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		    (*p >= '0' && *p <= '9') || strchr("-._~", *p))
			eb_buf_addch(b, (char)*p);
		else
			eb_buf_addf(b, "%%%02X", *p);
	}
}

/* NAME=VALUE; nothing for NULL. `between` is put before it. */
static void add_field(struct eb_buf *b, const char *between, const char *name,
		      const char *value)
{
	if (!value)
		return;
	eb_buf_addf(b, "%s%s=", between, name);
	add_encoded(b, value);
}

static void make_url(const struct eb_token_ask *ask, struct eb_buf *url)
{
	const char *query = strchr(ask->realm, '?'), *user = NULL;

	if (ask->login)
		user = ask->login->user;
	eb_buf_adds(url, ask->realm);
	add_field(url, query ? "&" : "?", "client_id", EB_CLIENT_ID);
	add_field(url, "&", "service", ask->service);
	add_field(url, "&", "account", user);
	for (size_t i = 0; i < ask->scopes->n; i++)
		add_field(url, "&", "scope", ask->scopes->v[i]);
}

static void make_form(const struct eb_token_ask *ask, enum way way,
		      struct eb_buf *form)
{
	const struct eb_credential *l = ask->login;
	const char *between = "&scope=";

	if (way == WAY_REFRESH) {
		add_field(form, "", "grant_type", "refresh_token");
		add_field(form, "&", "refresh_token",
			  l->identity_token ? l->identity_token : l->password);
	} else {
		add_field(form, "", "grant_type", "password");
		add_field(form, "&", "username", l->user);
		add_field(form, "&", "password", l->password);
	}
	add_field(form, "&", "service", ask->service);
	add_field(form, "&", "client_id", EB_CLIENT_ID);
	for (size_t i = 0; i < ask->scopes->n; i++) {
		eb_buf_adds(form, between);
		add_encoded(form, ask->scopes->v[i]);
		between = "%20";
	}
}

/* An identity token alone goes as Azure has it: the user of nobody. */
static char *basic_value(const struct eb_credential *l)
{
	if (l && l->user)
		return eb_basic_value(l->user, l->password);
	if (l && l->identity_token)
		return eb_basic_value(EB_NULL_GUID, l->identity_token);
	return NULL;
}

static int deliver(const struct eb_token_ask *ask, struct sent *s,
		   struct eb_error *err)
{
	static const char *const headers[] = {
		"Accept: application/json",
		"Content-Type: application/x-www-form-urlencoded", NULL
	};
	static const char *const no_body[] = { "Accept: application/json",
					       NULL };
	struct eb_http_request *r = &s->r;

	r->headers = r->body.kind == EB_HTTP_NO_BODY ? no_body : headers;
	r->no_netrc = true;
	r->tls = ask->tls;
	r->max_bytes = EB_MAX_SECRET_JSON;
	r->text = &s->text;
	r->fd = -1;
	r->tries = ask->tries;
	r->timeout_ms = ask->timeout_ms;
	r->any_status = true;
	if (eb_http_do(ask->http, &r, 1, err) == 0)
		return 0;
	if (err->code == EB_INTEGRITY) /* longer than a token can be */
		err->code = EB_NETWORK;
	return eb_err_prefix(err, "asking for a token");
}

static int too_long(const struct eb_token_ask *ask, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", asking for a token: the login is longer "
			  "than %zu bytes",
			  ask->realm, MAX_FORM);
}

static int send_get(const struct eb_token_ask *ask, struct sent *s,
		    struct eb_error *err)
{
	eb_autosecret char *basic = basic_value(ask->login);
	EB_AUTOBUF(url, MAX_FORM);
	int status;

	make_url(ask, &url);
	if (url.overflow)
		return too_long(ask, err);
	s->r.url = url.data;
	s->r.method = "GET";
	s->r.authorization = basic;
	status = deliver(ask, s, err);
	s->r.url = s->r.authorization = NULL;
	return status;
}

static int send_post(const struct eb_token_ask *ask, enum way way,
		     struct sent *s, struct eb_error *err)
{
	EB_SECRETBUF(form, MAX_FORM);
	int status;

	make_form(ask, way, &form);
	if (form.overflow)
		return too_long(ask, err);
	s->r.url = ask->realm;
	s->r.method = "POST";
	s->r.body = (struct eb_http_body){ .kind = EB_HTTP_MEMORY,
					   .data = form.data,
					   .size = form.len };
	status = deliver(ask, s, err);
	s->r.url = NULL;
	s->r.body = (struct eb_http_body){ 0 };
	return status;
}

/* 1 a token, 0 an answer that is none (out->status), -1. */
static int try_way(const struct eb_token_ask *ask, enum way way,
		   struct eb_token_answer *out, struct eb_error *err)
{
	struct sent s EB_CLEANUP(release_sent) = { 0 };

	eb_token_answer_release(out);
	eb_secret_buf_init(&s.text, EB_MAX_SECRET_JSON);
	if ((way == WAY_GET ? send_get(ask, &s, err)
			    : send_post(ask, way, &s, err)) < 0)
		return -1;
	out->status = s.r.status;
	if (s.r.status / 100 == 2)
		return eb_token_read(s.text.data, s.text.len, ask->realm,
				     time(NULL), out, err) < 0
			       ? -1
			       : 1;
	out->said = eb_token_words(s.r.error_body, ask->login);
	return 0;
}

static bool is_nobody(const struct eb_credential *l)
{
	return l && l->user && !strcmp(l->user, EB_NULL_GUID);
}

/* The two ways for a login, in order; the number of them. */
static unsigned list_ways(const struct eb_credential *l, enum way way[2])
{
	way[0] = way[1] = WAY_GET;
	if (!l || (!l->user && !l->identity_token))
		return 1;
	if (l->identity_token || is_nobody(l))
		way[0] = WAY_REFRESH;
	else
		way[1] = WAY_PASSWORD;
	return 2;
}

static bool lacks_method(long status)
{
	return status == 404 || status == 405 || status == 501;
}

static int no_token(const struct eb_token_ask *ask,
		    const struct eb_token_answer *a, struct eb_error *err)
{
	if (a->status == 400 || a->status == 401 || a->status == 403)
		return 0;
	return eb_err_set(err, EB_NETWORK,
			  "\"%s\", asking for a token: HTTP status %ld%s%s",
			  ask->realm, a->status, a->said ? ": " : "",
			  a->said ? a->said : "");
}

int eb_token_ask(const struct eb_token_ask *ask, struct eb_token_answer *out,
		 struct eb_error *err)
{
	struct eb_token_answer first EB_CLEANUP(
		eb_token_answer_release) = { 0 };
	enum way way[2];
	unsigned n = list_ways(ask->login, way);
	int got = try_way(ask, way[0], out, err);

	if (got || n < 2 ||
	    !(lacks_method(out->status) ||
	      (is_nobody(ask->login) && out->status / 100 == 4)))
		return got ? got : no_token(ask, out, err);
	first = *out;
	*out = (struct eb_token_answer){ 0 };
	got = try_way(ask, way[1], out, err);
	/* A way that is not there tells less than one that says no. */
	if (got == 0 && lacks_method(out->status)) {
		struct eb_token_answer other = *out;

		*out = first;
		first = other;
	}
	return got ? got : no_token(ask, out, err);
}
