/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sending by the scheme that a host speaks. Where both are possible, the
 * first request finds out: one try with each; what answers is remembered.
 */
#include <string.h>

#include <envbuild/str.h>

#include "registry_int.h"

static unsigned schemes(const struct eb_call *c, enum eb_scheme out[2])
{
	const struct eb_host *h = c->at.host;
	const struct eb_registry_options *o = &c->repo->registry->o;
	bool named = h->named || o->ca_file;

	out[0] = h->scheme;
	if (out[0] != EB_SCHEME_UNKNOWN || c->url)
		return 1;
	if (!h->loopback && !o->plain_http && !h->insecure) {
		out[0] = EB_SCHEME_HTTPS;
		return 1;
	}
	out[0] = EB_SCHEME_HTTP;
	out[1] = EB_SCHEME_HTTPS;
	if ((h->insecure || named) && !o->plain_http) {
		out[0] = EB_SCHEME_HTTPS;
		out[1] = EB_SCHEME_HTTP;
	}
	return h->named && !h->insecure && !o->plain_http ? 1 : 2;
}

/* One eb_http_do(); 0 also when it ended badly: then c->r.err is set. */
static int once(struct eb_call *c, enum eb_scheme scheme, unsigned tries,
		struct eb_error *err)
{
	struct eb_http_request *r = &c->r;
	struct eb_error loop = EB_ERROR_INIT;

	c->scheme = scheme;
	if (eb_call_prepare(c, err) < 0)
		return -1;
	if (tries)
		r->tries = tries;
	if (eb_http_do(c->repo->registry->http, &r, 1, &loop) < 0)
		eb_err_move(&r->err, &loop);
	eb_call_settle(c);
	return 0;
}

/* A TLS server says to plain http, if anything, 400 and nothing that a
 * registry would. */
static bool wants_tls(struct eb_call *c, enum eb_scheme scheme)
{
	eb_autofree char *version =
		eb_call_field(c, "Docker-Distribution-Api-Version");

	return scheme == EB_SCHEME_HTTP && c->r.status == 400 && !version &&
	       !(c->r.error_body && strchr(c->r.error_body, '{'));
}

static int finish(struct eb_call *c, struct eb_error *err)
{
	if (!eb_err_is_set(&c->r.err))
		return 0;
	eb_err_move(err, &c->r.err);
	if (err->code == EB_NETWORK && c->r.status < 200 &&
	    eb_starts(c->sent_url, "https:") &&
	    (strstr(err->message, "wrong version number") ||
	     strstr(err->message, "packet length too long"))) {
		err->code = EB_REFUSED;
		eb_err_hint(err, "that is no TLS; --plain-http allows http");
	}
	return eb_call_prefix(c, err);
}

/* Who takes the connection and then is silent has been tried once; the other
 * scheme would not make him speak. */
#define SILENCE_NS 1000000000u

static bool was_silent(const struct eb_call *c, uint64_t since)
{
	uint64_t most = (uint64_t)c->r.timeout_ms * 900000;

	if (!most || most > SILENCE_NS)
		most = SILENCE_NS;
	return c->r.status < 200 && eb_now_ns() - since >= most;
}

/* 1 that was a try, and c->r holds how it went; 0 nothing speaks it */
static int attempt(struct eb_call *c, enum eb_scheme scheme,
		   struct eb_error *err)
{
	uint64_t since = eb_now_ns();

	if (once(c, scheme, 1, err) < 0)
		return -1;
	if (c->r.status >= 200 && !wants_tls(c, scheme)) {
		c->at.host->scheme = scheme;
		return 1;
	}
	return c->r.err.code == EB_REFUSED || was_silent(c, since);
}

static bool is_worth_another(const struct eb_call *c)
{
	enum eb_code code = c->r.err.code;

	return c->r.retry_after <= 60 &&
	       (code == EB_NETWORK || code == EB_INTEGRITY);
}

/* The rest of the tries, when the first one ended badly. */
static int go_on(struct eb_call *c, struct eb_error *err)
{
	const struct eb_registry *reg = c->repo->registry;
	unsigned tries = c->at.tries ? c->at.tries : reg->o.tries;

	if (c->tries)
		tries = c->tries;
	if (tries < 2 || !is_worth_another(c))
		return finish(c, err);
	eb_registry_pause(reg, 0, c->r.retry_after);
	if (once(c, c->scheme, tries - 1, err) < 0)
		return -1;
	return finish(c, err);
}

int eb_call_send(struct eb_call *c, struct eb_error *err)
{
	enum eb_scheme scheme[2];
	unsigned n = schemes(c, scheme), i;
	int rc;

	for (i = 0; n == 2 && i < n; i++) {
		rc = attempt(c, scheme[i], err);
		if (rc < 0)
			return -1;
		if (rc)
			return go_on(c, err);
	}
	if (once(c, scheme[0], 0, err) < 0)
		return -1;
	if (c->r.status >= 200 && !c->url && !wants_tls(c, scheme[0]))
		c->at.host->scheme = scheme[0];
	return finish(c, err);
}
