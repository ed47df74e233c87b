/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes.
 *
 *  1. fill a struct eb_process (zeroed; argv is required)
 *  2. eb_process_start()
 *  3. read and write the pipes that were asked for; who closes an end sets
 *     it to -1
 *  4. eb_process_wait(), or eb_process_kill(): a started process is always
 *     waited for on every path. Both close the pipe ends that are left, wait
 *     before it waits. After a failed start there is nothing to wait for.
 *
 * The child has only fds 0, 1, 2 (and those it is given) once it executes, no
 * signal blocked and SIGPIPE at its default. Secrets go by environment or
 * standard input, never in argv.
 */
#ifndef EB_PROCESS_H
#define EB_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>

#define EB_PROCESS_MORE 128

enum eb_process_io {
	EB_IO_NULL,    /* /dev/null */
	EB_IO_INHERIT, /* the parent's */
	EB_IO_PIPE,    /* our end in fd_in/fd_out/fd_err */
	EB_IO_FD,      /* the descriptor given in fd_in/fd_out/fd_err */
};

struct eb_process {
	/* filled by the caller */
	const char *const *argv; /* argv[0] looked up in PATH */
	const char *const *env;	 /* NULL: inherited */
	const char *cwd;	 /* NULL: inherited */
	enum eb_process_io in, out, err;
	const int *more_fd; /* become fd 3, 4, ... */
	unsigned n_more;    /* EB_PROCESS_MORE at most */
	int extra_fd;	    /* becomes the one behind them when > 2 */
	bool new_group;
	/* called in the child between fork and exec; async-signal-safe only;
	 * non-zero ends the child with status 127 */
	int (*prepare)(void *data);
	void *prepare_data;
	/* filled by eb_process_start */
	pid_t pid;
	int fd_in, fd_out, fd_err;
};

int eb_process_start(struct eb_process *p, struct eb_error *err);
/* status: exit status, or 128 + signal. */
int eb_process_wait(struct eb_process *p, int *status, struct eb_error *err);
void eb_process_kill(
	struct eb_process *p); /* SIGKILL, reap, close; idempotent */
/* Run to the end with input, capture at most `max` bytes of out and err
 * (either may be NULL: /dev/null; both may be one buffer), at most timeout_s
 * seconds (0: none). What is beyond `max` is dropped and sets the buffer's
 * `overflow`. A timeout kills the child and is EB_STEP. */
int eb_process_run(const char *const *argv, const char *const *env,
		   const char *input, size_t input_len, size_t max,
		   unsigned timeout_s, struct eb_buf *out,
		   struct eb_buf *errout, int *status, struct eb_error *err);
/* Full path of a program in PATH (caller frees), NULL when there is none. A
 * name with a slash is given back as it is; relative folders in PATH do not
 * count. */
char *eb_find_program(const char *name);

#endif
