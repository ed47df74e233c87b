/* SPDX-License-Identifier: Apache-2.0 */
/* What libcurl is told before a try. */
#include "http_int.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define CONNECT_S 30
#define BIG_BUFFER 262144L /* for bodies that go into files */

/* No program that is started while this runs gets our connections. */
static curl_socket_t open_socket(void *data, curlsocktype purpose,
				 struct curl_sockaddr *a)
{
	(void)data;
	(void)purpose;
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* The URL's own login goes to the origin that it was given for; netrc's is
 * looked up by host, so it stays with its host by itself. */
static void set_login(struct eb_transfer *t)
{
	const char *netrc = t->http->netrc;

	if (t->r->authorization)
		return;
	curl_easy_setopt(t->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
	if (t->login.user && eb_http_at_home(t)) {
		curl_easy_setopt(t->easy, CURLOPT_USERNAME, t->login.user);
		curl_easy_setopt(t->easy, CURLOPT_PASSWORD,
				 t->login.password ? t->login.password : "");
		return;
	}
	if (t->r->no_netrc)
		return;
	curl_easy_setopt(t->easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	if (netrc)
		curl_easy_setopt(t->easy, CURLOPT_NETRC_FILE, netrc);
}

/* A host's own certificates are for that host alone. */
static void set_tls(struct eb_transfer *t)
{
	const struct eb_http_tls *tls = eb_http_at_home(t) ? t->r->tls : NULL;
	CURL *e = t->easy;

	if (t->http->ca_file && !(tls && tls->ca))
		curl_easy_setopt(e, CURLOPT_CAINFO, t->http->ca_file);
	if (!tls)
		return;
	if (tls->ca) {
		struct curl_blob blob = { .data = (void *)tls->ca,
					  .len = strlen(tls->ca),
					  .flags = CURL_BLOB_NOCOPY };

		curl_easy_setopt(e, CURLOPT_CAINFO_BLOB, &blob);
	}
	if (tls->cert)
		curl_easy_setopt(e, CURLOPT_SSLCERT, tls->cert);
	if (tls->key)
		curl_easy_setopt(e, CURLOPT_SSLKEY, tls->key);
	if (tls->insecure) {
		curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static void set_range(struct eb_transfer *t)
{
	const struct eb_http_request *r = t->r;
	unsigned long long from = t->got;
	char range[64];

	if (r->range_size) {
		from += r->range_from;
		snprintf(range, sizeof range, "%llu-%llu", from,
			 (unsigned long long)r->range_from + r->range_size - 1);
	} else {
		snprintf(range, sizeof range, "%llu-", from);
	}
	curl_easy_setopt(t->easy, CURLOPT_RANGE, range);
}

/* A pipe's two ends stop and go by themselves: each has its connection, where
 * HTTP/2 would have both in one, and a stream that rests slows the others. */
static void set_version(struct eb_transfer *t)
{
	if (t->r->to_pipe || t->r->body.kind == EB_HTTP_PIPE)
		curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION,
				 (long)CURL_HTTP_VERSION_1_1);
}

static void set_times(struct eb_transfer *t)
{
	unsigned stall_s = eb_http_stall(t);

	curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT,
			 (long)(stall_s < CONNECT_S ? stall_s : CONNECT_S));
	curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, (long)t->r->timeout_ms);
	curl_easy_setopt(t->easy, CURLOPT_TCP_KEEPALIVE, 1L);
}

/* Where the environment says that there is to be none, there is none. */
static void set_proxy(struct eb_transfer *t)
{
	if (t->r->proxy)
		curl_easy_setopt(t->easy, CURLOPT_PROXY, t->r->proxy);
}

/* The big buffer is worth its making where much may come. */
static void set_size(struct eb_transfer *t)
{
	const struct eb_http_request *r = t->r;

	if (r->to_pipe || r->sink || (!r->text && r->fd >= 0))
		curl_easy_setopt(t->easy, CURLOPT_BUFFERSIZE, BIG_BUFFER);
}

void eb_http_setup(struct eb_transfer *t)
{
	CURL *e = t->easy;

	curl_easy_reset(e);
	curl_easy_setopt(e, CURLOPT_URL, t->url);
	curl_easy_setopt(e, CURLOPT_PRIVATE, t);
	curl_easy_setopt(e, CURLOPT_ERRORBUFFER, t->errbuf);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_NOPROGRESS, 1L);
	curl_easy_setopt(e, CURLOPT_USERAGENT, t->http->user_agent);
	curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	if (t->resumed || t->r->range_size)
		set_range(t);
	set_version(t);
	set_times(t);
	set_proxy(t);
	set_size(t);
	set_login(t);
	set_tls(t);
	eb_http_set_fields(t);
	eb_http_body_setup(t);
	eb_http_answer_setup(t);
}
