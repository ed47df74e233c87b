/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a child does between fork and exec: limits, namespaces, Landlock and
 * seccomp. Everything that allocates is done before, by the parent.
 */
#ifndef EB_SANDBOX_CHILD_H
#define EB_SANDBOX_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <linux/filter.h>

/* To a monitor: kill the container, however far it is. */
#define EB_MONITOR_KILL SIGUSR2

struct eb_child_setup {
	/* Of a runtime: the monitor stays, its child executes. NULL: none */
	const char *pid_file;	   /* that the runtime writes */
	const char *failed;	   /* made when the runtime failed */
	const char *const *remove; /* command that removes what it keeps of
				    * the container, for a monitor whose
				    * parent was killed */
	unsigned form_flags; /* EB_FORM_HIDE_CGROUP, EB_FORM_OWN_USER_NS */
	char uid_map[32], gid_map[32];
	bool parent_death;	/* SIGTERM when the parent's thread ends */
	bool confined;		/* limits, no address randomisation */
	uint64_t memory, cpu_s; /* bytes, seconds */
	/* Landlock: the rules are descriptor 3 */
	bool landlock;
	struct sock_fprog filter;
	const char *program; /* executed from here: the filter knows its
			      * address and lets no other be executed */
	const char *const *argv, *const *env;
};

/* For eb_process.prepare; says on standard error what did not work. */
int eb_child_setup(void *setup);
/* Returns in the child alone. */
void eb_monitor(const struct eb_child_setup *setup);
/* The maps of a user namespace in which we are root. */
void eb_child_setup_maps(struct eb_child_setup *s);

#endif
