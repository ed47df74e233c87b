/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members inflated ahead. Of n threads each takes every n-th large member, and
 * hands its pieces over in a queue of its own; so the writer knows whom to
 * ask, and a thread is ahead by its own pieces and no more. Small members are
 * not worth the way: the writer inflates them itself.
 */
#include "part_flow.h"

#define LARGE ((uint64_t)128 << 10)
#define MUCH ((uint64_t)4 << 20) /* of large ones, to begin with threads */
#define MOST 2 /* one large member after the other takes its time anyway */
#define QUEUE 32

struct handed {
	struct eb_piece *piece; /* NULL: the member's end */
	bool packed;
	bool failed; /* which was an error; the worker's last word */
};

struct worker {
	struct eb_ahead *ahead;
	struct eb_inflate *inflate;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct handed queue[QUEUE];
	unsigned first, n;
	bool started, stopped;
	struct eb_error err;
};

struct eb_ahead {
	const struct eb_compressor *c;
	struct eb_inflate *inflate; /* the writer's own */
	const struct eb_entry **large;
	size_t n_large, next;
	unsigned n_workers;
	struct worker worker[MOST];
};

static bool is_large(const struct eb_entry *e)
{
	return e->deflated && e->size >= LARGE;
}

static int put(struct worker *w, struct handed h, struct eb_error *err)
{
	bool stopped;

	pthread_mutex_lock(&w->mutex);
	while (w->n == QUEUE && !w->stopped)
		pthread_cond_wait(&w->changed, &w->mutex);
	stopped = w->stopped;
	if (!stopped)
		w->queue[(w->first + w->n++) % QUEUE] = h;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->mutex);
	if (!stopped)
		return 0;
	if (h.piece)
		eb_piece_drop(h.piece);
	return eb_err_set(err, EB_INTERRUPTED, "packing was given up");
}

static int put_piece(void *data, struct eb_piece *p, bool packed,
		     struct eb_error *err)
{
	return put(data, (struct handed){ p, packed, false }, err);
}

static int inflate_one(struct worker *w, const struct eb_entry *e)
{
	struct eb_error ignored = EB_ERROR_INIT;
	int rc = eb_inflate_entry(w->inflate, e, eb_is_framed(e, w->ahead->c),
				  put_piece, w, &w->err);

	if (put(w, (struct handed){ NULL, false, rc < 0 }, &ignored) < 0)
		rc = -1;
	eb_err_release(&ignored);
	return rc;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct eb_ahead *a = w->ahead;
	size_t i = (size_t)(w - a->worker);

	while (i < a->n_large && inflate_one(w, a->large[i]) == 0)
		i += a->n_workers;
	return NULL;
}

static struct handed get(struct worker *w)
{
	struct handed h;

	pthread_mutex_lock(&w->mutex);
	while (w->n == 0)
		pthread_cond_wait(&w->changed, &w->mutex);
	h = w->queue[w->first];
	w->first = (w->first + 1) % QUEUE;
	w->n--;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->mutex);
	return h;
}

static int get_all(struct worker *w, eb_emit_fn *emit, void *data,
		   struct eb_error *err)
{
	struct handed h;

	while ((h = get(w)).piece)
		if (emit(data, h.piece, h.packed, err) < 0)
			return -1;
	if (!h.failed)
		return 0;
	eb_err_move(err, &w->err);
	return -1;
}

/* Where a thread was not to be had the writer does its share. */
int eb_ahead_entry(struct eb_ahead *a, const struct eb_entry *e,
		   eb_emit_fn *emit, void *data, struct eb_error *err)
{
	if (a->n_workers && is_large(e)) {
		struct worker *w = &a->worker[a->next++ % a->n_workers];

		if (w->started)
			return get_all(w, emit, data, err);
	}
	return eb_inflate_entry(a->inflate, e, eb_is_framed(e, a->c), emit,
				data, err);
}

static void begin_worker(struct eb_ahead *a, struct worker *w)
{
	w->ahead = a;
	w->inflate = eb_inflate_new();
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->changed, NULL);
	w->started = eb_layer_thread(&w->thread, work, w) == 0;
}

static void end_worker(struct worker *w)
{
	pthread_mutex_lock(&w->mutex);
	w->stopped = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->mutex);
	eb_inflate_stop(w->inflate);
	if (w->started)
		pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->mutex);
	eb_inflate_free(w->inflate);
	eb_err_release(&w->err);
}

/* The size of all of them together. */
static uint64_t list_large(struct eb_ahead *a, const struct eb_entries *entries)
{
	uint64_t size = 0;
	size_t i, alloc = 0;

	for (i = 0; i < entries->n; i++)
		if (is_large(&entries->entry[i])) {
			EB_GROW(a->large, a->n_large, alloc);
			a->large[a->n_large++] = &entries->entry[i];
			size += entries->entry[i].size;
		}
	return size;
}

struct eb_ahead *eb_ahead_new(const struct eb_entries *entries,
			      const struct eb_compressor *c, unsigned threads)
{
	struct eb_ahead *a = eb_calloc(1, sizeof *a);
	unsigned i;

	a->c = c;
	a->inflate = eb_inflate_new();
	if (list_large(a, entries) < MUCH || threads < 2)
		return a;
	a->n_workers = MOST;
	if (a->n_workers > a->n_large)
		a->n_workers = (unsigned)a->n_large;
	for (i = 0; i < a->n_workers; i++)
		begin_worker(a, &a->worker[i]);
	return a;
}

void eb_ahead_free(struct eb_ahead *a)
{
	unsigned i;

	if (!a)
		return;
	for (i = 0; i < a->n_workers; i++)
		end_worker(&a->worker[i]);
	eb_inflate_free(a->inflate);
	free(a->large);
	free(a);
}
