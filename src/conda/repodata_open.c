/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job's bytes into the index: the file as it was fetched, the store's blob
 * or a local file; where one is not to be had or damaged, the next in the
 * order. Of a state of a file that the store has an index of, nothing is read
 * but that.
 */
#include <unistd.h>

#include <envbuild/mem.h>
#include <envbuild/stream.h>

#include "repodata_job.h"
#include "repodata_shards.h"

#define ZSTD_WINDOW_LOG 27

static struct eb_stream *unpack(const struct eb_rd_job *job,
				const struct eb_rd_file *f,
				struct eb_stream *raw)
{
	if (job->oci)
		raw = eb_stream_decompress(raw, f->key);
	else if (f->kind == EB_RD_ZST)
		raw = eb_stream_unzstd(raw, ZSTD_WINDOW_LOG, f->key);
	else if (f->kind == EB_RD_BZ2)
		raw = eb_stream_bunzip2(raw, f->key);
	return eb_stream_limit(raw, EB_MAX_REPODATA, f->key);
}

/* NULL with err. */
static struct eb_rd_build *scan(struct eb_rd_load *l,
				const struct eb_rd_job *job,
				const struct eb_rd_file *f, int fd,
				uint64_t size, struct eb_error *err)
{
	EB_CLEANUP(eb_rd_build_free_ptr)
	struct eb_rd_build *b = eb_rd_build_new(job->dir_url);
	struct eb_rd_scan count = { 0 };
	struct eb_stream *in = eb_stream_fd(fd, 0, size, f->key);

	if (eb_rd_scan(b, unpack(job, f, in), f->key, &count, l->events, err) <
	    0)
		return NULL;
	eb_detail(l->events, "\"%s\": %zu records", f->key, count.records);
	return eb_steal(b);
}

/* --- from the store -------------------------------------------------- */

/* The blob is checked against its digest before it is believed. */
static int open_blob(struct eb_rd_load *l, const struct eb_rd_file *f, int *fd,
		     uint64_t *size, struct eb_error *err)
{
	struct eb_digest found;
	int got = eb_store_blob(l->store, &f->fact.digest, fd, size, err);

	if (got < 0 || (got && eb_sha256_fd(*fd, &found, size, err) < 0))
		return -1;
	if (got && eb_digest_equal(&found, &f->fact.digest))
		return 0;
	if (eb_store_drop(l->store, &f->fact.digest, err) < 0)
		return -1;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\": reading the store's copy: it is %s", f->key,
			  got ? "damaged" : "gone");
}

static int take_blob(struct eb_rd_load *l, struct eb_rd_job *job,
		     struct eb_rd_file *f, struct eb_error *err)
{
	EB_CLEANUP(eb_rd_build_free_ptr) struct eb_rd_build *b = NULL;
	char source[EB_DIGEST_TEXT];
	eb_autofd int fd = -1;
	uint64_t size = 0;
	int got;

	if (f->kind == EB_RD_SHARDS)
		return open_blob(l, f, &fd, &size, err) < 0
			       ? -1
			       : eb_rd_shards_open(l, job, f, fd, size, err);
	eb_digest_text(&f->fact.digest, source);
	got = eb_rd_reuse(l, job, f, source, err);
	if (got != 0)
		return got < 0 ? -1 : 0;
	if (open_blob(l, f, &fd, &size, err) < 0)
		return -1;
	b = scan(l, job, f, fd, size, err);
	return b ? eb_rd_take(l, job, f, b, source, err) : -1;
}

static int read_cached(struct eb_rd_load *l, struct eb_rd_job *job,
		       struct eb_rd_file *f, struct eb_error *err)
{
	struct eb_error first = EB_ERROR_INIT;

	if (take_blob(l, job, f, &first) == 0)
		return f->asked ? eb_rd_cache_keep(l, f, err) : 0;
	if (l->options->offline || first.code == EB_MACHINE) {
		eb_err_move(err, &first);
		return -1;
	}
	eb_warn(l->events, "%s; it is fetched anew", first.message);
	eb_err_release(&first);
	eb_http_request_release(&f->request);
	eb_rd_fact_release(&f->fact);
	f->state = EB_RDF_UNKNOWN;
	if (eb_rd_cache_absent(l, f, err) < 0)
		return -1;
	return 1;
}

/* --- as it was fetched ----------------------------------------------- */

/* It is kept once it could be read. */
static int take_fetched(struct eb_rd_load *l, struct eb_rd_job *job,
			struct eb_rd_file *f, struct eb_error *err)
{
	EB_CLEANUP(eb_rd_build_free_ptr) struct eb_rd_build *b = NULL;
	char source[EB_DIGEST_TEXT];

	if (f->kind == EB_RD_SHARDS)
		return eb_rd_shards_open(l, job, f, f->fd, f->request.received,
					 err) < 0
			       ? -1
			       : eb_rd_cache_keep(l, f, err);
	b = scan(l, job, f, f->fd, f->request.received, err);
	if (!b || eb_rd_cache_keep(l, f, err) < 0)
		return -1;
	eb_digest_text(&f->fact.digest, source);
	return eb_rd_take(l, job, f, b, source, err);
}

static int read_file(struct eb_rd_load *l, struct eb_rd_job *job,
		     struct eb_rd_file *f, struct eb_error *err)
{
	if (f->state == EB_RDF_CACHED) {
		int got = read_cached(l, job, f, err);

		if (got <= 0)
			return got;
		if (f->fd >= 0)
			close(f->fd);
		f->fd = -1;
		if (eb_rd_fetch_file(l, job, f, err) < 0)
			return -1;
	}
	if (f->state == EB_RDF_FAILED) {
		eb_err_move(err, &f->err);
		return -1;
	}
	if (f->state != EB_RDF_FETCHED)
		return eb_err_set(err, EB_NETWORK,
				  "\"%s\": downloading: not there", f->key);
	return take_fetched(l, job, f, err);
}

/* --- local files ----------------------------------------------------- */

static int read_local(struct eb_rd_load *l, struct eb_rd_job *job,
		      struct eb_rd_file *f, struct eb_error *err)
{
	EB_CLEANUP(eb_rd_build_free_ptr) struct eb_rd_build *b = NULL;
	eb_autofree char *state = NULL;
	eb_autofd int fd = -1;
	struct stat st;
	int got = eb_rd_open_local(job, f, &fd, &st, err);

	if (got <= 0)
		return got;
	if (f->kind == EB_RD_SHARDS)
		return eb_rd_shards_open(l, job, f, fd, (uint64_t)st.st_size,
					 err) < 0
			       ? -1
			       : 1;
	state = eb_rd_local_state(&st);
	got = state ? eb_rd_reuse(l, job, f, state, err) : 0;
	if (got != 0)
		return got;
	b = scan(l, job, f, fd, (uint64_t)st.st_size, err);
	return b && eb_rd_take(l, job, f, b, state, err) == 0 ? 1 : -1;
}

/* --- a job ----------------------------------------------------------- */

struct eb_rd_file *eb_rd_next_file(const struct eb_rd_load *l,
				   struct eb_rd_job *job,
				   const struct eb_rd_file *f)
{
	for (unsigned i = 0; i + 1 < EB_RD_FILES; i++)
		if (f && &job->file[l->order[i]] == f)
			return &job->file[l->order[i + 1]];
	return f ? NULL : &job->file[l->order[0]];
}

/* 1 read, 0 not there, -1 */
static int read_one(struct eb_rd_load *l, struct eb_rd_job *job,
		    struct eb_rd_file *f, struct eb_error *err)
{
	if (job->path)
		return read_local(l, job, f, err);
	if (job->oci && f->kind != EB_RD_JSON)
		return 0;
	if (job->oci && f->state == EB_RDF_UNKNOWN &&
	    eb_rd_oci_state(l, job, f, err) < 0)
		return -1;
	if (f->state <= EB_RDF_ABSENT)
		return 0;
	return read_file(l, job, f, err) < 0 ? -1 : 1;
}

/* From here on in the order; *used is the file that was read, or could not be
 * read. */
static int read_from(struct eb_rd_load *l, struct eb_rd_job *job,
		     struct eb_rd_file *f, bool fetch, struct eb_rd_file **used,
		     struct eb_error *err)
{
	int got = 0;

	for (; f && !got; f = eb_rd_next_file(l, job, f)) {
		*used = f;
		if (fetch && !job->path && eb_rd_fetch_file(l, job, f, err) < 0)
			return -1;
		got = read_one(l, job, f, err);
	}
	return got;
}

/* What another file can make good: anything wrong with this one itself. */
static bool is_damage(const struct eb_error *err)
{
	return err->code == EB_INTEGRITY || err->code == EB_INPUT;
}

int eb_rd_read_instead(struct eb_rd_load *l, struct eb_rd_job *job,
		       struct eb_rd_file *f, struct eb_error *damage,
		       struct eb_error *err)
{
	struct eb_error second = EB_ERROR_INIT;
	struct eb_rd_file *used = NULL;
	int got = read_from(l, job, eb_rd_next_file(l, job, f), true, &used,
			    &second);

	if (got > 0) {
		eb_warn(l->events, "%s; %s is used instead", damage->message,
			eb_rd_file_name[used->kind]);
		eb_err_release(damage);
		return 1;
	}
	eb_err_move(err, damage);
	if (eb_err_is_set(&second))
		eb_err_hint(err, "%s is no help either: %s",
			    eb_rd_file_name[used->kind], second.message);
	eb_err_release(&second);
	return -1;
}

static bool all_known(const struct eb_rd_job *job)
{
	if (job->oci)
		return job->file[EB_RD_JSON].state != EB_RDF_UNKNOWN;
	for (int i = 0; i < EB_RD_FILES; i++)
		if (job->file[i].state == EB_RDF_UNKNOWN)
			return false;
	return true;
}

static int offline_error(const struct eb_rd_job *job, struct eb_error *err)
{
	eb_err_set(err, EB_NETWORK,
		   "\"%srepodata.json.zst\": not in the store, and --offline "
		   "forbids to ask for it",
		   job->at_url);
	return eb_err_hint(err, "run once without --offline");
}

int eb_rd_read_job(struct eb_rd_load *l, struct eb_rd_job *job,
		   struct eb_error *err)
{
	struct eb_error first = EB_ERROR_INIT;
	struct eb_rd_file *used = NULL;
	int got = read_from(l, job, eb_rd_next_file(l, job, NULL), false, &used,
			    &first);

	if (got < 0 && is_damage(&first))
		got = eb_rd_read_instead(l, job, used, &first, err);
	else if (got < 0)
		eb_err_move(err, &first);
	if (got == 0 && !job->path && l->options->offline && !all_known(job))
		return offline_error(job, err);
	job->found = got > 0;
	return got < 0 ? -1 : 0;
}
