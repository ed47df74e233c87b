/* SPDX-License-Identifier: Apache-2.0 */
/* The client itself: made, started by its first request, freed. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "registry_int.h"

static void copy_options(struct eb_registry_options *to,
			 const struct eb_registry_options *from)
{
	*to = *from;
	to->ca_file = eb_strdup(from->ca_file);
	to->user = eb_strdup(from->user);
	to->password = eb_strdup(from->password);
	to->login_host = eb_strdup(from->login_host);
	to->token_dir = eb_strdup(from->token_dir);
	if (!to->tries)
		to->tries = 5;
	if (!to->per_host)
		to->per_host = 6;
	if (!to->backoff_ms)
		to->backoff_ms = 1000;
}

static struct eb_http *new_http(const struct eb_registry_options *o,
				struct eb_events *events)
{
	struct eb_http_options http = {
		.ca_file = o->ca_file,
		.offline = o->offline,
		.max_transfers = o->per_host > 8 ? 2 * o->per_host : 16,
		.per_host = o->per_host,
		.stall_s = o->stall_s,
		.tries = o->tries,
		.backoff_ms = o->backoff_ms,
	};

	return eb_http_new(&http, events);
}

struct eb_registry *eb_registry_new(const struct eb_registry_options *options,
				    struct eb_events *events)
{
	struct eb_registry *r = eb_calloc(1, sizeof *r);

	copy_options(&r->o, options);
	r->events = events;
	pthread_mutex_init(&r->lock, NULL);
	r->http = new_http(&r->o, events);
	r->auth = eb_auth_new(&r->o, r->http, events);
	return r;
}

int eb_registry_start(struct eb_registry *r, struct eb_error *err)
{
	int rc = 0;

	if (r->o.single)
		return 0;
	pthread_mutex_lock(&r->lock);
	if (!r->started) {
		rc = eb_http_start(r->http, err);
		r->started = rc == 0;
	}
	pthread_mutex_unlock(&r->lock);
	return rc;
}

void eb_registry_free(struct eb_registry *r)
{
	if (!r)
		return;
	eb_auth_free(r->auth);
	eb_http_free(r->http);
	eb_repositories_free(r->repository);
	eb_hosts_free(r->host);
	eb_strv_release(&r->warned);
	pthread_mutex_destroy(&r->lock);
	free((char *)r->o.ca_file);
	free((char *)r->o.login_host);
	free((char *)r->o.token_dir);
	eb_secret_free((char *)r->o.user);
	eb_secret_free((char *)r->o.password);
	free(r);
}

void eb_registry_counts(struct eb_registry *r, struct eb_registry_counts *out)
{
	pthread_mutex_lock(&r->lock);
	*out = r->counts;
	pthread_mutex_unlock(&r->lock);
}

void eb_registry_pause(const struct eb_registry *r, unsigned n,
		       unsigned retry_after)
{
	uint64_t ms = (uint64_t)r->o.backoff_ms << (n < 6 ? n : 6);
	struct timespec t;

	if (retry_after)
		ms = (uint64_t)retry_after * r->o.backoff_ms;
	/* up to a quarter more, so that many do not come back at once */
	ms += ms / 4 * (eb_now_ns() / 1000 % 256) / 256;
	if (ms > 60000)
		ms = 60000;
	t.tv_sec = (time_t)(ms / 1000);
	t.tv_nsec = (long)(ms % 1000) * 1000000;
	nanosleep(&t, NULL);
}

int eb_registry_ping(struct eb_repository *repo, struct eb_error *err)
{
	struct eb_call c = { .repo = repo,
			     .doing = "asking for its API",
			     .small = true };
	int rc = eb_repository_home(repo, &c.at, err);

	if (rc == 0)
		rc = eb_call(&c, err);
	if (rc == 0 && !eb_call_good(&c))
		rc = eb_call_failed(&c, err);
	eb_call_release(&c);
	return rc;
}
