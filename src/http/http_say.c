/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of one transfer, as events. */
#include "http_int.h"

#define STEP_NS 100000000u

static void emit(struct eb_transfer *t, enum eb_event_type type)
{
	const struct eb_http_request *r = t->r;
	bool out = r->body.size;
	struct eb_event ev = {
		.type = type,
		.name = r->task,
		.kind = r->task_kind ? r->task_kind : "fetch",
		.done = out ? t->sent : t->got,
		.total = out	    ? r->body.size
			 : t->total ? t->total
				    : r->expect_size,
	};

	if (type == EB_EV_TASK_END) {
		ev.total = ev.done;
		ev.text = eb_err_is_set(&r->err) ? r->err.message : "";
	}
	eb_emit(t->http->events, &ev);
}

/* Ten times a second at most; an end in every case. */
void eb_transfer_say(struct eb_transfer *t)
{
	uint64_t now;

	if (!t->r->task)
		return;
	now = eb_now_ns();
	if (!t->begun)
		emit(t, EB_EV_TASK_BEGIN);
	else if (now - t->said >= STEP_NS)
		emit(t, EB_EV_TASK_STEP);
	else
		return;
	t->begun = true;
	t->said = now;
}

void eb_transfer_say_end(struct eb_transfer *t)
{
	if (t->begun)
		emit(t, EB_EV_TASK_END);
}
