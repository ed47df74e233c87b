/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of threads with one queue. The first error ends the work: what is
 * queued then is dropped (its `drop` called), what runs runs to its end. */
#ifndef EB_POOL_H
#define EB_POOL_H

#include <envbuild/error.h>

struct eb_pool;
typedef int eb_job_fn(void *arg, struct eb_error *err);
typedef void eb_drop_fn(void *arg);

struct eb_pool *eb_pool_new(unsigned threads); /* 0: one a CPU we may use */
unsigned eb_pool_threads(const struct eb_pool *pool);
/* Jobs start in order of submission; a job may submit jobs. */
void eb_pool_submit(struct eb_pool *pool, eb_job_fn *fn, void *arg);
/* The same for an argument that somebody has to free: `drop` (may be NULL) is
 * called instead of `fn` when the job is dropped. */
void eb_pool_submit_owned(struct eb_pool *pool, eb_job_fn *fn, void *arg,
			  eb_drop_fn *drop);
/* Until the queue is empty and all threads are idle; gives the first error.
 * The pool can be used again afterwards. */
int eb_pool_wait(struct eb_pool *pool, struct eb_error *err);
void eb_pool_free(struct eb_pool *pool); /* waits */

#endif
