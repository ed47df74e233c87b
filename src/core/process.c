/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: start, wait, kill. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/mem.h>
#include <envbuild/process.h>

#include "process_child.h"

/* What the child gets is kept above these, so that placing one where it goes
 * never hits another. */
#define ABOVE (EB_CHILD_FD_MAX + 1)

struct start {
	struct eb_process *p;
	int child[3];		       /* the child's ends */
	int more[EB_PROCESS_MORE + 1]; /* beside them */
	unsigned n_more;
	int parent[3]; /* ours, where a pipe was asked for */
	int report[2];
};

static void close_fd(int *fd)
{
	eb_cleanup_fd(fd);
}

static void release_start(struct start *s)
{
	int i;

	for (i = 0; i < 3; i++) {
		close_fd(&s->child[i]);
		close_fd(&s->parent[i]);
	}
	while (s->n_more)
		close_fd(&s->more[--s->n_more]);
	close_fd(&s->report[0]);
	close_fd(&s->report[1]);
}

static int fail_errno(const struct start *s, const char *doing,
		      struct eb_error *err)
{
	return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", %s", s->p->argv[0],
			    doing);
}

/* A duplicate above the standard ones; `fd` stays as it is. */
static int lift(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);
}

static int lift_and_close(int fd)
{
	int lifted = lift(fd);

	close_fd(&fd);
	return lifted;
}

/* i: 0 standard input, 1 output, 2 error */
static int open_pipe(struct start *s, int i)
{
	int end[2];

	if (pipe2(end, O_CLOEXEC) < 0)
		return -1;
	s->parent[i] = end[i == 0];
	s->child[i] = lift_and_close(end[i != 0]);
	return s->child[i] < 0 ? -1 : 0;
}

static int open_null(struct start *s, int i)
{
	int fd = open("/dev/null", (i ? O_WRONLY : O_RDONLY) | O_CLOEXEC);

	if (fd < 0)
		return -1;
	s->child[i] = lift_and_close(fd);
	return s->child[i] < 0 ? -1 : 0;
}

/* A parent may run with a standard descriptor closed: /dev/null then. */
static int open_inherited(struct start *s, int i)
{
	s->child[i] = lift(i);
	if (s->child[i] < 0)
		return errno == EBADF ? open_null(s, i) : -1;
	return 0;
}

static int open_one(struct start *s, int i, enum eb_process_io io, int given)
{
	switch (io) {
	case EB_IO_NULL: return open_null(s, i);
	case EB_IO_INHERIT: return open_inherited(s, i);
	case EB_IO_PIPE: return open_pipe(s, i);
	case EB_IO_FD: s->child[i] = lift(given); break;
	}
	return s->child[i] < 0 ? -1 : 0;
}

static int add_more(struct start *s, int fd, struct eb_error *err)
{
	int lifted = lift(fd);

	if (lifted < 0)
		return fail_errno(s, "preparing its descriptors", err);
	s->more[s->n_more++] = lifted;
	return 0;
}

static int open_more(struct start *s, struct eb_error *err)
{
	const struct eb_process *p = s->p;
	unsigned i;

	for (i = 0; i < p->n_more && i < EB_PROCESS_MORE; i++)
		if (add_more(s, p->more_fd[i], err) < 0)
			return -1;
	return p->extra_fd > 2 ? add_more(s, p->extra_fd, err) : 0;
}

static int open_all(struct start *s, struct eb_error *err)
{
	struct eb_process *p = s->p;

	if (open_one(s, 0, p->in, p->fd_in) < 0 ||
	    open_one(s, 1, p->out, p->fd_out) < 0 ||
	    open_one(s, 2, p->err, p->fd_err) < 0)
		return fail_errno(s, "preparing its input and output", err);
	if (open_more(s, err) < 0)
		return -1;
	if (pipe2(s->report, O_CLOEXEC) < 0)
		return fail_errno(s, "starting", err);
	s->report[1] = lift_and_close(s->report[1]);
	if (s->report[1] < 0)
		return fail_errno(s, "starting", err);
	return 0;
}

/* All signals are blocked around the fork, so that no handler of ours runs
 * in the child. The program begins with none blocked. */
static pid_t fork_child(struct start *s, const char *program)
{
	sigset_t all, none, before;
	struct eb_child c = { .process = s->p,
			      .program = program,
			      .env = s->p->env ? (char *const *)s->p->env
					       : environ,
			      .more = s->more,
			      .n_more = s->n_more,
			      .report = s->report[1],
			      .mask = &none };
	pid_t pid;

	memcpy(c.fd, s->child, sizeof c.fd);
	sigfillset(&all);
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		eb_child_exec(&c);
	if (pid > 0 && s->p->new_group)
		setpgid(pid, pid); /* both do it: whoever comes first */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static pid_t reap(pid_t pid, int *status)
{
	pid_t got;

	do
		got = waitpid(pid, status, 0);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Until the child executes (the pipe ends) or says why it does not. */
static int hear_report(struct start *s, pid_t pid, struct eb_error *err)
{
	static const char *const doing[] = {
		[EB_CHILD_GROUP] = "making its process group",
		[EB_CHILD_FDS] = "placing its descriptors",
		[EB_CHILD_CWD] = "entering its folder",
		[EB_CHILD_EXEC] = "executing",
	};
	struct eb_child_report report;
	ssize_t n;
	int status;

	close_fd(&s->report[1]);
	do
		n = read(s->report[0], &report, sizeof report);
	while (n < 0 && errno == EINTR);
	if (n != sizeof report)
		return 0;
	reap(pid, &status);
	errno = report.errnum;
	if (report.step != EB_CHILD_CWD)
		return fail_errno(s, doing[report.step], err);
	return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", %s \"%s\"",
			    s->p->argv[0], doing[report.step], s->p->cwd);
}

/* Our ends go to the caller; an end that was not asked for is -1. */
static void hand_out(struct start *s, pid_t pid)
{
	struct eb_process *p = s->p;

	p->pid = pid;
	p->fd_in = eb_steal_fd(&s->parent[0]);
	p->fd_out = eb_steal_fd(&s->parent[1]);
	p->fd_err = eb_steal_fd(&s->parent[2]);
}

int eb_process_start(struct eb_process *p, struct eb_error *err)
{
	struct start s EB_CLEANUP(release_start) = {
		.p = p,
		.child = { -1, -1, -1 },
		.parent = { -1, -1, -1 },
		.report = { -1, -1 },
	};
	eb_autofree char *program = eb_find_program(p->argv[0]);
	pid_t pid;

	if (!program)
		return eb_err_set(err, EB_MACHINE,
				  "\"%s\", starting: no such program in PATH",
				  p->argv[0]);
	if (open_all(&s, err) < 0)
		return -1;
	pid = fork_child(&s, program);
	if (pid < 0)
		return fail_errno(&s, "starting", err);
	if (hear_report(&s, pid, err) < 0)
		return -1;
	hand_out(&s, pid);
	return 0;
}

static void close_ends(struct eb_process *p)
{
	close_fd(&p->fd_in);
	close_fd(&p->fd_out);
	close_fd(&p->fd_err);
}

int eb_process_wait(struct eb_process *p, int *status, struct eb_error *err)
{
	pid_t pid = p->pid;
	int raw;

	close_ends(p);
	p->pid = 0;
	if (reap(pid, &raw) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", waiting for its end", p->argv[0]);
	*status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
	return 0;
}

void eb_process_kill(struct eb_process *p)
{
	int status;

	if (p->pid <= 0)
		return;
	kill(p->new_group ? -p->pid : p->pid, SIGKILL);
	close_ends(p);
	reap(p->pid, &status);
	p->pid = 0;
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Relative folders in PATH are passed over: what a program is must not
 * depend on where one stands. */
char *eb_find_program(const char *name)
{
	const char *path = getenv("PATH");
	size_t n;

	if (strchr(name, '/'))
		return eb_strdup(name);
	if (!*name)
		return NULL;
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (;; path += n + 1) {
		eb_autofree char *full = NULL;

		n = strcspn(path, ":");
		full = eb_asprintf("%.*s/%s", (int)n, path, name);
		if (*path == '/' && is_program(full))
			return eb_steal(full);
		if (!path[n])
			return NULL;
	}
}
