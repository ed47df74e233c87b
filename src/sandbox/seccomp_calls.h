/* SPDX-License-Identifier: Apache-2.0 */
/* Which system calls a confined program has. */
#ifndef EB_SECCOMP_CALLS_H
#define EB_SECCOMP_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* Allowed where (argument & mask) == value. */
struct eb_call_if {
	const char *name;
	unsigned argument;
	uint64_t mask, value;
};

struct eb_calls {
	const char *const *name; /* NULL at the end, as below */
	const struct eb_call_if *conditional;
	/* Allowed in a container, whose folders hold nothing else; elsewhere
	 * they say that it is done and do nothing, for no rule of Landlock
	 * stands before them. */
	const char *const *ignored;
};

/* To read, compute, fork and write to what it was given. */
extern const struct eb_calls eb_calls_compute;
/* Open files, to read. */
extern const struct eb_calls eb_calls_open;
/* Work on files, connect, execute. */
extern const struct eb_calls eb_calls_network;
/* What a runtime needs between its filter and the program. */
extern const struct eb_calls eb_calls_runtime;

#endif
