/* SPDX-License-Identifier: Apache-2.0 */
/* One turn of the loop: what may start does, libcurl works, what has ended is
 * judged, then there is a wait for more. */
#include "http_int.h"

#define TICK_MS 500    /* how often stalls are looked for */
#define IDLE_MS 600000 /* without any transfer */

bool eb_http_busy(const struct eb_http *h)
{
	return !TAILQ_EMPTY(&h->waiting) || !TAILQ_EMPTY(&h->running);
}

static void start(struct eb_http *h, struct eb_transfer *t)
{
	struct eb_error err = EB_ERROR_INIT;

	if (h->offline)
		eb_err_set(&err, EB_NETWORK,
			   "\"%s\": %s: not done, because of --offline",
			   t->shown, t->doing);
	else if (eb_transfer_start(t, &err) == 0)
		return;
	eb_transfer_end(t, &err);
}

/* --- ends of tries --------------------------------------------------- */

static void try_again(struct eb_transfer *t, uint64_t wait_ns)
{
	free(eb_steal(t->url));
	free(t->origin);
	t->origin = eb_strdup(t->login.origin);
	t->host = NULL;
	t->not_before = eb_now_ns() + wait_ns;
	eb_detail(t->http->events, "\"%s\": try %u of %u went wrong (%s)",
		  t->shown, t->tries, eb_http_tries(t),
		  *t->errbuf ? t->errbuf : "by the server's answer");
}

static void try_ended(struct eb_transfer *t, CURLcode code)
{
	struct eb_error err = EB_ERROR_INIT;
	uint64_t wait_ns = 0;

	eb_transfer_stop(t);
	switch (eb_http_verdict(t, code, &wait_ns, &err)) {
	case EB_V_AGAIN: try_again(t, wait_ns); return;
	case EB_V_FOLLOW: return;
	case EB_V_DONE:
	case EB_V_FAILED: eb_transfer_end(t, &err);
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

/* --- stalls ---------------------------------------------------------- */

/* A server that has the whole of a large body puts it away before it answers:
 * one second more for each 16 MiB. */
static uint64_t patience_ns(const struct eb_transfer *t)
{
	uint64_t s = eb_http_stall(t), size = t->r->body.size;

	if (size && t->sent == size)
		s += size >> 24;
	return s * 1000000000u;
}

static bool has_stalled(struct eb_transfer *t, uint64_t now)
{
	curl_off_t put = 0;

	if (t->r->body.size)
		curl_easy_getinfo(t->easy, CURLINFO_SIZE_UPLOAD_T, &put);
	if (t->paused || put != t->put)
		t->moved = now;
	t->put = put;
	return now >= t->moved + patience_ns(t);
}

/* One a call, because an end changes the list. */
static bool stop_stalled(struct eb_http *h)
{
	uint64_t now = eb_now_ns();
	struct eb_transfer *t;

	for (t = TAILQ_FIRST(&h->running); t; t = TAILQ_NEXT(t, link)) {
		if (!has_stalled(t, now))
			continue;
		t->stalled = true;
		try_ended(t, CURLE_OPERATION_TIMEDOUT);
		return true;
	}
	return false;
}

/* --- a turn ---------------------------------------------------------- */

/* Was one that had paused for its pipe set going? libcurl may call back from
 * in here, and it may pause at once again. */
static bool wake_paused(struct eb_http *h)
{
	struct eb_transfer *t;
	bool any = false;

	for (t = TAILQ_FIRST(&h->running); t; t = TAILQ_NEXT(t, link)) {
		if (!t->paused || !eb_pipe_ready(t))
			continue;
		t->paused = false;
		t->moved = eb_now_ns();
		curl_easy_pause(t->easy, CURLPAUSE_CONT);
		any = true;
	}
	return any;
}

static CURLMcode turn(struct eb_http *h)
{
	int running, wait_ms;
	CURLMcode code = curl_multi_perform(h->multi, &running);

	if (code != CURLM_OK)
		return code;
	take_messages(h);
	while (stop_stalled(h))
		;
	if (wake_paused(h) || eb_http_next(h))
		return CURLM_OK;
	if (!h->threaded && !eb_http_busy(h))
		return CURLM_OK;
	wait_ms = eb_http_idle_ms(h, eb_http_busy(h) ? TICK_MS : IDLE_MS);
	return curl_multi_poll(h->multi, NULL, 0, wait_ms, NULL);
}

int eb_http_step(struct eb_http *h, struct eb_error *err)
{
	struct eb_transfer *t;
	CURLMcode code;

	eb_http_take_arrived(h);
	while ((t = eb_http_next(h)))
		start(h, t);
	code = turn(h);
	if (code == CURLM_OK)
		return 0;
	return eb_err_set(err, EB_MACHINE, "running transfers: %s",
			  curl_multi_strerror(code));
}
