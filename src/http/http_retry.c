/* SPDX-License-Identifier: Apache-2.0 */
/* Which failures are worth another try, and after how long. */
#include "http_int.h"

#include <envbuild/str.h>

#define MAX_PAUSE_S 60 /* what a server may ask for */
#define MAX_BACKOFF 16 /* units of backoff_ms */

bool eb_http_retryable_status(long status)
{
	switch (status) {
	case 408:
	case 425:
	case 429:
	case 499:
	case 500:
	case 502:
	case 503:
	case 504:
	case 522: return true;
	default: return false;
	}
}

bool eb_http_retryable_code(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_GOT_NOTHING:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_WEIRD_SERVER_REPLY: return true;
	default: return false;
	}
}

static uint64_t in_ns(const struct eb_transfer *t, uint64_t units)
{
	return units * t->http->backoff_ms * 1000000u;
}

/* 1, 2, 4 ... units, less up to a half of it, so that many who failed at one
 * moment do not come back at one moment. */
static uint64_t backoff(struct eb_transfer *t)
{
	uint64_t units = 1u << (t->tries > 5 ? 4 : t->tries - 1), ns;

	ns = in_ns(t, units > MAX_BACKOFF ? MAX_BACKOFF : units);
	return ns - (uint64_t)(rand_r(&t->http->seed) % 512) * (ns / 1024);
}

unsigned eb_http_stall(const struct eb_transfer *t)
{
	return t->r->stall_s ? t->r->stall_s : t->http->stall_s;
}

unsigned eb_http_tries(const struct eb_transfer *t)
{
	return t->r->tries ? t->r->tries : t->http->tries;
}

int eb_http_wait(struct eb_transfer *t, uint64_t *wait_ns, struct eb_error *err)
{
	unsigned asked = t->r->retry_after;

	if (asked > MAX_PAUSE_S) {
		eb_err_set(err, EB_NETWORK,
			   "\"%s\": %s: the server answers %ld and asks for a "
			   "pause of %u s",
			   t->shown, t->doing, t->r->status, asked);
		return eb_err_hint(err, "try again after that time");
	}
	*wait_ns = asked ? in_ns(t, asked) : backoff(t);
	return 0;
}
