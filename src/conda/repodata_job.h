/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Getting repodata: a job is one subdir of one channel, with two files that
 * may hold it, repodata.json.zst and repodata.json.
 */
#ifndef EB_REPODATA_JOB_H
#define EB_REPODATA_JOB_H

#include "repodata_int.h"

enum eb_rd_state {
	EB_RDF_UNKNOWN, /* not asked */
	EB_RDF_ABSENT,	/* the server has none */
	EB_RDF_CACHED,	/* the store's blob holds */
	EB_RDF_FETCHED, /* in the file's fd */
	EB_RDF_FAILED,	/* err says why */
};

/* What the store knows about a URL. */
struct eb_rd_fact {
	bool known, absent; /* absent: the server had none */
	char *etag, *last_modified, *cache_control;
	int64_t time; /* seconds */
	struct eb_digest digest;
	uint64_t size;
};

struct eb_rd_file {
	char *url; /* with a login or a token, where there is one */
	char *key; /* credential-free: in the store, in messages */
	bool zst;
	enum eb_rd_state state;
	struct eb_rd_fact fact;
	struct eb_http_request request;
	bool asked; /* a request was made for it */
	int fd;
	struct eb_error err;
};

enum { EB_RD_ZST, EB_RD_JSON };

struct eb_rd_job {
	const struct eb_channel *channel;
	unsigned index;
	const char *subdir;
	char *dir_url; /* canonical, "/" at its end */
	char *task;
	char *path; /* of a file channel's subdir; NULL: http */
	struct eb_rd_file file[2];
	bool found;
};

struct eb_rd_load {
	struct eb_repodata *rd;
	const struct eb_repodata_options *options;
	struct eb_store *store;
	struct eb_http *http;
	struct eb_events *events;
	struct eb_rd_job *job;
	size_t n_jobs;
};

/* repodata_cache.c: facts of the store */
int eb_rd_fact_find(struct eb_store *store, const char *key,
		    struct eb_rd_fact *out, struct eb_error *err);
void eb_rd_fact_release(struct eb_rd_fact *f);
bool eb_rd_fact_fresh(const struct eb_rd_fact *f, int64_t now);
/* What was fetched, or a 304: blob and fact. */
int eb_rd_cache_keep(struct eb_rd_load *l, struct eb_rd_file *f,
		     struct eb_error *err);
int eb_rd_cache_absent(struct eb_rd_load *l, const struct eb_rd_file *f,
		       struct eb_error *err);

/* repodata_fetch.c: every http job's state, by the store or by asking */
int eb_rd_fetch(struct eb_rd_load *l, struct eb_error *err);
/* One file more, because the other one is damaged. */
int eb_rd_fetch_file(struct eb_rd_load *l, struct eb_rd_job *job,
		     struct eb_rd_file *f, struct eb_error *err);

/* repodata_open.c: a job's bytes into the index */
int eb_rd_read_job(struct eb_rd_load *l, struct eb_rd_job *job,
		   struct eb_error *err);

#endif
