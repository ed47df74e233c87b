/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP(S) by libcurl's multi interface: one loop, many transfers, a limit per
 * host, one retry policy.
 *
 * Retried, at most 5 tries, with back-off and jitter: 408, 425, 429 (after
 * Retry-After, seconds or a date, at most 60 s; longer is EB_NETWORK that
 * tells the time), 499, 500, 502, 503, 504, 522, connection
 * refused/reset/cut; a body that breaks off is resumed by Range when the
 * server names a strong ETag. 60 s without a byte is a stall; who has the
 * whole of a large body gets a second more for each 16 MiB of it. 404 and 410:
 * EB_NETWORK with status 404 in the request. 401 and 403: EB_REFUSED.
 * Redirects of GET and HEAD: at most 10, never from https to http,
 * credentials never to another host; other methods do not follow them: a 3xx
 * is their answer. Userinfo in the URL and netrc are used and never appear in
 * messages, nor does the URL's query, which may be a signature.
 */
#ifndef EB_HTTP_H
#define EB_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/buf.h>
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
/* Ends the loop's thread, if there is one. */
void eb_http_free(struct eb_http *http);
EB_AUTOPTR(struct eb_http, eb_http_free)

/* What a host wants of TLS (certs.d); members may be NULL. */
struct eb_http_tls {
	const char *ca;		/* PEM text, instead of the options' file */
	const char *cert, *key; /* of the client, PEM */
	bool insecure;		/* any certificate; asked for by the user */
};

/* What a request sends. The bytes are read again from the start at every try,
 * but a pipe's, which can be sent once. */
enum eb_http_body_kind {
	EB_HTTP_NO_BODY, /* POST, PUT and PATCH say Content-Length: 0 */
	EB_HTTP_MEMORY,
	EB_HTTP_FD,   /* by pread */
	EB_HTTP_PIPE, /* what another request receives */
};
struct eb_http_body {
	enum eb_http_body_kind kind;
	const void *data;
	int fd;
	uint64_t offset;
	struct eb_http_pipe *pipe;
	uint64_t size; /* exact: it is the Content-Length */
};

/* Bytes from one request's answer to another one's body, `capacity` of them in
 * memory at most (64 KiB or more): who is ahead pauses. The taking request
 * starts once the giving one's 2xx answer begins. Where one of them fails the
 * other one does, with the same error; where the taking one is answered before
 * it has taken all, the giving one fails, EB_NETWORK. Both are given to one
 * eb_http_do(); an unused pipe may be used again. */
struct eb_http_pipe;
struct eb_http_pipe *eb_http_pipe_new(size_t capacity);
void eb_http_pipe_free(struct eb_http_pipe *pipe);

struct eb_http_request {
	/* filled by the caller */
	const char *url;
	const char *method; /* NULL: GET */
	/* Lines "Name: value", NULL at the end; or NULL. They go along with
	 * redirects: nothing secret belongs here. */
	const char *const *headers;
	/* Value of that header field, for the origin of `url` alone; or NULL.
	 * Where it is set, netrc is not asked. */
	const char *authorization;
	bool no_netrc;
	const struct eb_http_tls *tls; /* or NULL */
	struct eb_http_body body;
	const char *task;      /* name in progress events, or NULL */
	const char *task_kind; /* NULL: "fetch" */
	const char *if_none_match, *if_modified_since; /* or NULL */
	uint64_t range_from, range_size; /* size 0: all. A server that sends
					  * the whole: EB_NETWORK */
	uint64_t max_bytes;   /* larger bodies: EB_INTEGRITY; 0: no limit */
	uint64_t expect_size; /* for progress, 0 = unknown */
	unsigned tries;	      /* 0: the options'; 1: never again */
	unsigned timeout_ms;  /* of one try, 0: none but the stall's */
	unsigned stall_s;     /* without a byte; 0: the options' */
	const char *proxy;    /* instead of the environment's; or NULL */
	/* A status that is not worth another try is an answer, not an error:
	 * r->err stays empty. */
	bool any_status;
	/* Where the body of a 2xx answer goes; the first that is set. A sink
	 * may be called again from the start after a try that broke off: then
	 * `offset` is 0 again. -1 with err ends the request. A sink beside a
	 * pipe sees the bytes before they go into it, once each. */
	struct eb_http_pipe *to_pipe;
	int (*sink)(void *data, const void *p, size_t n, uint64_t offset,
		    struct eb_error *err);
	struct eb_buf *text; /* its limit holds too */
	int fd; /* body is appended here from its current end (0 at start);
		 * -1: nowhere */
	/* Called in the loop's thread once the request has ended, well or
	 * not; may add requests. May be NULL. */
	void (*done)(void *data, struct eb_http_request *r);
	void *data;
	/* filled */
	struct eb_error err; /* set when the request did not work out */
	long status;	     /* last HTTP status, 0 when there was none; 200
			      * also for a whole in resumed parts */
	char *etag, *last_modified, *cache_control;
	char *final_url;  /* after redirects */
	char *answer;	  /* header lines of the last answer, 64 KiB at most */
	char *error_body; /* of an answer that is no 2xx, 64 KiB at most */
	unsigned retry_after;	 /* s, as the last answer has it; 0: none */
	uint64_t received, sent; /* bytes of bodies; of the last try */
	/* private */
	void *transfer;
};

/* Queue a request; it must live until it has ended. It may be given again
 * then: what was filled is released first. */
void eb_http_add(struct eb_http *http, struct eb_http_request *r);
/* Run until every request has ended. Errors are in the requests; this one
 * fails only when the loop itself cannot run. */
int eb_http_run(struct eb_http *http, struct eb_error *err);
void eb_http_request_release(struct eb_http_request *r); /* what was filled */

/* From here on the loop has a thread of its own, and eb_http_do() may be called
 * from any thread, by several at once; eb_http_add() and eb_http_run() no
 * more. */
int eb_http_start(struct eb_http *http, struct eb_error *err);
/* Run these requests together and wait for them. -1 with the first one's error
 * (moved out of it). Without eb_http_start() the calling thread runs the
 * loop. */
int eb_http_do(struct eb_http *http, struct eb_http_request *const *r, size_t n,
	       struct eb_error *err);

/* A field of the answer, by name in any case; its n-th (from 0) of that name.
 * NULL: there is none. Caller frees. */
char *eb_http_field(const struct eb_http_request *r, const char *name,
		    unsigned n);
/* `location` as seen from `url`; NULL: it is no http(s) URL. Caller frees. */
char *eb_http_resolve(const char *url, const char *location);
/* "https://host:port", port always there; NULL as above. Caller frees. */
char *eb_http_origin(const char *url);

#endif
