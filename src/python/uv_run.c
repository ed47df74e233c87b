/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of uv, confined: it reads the system's folders and what it is told
 * to, writes below one folder, may connect, and can execute nothing but itself
 * and the system's programs. Ends within its time, whatever it does.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/confine.h>

#include "uv.h"

#define MEMORY_MIB (32u << 10) /* addresses; many threads reserve many */

struct running {
	struct eb_confined c;
	int said; /* its standard error */
};

static void release(struct running *r)
{
	eb_confined_kill(&r->c);
	eb_cleanup_fd(&r->said);
}

static int start(struct running *r, const struct eb_uv_job *job,
		 struct eb_events *events, struct eb_error *err)
{
	int pipe[2];
	int rc;

	if (pipe2(pipe, O_CLOEXEC) < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"uv\", making a pipe for it");
	r->said = pipe[0];
	r->c = (struct eb_confined){
		.root = job->root,
		.at = job->root,
		.argv = job->argv,
		.env = job->env,
		.tmp = job->root,
		.memory_mib = MEMORY_MIB,
		.cpu_s = job->timeout_s,
		.network = true,
		.see = job->see,
		.fd_err = pipe[1],
		.fd_in = -1,
		.fd_out = -1,
	};
	rc = eb_confined_start(&r->c, events, err);
	close(pipe[1]);
	if (rc < 0 && err->code == EB_MACHINE)
		eb_err_hint(err, "the resolver reads what strangers wrote, so "
				 "it runs confined: by Landlock (Linux 5.13), "
				 "or crun or runc with user namespaces");
	return rc;
}

/* More than fits is read and dropped, which shows as overflow. */
static void take(int *fd, struct eb_buf *log)
{
	char piece[16 << 10];
	ssize_t n = read(*fd, piece, sizeof piece);

	if (n > 0)
		eb_buf_add(log, piece, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		eb_cleanup_fd(fd);
}

static int listen_to(struct running *r, const struct eb_uv_job *job,
		     struct eb_error *err)
{
	uint64_t end = eb_now_ns() + (uint64_t)job->timeout_s * 1000000000u;

	while (r->said >= 0 || r->c.fd_out >= 0) {
		struct pollfd f[2] = { { r->said, POLLIN, 0 },
				       { r->c.fd_out, POLLIN, 0 } };
		uint64_t now = eb_now_ns();

		if (now >= end) {
			eb_err_set(err, EB_STEP,
				   "\"uv\", resolving: not done after %u s",
				   job->timeout_s);
			return eb_err_hint(err, "--limit pip-time=SECONDS "
						"changes how long it may take");
		}
		if (poll(f, 2, 1000) < 0 && errno != EINTR)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"uv\", reading what it says");
		if (f[0].revents)
			take(&r->said, job->log);
		if (f[1].revents)
			take(&r->c.fd_out, job->log);
	}
	return 0;
}

/* A status of its own is an answer; what else ends it is not. */
static int end(struct running *r, struct eb_uv_job *job, struct eb_error *err)
{
	struct eb_error said EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int rc = eb_confined_wait(&r->c, &said);

	job->status = rc < 0 ? r->c.status : 0;
	if (rc == 0 || (said.code == EB_STEP && job->status > 0))
		return 0;
	eb_err_move(err, &said);
	return -1;
}

int eb_uv_run(struct eb_uv_job *job, struct eb_events *events,
	      struct eb_error *err)
{
	struct running r EB_CLEANUP(release) = { .said = -1 };

	r.c.fd_in = r.c.fd_out = -1;
	if (start(&r, job, events, err) < 0)
		return -1;
	eb_cleanup_fd(&r.c.fd_in);
	r.c.fd_in = -1;
	if (listen_to(&r, job, err) < 0)
		return -1;
	return end(&r, job, err);
}
