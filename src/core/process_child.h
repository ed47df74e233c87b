/* SPDX-License-Identifier: Apache-2.0 */
/* The half of a process start that runs between fork and exec. */
#ifndef EB_CORE_PROCESS_CHILD_H
#define EB_CORE_PROCESS_CHILD_H

#include <signal.h>

#include <envbuild/process.h>

/* Which step it was that did not work; told through `report`. */
enum eb_child_step {
	EB_CHILD_GROUP,
	EB_CHILD_FDS,
	EB_CHILD_CWD,
	EB_CHILD_EXEC,
};

struct eb_child_report {
	enum eb_child_step step;
	int errnum;
};

struct eb_child {
	const struct eb_process *process;
	const char *program; /* full path */
	char *const *env;
	int fd[4];  /* for 0, 1, 2, 3; all above 3; the last may be -1 */
	int report; /* above 3, close-on-exec */
	const sigset_t *mask; /* to begin the program with */
};

/* Async-signal-safe; comes back on no path. */
void eb_child_exec(const struct eb_child *c) __attribute__((noreturn));

#endif
