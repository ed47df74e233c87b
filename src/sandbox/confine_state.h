/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind struct eb_confined, whichever way it runs. */
#ifndef EB_CONFINE_STATE_H
#define EB_CONFINE_STATE_H

#include <envbuild/confine.h>
#include <envbuild/process.h>
#include <envbuild/str.h>

#include "sandbox_bundle.h"

struct eb_confined_state {
	struct eb_process process;
	char *name; /* argv[0], which lives shorter than we do */
	int said;   /* unnamed file: its standard error */
	int more[2 * EB_CONFINED_MORE]; /* its ends of eb_confined.more */
	unsigned n_more;
	/* runtime */
	struct eb_bundle bundle;
	char *rootfs;
	bool bundled;
	/* Landlock */
	struct eb_child_setup setup;
	struct eb_strv argv;
};

/* Folders, links and files of the machine; NULL at the end, what is absent is
 * passed over. The system's libraries, which a program linked against them
 * needs; its programs, with all that they have; names and certificates. */
extern const char *const eb_system_paths[];
extern const char *const eb_program_paths[];
extern const char *const eb_network_paths[];

void eb_confined_limits(const struct eb_confined *c, struct eb_child_setup *s);
int eb_confined_by_runtime(struct eb_confined *c, struct eb_confined_state *s,
			   struct eb_error *err);
int eb_confined_by_landlock(struct eb_confined *c, struct eb_confined_state *s,
			    struct eb_error *err);
void eb_confined_state_free(struct eb_confined_state *s);

#endif
