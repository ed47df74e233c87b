/* SPDX-License-Identifier: Apache-2.0 */
/* Which transfers wait, which run, and which may start: so many in all, so
 * many for one host. */
#include "http_int.h"

#include <string.h>

void eb_http_take_arrived(struct eb_http *h)
{
	if (!h->threaded)
		return;
	pthread_mutex_lock(&h->lock);
	TAILQ_CONCAT(&h->waiting, &h->arrived, link);
	pthread_mutex_unlock(&h->lock);
}

/* --- hosts ----------------------------------------------------------- */

static struct eb_http_host *host_of(struct eb_http *h, const char *origin)
{
	struct eb_http_host *host;

	for (host = h->host; host; host = host->next)
		if (!strcmp(host->origin, origin))
			return host;
	host = eb_calloc(1, sizeof *host);
	host->origin = eb_strdup(origin);
	host->next = h->host;
	return h->host = host;
}

void eb_http_free_hosts(struct eb_http *h)
{
	struct eb_http_host *host;

	while ((host = h->host)) {
		h->host = host->next;
		free(host->origin);
		free(host);
	}
}

/* What takes from a pipe runs beside what gives: were it counted, as many
 * givers as may run could wait for takers that may not. */
static bool counts(const struct eb_transfer *t)
{
	return t->r->body.kind != EB_HTTP_PIPE;
}

void eb_http_running(struct eb_transfer *t)
{
	struct eb_http *h = t->http;

	TAILQ_REMOVE(&h->waiting, t, link);
	TAILQ_INSERT_TAIL(&h->running, t, link);
	t->active = true;
	if (!counts(t))
		return;
	h->active++;
	t->host->active++;
}

/* To the front of those that wait: it has waited once. */
void eb_http_not_running(struct eb_transfer *t)
{
	struct eb_http *h = t->http;

	TAILQ_REMOVE(&h->running, t, link);
	TAILQ_INSERT_HEAD(&h->waiting, t, link);
	t->active = false;
	if (!counts(t))
		return;
	h->active--;
	t->host->active--;
}

/* --- who is next ----------------------------------------------------- */

static bool may_start(struct eb_http *h, struct eb_transfer *t, uint64_t now)
{
	if (t->not_before > now)
		return false;
	if (t->origin && !t->host)
		t->host = host_of(h, t->origin);
	if (!t->host)
		return true; /* it will not get far */
	if (!counts(t))
		return !eb_pipe_waits(t);
	return h->active < h->max_transfers && t->host->active < h->per_host;
}

struct eb_transfer *eb_http_next(struct eb_http *h)
{
	uint64_t now = TAILQ_EMPTY(&h->waiting) ? 0 : eb_now_ns();
	struct eb_transfer *t;

	for (t = TAILQ_FIRST(&h->waiting); t; t = TAILQ_NEXT(t, link))
		if (may_start(h, t, now))
			return t;
	return NULL;
}

int eb_http_idle_ms(const struct eb_http *h, int most)
{
	uint64_t now = eb_now_ns(), least = (uint64_t)most;
	const struct eb_transfer *t;

	for (t = TAILQ_FIRST(&h->waiting); t; t = TAILQ_NEXT(t, link)) {
		uint64_t ms;

		if (t->not_before <= now)
			continue;
		ms = (t->not_before - now) / 1000000 + 1;
		if (ms < least)
			least = ms;
	}
	return (int)least;
}
