/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong, in words. */
#include "http_int.h"

#include <string.h>

static const char *status_words(long status)
{
	switch (status) {
	case 401: return "authentication is needed";
	case 403: return "forbidden";
	case 404: return "not there";
	case 407: return "the proxy wants authentication";
	case 408: return "request timeout";
	case 410: return "gone";
	case 413: return "too large";
	case 429: return "too many requests";
	case 500: return "internal server error";
	case 502: return "bad gateway";
	case 503: return "service unavailable";
	case 504: return "gateway timeout";
	default: return "HTTP status";
	}
}

int eb_http_status_error(const struct eb_transfer *t, struct eb_error *err)
{
	long status = t->r->status;
	bool refused = status == 401 || status == 403 || status == 407;

	eb_err_set(err, refused ? EB_REFUSED : EB_NETWORK,
		   "\"%s\": %s: %s (%ld)", t->shown, t->doing,
		   status_words(status), status);
	if ((status == 401 || status == 403) && !t->r->authorization)
		eb_err_hint(err, "put a login into the URL or into netrc");
	return -1;
}

/* TLS 1.3 says so when the handshake has ended: for libcurl that is an error
 * of receiving, and only OpenSSL's words for the alert tell. */
bool eb_http_wants_certificate(const struct eb_transfer *t)
{
	static const char *const alerts[] = {
		"alert certificate",
		"alert bad certificate",
		"alert unknown ca",
		"alert access denied",
	};

	for (size_t i = 0; i < sizeof alerts / sizeof *alerts; i++)
		if (strstr(t->errbuf, alerts[i]))
			return true;
	return false;
}

static enum eb_code code_of(const struct eb_transfer *t, CURLcode code)
{
	if (eb_http_wants_certificate(t))
		return EB_REFUSED;
	switch (code) {
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_CERTPROBLEM:
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

static int broken_off(const struct eb_transfer *t, const char *words,
		      struct eb_error *err)
{
	unsigned long long got = t->got, total = t->total;

	if (total)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\": downloading: breaks off after %llu "
				  "of %llu bytes",
				  t->shown, got, total);
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\": downloading: breaks off after %llu bytes: "
			  "%s",
			  t->shown, got, words);
}

int eb_http_code_error(const struct eb_transfer *t, CURLcode code,
		       struct eb_error *err)
{
	const char *words = *t->errbuf ? t->errbuf : curl_easy_strerror(code);
	enum eb_code eb = code_of(t, code);

	if (code == CURLE_SEND_FAIL_REWIND)
		words = "the connection broke off";
	if (t->stalled)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\": %s: no byte came for %u s", t->shown,
				  t->doing, eb_http_stall(t));
	if (eb == EB_INTEGRITY)
		return broken_off(t, words, err);
	eb_err_set(err, eb, "\"%s\": %s: %s", t->shown, t->doing, words);
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		eb_err_hint(err, "--ca-file names the certificates to trust");
	else if (eb_http_wants_certificate(t))
		eb_err_hint(err, "a registry's certs.d folder holds the "
				 "certificate to show: NAME.cert, NAME.key");
	return -1;
}
