/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job's bytes into the index: the file as it was fetched, the store's blob
 * or a local file; the .zst first, repodata.json where that is not to be had.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/stream.h>

#include "repodata_job.h"

#define ZSTD_WINDOW_LOG 27

static struct eb_stream *unpack(const struct eb_rd_file *f,
				struct eb_stream *raw)
{
	if (f->zst)
		raw = eb_stream_unzstd(raw, ZSTD_WINDOW_LOG, f->key);
	return eb_stream_limit(raw, EB_MAX_REPODATA, f->key);
}

static int scan(struct eb_rd_load *l, struct eb_rd_job *job,
		const struct eb_rd_file *f, int fd, uint64_t size,
		struct eb_error *err)
{
	struct eb_rd_scan count = { .as_of = l->options->as_of };
	struct eb_stream *in = eb_stream_fd(fd, 0, size, f->key);
	unsigned source =
		eb_rd_source_add(l->rd, job->index, job->channel->canonical,
				 job->subdir, job->dir_url);

	if (eb_rd_scan(l->rd, source, unpack(f, in), f->key, &count, l->events,
		       err) < 0)
		return -1;
	eb_detail(l->events, "\"%s\": %zu records, %zu of them too new", f->key,
		  count.records, count.later);
	return 0;
}

/* --- from the store -------------------------------------------------- */

/* The blob is checked against its digest before it is believed. */
static int scan_blob(struct eb_rd_load *l, struct eb_rd_job *job,
		     struct eb_rd_file *f, struct eb_error *err)
{
	eb_autofd int fd = -1;
	struct eb_digest found;
	uint64_t size = 0;
	int got = eb_store_blob(l->store, &f->fact.digest, &fd, &size, err);

	if (got < 0 || (got && eb_sha256_fd(fd, &found, &size, err) < 0))
		return -1;
	if (!got || !eb_digest_equal(&found, &f->fact.digest)) {
		if (eb_store_drop(l->store, &f->fact.digest, err) < 0)
			return -1;
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\": reading the store's copy: it is %s",
				  f->key, got ? "damaged" : "gone");
	}
	return scan(l, job, f, fd, size, err);
}

static int read_cached(struct eb_rd_load *l, struct eb_rd_job *job,
		       struct eb_rd_file *f, struct eb_error *err)
{
	struct eb_error first = EB_ERROR_INIT;

	if (scan_blob(l, job, f, &first) == 0)
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

/* --- one file -------------------------------------------------------- */

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
	if (scan(l, job, f, f->fd, f->request.received, err) < 0)
		return -1;
	return eb_rd_cache_keep(l, f, err);
}

/* --- local files ----------------------------------------------------- */

/* 1 open, 0 not there, -1 */
static int open_local(const struct eb_rd_job *job, const struct eb_rd_file *f,
		      int *fd, struct eb_error *err)
{
	const char *fn = f->zst ? "repodata.json.zst" : "repodata.json";
	eb_autofree char *path = eb_path_join(job->path, fn);

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd >= 0)
		return 1;
	if (errno == ENOENT || errno == ENOTDIR)
		return 0;
	return eb_err_errno(err, EB_OK, errno, "\"%s\": opening", path);
}

static int read_local(struct eb_rd_load *l, struct eb_rd_job *job,
		      struct eb_rd_file *f, struct eb_error *err)
{
	eb_autofd int fd = -1;
	struct stat st;
	int got = open_local(job, f, &fd, err);

	if (got <= 0)
		return got;
	if (fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_OK, errno, "\"%s\": reading",
				    f->key);
	if (!S_ISREG(st.st_mode))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": reading: not a regular file",
				  f->key);
	return scan(l, job, f, fd, (uint64_t)st.st_size, err) < 0 ? -1 : 1;
}

/* --- a job ----------------------------------------------------------- */

/* 1 read, 0 not there, -1 */
static int read_one(struct eb_rd_load *l, struct eb_rd_job *job, int which,
		    struct eb_error *err)
{
	struct eb_rd_file *f = &job->file[which];

	if (job->path)
		return read_local(l, job, f, err);
	if (f->state <= EB_RDF_ABSENT)
		return 0;
	return read_file(l, job, f, err) < 0 ? -1 : 1;
}

/* What repodata.json can make good: anything wrong with the .zst itself. */
static bool is_damage(const struct eb_error *err)
{
	return err->code == EB_INTEGRITY || err->code == EB_INPUT;
}

static int read_json_instead(struct eb_rd_load *l, struct eb_rd_job *job,
			     struct eb_error *damage, struct eb_error *err)
{
	struct eb_error second = EB_ERROR_INIT;
	int got = 0;

	if (job->path ||
	    eb_rd_fetch_file(l, job, &job->file[EB_RD_JSON], &second) == 0)
		got = read_one(l, job, EB_RD_JSON, &second);
	if (got > 0) {
		eb_warn(l->events, "%s; repodata.json is used instead",
			damage->message);
		eb_err_release(damage);
		return 1;
	}
	eb_err_move(err, damage);
	if (eb_err_is_set(&second))
		eb_err_hint(err, "repodata.json is no help either: %s",
			    second.message);
	eb_err_release(&second);
	return -1;
}

static int offline_error(const struct eb_rd_job *job, struct eb_error *err)
{
	eb_err_set(err, EB_NETWORK,
		   "\"%srepodata.json.zst\": not in the store, and --offline "
		   "forbids to ask for it",
		   job->dir_url);
	return eb_err_hint(err, "run once without --offline");
}

int eb_rd_read_job(struct eb_rd_load *l, struct eb_rd_job *job,
		   struct eb_error *err)
{
	struct eb_error first = EB_ERROR_INIT;
	int got = read_one(l, job, EB_RD_ZST, &first);

	if (got < 0 && is_damage(&first))
		got = read_json_instead(l, job, &first, err);
	else if (got < 0)
		eb_err_move(err, &first);
	else if (got == 0)
		got = read_one(l, job, EB_RD_JSON, err);
	if (got == 0 && !job->path && l->options->offline &&
	    (job->file[EB_RD_ZST].state == EB_RDF_UNKNOWN ||
	     job->file[EB_RD_JSON].state == EB_RDF_UNKNOWN))
		return offline_error(job, err);
	job->found = got > 0;
	return got < 0 ? -1 : 0;
}
