/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP(S) downloads by libcurl's multi interface: one loop, many transfers,
 * a limit per host, one retry policy.
 *
 * Retried, at most 5 tries, with back-off and jitter: 408, 425, 429 (after
 * Retry-After, at most 60 s; longer is EB_NETWORK that tells the time), 500,
 * 502, 503, 504, 522, connection refused/reset/cut; a body that breaks off is
 * resumed by Range when the server names a strong ETag. 60 s without a byte
 * is a stall. 404 and 410: EB_NETWORK with status 404 in the request. 401 and
 * 403: EB_REFUSED. Redirects: at most 10, never from https to http,
 * credentials never to another host. Userinfo in the URL and netrc are used
 * and never appear in messages (eb_url_redact).
 */
#ifndef EB_HTTP_H
#define EB_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/mem.h>

struct eb_http;

struct eb_http_options {
	const char *ca_file;	/* NULL: system's, SSL_CERT_FILE */
	const char *user_agent; /* NULL: "envbuild" */
	bool offline;		/* every request is EB_NETWORK, says offline */
	unsigned max_transfers; /* 0: 8 */
	unsigned per_host;	/* 0: 6 */
	unsigned stall_s;	/* 0: 60 */
	unsigned tries;		/* 0: 5 */
	/* multiplies waits between tries; 0: 1000. For tests. */
	unsigned backoff_ms;
};

struct eb_http *eb_http_new(const struct eb_http_options *options,
			    struct eb_events *events);
void eb_http_free(struct eb_http *http);
EB_AUTOPTR(struct eb_http, eb_http_free)

struct eb_http_request {
	/* filled by the caller */
	const char *url;
	const char *task; /* name in progress events, or NULL */
	const char *if_none_match, *if_modified_since; /* or NULL */
	uint64_t max_bytes;   /* larger bodies: EB_INTEGRITY; 0: no limit */
	uint64_t expect_size; /* for progress, 0 = unknown */
	int fd; /* body is appended here from its current end (0 at start) */
	/* Called in the loop's thread once the request has ended, well or
	 * not; may add requests. May be NULL. */
	void (*done)(void *data, struct eb_http_request *r);
	void *data;
	/* filled */
	struct eb_error err; /* set when the request did not work out */
	long status;	     /* last HTTP status, 0 when there was none */
	char *etag, *last_modified, *cache_control;
	uint64_t received;
	/* private */
	void *transfer;
};

/* Queue a request; it must live until it has ended. */
void eb_http_add(struct eb_http *http, struct eb_http_request *r);
/* Run until every request has ended. Errors are in the requests; this one
 * fails only when the loop itself cannot run. */
int eb_http_run(struct eb_http *http, struct eb_error *err);
void eb_http_request_release(struct eb_http_request *r); /* what was filled */

#endif
