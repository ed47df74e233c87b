/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking servers: all channels at once, for repodata.json.zst first; where
 * there is none, for repodata.json. What the store has is asked for
 * conditionally, or not at all while it is fresh.
 */
#include <string.h>
#include <time.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "repodata_job.h"

/* --- before asking --------------------------------------------------- */

static int look_up(struct eb_rd_load *l, struct eb_rd_file *f,
		   struct eb_error *err)
{
	const struct eb_repodata_options *o = l->options;

	if (eb_rd_fact_find(l->store, f->key, &f->fact, err) < 0)
		return -1;
	if (!f->fact.known)
		return 0;
	if (o->offline)
		f->state = f->fact.absent ? EB_RDF_ABSENT : EB_RDF_CACHED;
	else if (!o->refresh && eb_rd_fact_fresh(&f->fact, time(NULL)))
		f->state = EB_RDF_CACHED;
	if (f->state == EB_RDF_CACHED)
		eb_detail(l->events, "\"%s\": the store's copy is used",
			  f->key);
	return 0;
}

static int ask(struct eb_rd_load *l, struct eb_rd_job *job,
	       struct eb_rd_file *f, struct eb_error *err)
{
	struct eb_http_request *r = &f->request;

	f->fd = eb_unnamed_file(eb_store_tmp(l->store), err);
	if (f->fd < 0)
		return -1;
	memset(r, 0, sizeof *r);
	r->url = f->url;
	r->task = job->task;
	r->fd = f->fd;
	r->max_bytes = EB_MAX_REPODATA;
	if (f->fact.known && !f->fact.absent) {
		r->if_none_match = f->fact.etag;
		r->if_modified_since = f->fact.last_modified;
	}
	f->asked = true;
	eb_http_add(l->http, r);
	return 0;
}

/* --- after it -------------------------------------------------------- */

/* Some stores of files answer 403 for what is not there. For the .zst that
 * decides nothing: repodata.json's answer does. */
static bool is_absent(const struct eb_rd_file *f)
{
	long status = f->request.status;

	return status == 404 || (f->zst && status == 403);
}

static int judge(struct eb_rd_load *l, struct eb_rd_file *f,
		 struct eb_error *err)
{
	struct eb_http_request *r = &f->request;

	if (!eb_err_is_set(&r->err)) {
		f->state = r->status == 304 ? EB_RDF_CACHED : EB_RDF_FETCHED;
		return 0;
	}
	if (is_absent(f)) {
		f->state = EB_RDF_ABSENT;
		return eb_rd_cache_absent(l, f, err);
	}
	f->state = EB_RDF_FAILED;
	eb_err_move(&f->err, &r->err);
	return 0;
}

/* --- one round over all jobs ----------------------------------------- */

static bool wanted(const struct eb_rd_job *job, int which)
{
	if (job->path || job->file[which].state != EB_RDF_UNKNOWN)
		return false;
	return which == EB_RD_ZST ||
	       job->file[EB_RD_ZST].state <= EB_RDF_ABSENT;
}

static int round_of(struct eb_rd_load *l, int which, struct eb_error *err)
{
	bool asked = false;

	for (size_t i = 0; i < l->n_jobs; i++) {
		struct eb_rd_file *f = &l->job[i].file[which];

		if (!wanted(&l->job[i], which))
			continue;
		if (look_up(l, f, err) < 0)
			return -1;
		if (f->state != EB_RDF_UNKNOWN || l->options->offline)
			continue;
		if (ask(l, &l->job[i], f, err) < 0)
			return -1;
		asked = true;
	}
	if (asked && eb_http_run(l->http, err) < 0)
		return -1;
	for (size_t i = 0; i < l->n_jobs; i++) {
		struct eb_rd_file *f = &l->job[i].file[which];

		if (f->asked && f->state == EB_RDF_UNKNOWN &&
		    judge(l, f, err) < 0)
			return -1;
	}
	return 0;
}

int eb_rd_fetch(struct eb_rd_load *l, struct eb_error *err)
{
	if (round_of(l, EB_RD_ZST, err) < 0)
		return -1;
	return round_of(l, EB_RD_JSON, err);
}

int eb_rd_fetch_file(struct eb_rd_load *l, struct eb_rd_job *job,
		     struct eb_rd_file *f, struct eb_error *err)
{
	if (f->state != EB_RDF_UNKNOWN)
		return 0;
	if (look_up(l, f, err) < 0)
		return -1;
	if (f->state != EB_RDF_UNKNOWN || l->options->offline)
		return 0;
	if (ask(l, job, f, err) < 0 || eb_http_run(l->http, err) < 0)
		return -1;
	return judge(l, f, err);
}
