/* SPDX-License-Identifier: Apache-2.0 */
/* config.json of an OCI runtime bundle. */
#ifndef EB_SANDBOX_CONFIG_H
#define EB_SANDBOX_CONFIG_H

#include <jansson.h>

#include <envbuild/json.h>
#include <envbuild/sandbox.h>

#include "sandbox_form.h"

/* What differs between a container for people and a confined process. */
struct eb_sandbox_kind {
	bool confined;	 /* no capabilities, no /dev/pts, /dev/shm and /sys */
	json_t *seccomp; /* linux.seccomp, borrowed; or NULL */
	/* destination of the mount from which nothing is executed; or NULL */
	const char *no_exec;
	/* An executed step: memory that is a file system is bounded. */
	bool step;
	/* Limits of a process (of a user); 0: as they are. */
	uint64_t addresses, file, processes;
};

/* Texts that are not UTF-8 are EB_INPUT: JSON cannot hold them. */
json_t *eb_sandbox_config(const struct eb_sandbox *s, const struct eb_form *f,
			  const struct eb_sandbox_kind *kind,
			  struct eb_error *err);
json_t *eb_sandbox_mounts(const struct eb_sandbox *s, const struct eb_form *f,
			  const struct eb_sandbox_kind *kind,
			  struct eb_error *err);
/* Docker's default set as far as this process has it (all of it where a user
 * namespace is made). No devices are made where nobody would refuse them. */
json_t *eb_sandbox_capabilities(const struct eb_form *f, bool none);
/* Strings, NULL at the end, as an array; `what` is for the message. */
json_t *eb_json_strings(const char *const *v, const char *what,
			struct eb_error *err);

#endif
