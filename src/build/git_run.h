/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of git, inside of git.h. */
#ifndef EB_BUILD_GIT_RUN_H
#define EB_BUILD_GIT_RUN_H

#include "git.h"

bool eb_git_is_ssh(const struct eb_git *g);
/* `said`: both of its outputs. A status is no error. */
int eb_git_try(const struct eb_git *g, const char *const *argv,
	       struct eb_buf *said, int *status, struct eb_error *err);
/* The same; what it did not do is explained. */
int eb_git_run(const struct eb_git *g, const char *const *argv,
	       struct eb_buf *said, struct eb_error *err);

/* What comes first in every call: no hooks, no filters of LFS (the user may
 * have switched them on for all repositories). */
#define EB_GIT                                                           \
	"git", "-c", "core.hooksPath=/dev/null", "-c",                   \
		"filter.lfs.smudge=", "-c", "filter.lfs.process=", "-c", \
		"filter.lfs.required=false"

#endif
