/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the module share: the loop and one transfer. */
#ifndef EB_HTTP_INT_H
#define EB_HTTP_INT_H

#include <curl/curl.h>
#include <sys/types.h>

#include <envbuild/http.h>

enum eb_transfer_state { EB_T_QUEUED, EB_T_ACTIVE };

struct eb_http {
	CURLM *multi;
	char *ca_file, *user_agent, *netrc;
	bool offline;
	unsigned max_transfers, per_host, stall_s, tries, backoff_ms;
	struct eb_events *events;
	struct eb_transfer *first, **last; /* in order of eb_http_add() */
	struct eb_transfer **running;	   /* room for max_transfers */
	unsigned active;
	unsigned seed; /* of the jitter */
};

/* A login belongs to the origin it was given for. */
struct eb_login {
	char *origin;	       /* scheme://host:port */
	char *user, *password; /* NULL: none */
};

struct eb_transfer {
	struct eb_transfer *next;
	struct eb_http *http;
	struct eb_http_request *r;
	enum eb_transfer_state state;
	CURL *easy;
	struct curl_slist *headers;
	char errbuf[CURL_ERROR_SIZE];

	char *shown;  /* the request's URL without secrets, for messages */
	char *start;  /* the request's URL without its login */
	char *url;    /* where it is now, after redirects */
	char *origin; /* of `url` */
	struct eb_login login;

	unsigned tries, redirects;
	uint64_t not_before; /* ns: a wait between tries */
	uint64_t moved;	     /* ns: when the last byte came */
	bool stalled;

	off_t base;	 /* where the body begins in the file */
	uint64_t got;	 /* bytes of the body that are in the file */
	uint64_t total;	 /* of the body, 0 = unknown */
	bool ranged;	 /* this try asked for a range */
	bool head;	 /* an answer's header is being read */
	bool body;	 /* this answer's body is the one wanted */
	char *part_etag; /* strong ETag of what is in the file */
	char *location;
	struct eb_error err; /* of a callback */

	bool begun; /* TASK_BEGIN was said */
	uint64_t said;
};

/* http_url.c */
int eb_http_login_split(const char *url, char **bare, struct eb_login *login);
char *eb_http_origin(const char *url);
char *eb_http_resolve(const char *base, const char *location);

/* http_transfer.c */
int eb_transfer_start(struct eb_transfer *t, struct eb_error *err);
void eb_transfer_stop(struct eb_transfer *t);
void eb_transfer_free(struct eb_transfer *t);
struct eb_transfer *eb_transfer_new(struct eb_http *http,
				    struct eb_http_request *r);
/* Forget what has arrived of the body. */
int eb_transfer_rewind(struct eb_transfer *t, struct eb_error *err);
/* http_answer.c: what comes back */
void eb_http_answer_setup(struct eb_transfer *t);
void eb_transfer_say(struct eb_transfer *t);

/* http_verdict.c: what to do when a try has ended */
enum eb_verdict { EB_V_DONE, EB_V_FAILED, EB_V_AGAIN, EB_V_FOLLOW };
enum eb_verdict eb_http_verdict(struct eb_transfer *t, CURLcode code,
				uint64_t *wait_ns, struct eb_error *err);

/* http_retry.c */
bool eb_http_retryable_status(long status);
bool eb_http_retryable_code(CURLcode code);
/* How long to wait before the next try; EB_NETWORK when the server wants a
 * longer pause than we give it. */
int eb_http_wait(struct eb_transfer *t, uint64_t *wait_ns,
		 struct eb_error *err);

/* http_redirect.c */
int eb_http_follow(struct eb_transfer *t, struct eb_error *err);

#endif
