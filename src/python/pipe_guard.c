/* SPDX-License-Identifier: Apache-2.0 */
/* SIGPIPE, kept from one thread. */
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "compile_server.h"

static void only_pipe(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGPIPE);
}

void eb_pipe_guard_take(struct eb_pipe_guard *g)
{
	sigset_t set, before;

	only_pipe(&set);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	g->blocked = !sigismember(&before, SIGPIPE);
}

/* One that came in between is taken off before it can be delivered. */
void eb_pipe_guard_release(struct eb_pipe_guard *g)
{
	static const struct timespec at_once = { 0, 0 };
	sigset_t set;

	if (!g->blocked)
		return;
	only_pipe(&set);
	while (sigtimedwait(&set, NULL, &at_once) == SIGPIPE)
		;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	g->blocked = false;
}
