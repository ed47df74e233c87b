/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between fork and exec: nothing here may allocate, lock or format, because
 * another thread of the parent may have held any lock at the fork.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process_child.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

static void give_up(const struct eb_child *c, enum eb_child_step step)
	__attribute__((noreturn));

static void give_up(const struct eb_child *c, enum eb_child_step step)
{
	struct eb_child_report report = { step, errno };

	(void)!write(c->report, &report, sizeof report);
	_exit(127);
}

/* Handlers of the parent must not run in the child; what is ignored stays
 * so, as nohup(1) wants it, but for SIGPIPE, which programs count on. */
static void reset_signals(const struct eb_child *c)
{
	struct sigaction action, standard = { .sa_handler = SIG_DFL };
	int sig;

	for (sig = 1; sig < NSIG; sig++) {
		if (sigaction(sig, NULL, &action) < 0)
			continue;
		if (action.sa_handler != SIG_IGN || sig == SIGPIPE)
			sigaction(sig, &standard, NULL);
	}
	sigprocmask(SIG_SETMASK, c->mask, NULL);
}

/* The kernel call came with Linux 5.11; before that one by one. */
static void close_on_exec_from(unsigned first)
{
	struct rlimit limit;
	unsigned fd, end = 65536;

	if (syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < end)
		end = (unsigned)limit.rlim_cur;
	for (fd = first; fd < end; fd++)
		fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

static void place_fds(const struct eb_child *c)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		if (dup2(c->fd[i], (int)i) < 0)
			give_up(c, EB_CHILD_FDS);
	for (i = 0; i < c->n_more; i++)
		if (dup2(c->more[i], (int)i + 3) < 0)
			give_up(c, EB_CHILD_FDS);
	close_on_exec_from(3 + c->n_more);
}

void eb_child_exec(const struct eb_child *c)
{
	const struct eb_process *p = c->process;

	reset_signals(c);
	if (p->new_group && setpgid(0, 0) < 0)
		give_up(c, EB_CHILD_GROUP);
	place_fds(c);
	if (p->cwd && chdir(p->cwd) < 0)
		give_up(c, EB_CHILD_CWD);
	if (p->prepare && p->prepare(p->prepare_data) != 0)
		_exit(127);
	execve(c->program, (char *const *)p->argv, c->env);
	give_up(c, EB_CHILD_EXEC);
}
