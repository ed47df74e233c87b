/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of plain bytes: one of the whole part, one of each file whose
 * digest has to be known or is not yet. Steps are done in their order, by the
 * thread at the side when there is one.
 */
#include <string.h>

#include "part_flow.h"

#define QUEUE 64

struct step {
	struct eb_piece *piece; /* NULL: the file ends */
	int which;
	struct eb_entry *entry;
};

struct eb_sums {
	struct eb_sha256 plain, file;
	struct eb_error err; /* the first, until it was given */
	bool aside, ending, failed;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* the queue, or the end */
	struct step queue[QUEUE];
	unsigned first, n; /* the first one stays while it is done */
};

struct eb_sums *eb_sums_new(void)
{
	struct eb_sums *s = eb_calloc(1, sizeof *s);

	pthread_mutex_init(&s->mutex, NULL);
	pthread_cond_init(&s->changed, NULL);
	eb_sha256_init(&s->plain);
	eb_sha256_init(&s->file);
	return s;
}

static int end_file(struct eb_sums *s, struct eb_entry *e, struct eb_error *err)
{
	char a[EB_DIGEST_TEXT], b[EB_DIGEST_TEXT];
	eb_autofree char *shown = NULL;
	struct eb_digest got;

	eb_sha256_end(&s->file, &got);
	eb_sha256_init(&s->file);
	if (eb_digest_is_zero(&e->sha256))
		e->sha256 = got;
	if (eb_digest_equal(&got, &e->sha256))
		return 0;
	shown = eb_printable(e->path);
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", checking its bytes: they are %s, not %s",
			  shown, eb_digest_text(&got, a),
			  eb_digest_text(&e->sha256, b));
}

static int do_step(struct eb_sums *s, const struct step *step,
		   struct eb_error *err)
{
	struct eb_piece *p = step->piece;

	if (!p)
		return end_file(s, step->entry, err);
	if (step->which & EB_SUM_PLAIN)
		eb_sha256_add(&s->plain, p->data, p->n);
	if (step->which & EB_SUM_FILE)
		eb_sha256_add(&s->file, p->data, p->n);
	eb_piece_drop(p);
	return 0;
}

/* With the mutex held, which is let go meanwhile. After an error steps are
 * only put away. */
static void do_first(struct eb_sums *s)
{
	struct eb_error err = EB_ERROR_INIT;
	struct step step = s->queue[s->first];
	bool failed = s->failed;

	pthread_mutex_unlock(&s->mutex);
	if (!failed)
		failed = do_step(s, &step, &err) < 0;
	else if (step.piece)
		eb_piece_drop(step.piece);
	pthread_mutex_lock(&s->mutex);
	s->failed = failed;
	if (eb_err_is_set(&err))
		eb_err_move(&s->err, &err);
	s->first = (s->first + 1) % QUEUE;
	s->n--;
	pthread_cond_broadcast(&s->changed);
}

static void *work(void *arg)
{
	struct eb_sums *s = arg;

	pthread_mutex_lock(&s->mutex);
	for (;;) {
		if (s->n)
			do_first(s);
		else if (s->ending)
			break;
		else
			pthread_cond_wait(&s->changed, &s->mutex);
	}
	pthread_mutex_unlock(&s->mutex);
	return NULL;
}

void eb_sums_aside(struct eb_sums *s)
{
	s->aside = eb_layer_thread(&s->thread, work, s) == 0;
}

/* With the mutex held. */
static int give_error(struct eb_sums *s, struct eb_error *err)
{
	if (!eb_err_is_set(&s->err))
		return 0;
	eb_err_move(err, &s->err);
	return -1;
}

static int put_step(struct eb_sums *s, struct step step, struct eb_error *err)
{
	int rc;

	if (!s->aside)
		return do_step(s, &step, err);
	pthread_mutex_lock(&s->mutex);
	while (s->n == QUEUE)
		pthread_cond_wait(&s->changed, &s->mutex);
	s->queue[(s->first + s->n++) % QUEUE] = step;
	pthread_cond_broadcast(&s->changed);
	rc = give_error(s, err);
	pthread_mutex_unlock(&s->mutex);
	return rc;
}

int eb_sums_add(struct eb_sums *s, struct eb_piece *p, int which,
		struct eb_error *err)
{
	return put_step(s, (struct step){ p, which, NULL }, err);
}

int eb_sums_end_file(struct eb_sums *s, struct eb_entry *e,
		     struct eb_error *err)
{
	return put_step(s, (struct step){ NULL, 0, e }, err);
}

int eb_sums_wait(struct eb_sums *s, struct eb_error *err)
{
	int rc;

	pthread_mutex_lock(&s->mutex);
	while (s->n)
		pthread_cond_wait(&s->changed, &s->mutex);
	rc = give_error(s, err);
	pthread_mutex_unlock(&s->mutex);
	return rc;
}

void eb_sums_prefer(struct eb_sums *s, struct eb_error *err)
{
	struct eb_error first EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (eb_sums_wait(s, &first) == 0)
		return;
	eb_err_release(err);
	eb_err_move(err, &first);
}

void eb_sums_end(struct eb_sums *s, struct eb_digest *plain)
{
	eb_sha256_end(&s->plain, plain);
}

void eb_sums_free(struct eb_sums *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->mutex);
	s->ending = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->mutex);
	if (s->aside)
		pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->mutex);
	eb_err_release(&s->err);
	free(s);
}
