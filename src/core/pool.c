/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of threads with one queue. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <envbuild/mem.h>
#include <envbuild/pool.h>

struct job {
	struct job *next;
	eb_job_fn *fn;
	eb_drop_fn *drop;
	void *arg;
};

struct eb_pool {
	pthread_mutex_t mutex;
	pthread_cond_t work; /* a job came, or the end */
	pthread_cond_t idle; /* nothing is queued, nothing runs */
	struct job *first, **last;
	struct eb_error err; /* the first one since the last wait */
	unsigned running;
	bool ending;
	unsigned n_threads;
	pthread_t thread[];
};

/* With the mutex held; a job that may run, or NULL when there is none. */
static struct job *next_job(struct eb_pool *pool)
{
	struct job *job = pool->first;

	if (!job)
		return NULL;
	pool->first = job->next;
	if (!pool->first)
		pool->last = &pool->first;
	return job;
}

/* With the mutex held: it is let go while the job runs. */
static void do_job(struct eb_pool *pool, struct job *job)
{
	struct eb_error err = EB_ERROR_INIT;
	bool drop = eb_err_is_set(&pool->err);

	pool->running++;
	pthread_mutex_unlock(&pool->mutex);
	if (!drop)
		job->fn(job->arg, &err);
	else if (job->drop)
		job->drop(job->arg);
	free(job);
	pthread_mutex_lock(&pool->mutex);
	pool->running--;
	if (eb_err_is_set(&err) && !eb_err_is_set(&pool->err))
		eb_err_move(&pool->err, &err);
	eb_err_release(&err);
	if (!pool->running && !pool->first)
		pthread_cond_broadcast(&pool->idle);
}

static void *work(void *data)
{
	struct eb_pool *pool = data;
	struct job *job;

	pthread_mutex_lock(&pool->mutex);
	for (;;) {
		job = next_job(pool);
		if (job)
			do_job(pool, job);
		else if (pool->ending)
			break;
		else
			pthread_cond_wait(&pool->work, &pool->mutex);
	}
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

static unsigned usable_cpus(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return 1;
	n = CPU_COUNT(&set);
	return n > 0 ? (unsigned)n : 1;
}

/* Signals are the main thread's. Where a thread is not to be had there are
 * fewer; with none at all the jobs run in eb_pool_wait(). */
static void start_threads(struct eb_pool *pool, unsigned threads)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (pool->n_threads < threads &&
	       pthread_create(&pool->thread[pool->n_threads], NULL, work,
			      pool) == 0)
		pool->n_threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct eb_pool *eb_pool_new(unsigned threads)
{
	struct eb_pool *pool;

	if (threads == 0)
		threads = usable_cpus();
	pool = eb_calloc(1, sizeof *pool + threads * sizeof *pool->thread);
	pthread_mutex_init(&pool->mutex, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->idle, NULL);
	pool->last = &pool->first;
	start_threads(pool, threads);
	return pool;
}

unsigned eb_pool_threads(const struct eb_pool *pool)
{
	return pool->n_threads ? pool->n_threads : 1;
}

void eb_pool_submit_owned(struct eb_pool *pool, eb_job_fn *fn, void *arg,
			  eb_drop_fn *drop)
{
	struct job *job = eb_malloc(sizeof *job);

	*job = (struct job){ NULL, fn, drop, arg };
	pthread_mutex_lock(&pool->mutex);
	*pool->last = job;
	pool->last = &job->next;
	pthread_cond_signal(&pool->work);
	pthread_mutex_unlock(&pool->mutex);
}

void eb_pool_submit(struct eb_pool *pool, eb_job_fn *fn, void *arg)
{
	eb_pool_submit_owned(pool, fn, arg, NULL);
}

int eb_pool_wait(struct eb_pool *pool, struct eb_error *err)
{
	struct job *job;
	int status = 0;

	pthread_mutex_lock(&pool->mutex);
	while (!pool->n_threads && (job = next_job(pool)))
		do_job(pool, job);
	while (pool->running || pool->first)
		pthread_cond_wait(&pool->idle, &pool->mutex);
	if (eb_err_is_set(&pool->err)) {
		eb_err_move(err, &pool->err);
		status = -1;
	}
	pthread_mutex_unlock(&pool->mutex);
	return status;
}

void eb_pool_free(struct eb_pool *pool)
{
	struct eb_error err = EB_ERROR_INIT;
	unsigned i;

	if (!pool)
		return;
	eb_pool_wait(pool, &err);
	eb_err_release(&err);
	pthread_mutex_lock(&pool->mutex);
	pool->ending = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->mutex);
	for (i = 0; i < pool->n_threads; i++)
		pthread_join(pool->thread[i], NULL);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->idle);
	pthread_mutex_destroy(&pool->mutex);
	free(pool);
}
