/* SPDX-License-Identifier: Apache-2.0 */
/* Running scripts of packages on the image so far: what both kinds share. */
#ifndef EB_BUILD_SCRIPT_RUN_H
#define EB_BUILD_SCRIPT_RUN_H

#include "root.h"
#include "step.h"

struct eb_script_run {
	struct eb_build *b;
	struct eb_root *root; /* b->image_root */
	const char *step;     /* EB_POST_LINK_STEP, EB_ACTIVATION_STEP */
	const char *way_out;  /* option that builds without it, for hints */
	const char *whose;    /* a package that has a script, for errors */
	char *shell;
	int log;
};
/* With the root, a shell of it (bash where there is one) and a log. EB_MACHINE:
 * there is no shell, or another platform. */
int eb_script_begin(struct eb_script_run *s, struct eb_error *err);
void eb_script_end(struct eb_script_run *s);
/* In `cwd`, without network; `doing` for what goes wrong: EB_STEP with the log,
 * where it runs into a limit. */
int eb_script_call(struct eb_script_run *s, const struct eb_strv *argv,
		   const struct eb_strv *env, const char *cwd,
		   const struct eb_mount *mount, const char *doing, int *status,
		   struct eb_error *err);
/* EB_STEP, with where the log is and how it ends; -1. */
int eb_script_failed(struct eb_script_run *s, const char *doing,
		     const char *why, struct eb_error *err);
/* What says the same on every machine, and HOME. */
void eb_script_fixed_env(const struct eb_build *b, struct eb_strv *env);
/* eb_delta_skip_fn: what is of the moment, and no part of any layer. */
bool eb_script_skip(const char *path, bool folder);

#endif
