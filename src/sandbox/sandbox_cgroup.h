/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cgroup for one container, where one can be made: version 2, or the
 * hierarchies `memory` and `pids` of version 1. Its limits stand on a folder
 * that no process is in; the runtime enters a folder below it, and whatever
 * cgroups it makes for the container lie below it, too. ENVBUILD_CGROUP=none
 * makes none (tests).
 *
 *  1. eb_cgroup_open(): never fails, `memory` and `processes` tell what holds
 *  2. eb_child_setup.enter = cgroup.enter
 *  3. eb_cgroup_hit() while it runs, and when it has ended
 *  4. eb_cgroup_close(): when the container was deleted
 */
#ifndef EB_SANDBOX_CGROUP_H
#define EB_SANDBOX_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/str.h>

struct eb_cgroup {
	/* filled */
	bool memory, processes; /* a limit of them holds */
	int version;		/* 1, 2; 0: none was made */
	struct eb_strv top;	/* folders with the limits, one a hierarchy */
	struct eb_strv enter;	/* files to write a 0 to, by a child */
	struct eb_strv leave;	/* folders to be removed, in this order */
	char *why_not;		/* or NULL */
};

/* Limits of 0 are none. More processes may be started than `processes`, by
 * EB_CGROUP_ROOM: the runtime's own. */
#define EB_CGROUP_ROOM 64
void eb_cgroup_open(struct eb_cgroup *c, const char *id, uint64_t memory,
		    unsigned processes);
/* Was a process killed for memory, could one not be started? */
bool eb_cgroup_memory_hit(const struct eb_cgroup *c);
bool eb_cgroup_processes_hit(const struct eb_cgroup *c);
/* How many there are, the runtime's too; UINT64_MAX: not known. */
uint64_t eb_cgroup_processes(const struct eb_cgroup *c);
void eb_cgroup_close(struct eb_cgroup *c);

/* sandbox_cgroup_find.c: the folder in which we are ourselves, of version 2
 * (`controller` NULL) or of a hierarchy of version 1; NULL: not seen here. */
char *eb_cgroup_own(const char *controller);

#endif
