/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Getting repodata: a job is one subdir of one channel, with the files that
 * may hold it. Which is asked for first, and what comes after it, is in
 * eb_rd_load's order.
 */
#ifndef EB_REPODATA_JOB_H
#define EB_REPODATA_JOB_H

#include <sys/stat.h>

#include "repodata_int.h"

enum eb_rd_state {
	EB_RDF_UNKNOWN, /* not asked */
	EB_RDF_ABSENT,	/* the server has none */
	EB_RDF_CACHED,	/* the store's blob holds */
	EB_RDF_FETCHED, /* in the file's fd */
	EB_RDF_FAILED,	/* err says why */
};

enum { EB_RD_SHARDS, EB_RD_ZST, EB_RD_JSON, EB_RD_BZ2, EB_RD_FILES };
extern const char *const eb_rd_file_name[EB_RD_FILES];

/* What the store knows about a URL. */
struct eb_rd_fact {
	bool known, absent; /* absent: the server had none */
	char *etag, *last_modified, *cache_control;
	int64_t time; /* seconds */
	struct eb_digest digest;
	uint64_t size;
};

struct eb_rd_file {
	struct eb_channel_way way; /* of the job's, with the file's name */
	char *key;	 /* credential-free: in the store, in messages */
	char *index_key; /* of its index: in the store */
	unsigned kind;
	enum eb_rd_state state;
	struct eb_rd_fact fact;
	bool looked_up;
	bool assumed; /* absent, because it was some time ago */
	struct eb_http_request request;
	bool asked; /* a request was made for it */
	int fd;
	struct eb_error err;
};

struct eb_rd_job {
	const struct eb_channel *channel;
	unsigned index;
	const char *subdir;
	char *dir_url; /* canonical, "/" at its end */
	char *task;
	struct eb_channel_ways ways; /* where the subdir is to be had */
	size_t at;		     /* the one in use */
	char *at_url;		     /* of it, "/" at its end */
	char *path; /* of a file channel's subdir; NULL: http or oci */
	bool oci;
	struct eb_rd_file file[EB_RD_FILES];
	bool found;
};

struct eb_rd_load {
	struct eb_repodata *rd;
	const struct eb_repodata_options *options;
	const struct eb_channels *channels;
	struct eb_store *store;
	struct eb_http *http;
	struct eb_events *events;
	struct eb_rd_job *job;
	size_t n_jobs;
	unsigned order[EB_RD_FILES];
};

/* repodata_cache.c: facts of the store */
int eb_rd_fact_find(struct eb_store *store, const char *key,
		    struct eb_rd_fact *out, struct eb_error *err);
void eb_rd_fact_release(struct eb_rd_fact *f);
bool eb_rd_fact_fresh(const struct eb_rd_fact *f, int64_t now);
/* It was not there lately. */
bool eb_rd_fact_missing(const struct eb_rd_fact *f, int64_t now);
/* What was fetched, or a 304: blob and fact. */
int eb_rd_cache_keep(struct eb_rd_load *l, struct eb_rd_file *f,
		     struct eb_error *err);
int eb_rd_cache_absent(struct eb_rd_load *l, const struct eb_rd_file *f,
		       struct eb_error *err);

/* repodata_keep.c: the index of a file, in the store. `source` tells one state
 * of the file from all others. */
/* Maps it as a new source; 1, 0 there is none, -1. */
int eb_rd_reuse(struct eb_rd_load *l, struct eb_rd_job *job,
		const struct eb_rd_file *f, const char *source,
		struct eb_error *err);
/* Makes the builder a new source, which is kept where there is a store and
 * `source` is not NULL. */
int eb_rd_take(struct eb_rd_load *l, struct eb_rd_job *job,
	       const struct eb_rd_file *f, const struct eb_rd_build *b,
	       const char *source, struct eb_error *err);
/* A blob that a fact ("repodata-index", key) names, when it is of `source`
 * (NULL: of whichever); 1, 0, -1. */
int eb_rd_kept_find(struct eb_store *store, const char *key, const char *source,
		    struct eb_rd_map *out, struct eb_error *err);
int eb_rd_kept_put(struct eb_store *store, const char *key, const char *source,
		   struct eb_blob_writer *w, struct eb_error *err);

/* repodata_places.c: the job's files at the place that is next. 1, 0 there is
 * none. */
int eb_rd_next_place(struct eb_rd_job *job);
static inline bool eb_rd_has_more(const struct eb_rd_job *job)
{
	return job->at + 1 < job->ways.n;
}
void eb_rd_job_release(struct eb_rd_job *job);

/* repodata_fetch.c: every http job's state, by the store or by asking */
int eb_rd_fetch(struct eb_rd_load *l, struct eb_error *err);
/* One file more, because the other one is damaged. */
int eb_rd_fetch_file(struct eb_rd_load *l, struct eb_rd_job *job,
		     struct eb_rd_file *f, struct eb_error *err);

/* repodata_oci.c: the state of a job's one file */
int eb_rd_oci_state(struct eb_rd_load *l, struct eb_rd_job *job,
		    struct eb_rd_file *f, struct eb_error *err);

/* repodata_local.c: 1 open, 0 not there, -1 */
int eb_rd_open_local(const struct eb_rd_job *job, const struct eb_rd_file *f,
		     int *fd, struct stat *st, struct eb_error *err);
/* What tells this state of a file from others; NULL: it is too new for that.
 * Caller frees. */
char *eb_rd_local_state(const struct stat *st);

/* repodata_load.c: eb_rd_read_job(), and where the place has it not, or cannot
 * be asked or read, at the next one. */
int eb_rd_read_places(struct eb_rd_load *l, struct eb_rd_job *job,
		      struct eb_error *err);

/* repodata_open.c: a job's bytes into the index */
int eb_rd_read_job(struct eb_rd_load *l, struct eb_rd_job *job,
		   struct eb_error *err);
/* The file that is next, where `f` cannot be used; `damage` is moved, or told
 * as a warning. 1, -1 */
int eb_rd_read_instead(struct eb_rd_load *l, struct eb_rd_job *job,
		       struct eb_rd_file *f, struct eb_error *damage,
		       struct eb_error *err);
/* The next file in the order, NULL behind the last. */
struct eb_rd_file *eb_rd_next_file(const struct eb_rd_load *l,
				   struct eb_rd_job *job,
				   const struct eb_rd_file *f);

#endif
