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

	return eb_work_compare(*p, *q);
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

static int join(struct job *job, const struct eb_digest *key,
		struct eb_error *err)
{
	struct eb_build *b = job->build;

	if (b->foreseen)
		return eb_foresee(b, EB_ITEM_LAYER, key, job->part, job->n,
				  job->out, err);
	__atomic_add_fetch(&b->built->new_layers, 1, __ATOMIC_RELAXED);
	if (eb_build_bring(b, job->part, job->n, err) < 0)
		return -1;
	return eb_part_join(b->store, &b->compressor, key, job->part, job->n,
			    job->out, err);
}

/* Of a plan: a part whose key hangs on a path list that is not there has
 * none. */
static bool lacks_a_key(const struct job *job)
{
	for (size_t i = 0; i < job->n; i++)
		if (eb_digest_is_zero(&job->part[i].key))
			return true;
	return false;
}

static int join_job(void *arg, struct eb_error *err)
{
	struct job *job = arg;
	struct eb_build *b = job->build;
	eb_autofree char *name = NULL;
	struct eb_digest key;
	int rc;

	if (b->foreseen && lacks_a_key(job))
		return eb_foresee(b, EB_ITEM_LAYER, &job->out->key, job->part,
				  job->n, job->out, err);
	bucket_key(job, &key);
	rc = eb_build_find(b, EB_ITEM_LAYER, &key, job->out, err);
	if (rc < 0 || (rc == 0 && join(job, &key, err) < 0))
		return -1;
	name = eb_asprintf("bucket %u", job->number);
	eb_build_push(b, job->out, name);
	return 0;
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
