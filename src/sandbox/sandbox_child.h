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
#include <sys/types.h>
#include <linux/filter.h>

/* To a monitor: kill the container, however far it is. */
#define EB_MONITOR_KILL SIGUSR2
/* The thread that started the monitor has ended, perhaps its process too. */
#define EB_MONITOR_ALONE SIGUSR1

struct eb_child_setup {
	/* The monitor stays, its child executes. */
	bool monitored;
	pid_t parent; /* of the monitor */
	/* Of a runtime. NULL: none */
	const char *pid_file;	   /* that the runtime writes */
	const char *failed;	   /* made when the runtime failed */
	const char *const *remove; /* command that removes what it keeps of
				    * the container, for a monitor whose
				    * parent was killed */
	/* Of a cgroup; NULL: none. Both end with a NULL. */
	const char *const *enter; /* files to write a 0 to */
	const char *const *leave; /* folders, removed with what is above */
	int nice;		  /* 0: as we are */
	unsigned form_flags;	  /* EB_FORM_HIDE_CGROUP, EB_FORM_OWN_USER_NS */
	char uid_map[32], gid_map[32];
	bool confined;		/* limits, no address randomisation */
	uint64_t memory, cpu_s; /* bytes, seconds */
	uint64_t file;		/* bytes of one that is written */
	bool random;		/* keep address randomisation */
	bool landlock;
	bool no_root; /* with Landlock: no capability, whoever we are */
	int rules;    /* of Landlock: which descriptor they are */
	struct sock_fprog filter;
	const char *program; /* executed from here: the filter knows its
			      * address and lets no other be executed */
	const char *const *argv, *const *env;
};

/* For eb_process.prepare; says on standard error what did not work. */
int eb_child_setup(void *setup);
/* Returns in the child alone. */
void eb_monitor(const struct eb_child_setup *setup);
/* The number that a runtime wrote; 0: not yet. */
pid_t eb_monitor_read_pid(const char *path);
/* What the parent knows best: who it is, the maps of a user namespace in
 * which we are root. */
void eb_child_setup_init(struct eb_child_setup *s);

#endif
