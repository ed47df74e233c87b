/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of a container, looked at from outside. */
#ifndef EB_SANDBOX_FAMILY_H
#define EB_SANDBOX_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Of a process and all below it: whoever loses its parent falls to the
 * container's first process. */
struct eb_family {
	pid_t *pid;
	size_t n;
	uint64_t threads;
};

int eb_family_read(struct eb_family *t, pid_t first);
void eb_family_release(struct eb_family *t);
/* Bytes that they hold in memory; pages that several share are counted once,
 * as far as it can be told. */
uint64_t eb_family_memory(const struct eb_family *t);
/* Bytes on disk of files that have no name any more but are open. */
uint64_t eb_family_nameless(const struct eb_family *t);
/* SIGKILL for all of them but `spared`, before everybody else where we may say
 * so: who only dies when its turn comes has been forking until then. The first
 * process of a namespace comes first of all, for its end is that of all in it,
 * also of those that are born while we are at it. */
void eb_family_kill(const struct eb_family *t, pid_t spared);
/* Threads of the whole machine, as far as we see it: cheap. */
uint64_t eb_family_of_all(void);

#endif
