/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of an executed step: how each holds here, and whether it was reached.
 *
 *                cgroup              without one
 *  memory        of all, exact       sum of all, looked at; address space of
 *                                    each process at twice that
 *  processes     of all, exact       looked at; RLIMIT_NPROC, too, where
 *                                    the container has a user namespace of
 *                                    its own whose root is not the machine's
 *  disk          looked at; no file larger than that
 *
 * A step that reaches one is killed with all its processes.
 */
#ifndef EB_SANDBOX_LIMITS_H
#define EB_SANDBOX_LIMITS_H

#include <envbuild/event.h>

#include "sandbox_bundle.h"
#include "sandbox_cgroup.h"
#include "sandbox_config.h"
#include "sandbox_space.h"

enum eb_limit_hit {
	EB_HIT_NONE,
	EB_HIT_TIME,
	EB_HIT_MEMORY,
	EB_HIT_PROCESSES,
	EB_HIT_DISK,
};

struct eb_limits {
	const struct eb_sandbox *s;
	struct eb_bundle *b;
	const struct eb_process *p; /* the monitor; NULL: not started yet */
	struct eb_cgroup cgroup;
	struct eb_strv folder; /* that it may fill, none below another */
	uint64_t *left;	       /* free bytes of each at the start */
	uint64_t held, logged; /* bytes in all, in the log, at the start */
	int priority;	       /* of this thread before */
	bool hasty;	       /* it comes before others now */
	uint64_t all;	       /* processes of the machine, when looked at */
	uint64_t next_ns;      /* when to look again */
	enum eb_limit_hit hit;
};

bool eb_limits_any(const struct eb_sandbox *s);
/* The bundle is open; its setup and `kind` get what belongs to limits. Events
 * tell what holds. */
void eb_limits_open(struct eb_limits *l, const struct eb_sandbox *s,
		    struct eb_bundle *b, struct eb_sandbox_kind *kind,
		    struct eb_events *events);
/* For eb_bundle.look: true when one was reached; its processes are killed
 * then, and each time that it is asked again. */
bool eb_limits_look(void *limits);
/* When it has ended, before the bundle is closed: -1 with EB_STEP when a limit
 * was reached. */
int eb_limits_judge(struct eb_limits *l, bool timed_out, struct eb_error *err);
/* sandbox_limits_say.c: the error of what was reached; 0: nothing was. */
int eb_limits_say(const struct eb_limits *l, struct eb_error *err);
void eb_limits_close(struct eb_limits *l); /* after the bundle */

#endif
