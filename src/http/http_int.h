/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the module share: the loop and one transfer. */
#ifndef EB_HTTP_INT_H
#define EB_HTTP_INT_H

#include <curl/curl.h>
#include <pthread.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <envbuild/http.h>

#define EB_HTTP_KEEP ((size_t)64 << 10) /* of a header, of an error's body */

TAILQ_HEAD(eb_transfers, eb_transfer);

/* An origin that was asked, and how many transfers it serves now. */
struct eb_http_host {
	struct eb_http_host *next;
	char *origin;
	unsigned active;
};

/* Requests that one caller waits for. */
struct eb_http_batch {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	size_t left;
};

struct eb_http {
	CURLM *multi;
	char *ca_file, *user_agent, *netrc;
	bool offline;
	unsigned max_transfers, per_host, stall_s, tries, backoff_ms;
	struct eb_events *events;
	struct eb_transfers waiting, running; /* in order of their coming */
	struct eb_http_host *host;
	unsigned active; /* of the running ones, those that count */
	CURL *idle[16];	 /* handles to be used again */
	unsigned n_idle;
	unsigned seed; /* of the jitter */

	bool threaded;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	struct eb_transfers arrived;
	bool stop;
};

/* A login belongs to the origin it was given for. */
struct eb_login {
	char *origin;	       /* scheme://host:port */
	char *user, *password; /* NULL: none */
};

struct eb_transfer {
	TAILQ_ENTRY(eb_transfer) link;
	struct eb_http *http;
	struct eb_http_request *r;
	struct eb_http_batch *batch; /* NULL: nobody waits */
	bool active;		     /* in `running`, not in `waiting` */
	CURL *easy;
	struct curl_slist *fields;
	char errbuf[CURL_ERROR_SIZE];

	const char *method;
	const char *doing;	   /* "downloading", for messages */
	char *shown;		   /* the URL without secrets, for messages */
	char *start;		   /* the request's URL without its login */
	char *url;		   /* where it is now, after redirects */
	char *origin;		   /* of `url` */
	struct eb_http_host *host; /* the same; NULL: not looked up yet */
	struct eb_login login;

	unsigned tries, redirects;
	uint64_t not_before; /* ns: a wait between tries */
	uint64_t moved;	     /* ns: when the last byte came or went */
	bool stalled;
	bool paused; /* until there is more, or room, in the pipe */

	uint64_t sent;	/* of our body, handed to libcurl */
	curl_off_t put; /* of these, what the socket took */

	off_t base;	/* where the body begins in the file or text */
	uint64_t got;	/* bytes of the body that are in place */
	uint64_t total; /* of the body, 0 = unknown */
	bool resumed;	/* this try asked for what is missing */
	bool head;	/* an answer's header is being read */
	bool body;	/* this answer's body is the one wanted */
	bool enough;	/* of an error's body: the rest is not read */
	struct eb_buf header, error; /* text of the answer */
	char *part_etag;	     /* strong ETag of what is in place */
	char *location;
	struct eb_error err; /* of a callback */

	bool begun; /* TASK_BEGIN was said */
	uint64_t said;
};

/* http_url.c */
int eb_http_login_split(const char *url, char **bare, struct eb_login *login);
/* For messages: without login, and without a query, which may be a signature;
 * caller frees. */
char *eb_http_shown(const char *url);
/* eb_http_resolve() for any scheme. */
char *eb_http_join(const char *base, const char *location);

/* http_queue.c: which transfers wait, and which of them may start */
void eb_http_take_arrived(struct eb_http *http);
struct eb_transfer *eb_http_next(struct eb_http *http);
/* Milliseconds until one that waits may start, at most `most`. */
int eb_http_idle_ms(const struct eb_http *http, int most);
void eb_http_running(struct eb_transfer *t);
void eb_http_not_running(struct eb_transfer *t);
void eb_http_free_hosts(struct eb_http *http);

/* http_loop.c */
int eb_http_step(struct eb_http *http, struct eb_error *err);
bool eb_http_busy(const struct eb_http *http);

/* http_end.c */
void eb_http_forget_answer(struct eb_http_request *r);
/* The request has ended, well when `err` is not set. */
void eb_transfer_end(struct eb_transfer *t, struct eb_error *err);
/* All that run or wait end with this error. */
void eb_http_give_up(struct eb_http *http, const struct eb_error *why);

/* http_do.c */
void eb_http_stop(struct eb_http *http);

/* http_transfer.c */
struct eb_transfer *eb_transfer_new(struct eb_http *http,
				    struct eb_http_request *r);
int eb_transfer_start(struct eb_transfer *t, struct eb_error *err);
void eb_transfer_stop(struct eb_transfer *t);
void eb_transfer_free(struct eb_transfer *t); /* it is in a list */

/* http_setup.c */
void eb_http_setup(struct eb_transfer *t);

/* http_fields.c: the header that goes out */
/* EB_INPUT for a field that would not be one line. */
int eb_http_check_fields(const struct eb_transfer *t, struct eb_error *err);
void eb_http_set_fields(struct eb_transfer *t);
void eb_http_free_fields(struct eb_transfer *t);
bool eb_http_at_home(const struct eb_transfer *t); /* url's origin, still */

/* http_body.c: the body that goes out */
bool eb_http_sends(const struct eb_transfer *t);
void eb_http_body_setup(struct eb_transfer *t);

/* http_answer.c: what comes back */
void eb_http_answer_setup(struct eb_transfer *t);

/* http_place.c: where the body that comes back goes */
int eb_place_prepare(struct eb_transfer *t, struct eb_error *err);
/* 1 taken, 0 no room for now, -1 with t->err. */
int eb_place_put(struct eb_transfer *t, const char *p, size_t n);
/* Forget what has arrived of the body. */
int eb_transfer_rewind(struct eb_transfer *t, struct eb_error *err);

/* http_say.c: progress */
void eb_transfer_say(struct eb_transfer *t);
void eb_transfer_say_end(struct eb_transfer *t);

/* http_pipe.c */
void eb_pipe_join(struct eb_transfer *t);
/* A pipe has both its ends, or they will never meet. */
int eb_pipe_check(const struct eb_transfer *t, struct eb_error *err);
/* What takes does not start before there is something to take. */
bool eb_pipe_waits(const struct eb_transfer *taker);
int eb_pipe_open(struct eb_transfer *giver, struct eb_error *err);
/* 1 there is room, 0 not now, -1: there never will be. */
int eb_pipe_room(struct eb_transfer *giver, size_t n);
void eb_pipe_put(struct eb_transfer *giver, const char *p, size_t n);
size_t eb_pipe_take(struct eb_transfer *taker, char *to, size_t max);
bool eb_pipe_ready(const struct eb_transfer *t);
/* Bytes have gone through it that cannot be had again. */
bool eb_pipe_spent(const struct eb_transfer *t);
/* This end ends, with `err` or well. Gives the other one when that has to end,
 * too, and why. */
struct eb_transfer *eb_pipe_leave(struct eb_transfer *t,
				  const struct eb_error *err,
				  struct eb_error *why);

/* http_verdict.c: what to do when a try has ended */
enum eb_verdict { EB_V_DONE, EB_V_FAILED, EB_V_AGAIN, EB_V_FOLLOW };
enum eb_verdict eb_http_verdict(struct eb_transfer *t, CURLcode code,
				uint64_t *wait_ns, struct eb_error *err);

/* http_error.c: what went wrong, in words */
int eb_http_status_error(const struct eb_transfer *t, struct eb_error *err);
int eb_http_code_error(const struct eb_transfer *t, CURLcode code,
		       struct eb_error *err);
/* The server wants a certificate of ours, or another one. */
bool eb_http_wants_certificate(const struct eb_transfer *t);

/* http_retry.c */
bool eb_http_retryable_status(long status);
bool eb_http_retryable_code(CURLcode code);
unsigned eb_http_tries(const struct eb_transfer *t); /* at most */
unsigned eb_http_stall(const struct eb_transfer *t); /* s without a byte */
/* How long to wait before the next try; EB_NETWORK when the server wants a
 * longer pause than we give it. */
int eb_http_wait(struct eb_transfer *t, uint64_t *wait_ns,
		 struct eb_error *err);

/* http_redirect.c */
bool eb_http_follows(const struct eb_transfer *t); /* its method does */
bool eb_http_is_redirect(const struct eb_transfer *t);
int eb_http_follow(struct eb_transfer *t, struct eb_error *err);

#endif
