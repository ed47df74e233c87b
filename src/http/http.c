/* SPDX-License-Identifier: Apache-2.0 */
/* The object: made from its options, and freed. */
#include "http_int.h"

#include <unistd.h>

static unsigned or_default(unsigned value, unsigned fallback)
{
	return value ? value : fallback;
}

static void init_curl(void)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		eb_oom();
}

/* libcurl as Debian builds it knows its own bundle only; OpenSSL's variable
 * is what people set. */
static char *ca_file(const struct eb_http_options *o)
{
	const char *env = getenv("SSL_CERT_FILE");

	if (o->ca_file)
		return eb_strdup(o->ca_file);
	return env && *env ? eb_strdup(env) : NULL;
}

/* Connections are kept for the next request: libcurl alone would keep four
 * for each transfer that runs, so hardly any between two. */
static void init_multi(struct eb_http *h)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_curl);
	h->multi = curl_multi_init();
	if (!h->multi)
		eb_oom();
	curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS,
			  4L * h->max_transfers);
}

static void init_options(struct eb_http *h, const struct eb_http_options *o)
{
	const char *agent = o->user_agent;

	h->ca_file = ca_file(o);
	h->user_agent = eb_strdup(agent ? agent : "envbuild");
	h->netrc = eb_strdup(getenv("NETRC"));
	h->offline = o->offline;
	h->max_transfers = or_default(o->max_transfers, 8);
	h->per_host = or_default(o->per_host, 6);
	h->stall_s = or_default(o->stall_s, 60);
	h->tries = or_default(o->tries, 5);
	h->backoff_ms = or_default(o->backoff_ms, 1000);
}

struct eb_http *eb_http_new(const struct eb_http_options *o,
			    struct eb_events *events)
{
	struct eb_http *h = eb_calloc(1, sizeof *h);

	init_options(h, o);
	init_multi(h);
	h->events = events;
	TAILQ_INIT(&h->waiting);
	TAILQ_INIT(&h->running);
	TAILQ_INIT(&h->arrived);
	pthread_mutex_init(&h->lock, NULL);
	h->seed = (unsigned)getpid() ^ (unsigned)eb_now_ns();
	return h;
}

static void drop(struct eb_transfers *list)
{
	struct eb_transfer *t;

	while ((t = TAILQ_FIRST(list))) {
		t->r->transfer = NULL;
		eb_transfer_free(t);
	}
}

void eb_http_free(struct eb_http *h)
{
	if (!h)
		return;
	eb_http_stop(h);
	drop(&h->running);
	drop(&h->waiting);
	while (h->n_idle)
		curl_easy_cleanup(h->idle[--h->n_idle]);
	curl_multi_cleanup(h->multi);
	eb_http_free_hosts(h);
	pthread_mutex_destroy(&h->lock);
	free(h->ca_file);
	free(h->user_agent);
	free(h->netrc);
	free(h);
}

void eb_http_add(struct eb_http *h, struct eb_http_request *r)
{
	struct eb_transfer *t = eb_transfer_new(h, r);

	TAILQ_INSERT_TAIL(&h->waiting, t, link);
}

int eb_http_run(struct eb_http *h, struct eb_error *err)
{
	while (eb_http_busy(h))
		if (eb_http_step(h, err) < 0)
			return -1;
	return 0;
}
