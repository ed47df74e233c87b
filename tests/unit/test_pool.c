/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of threads: all jobs, their order, jobs that submit jobs, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <envbuild/mem.h>
#include <envbuild/pool.h>

static unsigned counter, dropped;

static int count(void *arg, struct eb_error *err)
{
	(void)arg;
	(void)err;
	__atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void drop(void *arg)
{
	__atomic_fetch_add(&dropped, 1, __ATOMIC_SEQ_CST);
	free(arg);
}

static void wait_ok(struct eb_pool *pool)
{
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(eb_pool_wait(pool, &err), 0);
	assert_false(eb_err_is_set(&err));
}

static void many(void **state)
{
	struct eb_pool *pool = eb_pool_new(4);
	int i, round;

	(void)state;
	counter = 0;
	assert_int_equal(eb_pool_threads(pool), 4);
	wait_ok(pool);
	for (round = 1; round <= 3; round++) {
		for (i = 0; i < 5000; i++)
			eb_pool_submit(pool, count, NULL);
		wait_ok(pool);
		assert_int_equal(counter, round * 5000);
	}
	eb_pool_free(pool);
}

static void as_many_as_cpus(void **state)
{
	struct eb_pool *pool = eb_pool_new(0);
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	assert_int_equal(eb_pool_threads(pool), CPU_COUNT(&set));
	eb_pool_free(pool);
	eb_pool_free(NULL);
}

struct order {
	int *next;
	int mine;
};

static int in_order(void *arg, struct eb_error *err)
{
	struct order *o = arg;

	if ((*o->next)++ != o->mine)
		return eb_err_set(err, EB_MACHINE, "job %d is late", o->mine);
	return 0;
}

static void order_of_submission(void **state)
{
	struct eb_pool *pool = eb_pool_new(1);
	struct order o[500];
	int next = 0, i;

	(void)state;
	for (i = 0; i < 500; i++) {
		o[i] = (struct order){ &next, i };
		eb_pool_submit(pool, in_order, &o[i]);
	}
	wait_ok(pool);
	assert_int_equal(next, 500);
	eb_pool_free(pool);
}

struct spread {
	struct eb_pool *pool;
	int depth;
};

static int spread(void *arg, struct eb_error *err)
{
	struct spread *s = arg, *child;
	int i;

	for (i = 0; s->depth && i < 3; i++) {
		child = eb_memdup(s, sizeof *s);
		child->depth--;
		eb_pool_submit_owned(s->pool, spread, child, drop);
	}
	free(s);
	return count(NULL, err);
}

static void jobs_of_jobs(void **state)
{
	struct eb_pool *pool = eb_pool_new(3);
	struct spread first = { pool, 6 };

	(void)state;
	counter = 0;
	eb_pool_submit_owned(pool, spread, eb_memdup(&first, sizeof first),
			     drop);
	wait_ok(pool);
	assert_int_equal(counter, 1093); /* 3^0 + ... + 3^6 */
	eb_pool_free(pool);
}

static int fail_as(void *arg, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "%s", (const char *)arg);
}

static int count_and_free(void *arg, struct eb_error *err)
{
	free(arg);
	return count(NULL, err);
}

/* After the error nothing begins; what was queued is dropped once each. */
static void first_error(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_pool *pool = eb_pool_new(1);
	int i;

	(void)state;
	counter = dropped = 0;
	for (i = 0; i < 10; i++)
		eb_pool_submit_owned(pool, count_and_free, eb_malloc(1), drop);
	eb_pool_submit(pool, fail_as, (void *)"first");
	eb_pool_submit(pool, fail_as, (void *)"second");
	for (i = 0; i < 100; i++)
		eb_pool_submit_owned(pool, count_and_free, eb_malloc(1), drop);
	assert_int_equal(eb_pool_wait(pool, &err), -1);
	assert_string_equal(err.message, "first");
	assert_int_equal(counter, 10);
	assert_int_equal(dropped, 100);
	eb_err_release(&err);
	eb_pool_submit(pool, count, NULL);
	wait_ok(pool);
	assert_int_equal(counter, 11);
	eb_pool_free(pool);
}

/* Freed without a wait, with an error that nobody asks for. */
static void free_waits(void **state)
{
	struct eb_pool *pool = eb_pool_new(2);
	int i;

	(void)state;
	counter = 0;
	for (i = 0; i < 1000; i++)
		eb_pool_submit(pool, count, NULL);
	eb_pool_submit(pool, fail_as, (void *)"lost");
	eb_pool_free(pool);
	assert_int_equal(counter, 1000);
}

struct meeting {
	pthread_mutex_t mutex;
	pthread_cond_t came;
	int here;
};

/* Ends only if as many are inside at one time. */
static int meet(void *arg, struct eb_error *err)
{
	struct meeting *m = arg;
	struct timespec until;
	int late = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	pthread_mutex_lock(&m->mutex);
	m->here++;
	pthread_cond_broadcast(&m->came);
	while (m->here < 3 && !late)
		late = pthread_cond_timedwait(&m->came, &m->mutex, &until);
	pthread_mutex_unlock(&m->mutex);
	return late ? eb_err_set(err, EB_MACHINE, "alone") : 0;
}

static void at_the_same_time(void **state)
{
	struct meeting m = { PTHREAD_MUTEX_INITIALIZER,
			     PTHREAD_COND_INITIALIZER, 0 };
	struct eb_pool *pool = eb_pool_new(3);
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		eb_pool_submit(pool, meet, &m);
	wait_ok(pool);
	eb_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many),
		cmocka_unit_test(as_many_as_cpus),
		cmocka_unit_test(order_of_submission),
		cmocka_unit_test(jobs_of_jobs),
		cmocka_unit_test(first_error),
		cmocka_unit_test(free_waits),
		cmocka_unit_test(at_the_same_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
