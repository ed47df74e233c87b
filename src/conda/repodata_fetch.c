/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking servers: all channels at once, for the first file of the order; where
 * there is none, for the next. What the store has is asked for conditionally,
 * or not at all while it is fresh. A file that was not there is not asked for
 * again for a week, as long as the subdir has another.
 */
#include <string.h>
#include <time.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "repodata_job.h"
#include "repodata_shards.h"

/* --- before asking --------------------------------------------------- */

static int look_up(struct eb_rd_load *l, struct eb_rd_file *f,
		   struct eb_error *err)
{
	if (f->looked_up)
		return 0;
	f->looked_up = true;
	return eb_rd_fact_find(l->store, f->key, &f->fact, err) < 0 ? -1 : 0;
}

static int look_up_job(struct eb_rd_load *l, struct eb_rd_job *job,
		       struct eb_error *err)
{
	for (int i = 0; i < EB_RD_FILES; i++)
		if (look_up(l, &job->file[i], err) < 0)
			return -1;
	return 0;
}

static bool has_any(const struct eb_rd_job *job)
{
	for (int i = 0; i < EB_RD_FILES; i++)
		if (job->file[i].fact.known && !job->file[i].fact.absent)
			return true;
	return false;
}

/* What the store knows is all that is needed: its state. `trust`: what was not
 * there lately is not there. */
static void settle(struct eb_rd_load *l, const struct eb_rd_job *job,
		   struct eb_rd_file *f, bool trust)
{
	const struct eb_repodata_options *o = l->options;
	int64_t now = time(NULL);

	if (!f->fact.known)
		return;
	if (o->offline) {
		f->state = f->fact.absent ? EB_RDF_ABSENT : EB_RDF_CACHED;
	} else if (!o->refresh && eb_rd_fact_fresh(&f->fact, now)) {
		f->state = EB_RDF_CACHED;
	} else if (trust && has_any(job) && eb_rd_fact_missing(&f->fact, now)) {
		f->state = EB_RDF_ABSENT;
		f->assumed = true;
	}
	if (f->state == EB_RDF_CACHED)
		eb_detail(l->events, "\"%s\": the store's copy is used",
			  f->key);
}

static uint64_t most_bytes(const struct eb_rd_file *f)
{
	return f->kind == EB_RD_SHARDS ? EB_RD_MAX_SHARD_INDEX
				       : EB_MAX_REPODATA;
}

static int ask(struct eb_rd_load *l, struct eb_rd_job *job,
	       struct eb_rd_file *f, struct eb_error *err)
{
	struct eb_http_request *r = &f->request;

	f->fd = eb_unnamed_file(eb_store_tmp(l->store), err);
	if (f->fd < 0)
		return -1;
	memset(r, 0, sizeof *r);
	eb_channel_way_ask(&f->way, r);
	r->task = job->task;
	r->fd = f->fd;
	r->max_bytes = most_bytes(f);
	if (f->fact.known && !f->fact.absent) {
		r->if_none_match = f->fact.etag;
		r->if_modified_since = f->fact.last_modified;
	}
	r->any_status = f->kind == EB_RD_SHARDS;
	f->asked = true;
	eb_http_add(l->http, r);
	return 0;
}

/* --- after it -------------------------------------------------------- */

/* Some stores of files answer 403 for what is not there. But for
 * repodata.json that decides nothing: the other files' answers do. */
static bool is_absent(const struct eb_rd_file *f)
{
	long status = f->request.status;

	return status == 404 || status == 410 ||
	       (f->kind != EB_RD_JSON && (status == 403 || status == 501));
}

/* Whatever a server says of shards but yes: it may have the whole. */
static bool is_passed_over(const struct eb_rd_file *f)
{
	long status = f->request.status;

	return f->kind == EB_RD_SHARDS && status && status != 200 &&
	       status != 304;
}

static int judge(struct eb_rd_load *l, struct eb_rd_file *f,
		 struct eb_error *err)
{
	struct eb_http_request *r = &f->request;

	if (is_absent(f)) {
		f->state = EB_RDF_ABSENT;
		return eb_rd_cache_absent(l, f, err);
	}
	if (is_passed_over(f)) {
		f->state = EB_RDF_ABSENT;
		return 0;
	}
	if (eb_err_is_set(&r->err)) {
		f->state = EB_RDF_FAILED;
		eb_err_move(&f->err, &r->err);
		return 0;
	}
	f->state = r->status == 304 ? EB_RDF_CACHED : EB_RDF_FETCHED;
	return 0;
}

/* --- one round over all jobs ----------------------------------------- */

/* It is the turn of the n-th file: all before it are not there. */
static bool is_turn(const struct eb_rd_load *l, const struct eb_rd_job *job,
		    unsigned n)
{
	if (job->path || job->oci ||
	    job->file[l->order[n]].state != EB_RDF_UNKNOWN)
		return false;
	while (n--)
		if (job->file[l->order[n]].state > EB_RDF_ABSENT)
			return false;
	return true;
}

static int ask_all(struct eb_rd_load *l, unsigned n, bool *asked,
		   struct eb_error *err)
{
	for (size_t i = 0; i < l->n_jobs; i++) {
		struct eb_rd_job *job = &l->job[i];
		struct eb_rd_file *f = &job->file[l->order[n]];

		if (!is_turn(l, job, n))
			continue;
		if (look_up_job(l, job, err) < 0)
			return -1;
		settle(l, job, f, true);
		if (f->state != EB_RDF_UNKNOWN || l->options->offline)
			continue;
		if (ask(l, job, f, err) < 0)
			return -1;
		*asked = true;
	}
	return 0;
}

static int round_of(struct eb_rd_load *l, unsigned n, struct eb_error *err)
{
	bool asked = false;

	if (ask_all(l, n, &asked, err) < 0 ||
	    (asked && eb_http_run(l->http, err) < 0))
		return -1;
	for (size_t i = 0; i < l->n_jobs; i++) {
		struct eb_rd_file *f = &l->job[i].file[l->order[n]];

		if (f->asked && f->state == EB_RDF_UNKNOWN &&
		    judge(l, f, err) < 0)
			return -1;
	}
	return 0;
}

static int rounds(struct eb_rd_load *l, struct eb_error *err)
{
	for (unsigned n = 0; n < EB_RD_FILES; n++)
		if (round_of(l, n, err) < 0)
			return -1;
	return 0;
}

/* A subdir whose file has gone: what was not there lately is asked for after
 * all. */
static bool doubt(struct eb_rd_load *l)
{
	bool any = false;

	for (size_t i = 0; i < l->n_jobs; i++) {
		struct eb_rd_job *job = &l->job[i];
		bool none = !job->path && !job->oci;

		for (int k = 0; k < EB_RD_FILES; k++)
			none &= job->file[k].state <= EB_RDF_ABSENT;
		for (int k = 0; none && k < EB_RD_FILES; k++) {
			if (!job->file[k].assumed)
				continue;
			job->file[k].assumed = false;
			job->file[k].state = EB_RDF_UNKNOWN;
			eb_rd_fact_release(&job->file[k].fact);
			any = true;
		}
	}
	return any;
}

int eb_rd_fetch(struct eb_rd_load *l, struct eb_error *err)
{
	if (rounds(l, err) < 0)
		return -1;
	return doubt(l) ? rounds(l, err) : 0;
}

int eb_rd_fetch_file(struct eb_rd_load *l, struct eb_rd_job *job,
		     struct eb_rd_file *f, struct eb_error *err)
{
	if (job->oci)
		return 0;
	if (f->assumed)
		f->state = EB_RDF_UNKNOWN;
	f->assumed = false;
	if (f->state != EB_RDF_UNKNOWN)
		return 0;
	if (look_up(l, f, err) < 0)
		return -1;
	settle(l, job, f, false);
	if (f->state != EB_RDF_UNKNOWN || l->options->offline)
		return 0;
	if (ask(l, job, f, err) < 0 || eb_http_run(l->http, err) < 0)
		return -1;
	return judge(l, f, err);
}
