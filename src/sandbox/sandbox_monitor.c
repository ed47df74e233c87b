/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The monitor: a child that stands between us and a container. The runtime
 * is told to leave when the container runs, so that the container's input
 * and outputs are ours and nothing copies between; its first process then
 * falls to the monitor, which passes signals on and ends as it ends. A
 * confined process without a runtime has one, too: whoever kills us, it ends.
 *
 * It is a fork, so it may call what is async-signal-safe and nothing else.
 * When we were killed it removes what is kept of the container (cgroups): then
 * nobody else does.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox_child.h"

#define GRACE_S 10 /* for the container, after our parent's end */

struct monitor {
	const struct eb_child_setup *setup;
	sigset_t watched;
	pid_t parent, target;
	bool started; /* target is the container, no more the runtime */
	bool orphan;
	int pending; /* a signal that came before the container was there */
};

static void close_from_three(void)
{
	int fd;

	if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0)
		return;
	for (fd = 3; fd < 1024; fd++)
		close(fd);
}

/* Only the container holds our pipes. */
static void let_go(void)
{
	int fd;

	close_from_three();
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	close(fd);
}

pid_t eb_monitor_read_pid(const char *path)
{
	char text[24] = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	pid_t pid = 0;
	char *p;

	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof text - 1) > 0)
		for (p = text; *p >= '0' && *p <= '9' && pid < 1 << 26; p++)
			pid = pid * 10 + (*p - '0');
	close(fd);
	return pid;
}

static void failed(const struct eb_child_setup *s) __attribute__((noreturn));

static void failed(const struct eb_child_setup *s)
{
	int fd = s->failed
			 ? open(s->failed, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)
			 : -1;

	if (fd >= 0)
		close(fd);
	_exit(1);
}

/* We were told to kill, and the runtime was, too: what it had begun has fallen
 * to us, and is over when nothing is left to wait for. */
static void outlive(const struct monitor *m)
{
	pid_t first = eb_monitor_read_pid(m->setup->pid_file);
	int status;

	if (m->pending != SIGKILL)
		return;
	if (first > 1)
		kill(first, SIGKILL);
	while (waitpid(-1, &status, 0) > 0 || errno == EINTR)
		;
}

/* What the runtime left behind: the container, whose pid it wrote down. */
static void runtime_ended(struct monitor *m, int status)
{
	if (status != 0) {
		outlive(m);
		failed(m->setup);
	}
	m->target = eb_monitor_read_pid(m->setup->pid_file);
	if (m->target < 2)
		failed(m->setup);
	m->started = true;
	if (m->pending)
		kill(m->target, m->pending);
}

/* Nobody else does it now: the runtime's command, then the cgroup, in which it
 * keeps its own. */
static void bury(struct monitor *m)
{
	const char *const *dir;
	int status;
	pid_t pid = m->setup->remove ? fork() : -1;

	if (pid == 0) {
		sigprocmask(SIG_UNBLOCK, &m->watched, NULL);
		execve(m->setup->remove[0], (char *const *)m->setup->remove,
		       environ);
		_exit(127);
	}
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	for (dir = m->setup->leave; dir && *dir; dir++)
		rmdir(*dir);
}

static void ended(struct monitor *m, pid_t pid, int status)
{
	if (pid != m->target)
		return;
	if (!m->started) {
		runtime_ended(m, status);
		return;
	}
	if (getppid() != m->parent)
		bury(m);
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				  : WEXITSTATUS(status));
}

/* Others fall to us, too: crun leaves a process between itself and the
 * container, which lives a little longer. First the target, so that the
 * container is not reaped before we know that it is the one. */
static void look(struct monitor *m)
{
	int status;
	pid_t pid;

	for (;;) {
		pid = waitpid(m->target, &status, WNOHANG);
		if (pid < 0 && m->started)
			pid = waitpid(-1, &status, WNOHANG);
		if (pid < 0)
			failed(m->setup);
		if (pid == 0)
			return;
		ended(m, pid, status);
	}
}

/* Our parent was killed. What is confined gets no time to end; without a
 * runtime all that it forked is in our group, and we are, too. */
static int alone(struct monitor *m)
{
	m->orphan = true;
	if (!m->setup->pid_file)
		kill(0, SIGKILL);
	return m->setup->confined ? SIGKILL : SIGTERM;
}

static void hear(struct monitor *m, int sig)
{
	if (sig == SIGCHLD ||
	    (sig == EB_MONITOR_ALONE && getppid() == m->parent))
		return;
	if (sig == EB_MONITOR_ALONE)
		sig = alone(m);
	else if (sig == EB_MONITOR_KILL)
		sig = SIGKILL;
	if (m->started)
		kill(m->target, sig);
	else
		m->pending = sig;
}

static void watch(struct monitor *m) __attribute__((noreturn));

static void watch(struct monitor *m)
{
	static const struct timespec grace = { GRACE_S, 0 };

	for (;;) {
		int sig;

		look(m);
		sig = sigtimedwait(&m->watched, NULL,
				   m->orphan ? &grace : NULL);
		if (sig > 0)
			hear(m, sig);
		else if (errno == EAGAIN && m->started)
			kill(m->target, SIGKILL);
	}
}

void eb_monitor(const struct eb_child_setup *setup)
{
	struct monitor m = { .setup = setup,
			     .parent = setup->parent,
			     .started = !setup->pid_file };
	static const int watched[] = { SIGCHLD,		SIGINT,
				       SIGTERM,		SIGHUP,
				       SIGQUIT,		EB_MONITOR_KILL,
				       EB_MONITOR_ALONE };
	sigset_t none;
	size_t i;

	sigemptyset(&none);
	sigemptyset(&m.watched);
	for (i = 0; i < sizeof watched / sizeof *watched; i++)
		sigaddset(&m.watched, watched[i]);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &m.watched, NULL);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, EB_MONITOR_ALONE) < 0 ||
	    getppid() != m.parent)
		failed(setup);
	m.target = fork();
	if (m.target < 0)
		failed(setup);
	if (m.target == 0) {
		/* A key on the terminal may not end the runtime when the
		 * container is up already and hears of it from us. */
		if (!setup->confined)
			setpgid(0, 0);
		sigprocmask(SIG_SETMASK, &none, NULL);
		return;
	}
	let_go();
	watch(&m);
}
