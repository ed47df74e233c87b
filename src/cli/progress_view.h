/* SPDX-License-Identifier: Apache-2.0 */
/* The live view: one line a running task, a total line; time is given, so
 * that it can be tested. */
#ifndef EB_PROGRESS_VIEW_H
#define EB_PROGRESS_VIEW_H

#include <stdint.h>
#include <stdio.h>

#include <envbuild/event.h>

#define EB_VIEW_TASKS 16

struct eb_view_task {
	char *name, *kind;
	uint64_t done, total, began;
};

struct eb_view {
	FILE *out;
	unsigned width; /* 0: asked from the terminal */
	struct eb_view_task task[EB_VIEW_TASKS];
	unsigned n; /* running and shown */
	unsigned finished;
	uint64_t fetched, packed, began, painted;
	unsigned lines; /* on the screen now */
	char *stage;
};

void eb_view_event(struct eb_view *v, const struct eb_event *ev, uint64_t now);
void eb_view_clear(struct eb_view *v);
void eb_view_release(struct eb_view *v);

#endif
