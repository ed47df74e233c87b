/* SPDX-License-Identifier: Apache-2.0 */
/* The half of a process start that runs between fork and exec. */
#ifndef EB_CORE_PROCESS_CHILD_H
#define EB_CORE_PROCESS_CHILD_H

#include <signal.h>

#include <envbuild/process.h>

/* Of what the child gets: 0 to 2, eb_process.more_fd, eb_process.extra_fd. */
#define EB_CHILD_FD_MAX (3 + EB_PROCESS_MORE)

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
	int fd[3];	 /* for 0, 1, 2; all above EB_CHILD_FD_MAX */
	const int *more; /* for 3, 4, ..., likewise */
	unsigned n_more;
	int report;	      /* likewise, close-on-exec */
	const sigset_t *mask; /* to begin the program with */
};

/* Async-signal-safe; comes back on no path. */
void eb_child_exec(const struct eb_child *c) __attribute__((noreturn));

#endif
