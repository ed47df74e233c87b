/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a job's files are: at its channel, or at the mirrors of it one after
 * the other. The store knows a file by the place that it came from; the index
 * of a mirror's by the channel, too, for records lie there.
 */
#include <string.h>

#include <envbuild/credential.h>
#include <envbuild/mem.h>

#include "channel_url.h"
#include "repodata_job.h"

static void release_file(struct eb_rd_file *f)
{
	eb_secret_free(f->way.url);
	free(f->key);
	free(f->index_key);
	eb_rd_fact_release(&f->fact);
	eb_http_request_release(&f->request);
	eb_cleanup_fd(&f->fd);
	eb_err_release(&f->err);
	*f = (struct eb_rd_file){ .fd = -1 };
}

void eb_rd_job_release(struct eb_rd_job *job)
{
	for (unsigned i = 0; i < EB_RD_FILES; i++)
		release_file(&job->file[i]);
	eb_channel_ways_release(&job->ways);
	free(job->dir_url);
	free(job->at_url);
	free(job->task);
	free(job->path);
}

static void set_file(struct eb_rd_job *job, unsigned kind)
{
	const struct eb_channel_way *way = &job->ways.way[job->at];
	struct eb_rd_file *f = &job->file[kind];
	bool mirror = strcmp(job->at_url, job->dir_url) != 0;

	release_file(f);
	f->kind = kind;
	f->way = *way;
	f->way.url = eb_asprintf("%s%s", way->url, eb_rd_file_name[kind]);
	f->key = eb_asprintf("%s%s", job->at_url, eb_rd_file_name[kind]);
	f->index_key = mirror ? eb_asprintf("%s %s", f->key, job->dir_url)
			      : eb_strdup(f->key);
}

int eb_rd_next_place(struct eb_rd_job *job)
{
	size_t next = job->at_url ? job->at + 1 : 0;

	if (next >= job->ways.n)
		return 0;
	job->at = next;
	free(job->at_url);
	free(job->path);
	job->at_url = eb_strdup(job->ways.way[next].shown);
	job->oci = eb_channel_is_oci(job->at_url);
	job->path = eb_channel_file_path(job->at_url);
	if (job->path)
		job->path[strlen(job->path) - 1] = '\0';
	for (unsigned i = 0; i < EB_RD_FILES; i++)
		set_file(job, i);
	return 1;
}
