/* SPDX-License-Identifier: Apache-2.0 */
/* A try has ended: is it done, failed, to be made again or elsewhere? */
#include "http_int.h"

#include <string.h>

#include <envbuild/str.h>

static const char *status_words(long status)
{
	switch (status) {
	case 401: return "authentication is needed";
	case 403: return "forbidden";
	case 404: return "not there";
	case 407: return "the proxy wants authentication";
	case 408: return "request timeout";
	case 410: return "gone";
	case 429: return "too many requests";
	case 500: return "internal server error";
	case 502: return "bad gateway";
	case 503: return "service unavailable";
	case 504: return "gateway timeout";
	default: return "HTTP status";
	}
}

static int status_error(const struct eb_transfer *t, struct eb_error *err)
{
	long status = t->r->status;
	bool refused = status == 401 || status == 403 || status == 407;

	eb_err_set(err, refused ? EB_REFUSED : EB_NETWORK,
		   "\"%s\": downloading: %s (%ld)", t->shown,
		   status_words(status), status);
	if (status == 401 || status == 403)
		eb_err_hint(err, "put a login into the URL or into netrc");
	return -1;
}

static bool is_redirect(long status)
{
	return status == 301 || status == 302 || status == 303 ||
	       status == 307 || status == 308;
}

/* The tries are used up, or there is a pause to make. */
static enum eb_verdict again(struct eb_transfer *t, uint64_t *wait_ns,
			     struct eb_error *err)
{
	if (t->tries >= t->http->tries)
		return EB_V_FAILED;
	return eb_http_wait(t, wait_ns, err) < 0 ? EB_V_FAILED : EB_V_AGAIN;
}

static enum eb_verdict by_status(struct eb_transfer *t, uint64_t *wait_ns,
				 struct eb_error *err)
{
	long status = t->r->status;
	enum eb_verdict v;

	if (is_redirect(status) && t->location)
		return eb_http_follow(t, err) < 0 ? EB_V_FAILED : EB_V_FOLLOW;
	if ((status >= 200 && status < 300) || status == 304)
		return EB_V_DONE;
	if (status == 416 && t->ranged) {
		if (eb_transfer_rewind(t, err) < 0)
			return EB_V_FAILED;
		v = again(t, wait_ns, err);
	} else {
		v = eb_http_retryable_status(status) ? again(t, wait_ns, err)
						     : EB_V_FAILED;
	}
	if (v == EB_V_FAILED && !eb_err_is_set(err))
		status_error(t, err);
	return v;
}

static enum eb_code code_of(const struct eb_transfer *t, CURLcode code)
{
	switch (code) {
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_LOGIN_DENIED: return EB_REFUSED;
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_OUT_OF_MEMORY:
	case CURLE_FAILED_INIT: return EB_MACHINE;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT: return EB_INPUT;
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR: return t->body ? EB_INTEGRITY : EB_NETWORK;
	default: return EB_NETWORK;
	}
}

static void code_error(const struct eb_transfer *t, CURLcode code,
		       struct eb_error *err)
{
	const char *words = *t->errbuf ? t->errbuf : curl_easy_strerror(code);
	enum eb_code eb = code_of(t, code);

	if (t->stalled)
		eb_err_set(err, EB_NETWORK,
			   "\"%s\": downloading: no byte came for %u s",
			   t->shown, t->http->stall_s);
	else if (eb == EB_INTEGRITY && t->total)
		eb_err_set(err, eb,
			   "\"%s\": downloading: breaks off after %llu of "
			   "%llu bytes",
			   t->shown, (unsigned long long)t->got,
			   (unsigned long long)t->total);
	else if (eb == EB_INTEGRITY)
		eb_err_set(err, eb,
			   "\"%s\": downloading: breaks off after %llu bytes: "
			   "%s",
			   t->shown, (unsigned long long)t->got, words);
	else
		eb_err_set(err, eb, "\"%s\": downloading: %s", t->shown, words);
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		eb_err_hint(err, "--ca-file names the certificates to trust");
}

enum eb_verdict eb_http_verdict(struct eb_transfer *t, CURLcode code,
				uint64_t *wait_ns, struct eb_error *err)
{
	enum eb_verdict v = EB_V_FAILED;

	if (eb_err_is_set(&t->err)) {
		eb_err_move(err, &t->err);
		return EB_V_FAILED;
	}
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &t->r->status);
	if (code == CURLE_OK)
		return by_status(t, wait_ns, err);
	if (eb_http_retryable_code(code))
		v = again(t, wait_ns, err);
	if (v == EB_V_FAILED && !eb_err_is_set(err))
		code_error(t, code, err);
	return v;
}
