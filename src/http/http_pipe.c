/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pipe from one transfer's answer to another one's body: a ring of bytes.
 * Both ends are served by the loop's thread, so nothing is locked; an end that
 * finds no room or no bytes pauses, and the loop wakes it (eb_pipe_ready).
 */
#include "http_int.h"

#include <string.h>

/* Several of the pieces that libcurl hands over have to fit in. */
#define LEAST ((size_t)4 * CURL_MAX_WRITE_SIZE)

struct eb_http_pipe {
	struct eb_transfer *giver, *taker; /* NULL: it has ended */
	uint64_t size;			   /* what the taker promised to send */
	uint64_t given, taken;
	bool open; /* the giver's answer has begun */
	size_t capacity, from;
	char ring[];
};

struct eb_http_pipe *eb_http_pipe_new(size_t capacity)
{
	struct eb_http_pipe *p;

	if (capacity < LEAST)
		capacity = LEAST;
	p = eb_malloc(sizeof *p + capacity);
	*p = (struct eb_http_pipe){ .capacity = capacity };
	return p;
}

void eb_http_pipe_free(struct eb_http_pipe *pipe)
{
	free(pipe);
}

static size_t fill(const struct eb_http_pipe *p)
{
	return (size_t)(p->given - p->taken);
}

/* --- ends come ------------------------------------------------------- */

static struct eb_http_pipe *taken_by(const struct eb_transfer *t)
{
	const struct eb_http_body *b = &t->r->body;

	return b->kind == EB_HTTP_PIPE ? b->pipe : NULL;
}

static struct eb_http_pipe *pipe_of(const struct eb_transfer *t)
{
	struct eb_http_pipe *p = taken_by(t);

	return p ? p : t->r->to_pipe;
}

/* The first of two makes it empty. */
void eb_pipe_join(struct eb_transfer *t)
{
	struct eb_http_pipe *p = pipe_of(t);

	if (!p)
		return;
	if (!p->giver && !p->taker)
		*p = (struct eb_http_pipe){ .capacity = p->capacity };
	if (taken_by(t)) {
		p->taker = t;
		p->size = t->r->body.size;
	} else {
		p->giver = t;
	}
}

int eb_pipe_check(const struct eb_transfer *t, struct eb_error *err)
{
	const struct eb_http_pipe *p = pipe_of(t);

	if (!p || (p->giver && p->taker) || (t == p->taker && p->open))
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\": %s: nothing is at the other end of its pipe",
			  t->shown, t->doing);
}

bool eb_pipe_waits(const struct eb_transfer *t)
{
	const struct eb_http_pipe *p = taken_by(t);

	return p && p->giver && !p->open;
}

/* --- bytes ----------------------------------------------------------- */

static int refuse_size(const struct eb_transfer *t, uint64_t size,
		       struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\": downloading: the body is longer or shorter "
			  "than %llu bytes",
			  t->shown, (unsigned long long)size);
}

int eb_pipe_open(struct eb_transfer *t, struct eb_error *err)
{
	struct eb_http_pipe *p = t->r->to_pipe;

	if (t->total && t->total != p->size)
		return refuse_size(t, p->size, err);
	p->open = true;
	return 0;
}

int eb_pipe_room(struct eb_transfer *t, size_t n)
{
	const struct eb_http_pipe *p = t->r->to_pipe;

	if (n > p->size - p->given)
		return refuse_size(t, p->size, &t->err);
	return p->capacity - fill(p) >= n;
}

void eb_pipe_put(struct eb_transfer *t, const char *from, size_t n)
{
	struct eb_http_pipe *p = t->r->to_pipe;
	size_t at = (p->from + fill(p)) % p->capacity;
	size_t first = p->capacity - at;

	if (first > n)
		first = n;
	memcpy(p->ring + at, from, first);
	memcpy(p->ring, from + first, n - first);
	p->given += n;
}

size_t eb_pipe_take(struct eb_transfer *t, char *to, size_t max)
{
	struct eb_http_pipe *p = taken_by(t);
	size_t n = fill(p) < max ? fill(p) : max, first = p->capacity - p->from;

	if (first > n)
		first = n;
	memcpy(to, p->ring + p->from, first);
	memcpy(to + first, p->ring, n - first);
	p->from = (p->from + n) % p->capacity;
	p->taken += n;
	return n;
}

/* Half of the ring at once for who gives, anything for who takes. */
bool eb_pipe_ready(const struct eb_transfer *t)
{
	const struct eb_http_pipe *p = pipe_of(t);

	if (taken_by(t))
		return fill(p) > 0;
	return fill(p) <= p->capacity / 2;
}

bool eb_pipe_spent(const struct eb_transfer *t)
{
	const struct eb_http_pipe *p = taken_by(t);

	if (p)
		return p->taken;
	return t->r->to_pipe && t->got && !t->part_etag;
}

/* --- ends go --------------------------------------------------------- */

static void copy(struct eb_error *to, const struct eb_error *from)
{
	eb_err_set(to, from->code, "%s", from->message);
	if (from->hint)
		eb_err_hint(to, "%s", from->hint);
}

static struct eb_transfer *giver_goes(struct eb_http_pipe *p,
				      const struct eb_error *err,
				      struct eb_error *why)
{
	struct eb_transfer *giver = eb_steal(p->giver), *taker = p->taker;

	if (!taker)
		return NULL;
	if (eb_err_is_set(err))
		copy(why, err);
	else if (!p->open)
		eb_err_set(why, EB_NETWORK,
			   "\"%s\": sending: \"%s\" gives nothing (%ld)",
			   taker->shown, giver->shown, giver->r->status);
	else if (p->given != p->size)
		eb_err_set(why, EB_INTEGRITY,
			   "\"%s\": sending: \"%s\" gives %llu of %llu bytes",
			   taker->shown, giver->shown,
			   (unsigned long long)p->given,
			   (unsigned long long)p->size);
	else
		return NULL;
	return eb_steal(p->taker);
}

static struct eb_transfer *taker_goes(struct eb_http_pipe *p,
				      const struct eb_error *err,
				      struct eb_error *why)
{
	struct eb_transfer *taker = eb_steal(p->taker), *giver = p->giver;

	if (!giver)
		return NULL;
	if (eb_err_is_set(err))
		copy(why, err);
	else if (p->given != p->size || fill(p))
		eb_err_set(why, EB_NETWORK,
			   "\"%s\": sending: answered (%ld) after %llu of "
			   "%llu bytes",
			   taker->shown, taker->r->status,
			   (unsigned long long)p->taken,
			   (unsigned long long)p->size);
	else
		return NULL;
	return eb_steal(p->giver);
}

struct eb_transfer *eb_pipe_leave(struct eb_transfer *t,
				  const struct eb_error *err,
				  struct eb_error *why)
{
	struct eb_http_pipe *p = pipe_of(t);

	if (p && p->giver == t)
		return giver_goes(p, err, why);
	if (p && p->taker == t)
		return taker_goes(p, err, why);
	return NULL;
}
