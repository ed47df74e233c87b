/* SPDX-License-Identifier: Apache-2.0 */
/* System calls: of a program that only computes, of one that reads the
 * network, of an executed step. */
#ifndef EB_SECCOMP_H
#define EB_SECCOMP_H

#include <jansson.h>
#include <linux/filter.h>

#include <envbuild/error.h>

enum eb_calls_of {
	EB_CALLS_COMPUTE,
	EB_CALLS_NETWORK, /* and works on files, and executes */
};

/* The filter as instructions; out->filter is the caller's to free. Of a
 * program that computes only the file name at the address `program` may be
 * executed. */
int eb_seccomp_filter(enum eb_calls_of of, const char *program,
		      struct sock_fprog *out, struct eb_error *err);
/* The same for config.json, where any program may be executed: the runtime
 * executes the first one behind the filter. */
json_t *eb_seccomp_json(enum eb_calls_of of);
/* Of a step: everything but new user namespaces and what only they, or root
 * of the machine, could use (mounts, keys, tracing, modules, bpf). */
json_t *eb_seccomp_step_json(void);

#endif
