/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A confined process: runs a program of a package that is only trusted to
 * compute (an interpreter that compiles bytecode).
 *
 * It sees the folder `root` and the host's system libraries read-only and
 * nothing else, has no network (but see `network`), cannot make processes of
 * other programs, cannot ptrace, and has limits. The strongest way that works
 * here is used, in this order: an OCI runtime (rootfs = an empty folder with
 * read-only binds of `root` and the system's library folders), Landlock with
 * seccomp; neither: EB_MACHINE whose hint names --pyc=none. Address space
 * randomisation is off in the child, so that what depends on addresses
 * repeats. ENVBUILD_CONFINE=runtime|landlock picks one (tests).
 */
#ifndef EB_CONFINE_H
#define EB_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

#include <envbuild/error.h>
#include <envbuild/event.h>

#define EB_CONFINED_MORE 63

struct eb_confined_pipes { /* our ends */
	int fd_in, fd_out; /* what it reads, what it writes */
};

struct eb_confined {
	/* filled by the caller */
	const char *root;	 /* scratch folder, seen at `at` */
	const char *at;		 /* absolute path inside, e.g. "/opt/env"; with
				  * Landlock the folder is seen at `root`:
				  * eb_confined_path */
	const char *const *argv; /* argv[0] absolute, inside `at` (it is
				  * translated where needed, the others not) */
	const char *const *env;	 /* complete; nothing is inherited */
	const char *tmp;
	unsigned memory_mib; /* address space; 0 = 4096 */
	unsigned cpu_s;	     /* of each process; 0 = 1800 */
	/* A program of this machine that reads the network (uv): it may
	 * connect (by TCP and UDP, to no socket of a file), and see and execute
	 * what lies in the system's folders (/usr, /bin, /sbin, /lib*); of /etc
	 * it sees the resolver's files and the certificates, no keys. `root` is
	 * then writable, its working folder, and holds no program; `at` should
	 * be the same absolute path, so that arguments and variables hold
	 * whichever way it runs. argv[0] may lie in the system's folders or be
	 * one of `see`: no other program can be executed. Landlock comes first
	 * here: 2 ms to start instead of 11 and more, and what the container
	 * hides beyond it (names of files, other processes) is not kept from a
	 * program of the machine. Addresses are randomised as usual; a file may
	 * have 1 GiB (16 MiB without `network`). */
	bool network;
	const char *const *see; /* more files and folders, read-only, programs
				 * among them can be executed, seen where they
				 * are; NULL-terminated, or NULL; 80 at most */
	int fd_err; /* standard error goes there when > 2; else it is kept for
		     * the error of eb_confined_wait() */
	/* Pairs of pipes beside standard input and output, which it finds as
	 * descriptors 3 (to read) and 4 (to write), 5 and 6, ...; ours are
	 * the caller's to close. */
	struct eb_confined_pipes *more;
	unsigned n_more; /* EB_CONFINED_MORE at most */
	/* filled */
	int fd_in, fd_out; /* pipes to its standard input and output */
	const char *way;   /* "runc", "crun", "landlock" */
	bool randomised;   /* address randomisation cannot be switched off */
	int status; /* of eb_confined_wait(), as in process.h; -1: it did not
		     * end by itself, or nobody knows */
	void *state;
};

/* A writer to fd_in should expect SIGPIPE when the process has ended. */
int eb_confined_start(struct eb_confined *c, struct eb_events *events,
		      struct eb_error *err);
/* Close, wait; EB_STEP when its status is not 0 (it is in `status`) or
 * it does not end within 30 s of its input; standard error's last lines are
 * in the error. */
int eb_confined_wait(struct eb_confined *c, struct eb_error *err);
void eb_confined_kill(struct eb_confined *c); /* idempotent */
/* How the process sees the path `inside` (below `at`); caller frees. */
char *eb_confined_path(const struct eb_confined *c, const char *inside);

#endif
