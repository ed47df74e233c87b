/* SPDX-License-Identifier: Apache-2.0 */
/* One request: its URL, its login, challenges, what is counted and told. */
#include <stdlib.h>
#include <string.h>

#include <envbuild/str.h>

#include "registry_int.h"

int eb_call_text(void *data, const void *p, size_t n, uint64_t offset,
		 struct eb_error *err)
{
	struct eb_buf *text = data;

	if (offset == 0)
		eb_buf_reset(text);
	if (text->len + n <= EB_MAX_REMOTE_MANIFEST &&
	    eb_buf_add(text, p, n) == 0)
		return 0;
	return eb_err_set(err, EB_INPUT, "it is larger than %zu bytes",
			  EB_MAX_REMOTE_MANIFEST);
}

bool eb_call_good(const struct eb_call *c)
{
	return c->r.status >= 200 && c->r.status < 300;
}

char *eb_call_field(const struct eb_call *c, const char *name)
{
	return eb_http_field(&c->r, name, 0);
}

void eb_call_again(struct eb_call *c)
{
	eb_http_request_release(&c->r);
	memset(&c->r, 0, sizeof c->r);
	json_decref(c->errors);
	c->errors = NULL;
	c->read_errors = false;
}

void eb_call_release(struct eb_call *c)
{
	eb_call_again(c);
	free(c->sent_url);
	eb_secret_free(c->sent_value);
	c->sent_url = c->sent_value = NULL;
}

char *eb_call_location(struct eb_call *c, struct eb_error *err)
{
	eb_autofree char *field = eb_call_field(c, "Location");
	const char *from = c->r.final_url ? c->r.final_url : c->sent_url;
	char *to;

	if (!field || !*field) {
		eb_err_set(err, EB_NETWORK, "the answer has no Location");
		eb_call_prefix(c, err);
		return NULL;
	}
	to = eb_host_location(from, field, err);
	if (!to)
		eb_call_prefix(c, err);
	return to;
}

static struct eb_scope scope_of(const struct eb_call *c)
{
	return (struct eb_scope){
		.host = c->at.host->name,
		.repository = c->path || c->url ? c->at.repository : NULL,
		.push = c->push,
		.remove = c->remove,
		.mount_from = c->mount_from,
		.anonymous = c->at.mirror,
	};
}

static const char *scheme_of(const struct eb_call *c)
{
	enum eb_scheme s = c->scheme ? c->scheme : c->at.host->scheme;

	return s == EB_SCHEME_HTTP ? "http" : "https";
}

/* Is `url` on the host that our credentials are for? */
static bool is_at_home(const struct eb_call *c, const char *url)
{
	eb_autofree char *home =
		eb_asprintf("%s://%s/", scheme_of(c), c->at.host->api);
	eb_autofree char *a = eb_http_origin(home), *b = eb_http_origin(url);

	return a && b && strcmp(a, b) == 0;
}

static char *url_of(const struct eb_call *c)
{
	const struct eb_host *h = c->at.host;

	if (c->url)
		return eb_strdup(c->url);
	if (!c->path)
		return eb_asprintf("%s://%s/v2/", scheme_of(c), h->api);
	return eb_asprintf("%s://%s/v2/%s/%s", scheme_of(c), h->api,
			   c->at.repository, c->path);
}

static unsigned tries_of(const struct eb_call *c)
{
	if (c->tries)
		return c->tries;
	return c->at.tries ? c->at.tries : c->repo->registry->o.tries;
}

/* A Location may be at another host, which gets none of what is ours or was
 * said of this one. */
static const struct eb_http_tls *tls_of(const struct eb_call *c)
{
	const struct eb_host *h = c->at.host;

	if (!h->named && !h->insecure)
		return NULL;
	return is_at_home(c, c->sent_url) ? &h->tls : NULL;
}

static void fill(struct eb_call *c)
{
	struct eb_http_request *r = &c->r;

	r->url = c->sent_url;
	r->method = c->method;
	r->headers = c->headers;
	r->authorization = c->sent_value;
	r->no_netrc = true;
	r->tls = tls_of(c);
	r->body = c->body;
	r->task = c->task;
	r->task_kind = c->task_kind;
	r->range_from = c->range_from;
	r->range_size = c->range_size;
	r->max_bytes = c->max_bytes;
	r->expect_size = c->expect_size;
	r->tries = tries_of(c);
	r->timeout_ms =
		c->small ? c->repo->registry->o.timeout_ms : c->timeout_ms;
	r->any_status = true;
	r->to_pipe = c->to_pipe;
	r->sink = c->sink;
	r->data = c->data;
	r->fd = -1;
}

int eb_call_prepare(struct eb_call *c, struct eb_error *err)
{
	struct eb_registry *reg = c->repo->registry;
	struct eb_scope scope = scope_of(c);

	if (eb_registry_start(reg, err) < 0)
		return -1;
	eb_call_again(c);
	free(c->sent_url);
	eb_secret_free(c->sent_value);
	c->sent_value = NULL;
	c->sent_url = url_of(c);
	if (is_at_home(c, c->sent_url))
		c->sent_value = eb_auth_value(reg->auth, &scope);
	fill(c);
	return 0;
}

/* Warning: 299 - "text" ["date"] */
static char *warning_of(const char *field)
{
	const char *from = eb_starts(field, "299 ") ? strchr(field, '"') : NULL;
	EB_AUTOBUF(text, 1024);

	if (!from)
		return NULL;
	for (from++; *from && *from != '"' && !text.overflow; from++) {
		if (*from == '\\' && from[1])
			from++;
		eb_buf_addch(&text, *from);
	}
	return eb_printable(text.data);
}

static void warn_once(struct eb_call *c, const char *text)
{
	struct eb_registry *reg = c->repo->registry;
	bool said;

	pthread_mutex_lock(&reg->lock);
	said = eb_strv_has(&reg->warned, text) || reg->warned.n >= 64;
	if (!said)
		eb_strv_add(&reg->warned, text);
	pthread_mutex_unlock(&reg->lock);
	if (!said)
		eb_warn(reg->events, "\"%s\" says: %s", c->at.host->name, text);
}

void eb_call_settle(struct eb_call *c)
{
	struct eb_registry *reg = c->repo->registry;
	char *field;
	unsigned i;

	pthread_mutex_lock(&reg->lock);
	reg->counts.requests++;
	reg->counts.sent += c->r.sent;
	reg->counts.received += c->r.received;
	pthread_mutex_unlock(&reg->lock);
	for (i = 0; i < 16; i++) {
		eb_autofree char *text = NULL;

		field = eb_http_field(&c->r, "Warning", i);
		if (!field)
			break;
		text = warning_of(field);
		if (text)
			warn_once(c, text);
		free(field);
	}
}

int eb_call_challenge(struct eb_call *c, struct eb_error *err)
{
	struct eb_scope scope = scope_of(c);

	if (!is_at_home(c, c->sent_url))
		return eb_call_failed(c, err);
	if (eb_auth_challenge(c->repo->registry->auth, &scope, &c->r,
			      c->sent_value, c->rounds++, err) == 0)
		return 0;
	return eb_call_prefix(c, err);
}

/* A method that http.h does not redirect, sent elsewhere: with its body, once
 * more, without our login where that is another origin. */
static bool is_moved(const struct eb_call *c)
{
	const char *m = c->method;

	return (c->r.status == 301 || c->r.status == 302 ||
		c->r.status == 307 || c->r.status == 308) &&
	       m && strcmp(m, "GET") != 0 && strcmp(m, "HEAD") != 0 &&
	       c->body.kind != EB_HTTP_PIPE;
}

static int move(struct eb_call *c, char **owned, struct eb_error *err)
{
	char *to = eb_call_location(c, err);

	if (!to)
		return -1;
	free(*owned);
	*owned = to;
	c->url = to;
	return 0;
}

static int run(struct eb_call *c, char **owned, struct eb_error *err)
{
	unsigned moves = 0, rounds = 0;

	for (;;) {
		if (eb_call_send(c, err) < 0)
			return -1;
		if (is_moved(c)) {
			if (moves++ == 5)
				return eb_call_failed(c, err);
			if (move(c, owned, err) < 0)
				return -1;
		} else if (c->r.status == 401 && !c->no_challenge &&
			   is_at_home(c, c->sent_url)) {
			if (rounds++ == 3)
				return eb_call_failed(c, err);
			if (eb_call_challenge(c, err) < 0)
				return -1;
		} else {
			return 0;
		}
	}
}

int eb_call(struct eb_call *c, struct eb_error *err)
{
	eb_autofree char *moved_to = NULL;
	const char *url = c->url;
	int rc;

	c->rounds = 0;
	rc = run(c, &moved_to, err);
	c->url = url;
	return rc;
}
