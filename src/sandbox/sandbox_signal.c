/* SPDX-License-Identifier: Apache-2.0 */
/*
 * INT and TERM while containers run: each monitor is told, and who waits for
 * one hears of it by a descriptor. What the caller had for these signals is
 * put back when the last container has ended.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sandbox_bundle.h"

#define SLOTS 64

static const int passed[] = { SIGINT, SIGTERM };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static struct sigaction before[2];
static atomic_int slot_pid[SLOTS];
static atomic_int seen;
static atomic_int event = -1;

/* A key on the terminal reaches the whole group, the monitors too. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	static const uint64_t one = 1;
	int kept = errno, i, pid;

	(void)context;
	for (i = 0; info->si_code != SI_KERNEL && i < SLOTS; i++) {
		pid = atomic_load(&slot_pid[i]);
		if (pid > 0)
			kill(pid, sig);
	}
	atomic_store(&seen, sig);
	(void)!write(atomic_load(&event), &one, sizeof one);
	errno = kept;
}

static int install(struct eb_error *err)
{
	struct sigaction action = { .sa_sigaction = pass_on,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	size_t i;

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "signals, preparing to pass them on");
	atomic_store(&event, fd);
	atomic_store(&seen, 0);
	for (i = 0; i < 2; i++)
		sigaction(passed[i], &action, &before[i]);
	return 0;
}

static void uninstall(void)
{
	int fd = atomic_load(&event);
	size_t i;

	for (i = 0; i < 2; i++)
		sigaction(passed[i], &before[i], NULL);
	atomic_store(&event, -1);
	close(fd);
}

static int take_slot(pid_t pid)
{
	int i, none;

	for (i = 0; i < SLOTS; i++) {
		none = 0;
		if (atomic_compare_exchange_strong(&slot_pid[i], &none, pid))
			return i;
	}
	return -1;
}

int eb_forward_begin(pid_t pid, struct eb_error *err)
{
	int slot = -1;

	pthread_mutex_lock(&lock);
	if (users || install(err) == 0) {
		slot = take_slot(pid);
		if (slot >= 0)
			users++;
		else
			eb_err_set(err, EB_MACHINE,
				   "more than %d containers at once", SLOTS);
	}
	pthread_mutex_unlock(&lock);
	return slot;
}

void eb_forward_end(int slot)
{
	pthread_mutex_lock(&lock);
	atomic_store(&slot_pid[slot], 0);
	if (--users == 0)
		uninstall();
	pthread_mutex_unlock(&lock);
}

int eb_forward_fd(void)
{
	return atomic_load(&event);
}

int eb_forward_signal(void)
{
	return atomic_load(&seen);
}
