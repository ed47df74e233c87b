/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of buildah. Its storage is a folder of ours, and what it mounts it
 * mounts for itself. It gets the variables that it needs and no others: what
 * it runs can read them. It ends when we do.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/process.h>
#include <envbuild/sandbox.h>

#include "dockerfile_base.h"
#include "root.h"
#include "step.h"

#define LOOK_MS 200
#define DISK_NS 2000000000ULL
#define DISK_SHARE 20 /* looking takes at most this part of the time */
#define PATIENCE_NS 10000000000ULL

struct call {
	struct eb_dockerfile_making *m;
	const char *doing;
	struct eb_strv argv, env;
	struct eb_process p;
	int exited, out; /* out: what it prints; -1: into the log */
	uint64_t deadline, next_look;
	const char *limit; /* that was reached */
	int signal;	   /* that came; 0 */
};

static void release(struct call *c)
{
	eb_process_kill(&c->p);
	for (size_t i = 0; i < c->env.n; i++) /* proxies have passwords */
		explicit_bzero(c->env.v[i], strlen(c->env.v[i]));
	eb_strv_release(&c->env);
	eb_strv_release(&c->argv);
	eb_cleanup_fd(&c->exited);
	eb_cleanup_fd(&c->out);
}

/* --- what it is given ------------------------------------------------------
 */

static void fill_argv(struct call *c, const char *const *words)
{
	const struct eb_dockerfile_making *m = c->m;

	eb_strv_add(&c->argv, m->program);
	eb_strv_addf(&c->argv, "--root=%s/root", m->dir);
	eb_strv_addf(&c->argv, "--runroot=%s/run", m->dir);
	eb_strv_addf(&c->argv, "--storage-driver=%s", m->driver);
	for (; *words; words++)
		eb_strv_add(&c->argv, *words);
}

/* Where its own files lie, and those with logins, which it needs for names that
 * are known only when it runs. */
static void fill_env(struct call *c)
{
	static const char *const names[] = { "PATH",
					     "HOME",
					     "USER",
					     "LOGNAME",
					     "XDG_CONFIG_HOME",
					     "XDG_DATA_HOME",
					     "XDG_RUNTIME_DIR",
					     "REGISTRY_AUTH_FILE",
					     "DOCKER_CONFIG",
					     "CONTAINERS_CONF",
					     "CONTAINERS_REGISTRIES_CONF",
					     "SSL_CERT_FILE",
					     "_CONTAINERS_USERNS_CONFIGURED",
					     "_CONTAINERS_ROOTLESS_UID",
					     "_CONTAINERS_ROOTLESS_GID" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value)
			eb_strv_addf(&c->env, "%s=%s", names[i], value);
	}
	eb_strv_addf(&c->env, "TMPDIR=%s/tmp", c->m->dir);
	eb_root_add_proxies(&c->env);
}

/* In the child. Without root it makes a name space of its own. */
static int prepare(void *data)
{
	(void)data;
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)
		return 1;
	if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return 1;
	return 0;
}

static int start(struct call *c, struct eb_error *err)
{
	struct eb_process *p = &c->p;

	p->argv = (const char *const *)c->argv.v;
	p->env = (const char *const *)c->env.v;
	p->cwd = c->m->dir;
	p->out = p->err = EB_IO_FD;
	p->fd_out = c->out < 0 ? c->m->log : c->out;
	p->fd_err = c->m->log;
	p->new_group = true;
	p->prepare = prepare;
	if (eb_process_start(p, err) < 0)
		return -1;
	c->exited = (int)syscall(SYS_pidfd_open, p->pid, 0);
	return 0;
}

/* --- how long it may take --------------------------------------------------
 */

static bool disk_is_full(struct call *c, uint64_t now)
{
	uint64_t held;

	if (now < c->next_look)
		return false;
	held = eb_sandbox_held(c->m->dir);
	c->next_look = eb_now_ns();
	c->next_look += (c->next_look - now) * DISK_SHARE;
	c->next_look += DISK_NS;
	return held > c->m->config->limit[EB_LIMIT_BUILD_DISK];
}

/* True when it has ended. */
static bool wait_some(const struct call *c)
{
	struct pollfd f = { c->exited, POLLIN, 0 };

	if (c->exited < 0) { /* an old kernel */
		siginfo_t info = { 0 };

		poll(NULL, 0, LOOK_MS);
		return waitid(P_PID, (id_t)c->p.pid, &info,
			      WEXITED | WNOWAIT | WNOHANG) == 0 &&
		       info.si_pid;
	}
	return poll(&f, 1, LOOK_MS) > 0;
}

/* It ends what it runs when it is asked to end. */
static void stop(struct call *c)
{
	uint64_t until = eb_now_ns() + PATIENCE_NS;

	kill(-c->p.pid, SIGTERM);
	while (!wait_some(c) && eb_now_ns() < until)
		;
	kill(-c->p.pid, SIGKILL);
}

/* What comes while it runs ends it first. */
static volatile sig_atomic_t caught;

static void note_signal(int number)
{
	caught = number;
}

static const int signals[] = { SIGINT, SIGTERM };
#define SIGNALS (sizeof signals / sizeof *signals)

static void catch_signals(struct sigaction *before)
{
	struct sigaction action = { .sa_handler = note_signal };

	caught = 0;
	for (size_t i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

static void leave_signals(const struct sigaction *before)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

static void watch(struct call *c)
{
	struct sigaction before[SIGNALS];

	catch_signals(before);
	while (!c->limit && !caught && !wait_some(c)) {
		uint64_t now = eb_now_ns();

		if (now >= c->deadline)
			c->limit = eb_limit_names[EB_LIMIT_BUILD_TIME];
		else if (disk_is_full(c, now))
			c->limit = eb_limit_names[EB_LIMIT_BUILD_DISK];
	}
	if (c->limit || caught)
		stop(c);
	kill(-c->p.pid, SIGKILL); /* what it has left running */
	c->signal = caught;
	leave_signals(before);
}

/* --- how it went -----------------------------------------------------------
 */

static int limit_of(struct call *c, struct eb_error *err)
{
	const uint64_t *limit = c->m->config->limit;
	bool time = !strcmp(c->limit, eb_limit_names[EB_LIMIT_BUILD_TIME]);
	char size[32];

	if (time)
		eb_err_set(err, EB_STEP,
			   "\"%s\", %s: more than %llu s (--limit %s)",
			   c->m->recipe->file.file, c->doing,
			   (unsigned long long)limit[EB_LIMIT_BUILD_TIME],
			   c->limit);
	else
		eb_err_set(err, EB_STEP,
			   "\"%s\", %s: more than %s on disk (--limit %s)",
			   c->m->recipe->file.file, c->doing,
			   eb_human_size(limit[EB_LIMIT_BUILD_DISK], size),
			   c->limit);
	return eb_err_hint(err, "--limit %s=VALUE with more than that lets it",
			   c->limit);
}

static int explain(struct call *c, int status, struct eb_error *err)
{
	eb_autofree char *text = eb_step_log_tail(c->m->log);
	eb_autofree char *path =
		eb_step_log_keep(c->m->log, EB_DOCKERFILE_STEP);
	EB_AUTOBUF(hint, EB_MAX_TEXT);

	if (c->limit) {
		limit_of(c, err);
		eb_buf_addf(&hint, "%s\n  ", err->hint);
	} else {
		eb_err_set(err, EB_STEP,
			   "\"%s\", %s: buildah ended with status %d",
			   c->m->recipe->file.file, c->doing, status);
	}
	eb_step_log_tell(path, text, &hint);
	return eb_err_hint(err, "%s", hint.data);
}

static int last_line(struct call *c, char **out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	const char *line;

	lseek(c->out, 0, SEEK_SET);
	if (eb_read_fd(c->out, c->m->program, EB_MAX_CONFIG, &text, err) < 0)
		return -1;
	eb_strip(text.data);
	line = strrchr(text.data, '\n');
	*out = eb_strdup(line ? line + 1 : text.data);
	return 0;
}

int eb_dockerfile_call(struct eb_dockerfile_making *m, const char *doing,
		       const char *const *words, char **out,
		       struct eb_error *err)
{
	struct call c EB_CLEANUP(
		release) = { .m = m, .doing = doing, .exited = -1, .out = -1 };
	int status = 0;

	if (out) {
		c.out = eb_unnamed_file(m->dir, err);
		if (c.out < 0)
			return -1;
	}
	fill_argv(&c, words);
	fill_env(&c);
	c.deadline = m->deadline;
	if (start(&c, err) < 0)
		return -1;
	watch(&c);
	if (eb_process_wait(&c.p, &status, err) < 0)
		return -1;
	if (c.signal)
		return eb_err_set(
			err,
			c.signal == SIGINT ? EB_INTERRUPTED : EB_TERMINATED,
			c.signal == SIGINT ? "interrupted" : "terminated");
	if (c.limit || status)
		return explain(&c, status, err);
	return out ? last_line(&c, out, err) : 0;
}
