/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the client share: hosts, repositories, one call. */
#ifndef EB_REGISTRY_INT_H
#define EB_REGISTRY_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include <envbuild/credential.h>
#include <envbuild/http.h>
#include <envbuild/json.h>
#include <envbuild/registry.h>

#include "auth.h"

/* How blobs are sent, from what is best to what is left (facts oci 1.4). */
enum eb_rung { EB_RUNG_PUT, EB_RUNG_STREAM, EB_RUNG_CHUNKS };
enum eb_scheme { EB_SCHEME_UNKNOWN, EB_SCHEME_HTTP, EB_SCHEME_HTTPS };

struct eb_host {
	struct eb_host *next;
	char *name; /* as references have it */
	char *api;  /* who answers for it */
	bool loopback, insecure;
	bool named; /* certs.d has something for it */
	struct eb_host_tls files;
	struct eb_http_tls tls;
	/* learned */
	_Atomic enum eb_scheme scheme;
	_Atomic enum eb_rung rung;
	atomic_bool no_head; /* of manifests */
};

/* Where a repository is asked. */
struct eb_where {
	struct eb_host *host;
	const char *repository;
	bool mirror;
	unsigned tries; /* 0: as the options say */
};

struct eb_repository {
	struct eb_repository *next;
	struct eb_registry *registry;
	char *host, *name, *text;
	/* under the client's lock until they are there */
	bool known;
	struct eb_where home;	   /* for what is written */
	struct eb_where *read[2];  /* for tags, for digests */
	struct eb_place *place[2]; /* owns the names in `read` */
	size_t n_read[2];
	atomic_bool written; /* from then on it alone is read */
};

struct eb_registry {
	struct eb_registry_options o;
	struct eb_events *events;
	struct eb_http *http;
	struct eb_auth *auth;
	pthread_mutex_t lock;
	bool started;
	struct eb_host *host;
	struct eb_repository *repository;
	struct eb_strv warned;
	struct eb_registry_counts counts;
};

/* registry.c */
int eb_registry_start(struct eb_registry *r, struct eb_error *err);
/* Between two tries: as long as the server said, else with back-off. */
void eb_registry_pause(const struct eb_registry *r, unsigned n,
		       unsigned retry_after);

/* host.c */
/* The host of that name, made when it is not there. Under the lock. */
int eb_host_find(struct eb_registry *r, const char *name, bool insecure,
		 struct eb_host **out, struct eb_error *err);
void eb_hosts_free(struct eb_host *host);
/* host_names.c */
bool eb_host_is_loopback(const char *host); /* with or without a port */
bool eb_host_is_inside(const char *host);   /* a literal of a private network */
bool eb_ipv4_is_inside(uint32_t four);	    /* in host order */
bool eb_host_takes_chunks(const char *host);
/* host_location.c: `location` as a follow-up of `url`. NULL with EB_REFUSED
 * for where nothing is sent to, EB_NETWORK for what is no URL. */
char *eb_host_location(const char *url, const char *location,
		       struct eb_error *err);

/* host_places.c */
int eb_repository_home(struct eb_repository *repo, struct eb_where *out,
		       struct eb_error *err);
/* Mirrors, then the place itself: `fn` is called with each until it gives 1;
 * the last one's word is the answer. */
typedef int eb_where_fn(const struct eb_where *at, void *data,
			struct eb_error *err);
int eb_repository_read(struct eb_repository *repo, const char *ref,
		       eb_where_fn *fn, void *data, struct eb_error *err);
/* For what has to be so in that very registry: the place itself, and the
 * mirrors only where it cannot be reached and one of them says yes. */
int eb_repository_ask(struct eb_repository *repo, const char *ref,
		      eb_where_fn *fn, void *data, struct eb_error *err);
void eb_repositories_free(struct eb_repository *repo);

/*
 * One request, with all that it takes to get its answer: scheme, TLS, login.
 * Fill it, eb_call(), look at r.status, eb_call_release().
 */
struct eb_call {
	/* filled by the caller */
	struct eb_repository *repo;
	struct eb_where at;
	const char *doing;  /* "reading the manifest" */
	const char *ref;    /* tag or digest, for messages, or NULL */
	const char *method; /* NULL: GET */
	const char *path;   /* behind /v2/NAME/; NULL: /v2/ itself */
	const char *url;    /* all of it, instead: a Location */
	const char *const *headers;
	struct eb_http_body body;
	bool push, remove;
	const char *mount_from;
	bool small; /* the options' timeout holds, or: */
	unsigned timeout_ms;
	bool no_challenge;     /* a 401 is an answer, too */
	unsigned tries;	       /* 0: as `at` says */
	enum eb_scheme scheme; /* 0: the host's */
	const char *task, *task_kind;
	uint64_t range_from, range_size, max_bytes, expect_size;
	struct eb_http_pipe *to_pipe;
	int (*sink)(void *data, const void *p, size_t n, uint64_t offset,
		    struct eb_error *err);
	void *data;
	/* filled */
	struct eb_http_request r;
	char *sent_url, *sent_value;
	unsigned rounds; /* challenges that were answered */
	json_t *errors;	 /* of the answer, once they were looked at */
	bool read_errors;
};
/* request.c. 0: r has an answer; its status may be any. -1: there is none,
 * or one of those that do not get better by another try, and err tells. */
int eb_call(struct eb_call *c, struct eb_error *err);
void eb_call_release(struct eb_call *c);
/* The parts of it, for two calls that run together. */
int eb_call_prepare(struct eb_call *c, struct eb_error *err);
void eb_call_settle(struct eb_call *c);
/* Answer a 401: 0, it may be made again. */
int eb_call_challenge(struct eb_call *c, struct eb_error *err);
void eb_call_again(struct eb_call *c);	    /* forget the answer */
bool eb_call_good(const struct eb_call *c); /* 2xx */
char *eb_call_field(const struct eb_call *c, const char *name);
/* A sink that fills a struct eb_buf, at most EB_MAX_REMOTE_MANIFEST: more is
 * EB_INPUT. */
int eb_call_text(void *data, const void *p, size_t n, uint64_t offset,
		 struct eb_error *err);
/* The answer's Location; NULL with err. */
char *eb_call_location(struct eb_call *c, struct eb_error *err);

/* request_link.c: the next page's URL; 1, 0 that was the last, -1 */
int eb_call_next(struct eb_call *c, char **next, struct eb_error *err);

/* request_send.c: with the scheme that the host speaks. */
int eb_call_send(struct eb_call *c, struct eb_error *err);

/* registry_error.c */
bool eb_call_has_code(struct eb_call *c, const char *code);
bool eb_call_says(struct eb_call *c, const char *words); /* in any case */
/* Fill err from an answer that is none of those asked for. -1 */
int eb_call_failed(struct eb_call *c, struct eb_error *err);
/* Put in front of an error what it was about. -1 */
int eb_call_prefix(const struct eb_call *c, struct eb_error *err);
/* HOST/NAME:TAG or HOST/NAME@DIGEST; caller frees */
char *eb_repository_ref(const struct eb_repository *repo, const char *ref);
/* registry_words.c: what the server said, for people: one line, nothing
 * secret, at most 200 bytes; "" when it said nothing. Caller frees. */
char *eb_registry_words(const char *body, const json_t *errors,
			const char *authorization);

/* manifest_head.c */
bool eb_ref_is_digest(const char *ref);
int eb_ref_check(const struct eb_repository *repo, const char *ref,
		 struct eb_error *err); /* EB_USAGE */
extern const char *const eb_manifest_accept[];
/* 1 a sha256 digest, 0 none (or of another algorithm) */
int eb_call_digest(const struct eb_call *c, struct eb_digest *out);
/* Without parameters; "" when there is none. */
void eb_call_media_type(const struct eb_call *c, char out[128]);
/* Not from a registry: a page that a login to the network, or a proxy, puts in
 * between. eb_call_page: the error for that; -1 */
bool eb_call_is_page(const struct eb_call *c);
int eb_call_page(const struct eb_call *c, const char *instead,
		 struct eb_error *err);
bool eb_is_manifest_type(const char *type);
bool eb_is_index_type(const char *type);
/* manifest_get.c */
int eb_manifest_get_at(struct eb_repository *repo, const struct eb_where *at,
		       const char *ref, struct eb_buf *text,
		       struct eb_remote *out, struct eb_error *err);
/* manifest_put.c: `subject`: the registry says that it keeps referrers */
int eb_manifest_put_known(struct eb_repository *repo, const char *ref,
			  const char *media_type, const void *text, size_t len,
			  bool *immutable, bool *subject, struct eb_error *err);
/* manifest_immutable.c: is this the answer to moving a tag that must stay? */
bool eb_call_is_immutable(struct eb_call *c);

#endif
