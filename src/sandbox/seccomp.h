/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of a program that only computes. */
#ifndef EB_SECCOMP_H
#define EB_SECCOMP_H

#include <jansson.h>
#include <linux/filter.h>

#include <envbuild/error.h>

/* The filter as instructions; out->filter is the caller's to free. Only the
 * file name at the address `program` may be executed. */
int eb_seccomp_filter(const char *program, struct sock_fprog *out,
		      struct eb_error *err);
/* The same for config.json, where any program may be executed: the runtime
 * executes the first one behind the filter. */
json_t *eb_seccomp_json(void);

#endif
