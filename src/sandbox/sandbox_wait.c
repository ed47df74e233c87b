/* SPDX-License-Identifier: Apache-2.0 */
/* Wait for a container: its end, a signal, the end of its time. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/event.h>

#include "sandbox_bundle.h"

#define GRACE_NS 10000000000ULL	 /* after a signal, before it is killed */
#define LOOKED_NS 30000000000ULL /* the same where a limit was reached */
#define LOOK_MS 20
#define KILL_NS 5000000000ULL /* after that, before the runtime is killed */

struct watch {
	struct eb_bundle *b;
	struct eb_process *p;
	int pidfd, slot;
	uint64_t deadline; /* 0: none */
	bool limited;	   /* the deadline is the caller's limit */
	bool signalled, killed, timed_out;
};

static void end_watch(struct watch *w)
{
	eb_cleanup_fd(&w->pidfd);
	if (w->slot >= 0)
		eb_forward_end(w->slot);
}

/* A monitor that ends by itself has seen the container's end. */
static bool ended(const struct watch *w)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_PID, (id_t)w->p->pid, &info, WEXITED | WNOHANG | WNOWAIT) <
	    0)
		return true;
	if (w->b && info.si_pid)
		w->b->ended = info.si_code == CLD_EXITED;
	return info.si_pid != 0;
}

/* Without pidfd_open (before Linux 5.3) it is looked at every 50 ms. */
static int wait_ms(const struct watch *w)
{
	uint64_t now = eb_now_ns(), ms = w->pidfd >= 0 ? 60000 : 50, left;

	if (w->b && w->b->look && ms > LOOK_MS)
		ms = LOOK_MS;

	if (!w->deadline)
		return (int)ms;
	left = now < w->deadline ? (w->deadline - now) / 1000000 + 1 : 0;
	return (int)(left < ms ? left : ms);
}

/* First the container; a monitor that does not notice goes too. */
static void time_is_over(struct watch *w)
{
	if (w->killed) {
		eb_bundle_kill(w->b, w->p);
		kill(w->p->pid, SIGKILL);
		w->deadline = 0;
		return;
	}
	if (w->limited)
		w->timed_out = true;
	eb_bundle_kill(w->b, w->p);
	w->killed = true;
	w->deadline = eb_now_ns() + KILL_NS;
}

/* What it looks for is reached: as at the end of the time. It is asked again
 * until all is over. */
static void look(struct watch *w)
{
	if (!w->b || !w->b->look || !w->b->look(w->b->look_data) || w->killed)
		return;
	w->limited = false;
	time_is_over(w);
	w->deadline += LOOKED_NS - KILL_NS;
}

static void hear_signal(struct watch *w)
{
	uint64_t grace = eb_now_ns() + GRACE_NS;

	w->signalled = true;
	if (!w->deadline || grace < w->deadline) {
		w->deadline = grace;
		w->limited = false;
	}
}

static void watch(struct watch *w)
{
	while (!ended(w)) {
		struct pollfd f[2] = {
			{ w->pidfd, POLLIN, 0 },
			{ w->slot >= 0 && !w->signalled ? eb_forward_fd() : -1,
			  POLLIN, 0 },
		};
		int n = poll(f, 2, wait_ms(w));

		if (n > 0 && f[1].revents)
			hear_signal(w);
		look(w);
		if (w->deadline && eb_now_ns() >= w->deadline)
			time_is_over(w);
	}
}

int eb_bundle_wait(struct eb_bundle *b, struct eb_process *p,
		   unsigned timeout_s, bool forward, bool *timed_out,
		   int *status, struct eb_error *err)
{
	struct watch w EB_CLEANUP(
		end_watch) = { .b = b, .p = p, .pidfd = -1, .slot = -1 };

	if (forward) {
		w.slot = eb_forward_begin(p->pid, err);
		if (w.slot < 0) {
			eb_bundle_kill(b, p);
			eb_process_kill(p);
			return -1;
		}
	}
	if (timeout_s) {
		w.deadline = eb_now_ns() + timeout_s * 1000000000ULL;
		w.limited = true;
	}
	w.pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	watch(&w);
	if (!b && p->new_group) /* what it forked may live longer */
		kill(-p->pid, SIGKILL);
	*timed_out = w.timed_out;
	if (eb_process_wait(p, status, err) < 0)
		return -1;
	if (w.killed && w.signalled)
		*status = 128 + eb_forward_signal();
	return 0;
}
