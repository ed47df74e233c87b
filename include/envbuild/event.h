/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: how the library tells what it does. It never prints.
 *
 * A sink is called from any thread, one call at a time (the emitter holds
 * the sink's mutex); the texts live only during the call. A NULL sink is
 * allowed everywhere and drops events.
 */
#ifndef EB_EVENT_H
#define EB_EVENT_H

#include <stdint.h>

enum eb_event_type {
	EB_EV_STAGE_BEGIN, /* name = read, base, solve, fetch, pack ... */
	EB_EV_STAGE_END,   /* with wall_ns and cpu_ns */
	EB_EV_TASK_BEGIN,  /* name, kind ("fetch", "pack"), total bytes or 0 */
	EB_EV_TASK_STEP,   /* done of total bytes */
	EB_EV_TASK_END,	   /* text = "" or how it ended ("cached") */
	EB_EV_NOTE,	   /* text: said at normal verbosity */
	EB_EV_DETAIL,	   /* text: said with -v */
	EB_EV_WARNING,	   /* text, and file/line/column where known */
	EB_EV_TOTAL,	   /* name = unit of work, done of total items */
};

struct eb_event {
	enum eb_event_type type;
	const char *name, *kind, *text;
	const char *file;
	unsigned line, column;
	uint64_t done, total;
	uint64_t wall_ns, cpu_ns;
};

struct eb_events; /* one sink */
typedef void eb_event_fn(void *data, const struct eb_event *ev);

struct eb_events *eb_events_new(eb_event_fn *fn, void *data);
void eb_events_free(struct eb_events *events);
void eb_emit(struct eb_events *events, const struct eb_event *ev);
void eb_note(struct eb_events *events, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void eb_detail(struct eb_events *events, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void eb_warn(struct eb_events *events, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void eb_warn_at(struct eb_events *events, const char *file, unsigned line,
		unsigned column, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* A stage with its cost: wall time, and CPU time of the process with its
 * reaped children. */
struct eb_stage {
	const char *name;
	uint64_t wall_ns, cpu_ns;
};
void eb_stage_begin(struct eb_events *events, struct eb_stage *s,
		    const char *name);
void eb_stage_end(struct eb_events *events, struct eb_stage *s);
uint64_t eb_now_ns(void); /* CLOCK_MONOTONIC */

#endif
