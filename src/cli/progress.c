/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress: the one sink of events. Live lines on a terminal, plain lines
 * elsewhere, JSON lines on request; all of it into the log.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "cli.h"
#include "log.h"
#include "progress_view.h"

struct eb_progress {
	enum eb_progress_mode mode;
	bool quiet, verbose;
	struct eb_events *events;
	struct eb_log *log;
	struct eb_view view;
	unsigned warnings;
};

static const char *const type_names[] = {
	"stage-begin", "stage-end", "task-begin", "task-step", "task-end",
	"note",	       "detail",    "warning",	  "total",
};

/* --- JSON -------------------------------------------------------------------
 */
static void add_text(struct eb_buf *b, const char *key, const char *value)
{
	if (!value)
		return;
	eb_buf_addf(b, ",\"%s\":", key);
	eb_buf_add_json(b, value);
}

static void add_number(struct eb_buf *b, const char *key, uint64_t value)
{
	if (value)
		eb_buf_addf(b, ",\"%s\":%llu", key, (unsigned long long)value);
}

static void print_json(const struct eb_event *ev)
{
	EB_AUTOBUF(b, EB_MAX_TEXT);

	eb_buf_addf(&b, "{\"event\":\"%s\"", type_names[ev->type]);
	add_text(&b, "name", ev->name);
	add_text(&b, "kind", ev->kind);
	add_text(&b, "text", ev->text);
	add_text(&b, "file", ev->file);
	add_number(&b, "line", ev->line);
	add_number(&b, "column", ev->column);
	add_number(&b, "done", ev->done);
	add_number(&b, "total", ev->total);
	add_number(&b, "wall_ns", ev->wall_ns);
	add_number(&b, "cpu_ns", ev->cpu_ns);
	fprintf(stderr, "%s}\n", b.data);
}

/* --- plain
 * -------------------------------------------------------------------- */
static char *words(const struct eb_event *ev)
{
	if (ev->type == EB_EV_STAGE_END)
		return eb_asprintf("%s: %.2f s, %.2f s of CPU", ev->name,
				   (double)ev->wall_ns / 1e9,
				   (double)ev->cpu_ns / 1e9);
	if (ev->type == EB_EV_TASK_END)
		return eb_asprintf("%s %s%s%s", ev->kind, ev->name,
				   ev->text && *ev->text ? ": " : "",
				   ev->text ? ev->text : "");
	if (ev->type == EB_EV_WARNING && ev->file && ev->line)
		return eb_asprintf("%s:%u:%u: %s", ev->file, ev->line,
				   ev->column, ev->text);
	if (ev->type == EB_EV_WARNING && ev->file)
		return eb_asprintf("%s: %s", ev->file, ev->text);
	return eb_strdup(ev->text ? ev->text : ev->name);
}

static bool worth_a_line(const struct eb_progress *p, const struct eb_event *ev)
{
	switch (ev->type) {
	case EB_EV_WARNING: return true;
	case EB_EV_NOTE: return !p->quiet;
	case EB_EV_STAGE_END:
	case EB_EV_DETAIL: return p->verbose;
	case EB_EV_TASK_END: return !p->quiet && p->mode == EB_PROGRESS_PLAIN;
	default: return false;
	}
}

static void print_line(struct eb_progress *p, const struct eb_event *ev)
{
	eb_autofree char *raw = words(ev);
	eb_autofree char *text = eb_printable(raw);

	if (p->mode == EB_PROGRESS_LIVE)
		eb_view_clear(&p->view);
	fprintf(stderr, "%s%s\n", ev->type == EB_EV_WARNING ? "warning: " : "",
		text);
}

static void write_log(struct eb_progress *p, const struct eb_event *ev)
{
	eb_autofree char *text = words(ev);

	if (p->log && ev->type != EB_EV_TASK_STEP && ev->type != EB_EV_TOTAL)
		eb_log_line(p->log, type_names[ev->type], text);
}

static void sink(void *data, const struct eb_event *ev)
{
	struct eb_progress *p = data;

	p->warnings += ev->type == EB_EV_WARNING;
	write_log(p, ev);
	if (p->mode == EB_PROGRESS_JSON) {
		print_json(ev);
		return;
	}
	if (p->mode != EB_PROGRESS_NONE && worth_a_line(p, ev))
		print_line(p, ev);
	if (p->mode == EB_PROGRESS_LIVE)
		eb_view_event(&p->view, ev, eb_now_ns());
}

/* --- making one
 * ----------------------------------------------------------------- */
static enum eb_progress_mode mode_of(const char *mode, bool quiet)
{
	bool terminal = isatty(STDERR_FILENO) && getenv("TERM") &&
			strcmp(getenv("TERM"), "dumb");

	if (!strcmp(mode, "none"))
		return EB_PROGRESS_NONE;
	if (!strcmp(mode, "json"))
		return EB_PROGRESS_JSON;
	if (!strcmp(mode, "auto") && terminal && !quiet)
		return EB_PROGRESS_LIVE;
	return EB_PROGRESS_PLAIN;
}

struct eb_progress *eb_progress_new(const char *mode, bool quiet, bool verbose)
{
	struct eb_progress *p = eb_calloc(1, sizeof *p);

	p->mode = mode_of(mode, quiet);
	p->quiet = quiet;
	p->verbose = verbose;
	p->view.out = stderr;
	p->events = eb_events_new(sink, p);
	return p;
}

struct eb_events *eb_progress_events(struct eb_progress *p)
{
	return p->events;
}

const char *eb_progress_log(struct eb_progress *p, const char *title)
{
	if (p && !p->log && title)
		p->log = eb_log_open(title);
	return p && p->log ? eb_log_path(p->log) : NULL;
}

void eb_progress_pause(struct eb_progress *p)
{
	if (p && p->mode == EB_PROGRESS_LIVE)
		eb_view_clear(&p->view);
}

unsigned eb_progress_warnings(const struct eb_progress *p)
{
	return p->warnings;
}

void eb_progress_free(struct eb_progress *p)
{
	if (!p)
		return;
	eb_progress_pause(p);
	eb_view_release(&p->view);
	eb_events_free(p->events);
	eb_log_close(p->log);
	free(p);
}
