/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets: parts joined, in order of package name, and of payload, record,
 * bytecode. */
#include <string.h>

#include "build_private.h"

struct job {
	struct eb_build *build;
	unsigned number;
	struct eb_item *part, *out;
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct eb_work *const *p = a, *const *q = b;

	return strcmp((*p)->package->record.name, (*q)->package->record.name);
}

static void collect(struct job *job, struct eb_work **sorted)
{
	struct eb_build *b = job->build;

	job->part = eb_calloc(3 * b->n + 1, sizeof *job->part);
	for (size_t i = 0; i < b->n; i++) {
		const struct eb_work *w = sorted[i];

		if (w->member->bucket != job->number)
			continue;
		if (!w->member->own)
			job->part[job->n++] = w->placed;
		job->part[job->n++] = w->record;
		if (w->have_bytecode)
			job->part[job->n++] = w->bytecode;
	}
}

static void bucket_key(const struct job *job, struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild bucket 1");
	for (size_t i = 0; i < job->n; i++)
		eb_key_digest(&k, &job->part[i].key);
	eb_key_end(&k, key);
}

static int join_job(void *arg, struct eb_error *err)
{
	struct job *job = arg;
	struct eb_build *b = job->build;
	struct eb_digest key;
	int rc;

	bucket_key(job, &key);
	rc = eb_store_find_item(b->store, EB_ITEM_LAYER, &key, b->compressor.id,
				job->out, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	__atomic_add_fetch(&b->built->new_layers, 1, __ATOMIC_RELAXED);
	return eb_part_join(b->store, &b->compressor, &key, job->part, job->n,
			    job->out, err);
}

int eb_build_buckets(struct eb_build *b, struct eb_error *err)
{
	eb_autofree struct eb_work **sorted =
		eb_calloc(b->n + 1, sizeof(struct eb_work *));
	eb_autofree struct job *job =
		eb_calloc(b->plan.n_buckets + 1, sizeof *job);
	int rc;

	for (size_t i = 0; i < b->n; i++)
		sorted[i] = &b->work[i];
	qsort(sorted, b->n, sizeof *sorted, by_name);
	b->bucket = eb_calloc(b->plan.n_buckets + 1, sizeof *b->bucket);
	for (size_t i = 0; i < b->plan.n_buckets; i++) {
		job[i] = (struct job){ .build = b,
				       .number = b->plan.bucket[i],
				       .out = &b->bucket[i] };
		collect(&job[i], sorted);
		eb_pool_submit(b->pool, join_job, &job[i]);
	}
	rc = eb_pool_wait(b->pool, err);
	for (size_t i = 0; i < b->plan.n_buckets; i++)
		free(job[i].part);
	return rc;
}
