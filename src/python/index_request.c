/* SPDX-License-Identifier: Apache-2.0 */
/* How pip's settings want a request made: certificates, whose are not asked
 * for, the proxy, how long to wait and how often to ask. */
#include "index_int.h"

#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

#define TRIES 5 /* at most, whatever the settings say */

/* Is the URL's host, or host and port, one whose certificate is not asked
 * for? */
static bool is_trusted(const struct eb_indexes *x, const char *url)
{
	eb_autofree char *bare = eb_index_with_login(url, NULL);
	char *host = strstr(bare, "://");
	size_t n;

	if (!host)
		return false;
	host += 3;
	host[strcspn(host, "/?#")] = '\0';
	n = strcspn(host, ":");
	for (size_t i = 0; i < x->trusted_host.n; i++) {
		const char *t = x->trusted_host.v[i];

		if (!strcasecmp(t, host) ||
		    (strlen(t) == n && !strncasecmp(t, host, n)))
			return true;
	}
	return false;
}

static int set_tls(const struct eb_indexes *x, const char *url,
		   struct eb_index_way *way, struct eb_error *err)
{
	if (!eb_starts(url, "https://"))
		return 0;
	if (x->ca_file) {
		eb_buf_release(&way->ca);
		eb_buf_init(&way->ca, EB_MAX_METADATA + 1);
		if (eb_read_file(x->ca_file, EB_MAX_METADATA, &way->ca, err) <
		    0)
			return -1;
		way->tls.ca = way->ca.data;
	}
	way->tls.cert = way->tls.key = x->client_cert;
	way->tls.insecure = is_trusted(x, url);
	return 0;
}

int eb_index_request(const struct eb_indexes *x, struct eb_index_way *way,
		     struct eb_http_request *r, struct eb_error *err)
{
	way->tls = (struct eb_http_tls){ 0 };
	if (set_tls(x, r->url, way, err) < 0)
		return -1;
	r->tls = &way->tls;
	r->proxy = x->proxy;
	r->stall_s = x->timeout_s;
	if (x->has_retries)
		r->tries = x->retries < TRIES ? x->retries + 1 : TRIES;
	return 0;
}

void eb_index_way_release(struct eb_index_way *way)
{
	eb_buf_release(&way->ca);
	way->tls = (struct eb_http_tls){ 0 };
}
