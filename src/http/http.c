/* SPDX-License-Identifier: Apache-2.0 */
/* The loop: which transfers run, which wait, which have ended. */
#include "http_int.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define TICK_MS 500

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

struct eb_http *eb_http_new(const struct eb_http_options *o,
			    struct eb_events *events)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct eb_http *h = eb_calloc(1, sizeof *h);
	const char *agent = o->user_agent;

	pthread_once(&once, init_curl);
	h->multi = curl_multi_init();
	if (!h->multi)
		eb_oom();
	h->ca_file = ca_file(o);
	h->user_agent = eb_strdup(agent ? agent : "envbuild");
	h->netrc = eb_strdup(getenv("NETRC"));
	h->offline = o->offline;
	h->max_transfers = or_default(o->max_transfers, 8);
	h->per_host = or_default(o->per_host, 6);
	h->stall_s = or_default(o->stall_s, 60);
	h->tries = or_default(o->tries, 5);
	h->backoff_ms = or_default(o->backoff_ms, 1000);
	h->running = eb_calloc(h->max_transfers, sizeof *h->running);
	h->events = events;
	h->last = &h->first;
	h->seed = (unsigned)getpid() ^ (unsigned)eb_now_ns();
	return h;
}

void eb_http_free(struct eb_http *h)
{
	struct eb_transfer *next;

	if (!h)
		return;
	for (struct eb_transfer *t = h->first; t; t = next) {
		next = t->next;
		t->r->transfer = NULL;
		eb_transfer_free(t);
	}
	curl_multi_cleanup(h->multi);
	free(h->running);
	free(h->ca_file);
	free(h->user_agent);
	free(h->netrc);
	free(h);
}

void eb_http_add(struct eb_http *h, struct eb_http_request *r)
{
	struct eb_transfer *t = eb_transfer_new(h, r);

	r->transfer = t;
	*h->last = t;
	h->last = &t->next;
}

void eb_http_request_release(struct eb_http_request *r)
{
	eb_err_release(&r->err);
	free(eb_steal(r->etag));
	free(eb_steal(r->last_modified));
	free(eb_steal(r->cache_control));
	r->status = 0;
	r->received = 0;
}

/* --- ends ------------------------------------------------------------ */

static void unlink_transfer(struct eb_http *h, struct eb_transfer *t)
{
	struct eb_transfer **p = &h->first;

	while (*p != t)
		p = &(*p)->next;
	*p = t->next;
	if (h->last == &t->next)
		h->last = p;
}

static void say_end(struct eb_transfer *t)
{
	struct eb_event ev = {
		.type = EB_EV_TASK_END,
		.name = t->r->task,
		.kind = "fetch",
		.text = eb_err_is_set(&t->r->err) ? t->r->err.message : "",
		.done = t->got,
		.total = t->got,
	};

	if (t->begun)
		eb_emit(t->http->events, &ev);
}

/* The request has ended, well when `err` is not set. Its callback comes last:
 * it may free the request. */
static void end(struct eb_transfer *t, struct eb_error *err)
{
	struct eb_http_request *r = t->r;

	if (eb_err_is_set(err))
		eb_err_move(&r->err, err);
	if (r->status == 410)
		r->status = 404;
	r->received = t->got;
	say_end(t);
	unlink_transfer(t->http, t);
	eb_transfer_free(t);
	r->transfer = NULL;
	if (r->done)
		r->done(r->data, r);
}

static void queue_again(struct eb_transfer *t, uint64_t wait_ns)
{
	free(eb_steal(t->url));
	free(t->origin);
	t->origin = eb_strdup(t->login.origin);
	t->not_before = eb_now_ns() + wait_ns;
	eb_detail(t->http->events, "\"%s\": try %u of %u went wrong (%s)",
		  t->shown, t->tries, t->http->tries,
		  *t->errbuf ? t->errbuf : "by the server's answer");
}

static void try_ended(struct eb_transfer *t, CURLcode code)
{
	struct eb_error err = EB_ERROR_INIT;
	uint64_t wait_ns = 0;

	eb_transfer_stop(t);
	switch (eb_http_verdict(t, code, &wait_ns, &err)) {
	case EB_V_AGAIN: queue_again(t, wait_ns); return;
	case EB_V_FOLLOW: return;
	case EB_V_DONE:
	case EB_V_FAILED: end(t, &err);
	}
}

static void take_messages(struct eb_http *h)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(h->multi, &left))) {
		struct eb_transfer *t = NULL;
		CURLcode code = m->data.result;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
		try_ended(t, code);
	}
}

/* One a call, because an end changes the list. */
static bool stop_stalled(struct eb_http *h)
{
	uint64_t now = eb_now_ns(), most = h->stall_s * 1000000000ull;

	for (struct eb_transfer *t = h->first; t; t = t->next) {
		if (t->state != EB_T_ACTIVE || now < t->moved + most)
			continue;
		t->stalled = true;
		try_ended(t, CURLE_OPERATION_TIMEDOUT);
		return true;
	}
	return false;
}

/* --- starts ---------------------------------------------------------- */

static unsigned active_at(const struct eb_http *h, const char *origin)
{
	unsigned n = 0;

	for (unsigned i = 0; i < h->active; i++)
		n += !strcmp(h->running[i]->origin, origin);
	return n;
}

static bool may_start(const struct eb_http *h, const struct eb_transfer *t,
		      uint64_t now)
{
	if (t->state != EB_T_QUEUED || t->not_before > now)
		return false;
	return !t->origin || active_at(h, t->origin) < h->per_host;
}

static void start(struct eb_http *h, struct eb_transfer *t)
{
	struct eb_error err = EB_ERROR_INIT;

	if (h->offline)
		eb_err_set(&err, EB_NETWORK,
			   "\"%s\": downloading: not done, because of "
			   "--offline",
			   t->shown);
	else if (eb_transfer_start(t, &err) == 0)
		return;
	end(t, &err);
}

static struct eb_transfer *next_to_start(struct eb_http *h)
{
	uint64_t now = eb_now_ns();

	if (h->active >= h->max_transfers)
		return NULL;
	for (struct eb_transfer *t = h->first; t; t = t->next)
		if (may_start(h, t, now))
			return t;
	return NULL;
}

/* Milliseconds until a transfer that waits may start. */
static int poll_ms(const struct eb_http *h)
{
	uint64_t now = eb_now_ns(), least = TICK_MS;

	for (const struct eb_transfer *t = h->first; t; t = t->next) {
		uint64_t ms;

		if (t->state != EB_T_QUEUED || t->not_before <= now)
			continue;
		ms = (t->not_before - now) / 1000000 + 1;
		if (ms < least)
			least = ms;
	}
	return (int)least;
}

static int step(struct eb_http *h, struct eb_error *err)
{
	struct eb_transfer *t;
	int running;
	CURLMcode code;

	while ((t = next_to_start(h)))
		start(h, t);
	code = curl_multi_perform(h->multi, &running);
	if (code == CURLM_OK) {
		take_messages(h);
		while (stop_stalled(h))
			;
		if (h->first && !next_to_start(h))
			code = curl_multi_poll(h->multi, NULL, 0, poll_ms(h),
					       NULL);
	}
	if (code == CURLM_OK)
		return 0;
	return eb_err_set(err, EB_MACHINE, "running downloads: %s",
			  curl_multi_strerror(code));
}

int eb_http_run(struct eb_http *h, struct eb_error *err)
{
	while (h->first)
		if (step(h, err) < 0)
			return -1;
	return 0;
}
