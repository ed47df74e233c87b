/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run a command on a root file system through an OCI runtime (runc or crun),
 * without a daemon, as root or in a user namespace.
 *
 * The runtime is found by ENVBUILD_RUNTIME, then runc, then crun in PATH. A
 * bundle (config.json) is written to a temporary folder and removed
 * afterwards. No cgroup is needed where none can be made (facts 7.4).
 */
#ifndef EB_SANDBOX_H
#define EB_SANDBOX_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/str.h>

/* Where commands are looked for when the environment has no PATH. */
#define EB_SANDBOX_PATH \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct eb_mount {
	char *source, *destination;
	bool read_only;
};

enum eb_network { EB_NETWORK_NONE, EB_NETWORK_HOST };

struct eb_sandbox {
	const char *rootfs;
	bool read_only; /* root file system */
	const char *const *argv;
	const char *const *env; /* complete; nothing is inherited */
	const char *cwd;	/* NULL: / */
	unsigned uid, gid;
	bool ids; /* it gives files to other users: more ids than one */
	const struct eb_mount *mount;
	size_t n_mounts;
	enum eb_network network;
	const char *hostname;	  /* NULL: "envbuild" */
	const char *tmp;	  /* where the bundle goes */
	unsigned timeout_s;	  /* 0 = none */
	const char *timeout_name; /* of that limit; NULL: build-time */
	/* Of an executed step; 0 = none. Memory and processes hold by a cgroup
	 * (version 2, or 1) where one can be made, and are of all processes
	 * together; else what they hold is looked at some times a second, with
	 * twice the memory as the address space of each. Disk: what the root
	 * file system and the `mount`s that are not read-only, open files
	 * without a name and the log hold more than at the start, looked at;
	 * no file may become larger. A step gets no user namespaces and no
	 * mounts of its own, and 64 MiB of /dev/shm. */
	uint64_t memory, disk; /* bytes */
	unsigned processes;    /* threads count */
	int log_fd; /* > 2: both outputs go there, input is /dev/null */
};

/* Runs it to the end with the caller's standard input and outputs, which the
 * command gets as they are (a terminal stays one); signals INT and TERM are
 * passed on, and what does not end within 10 s of one is killed. *status: the
 * command's exit status or 128 + signal. A command that cannot be started:
 * *status 126, not found: 127, and 0 is returned (a warning says why).
 * EB_MACHINE: no runtime, or it cannot work here (says which were tried and
 * what they said). EB_STEP: a limit was reached, which is named with its number
 * and the option that changes it (--limit build-time=...); nothing of the
 * command runs any more. */
int eb_sandbox_run(const struct eb_sandbox *s, int *status,
		   struct eb_events *events, struct eb_error *err);

/* Remove a folder (eb_remove_tree) in which something ran: without root, what
 * belongs to subordinate ids, too. */
int eb_sandbox_remove(const char *dir, struct eb_error *err);

/* Of a file that something with `ids` made or was given: who owns it inside. */
unsigned eb_sandbox_owner(unsigned id, bool group);

/* Bytes that what lies below a folder holds on disk. */
uint64_t eb_sandbox_held(const char *dir);

/* One row of `envbuild doctor`. */
struct eb_check {
	char *name; /* "OCI runtime" */
	bool ok;
	char *detail; /* "runc 1.1.5" or why not */
};
struct eb_checks {
	struct eb_check *check;
	size_t n, alloc;
};
void eb_checks_add(struct eb_checks *c, const char *name, bool ok,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void eb_checks_release(struct eb_checks *c);
/* Runtimes (a real start of /bin/true-like static program is tried), user
 * namespaces, how the limits of steps hold, Landlock, seccomp. */
void eb_sandbox_doctor(struct eb_checks *out, const char *tmp);

#endif
