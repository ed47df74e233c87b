/* SPDX-License-Identifier: Apache-2.0 */
/* Which file a command is inside a container, seen from outside. */
#ifndef EB_SANDBOX_COMMAND_H
#define EB_SANDBOX_COMMAND_H

#include <envbuild/sandbox.h>

enum eb_command {
	EB_COMMAND_FOUND,
	EB_COMMAND_REFUSED = 126, /* it is there, but no program */
	EB_COMMAND_MISSING = 127,
};

/* argv[0] of the sandbox, by its PATH where it has no slash. Links are
 * followed as the container will, never out of its root; mounts count. */
enum eb_command eb_sandbox_command(const struct eb_sandbox *s);

/* What `path` (absolute, inside) is outside, links followed: caller frees;
 * NULL where it cannot exist (a loop, a file used as a folder). */
char *eb_sandbox_outside(const struct eb_sandbox *s, const char *path);

#endif
