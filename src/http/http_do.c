/* SPDX-License-Identifier: Apache-2.0 */
/* The loop's own thread, and callers of any thread that wait for answers. */
#include "http_int.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* --- the thread ------------------------------------------------------ */

static bool is_stopped(struct eb_http *h)
{
	bool stop;

	pthread_mutex_lock(&h->lock);
	stop = h->stop;
	pthread_mutex_unlock(&h->lock);
	return stop;
}

static void *loop(void *data)
{
	static const struct timespec pause = { .tv_nsec = 100000000 };
	struct eb_http *h = data;
	struct eb_error err = EB_ERROR_INIT;

	while (!is_stopped(h)) {
		if (eb_http_step(h, &err) == 0)
			continue;
		eb_http_give_up(h, &err);
		eb_err_release(&err);
		nanosleep(&pause, NULL);
	}
	eb_err_set(&err, EB_NETWORK, "given up, the work ends");
	eb_http_give_up(h, &err);
	eb_err_release(&err);
	return NULL;
}

/* Signals are for the other threads. */
int eb_http_start(struct eb_http *h, struct eb_error *err)
{
	sigset_t all, before;
	int rc;

	if (h->threaded)
		return 0;
	h->threaded = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&h->thread, NULL, loop, h);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc == 0)
		return 0;
	h->threaded = false;
	return eb_err_errno(err, EB_MACHINE, rc,
			    "starting the thread of transfers");
}

void eb_http_stop(struct eb_http *h)
{
	if (!h->threaded)
		return;
	pthread_mutex_lock(&h->lock);
	h->stop = true;
	pthread_mutex_unlock(&h->lock);
	curl_multi_wakeup(h->multi);
	pthread_join(h->thread, NULL);
	h->threaded = false;
}

/* --- who waits ------------------------------------------------------- */

/* In one go, so that both ends of a pipe are there. */
static void hand_over(struct eb_http *h, struct eb_transfers *list)
{
	pthread_mutex_lock(&h->lock);
	TAILQ_CONCAT(&h->arrived, list, link);
	pthread_mutex_unlock(&h->lock);
	curl_multi_wakeup(h->multi);
}

static void wait_for(struct eb_http_batch *b)
{
	pthread_mutex_lock(&b->lock);
	while (b->left)
		pthread_cond_wait(&b->ended, &b->lock);
	pthread_mutex_unlock(&b->lock);
}

static void run_until(struct eb_http *h, const struct eb_http_batch *b)
{
	struct eb_error err = EB_ERROR_INIT;

	while (b->left)
		if (eb_http_step(h, &err) < 0) {
			eb_http_give_up(h, &err);
			eb_err_release(&err);
		}
}

static int first_error(struct eb_http_request *const *r, size_t n,
		       struct eb_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (eb_err_is_set(&r[i]->err)) {
			eb_err_move(err, &r[i]->err);
			return -1;
		}
	return 0;
}

int eb_http_do(struct eb_http *h, struct eb_http_request *const *r, size_t n,
	       struct eb_error *err)
{
	struct eb_http_batch b = { PTHREAD_MUTEX_INITIALIZER,
				   PTHREAD_COND_INITIALIZER, n };
	struct eb_transfers list = TAILQ_HEAD_INITIALIZER(list);

	for (size_t i = 0; i < n; i++) {
		struct eb_transfer *t = eb_transfer_new(h, r[i]);

		t->batch = &b;
		TAILQ_INSERT_TAIL(&list, t, link);
	}
	if (h->threaded) {
		hand_over(h, &list);
		wait_for(&b);
	} else {
		TAILQ_CONCAT(&h->waiting, &list, link);
		run_until(h, &b);
	}
	pthread_cond_destroy(&b.ended);
	pthread_mutex_destroy(&b.lock);
	return first_error(r, n, err);
}
