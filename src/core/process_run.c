/* SPDX-License-Identifier: Apache-2.0 */
/* A child process from beginning to end: input, captured output, a limit of
 * time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <envbuild/event.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/process.h>

struct capture {
	int *fd;
	struct eb_buf *buf;
	size_t left;
};

struct run {
	struct eb_process p;
	struct capture capture[2];
	int exited;	   /* pidfd: readable when the child has ended */
	uint64_t deadline; /* 0: none */
	unsigned timeout_s;
};

static void release_run(struct run *r)
{
	eb_process_kill(&r->p);
	eb_cleanup_fd(&r->exited);
}

/* Input lies in an unnamed file in memory: nobody has to feed it, and a child
 * that does not read it costs no SIGPIPE. */
static int open_input(const char *name, const char *input, size_t len,
		      struct eb_error *err)
{
	eb_autofd int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", making room for its input", name);
	if (eb_write_all(fd, input, len, name, err) < 0)
		return -1;
	lseek(fd, 0, SEEK_SET);
	return eb_steal_fd(&fd);
}

/* More than fits is read and dropped, which shows as overflow. */
static void keep(struct capture *c, const char *p, size_t n)
{
	size_t room = c->buf->max - c->buf->len;

	if (room > c->left)
		room = c->left;
	if (!c->buf->overflow)
		eb_buf_add(c->buf, p, n < room ? n : room);
	c->left -= n < c->left ? n : c->left;
	if (n > room)
		c->buf->overflow = true;
}

/* One read; closes at the end of the pipe. False when nothing came. */
static bool take(struct capture *c)
{
	char piece[16 << 10];
	ssize_t n = read(*c->fd, piece, sizeof piece);

	if (n > 0)
		keep(c, piece, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		eb_cleanup_fd(c->fd);
	return n > 0;
}

/* The child is gone; what it wrote is still in the pipes. Who else holds
 * them open (a daemon that it left) is not waited for. */
static void drain(struct run *r)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct capture *c = &r->capture[i];

		if (*c->fd >= 0)
			fcntl(*c->fd, F_SETFL, O_NONBLOCK);
		while (*c->fd >= 0 && take(c))
			;
	}
}

static int timed_out(struct run *r, struct eb_error *err)
{
	return eb_err_set(err, EB_STEP, "\"%s\", running: not done after %u s",
			  r->p.argv[0], r->timeout_s);
}

/* Milliseconds for poll, rounded up; -1 without a limit. */
static int wait_ms(const struct run *r)
{
	uint64_t now = eb_now_ns(), ms;

	if (!r->deadline)
		return -1;
	if (now >= r->deadline)
		return 0;
	ms = (r->deadline - now + 999999) / 1000000;
	return ms > 1000000 ? 1000000 : (int)ms;
}

static int pump(struct run *r, struct eb_error *err)
{
	int i, n;

	for (;;) {
		struct pollfd f[3] = { { *r->capture[0].fd, POLLIN, 0 },
				       { *r->capture[1].fd, POLLIN, 0 },
				       { r->exited, POLLIN, 0 } };

		if (f[0].fd < 0 && f[1].fd < 0 && f[2].fd < 0)
			return 0;
		n = poll(f, 3, wait_ms(r));
		if (n < 0 && errno != EINTR)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", reading its output",
					    r->p.argv[0]);
		if (n <= 0 && r->deadline && eb_now_ns() >= r->deadline)
			return timed_out(r, err);
		for (i = 0; n > 0 && i < 2; i++)
			if (f[i].revents)
				take(&r->capture[i]);
		if (n > 0 && f[2].revents) {
			drain(r);
			return 0;
		}
	}
}

static int begin(struct run *r, const char *input, size_t input_len,
		 struct eb_error *err)
{
	struct eb_process *p = &r->p;
	eb_autofd int in = -1;

	if (input_len) {
		in = open_input(p->argv[0], input, input_len, err);
		if (in < 0)
			return -1;
		p->in = EB_IO_FD;
		p->fd_in = in;
	}
	if (r->timeout_s)
		r->deadline = eb_now_ns() + r->timeout_s * 1000000000ULL;
	if (eb_process_start(p, err) < 0)
		return -1;
	r->exited = (int)syscall(SYS_pidfd_open, p->pid, 0);
	return 0;
}

int eb_process_run(const char *const *argv, const char *const *env,
		   const char *input, size_t input_len, size_t max,
		   unsigned timeout_s, struct eb_buf *out,
		   struct eb_buf *errout, int *status, struct eb_error *err)
{
	struct run r EB_CLEANUP(release_run) = {
		.p = { .argv = argv,
		       .env = env,
		       .out = out ? EB_IO_PIPE : EB_IO_NULL,
		       .err = errout ? EB_IO_PIPE : EB_IO_NULL },
		.exited = -1,
		.timeout_s = timeout_s,
	};

	r.capture[0] = (struct capture){ &r.p.fd_out, out, max };
	r.capture[1] = (struct capture){ &r.p.fd_err, errout, max };
	if (begin(&r, input, input_len, err) < 0 || pump(&r, err) < 0)
		return -1;
	return eb_process_wait(&r.p, status, err);
}
