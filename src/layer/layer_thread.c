/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the layer module. */
#include <sched.h>
#include <signal.h>

#include "part_flow.h"

int eb_layer_thread(pthread_t *t, void *(*fn)(void *), void *arg)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(t, NULL, fn, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc ? -1 : 0;
}

unsigned eb_layer_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return 1;
	return (unsigned)CPU_COUNT(&set);
}
