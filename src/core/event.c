/* SPDX-License-Identifier: Apache-2.0 */
/* Events: handing them to the sink, and stages with their cost. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include <envbuild/event.h>
#include <envbuild/mem.h>

struct eb_events {
	pthread_mutex_t mutex;
	eb_event_fn *fn;
	void *data;
};

struct eb_events *eb_events_new(eb_event_fn *fn, void *data)
{
	struct eb_events *events = eb_calloc(1, sizeof *events);

	pthread_mutex_init(&events->mutex, NULL);
	events->fn = fn;
	events->data = data;
	return events;
}

void eb_events_free(struct eb_events *events)
{
	if (!events)
		return;
	pthread_mutex_destroy(&events->mutex);
	free(events);
}

void eb_emit(struct eb_events *events, const struct eb_event *ev)
{
	if (!events)
		return;
	pthread_mutex_lock(&events->mutex);
	events->fn(events->data, ev);
	pthread_mutex_unlock(&events->mutex);
}

__attribute__((format(printf, 3, 0))) static void
emit_text(struct eb_events *events, struct eb_event ev, const char *fmt,
	  va_list ap)
{
	eb_autofree char *text = NULL;

	if (!events)
		return;
	if (vasprintf(&text, fmt, ap) < 0)
		eb_oom();
	ev.text = text;
	eb_emit(events, &ev);
}

void eb_note(struct eb_events *events, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_text(events, (struct eb_event){ .type = EB_EV_NOTE }, fmt, ap);
	va_end(ap);
}

void eb_detail(struct eb_events *events, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_text(events, (struct eb_event){ .type = EB_EV_DETAIL }, fmt, ap);
	va_end(ap);
}

void eb_warn(struct eb_events *events, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	emit_text(events, (struct eb_event){ .type = EB_EV_WARNING }, fmt, ap);
	va_end(ap);
}

void eb_warn_at(struct eb_events *events, const char *file, unsigned line,
		unsigned column, const char *fmt, ...)
{
	struct eb_event ev = { .type = EB_EV_WARNING,
			       .file = file,
			       .line = line,
			       .column = column };
	va_list ap;

	va_start(ap, fmt);
	emit_text(events, ev, fmt, ap);
	va_end(ap);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t eb_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static uint64_t cpu_ns(void)
{
	struct rusage children;

	getrusage(RUSAGE_CHILDREN, &children);
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID) +
	       timeval_ns(children.ru_utime) + timeval_ns(children.ru_stime);
}

void eb_stage_begin(struct eb_events *events, struct eb_stage *s,
		    const char *name)
{
	*s = (struct eb_stage){ name, eb_now_ns(), cpu_ns() };
	eb_emit(events,
		&(struct eb_event){ .type = EB_EV_STAGE_BEGIN, .name = name });
}

void eb_stage_end(struct eb_events *events, struct eb_stage *s)
{
	s->wall_ns = eb_now_ns() - s->wall_ns;
	s->cpu_ns = cpu_ns() - s->cpu_ns;
	eb_emit(events, &(struct eb_event){ .type = EB_EV_STAGE_END,
					    .name = s->name,
					    .wall_ns = s->wall_ns,
					    .cpu_ns = s->cpu_ns });
}
