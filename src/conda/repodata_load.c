/* SPDX-License-Identifier: Apache-2.0 */
/* Loading the channels of a solve: jobs, errors that name the channel. */
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "channel_url.h"
#include "repodata_job.h"
#include "repodata_shards.h"

const char *const eb_rd_file_name[EB_RD_FILES] = {
	[EB_RD_SHARDS] = "repodata_shards.msgpack.zst",
	[EB_RD_ZST] = "repodata.json.zst",
	[EB_RD_JSON] = "repodata.json",
	[EB_RD_BZ2] = "repodata.json.bz2",
};

static void release_load(struct eb_rd_load *l)
{
	for (size_t i = 0; i < l->n_jobs; i++)
		eb_rd_job_release(&l->job[i]);
	free(l->job);
	eb_repodata_free(l->rd);
}

static int add_job(struct eb_rd_load *l, const struct eb_channel *c,
		   unsigned index, const char *subdir, struct eb_error *err)
{
	struct eb_rd_job *job = &l->job[l->n_jobs++];

	job->channel = c;
	job->index = index;
	job->subdir = subdir;
	job->dir_url = eb_asprintf("%s/%s/", c->canonical, subdir);
	job->task = eb_asprintf("%s/%s", c->name, subdir);
	for (unsigned i = 0; i < EB_RD_FILES; i++)
		job->file[i].fd = -1;
	if (eb_channel_ways(l->channels, NULL, job->dir_url, &job->ways, err) <
	    0)
		return -1;
	eb_rd_next_place(job);
	return 0;
}

static int add_jobs(struct eb_rd_load *l, const struct eb_channels *channels,
		    struct eb_error *err)
{
	const char *subdir = l->options->subdir;

	l->job = eb_calloc(2 * channels->n + 1, sizeof *l->job);
	for (size_t i = 0; i < channels->n; i++) {
		const struct eb_channel *c = &channels->channel[i];

		if ((strcmp(subdir, "noarch") &&
		     add_job(l, c, (unsigned)i, subdir, err) < 0) ||
		    add_job(l, c, (unsigned)i, "noarch", err) < 0)
			return -1;
	}
	return 0;
}

static bool is_found(const struct eb_rd_load *l, unsigned index)
{
	for (size_t i = 0; i < l->n_jobs; i++)
		if (l->job[i].index == index && l->job[i].found)
			return true;
	return false;
}

static int check_found(const struct eb_rd_load *l,
		       const struct eb_channels *channels, struct eb_error *err)
{
	for (size_t i = 0; i < channels->n; i++) {
		const struct eb_channel *c = &channels->channel[i];

		if (is_found(l, (unsigned)i))
			continue;
		eb_err_set(err, EB_NETWORK,
			   "channel \"%s\": loading: neither \"%s/%s\" nor "
			   "\"%s/noarch\" has a repodata.json(.zst)",
			   c->name, c->canonical, l->options->subdir,
			   c->canonical);
		return eb_err_hint(err, "check the channel's name");
	}
	return 0;
}

/* Shards first where the names are known that are asked for, else last: then
 * all of them are fetched. */
static void set_order(struct eb_rd_load *l)
{
	static const unsigned some[] = { EB_RD_SHARDS, EB_RD_ZST, EB_RD_JSON,
					 EB_RD_BZ2 };
	static const unsigned all[] = { EB_RD_ZST, EB_RD_JSON, EB_RD_BZ2,
					EB_RD_SHARDS };

	memcpy(l->order, l->options->spec ? some : all, sizeof l->order);
}

int eb_rd_read_places(struct eb_rd_load *l, struct eb_rd_job *job,
		      struct eb_error *err)
{
	for (;;) {
		eb_autofree char *was = eb_strdup(job->at_url);
		int rc = eb_rd_read_job(l, job, err);

		if ((rc == 0 && job->found) || !eb_rd_next_place(job))
			return rc;
		if (rc < 0)
			eb_warn(l->events, "%s; \"%s\" is asked instead",
				err->message, job->at_url);
		else
			eb_detail(l->events,
				  "\"%s\": not there; \"%s\" is asked", was,
				  job->at_url);
		eb_err_release(err);
		if (eb_rd_fetch(l, err) < 0)
			return -1;
	}
}

static int load(struct eb_rd_load *l, const struct eb_channels *channels,
		struct eb_error *err)
{
	set_order(l);
	if (add_jobs(l, channels, err) < 0 || eb_rd_fetch(l, err) < 0)
		return -1;
	for (size_t i = 0; i < l->n_jobs; i++)
		if (eb_rd_read_places(l, &l->job[i], err) < 0)
			return eb_err_prefix(err, "channel \"%s\"",
					     l->job[i].channel->name);
	if (check_found(l, channels, err) < 0)
		return -1;
	return eb_rd_shards_walk(l, err);
}

int eb_repodata_load(const struct eb_channels *channels,
		     const struct eb_repodata_options *options,
		     struct eb_store *store, struct eb_http *http,
		     struct eb_events *events, struct eb_repodata **out,
		     struct eb_error *err)
{
	struct eb_rd_load l = {
		.rd = eb_repodata_new(),
		.options = options,
		.channels = channels,
		.store = store,
		.http = http,
		.events = events,
	};
	int status;

	l.rd->as_of = options->as_of;
	status = load(&l, channels, err);
	if (status == 0)
		*out = eb_steal(l.rd);
	release_load(&l);
	return status;
}
