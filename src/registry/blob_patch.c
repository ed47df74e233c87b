/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs sent by PATCH: in one piece, or in several with Content-Range. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/event.h>

#include "blob.h"

#define RESYNCS 3

static void tell(const struct eb_upload *u, enum eb_event_type type,
		 uint64_t done)
{
	struct eb_event ev = { .type = type,
			       .name = u->task,
			       .kind = "push",
			       .text = "",
			       .done = done,
			       .total = u->size };

	if (u->task)
		eb_emit(u->repo->registry->events, &ev);
}

/* How much the registry has, by "Range: 0-END"; absent: as sent. */
static uint64_t has_now(const struct eb_call *c, uint64_t sent)
{
	eb_autofree char *field = eb_call_field(c, "Range");
	const char *dash = field ? strchr(field, '-') : NULL;
	uint64_t end;

	if (!dash || eb_parse_u64(dash + 1, UINT64_MAX - 1, &end) < 0)
		return sent;
	return end + 1;
}

/* Each answer names the place for the next request. */
static int move_on(struct eb_upload *u, struct eb_call *c, struct eb_error *err)
{
	eb_autofree char *field = eb_call_field(c, "Location");
	char *next;

	if (!field)
		return 0;
	next = eb_call_location(c, err);
	if (!next)
		return -1;
	free(u->location);
	u->location = next;
	return 0;
}

/* 416 that says where it stands: from there. */
static bool is_resync(const struct eb_call *c)
{
	eb_autofree char *location = eb_call_field(c, "Location");
	eb_autofree char *range = eb_call_field(c, "Range");

	return c->r.status == 416 && location && range;
}

struct patch {
	uint64_t at;	/* what the registry has */
	uint64_t chunk; /* at most that many at once */
	unsigned resyncs;
};

static enum eb_sent take_answer(struct eb_upload *u, struct patch *p,
				struct eb_call *c, uint64_t n,
				struct eb_error *err)
{
	uint64_t now = has_now(c, p->at + n);
	bool resync = is_resync(c) && p->resyncs < RESYNCS;
	enum eb_sent sent =
		resync ? EB_SENT_DONE : eb_upload_verdict(u, c, err);

	if (sent != EB_SENT_DONE)
		return sent;
	if (now > p->at + n || (!resync && now <= p->at)) {
		eb_err_set(err, EB_NETWORK,
			   "the registry says it has %" PRIu64
			   " bytes, %" PRIu64 " were sent",
			   now, p->at + n);
		eb_call_prefix(c, err);
		return EB_SENT_NEW;
	}
	p->resyncs += resync;
	p->at = now;
	return move_on(u, c, err) < 0 ? EB_SENT_FAILED : EB_SENT_DONE;
}

static enum eb_sent send_piece(struct eb_upload *u, struct patch *p,
			       struct eb_error *err)
{
	uint64_t n = u->size - p->at < p->chunk ? u->size - p->at : p->chunk;
	eb_autofree char *range = eb_asprintf(
		"Content-Range: %" PRIu64 "-%" PRIu64, p->at, p->at + n - 1);
	struct eb_call c = eb_upload_call(u, "PATCH");
	const char *headers[] = { c.headers[0], range, NULL };
	bool ranged = p->chunk < u->size || p->at;
	enum eb_sent sent;

	if (ranged)
		c.headers = headers;
	c.task = ranged ? NULL : u->task;
	sent = eb_upload_send(u, &c, p->at, n, err);
	if (sent == EB_SENT_DONE)
		sent = take_answer(u, p, &c, n, err);
	if (sent == EB_SENT_DONE && ranged)
		tell(u, EB_EV_TASK_STEP, p->at);
	eb_call_release(&c);
	return sent;
}

enum eb_sent eb_upload_patch(struct eb_upload *u, uint64_t chunk,
			     struct eb_error *err)
{
	struct patch p = { 0, chunk, 0 };
	enum eb_sent sent = EB_SENT_DONE;
	bool told = chunk < u->size;

	if (told)
		tell(u, EB_EV_TASK_BEGIN, 0);
	while (sent == EB_SENT_DONE && p.at < u->size)
		sent = send_piece(u, &p, err);
	if (told)
		tell(u, EB_EV_TASK_END, p.at);
	return sent == EB_SENT_DONE ? eb_upload_put(u, false, err) : sent;
}
