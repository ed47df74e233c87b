/* SPDX-License-Identifier: Apache-2.0 */
/* A request has ended: its caller's fields are filled, and who waits for it is
 * told. */
#include "http_int.h"

void eb_http_forget_answer(struct eb_http_request *r)
{
	free(eb_steal(r->etag));
	free(eb_steal(r->last_modified));
	free(eb_steal(r->cache_control));
	free(eb_steal(r->answer));
	free(eb_steal(r->error_body));
	r->retry_after = 0;
}

void eb_http_request_release(struct eb_http_request *r)
{
	eb_err_release(&r->err);
	eb_http_forget_answer(r);
	free(eb_steal(r->final_url));
	r->status = 0;
	r->received = r->sent = 0;
}

/* Gone is not there; parts that were put together are the whole. */
static long plain_status(const struct eb_transfer *t)
{
	long status = t->r->status;

	if (status == 410)
		return 404;
	return status == 206 && !t->r->range_size ? 200 : status;
}

static void fill(struct eb_transfer *t, struct eb_error *err)
{
	struct eb_http_request *r = t->r;

	if (eb_err_is_set(err))
		eb_err_move(&r->err, err);
	r->status = plain_status(t);
	r->received = t->got;
	r->sent = t->sent;
	r->final_url = eb_steal(t->url);
	if (t->error.len)
		r->error_body = eb_buf_steal(&t->error, NULL);
}

static void tell(struct eb_http_batch *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->lock);
	if (--b->left == 0)
		pthread_cond_signal(&b->ended);
	pthread_mutex_unlock(&b->lock);
}

/* The callback comes after all else, since it may free the request; who waits
 * is told after that. */
void eb_transfer_end(struct eb_transfer *t, struct eb_error *err)
{
	struct eb_error why = EB_ERROR_INIT;
	struct eb_http_request *r = t->r;
	struct eb_http_batch *batch = t->batch;
	struct eb_transfer *other = eb_pipe_leave(t, err, &why);

	eb_transfer_stop(t);
	fill(t, err);
	eb_transfer_say_end(t);
	eb_transfer_free(t);
	r->transfer = NULL;
	if (r->done)
		r->done(r->data, r);
	tell(batch);
	if (other)
		eb_transfer_end(other, &why);
}

void eb_http_give_up(struct eb_http *h, const struct eb_error *why)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_transfer *t;

	eb_http_take_arrived(h);
	while (eb_http_busy(h)) {
		t = TAILQ_FIRST(&h->running);
		if (!t)
			t = TAILQ_FIRST(&h->waiting);
		eb_err_set(&err, why->code, "\"%s\": %s: %s", t->shown,
			   t->doing, why->message);
		eb_transfer_end(t, &err);
	}
}
