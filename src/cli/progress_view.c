/* SPDX-License-Identifier: Apache-2.0 */
/* The live view. It repaints at most ten times a second. */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "progress_view.h"

#define REPAINT_NS 100000000ULL

static unsigned width(const struct eb_view *v)
{
	struct winsize ws;

	if (v->width)
		return v->width;
	if (ioctl(fileno(v->out), TIOCGWINSZ, &ws) == 0 && ws.ws_col > 20)
		return ws.ws_col;
	return 80;
}

static struct eb_view_task *find(struct eb_view *v, const struct eb_event *ev)
{
	for (unsigned i = 0; i < v->n; i++)
		if (!strcmp(v->task[i].name, ev->name) &&
		    !strcmp(v->task[i].kind, ev->kind))
			return &v->task[i];
	return NULL;
}

static void begin(struct eb_view *v, const struct eb_event *ev, uint64_t now)
{
	if (v->n == EB_VIEW_TASKS || find(v, ev))
		return;
	v->task[v->n++] = (struct eb_view_task){ .name = eb_strdup(ev->name),
						 .kind = eb_strdup(ev->kind),
						 .total = ev->total,
						 .began = now };
}

static void end(struct eb_view *v, const struct eb_event *ev)
{
	struct eb_view_task *t = find(v, ev);

	v->finished++;
	if (!strcmp(ev->kind, "pack"))
		v->packed += ev->total;
	if (!t)
		return;
	free(t->name);
	free(t->kind);
	memmove(t, t + 1, (size_t)(&v->task[v->n] - (t + 1)) * sizeof *t);
	v->n--;
}

static void step(struct eb_view *v, const struct eb_event *ev)
{
	struct eb_view_task *t = find(v, ev);

	if (!t)
		return;
	if (!strcmp(ev->kind, "fetch") && ev->done > t->done)
		v->fetched += ev->done - t->done;
	t->done = ev->done;
	if (ev->total)
		t->total = ev->total;
}

void eb_view_clear(struct eb_view *v)
{
	for (; v->lines; v->lines--)
		fputs("\033[1A\033[2K", v->out);
	fflush(v->out);
}

static void put_line(struct eb_view *v, const char *text)
{
	eb_autofree char *clean = eb_printable(text);

	fprintf(v->out, "%.*s\n", (int)width(v) - 1, clean);
	v->lines++;
}

static void paint_task(struct eb_view *v, const struct eb_view_task *t)
{
	char done[32], total[32];
	eb_autofree char *line = NULL;

	if (t->total && t->done)
		line = eb_asprintf("  %-8s %s  %s of %s", t->kind, t->name,
				   eb_human_size(t->done, done),
				   eb_human_size(t->total, total));
	else if (t->total)
		line = eb_asprintf("  %-8s %s  %s", t->kind, t->name,
				   eb_human_size(t->total, total));
	else
		line = eb_asprintf("  %-8s %s", t->kind, t->name);
	put_line(v, line);
}

static void paint_total(struct eb_view *v, uint64_t now)
{
	double seconds = (double)(now - v->began) / 1e9;
	char fetched[32], packed[32], rate[32];
	eb_autofree char *line = NULL;

	eb_human_size(v->fetched, fetched);
	eb_human_size(v->packed, packed);
	eb_human_size(
		seconds > 0.1
			? (uint64_t)((double)(v->fetched + v->packed) / seconds)
			: 0,
		rate);
	line = eb_asprintf("%s: %u done, %s fetched, %s packed, %s/s, %.0f s",
			   v->stage ? v->stage : "start", v->finished, fetched,
			   packed, rate, seconds);
	put_line(v, line);
}

static void paint(struct eb_view *v, uint64_t now)
{
	eb_view_clear(v);
	for (unsigned i = 0; i < v->n; i++)
		paint_task(v, &v->task[i]);
	paint_total(v, now);
	fflush(v->out);
	v->painted = now;
}

void eb_view_event(struct eb_view *v, const struct eb_event *ev, uint64_t now)
{
	if (!v->began)
		v->began = now;
	if (ev->type == EB_EV_STAGE_BEGIN) {
		free(v->stage);
		v->stage = eb_strdup(ev->name);
	} else if (ev->type == EB_EV_TASK_BEGIN) {
		begin(v, ev, now);
	} else if (ev->type == EB_EV_TASK_STEP) {
		step(v, ev);
	} else if (ev->type == EB_EV_TASK_END) {
		end(v, ev);
	}
	if (!v->lines || now - v->painted >= REPAINT_NS)
		paint(v, now);
}

void eb_view_release(struct eb_view *v)
{
	for (unsigned i = 0; i < v->n; i++) {
		free(v->task[i].name);
		free(v->task[i].kind);
	}
	free(v->stage);
}
