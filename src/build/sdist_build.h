/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building one source in a sandbox: the folders, the call of its backend, the
 * log, what came of it. Inside of step.h.
 *
 *	/build/src	the source
 *	/build/env	what the build requires (isolated), read-only
 *	/build/out	the wheel, and the backend's answer
 *	/tmp		HOME too
 *
 * All else is the environment's root, read-only; there is no network.
 */
#ifndef EB_SDIST_BUILD_H
#define EB_SDIST_BUILD_H

#include <envbuild/sandbox.h>

#include "root.h"
#include "step.h"

#define EB_STEP_AT "/build"

struct eb_sdist_build {
	struct eb_build *b;
	const struct eb_pin *pin;
	struct eb_root *root;
	struct eb_sdist sdist;
	char *dir;	      /* scratch: work, out, env, log, tmp */
	char *compiler, *cxx; /* in the root, or NULL */
	struct eb_strv env;
	int log;
};

/* Key of what may be taken from other bases. */
int eb_step_shared_key(struct eb_build *b, const struct eb_pin *pin,
		       struct eb_digest *out, struct eb_error *err);
/* Name of a file for a wheel of this pin whose own name is not known. */
char *eb_step_wheel_name(const struct eb_pin *pin);

/* sdist_build.c: the source unpacked, read and looked at; nothing runs yet. */
int eb_sdist_build_begin(struct eb_build *b, const struct eb_pin *pin,
			 struct eb_sdist_build *out, struct eb_error *err);
void eb_sdist_build_end(struct eb_sdist_build *s);
/* Then the root and what the build requires. */
int eb_sdist_build_prepare(struct eb_sdist_build *s, struct eb_error *err);
/* Run a hook, "requires", "metadata" or "wheel"; its answer. */
json_t *eb_sdist_build_call(struct eb_sdist_build *s, const char *hook,
			    struct eb_error *err);

/* The METADATA that the hook "metadata" has left. */
int eb_sdist_build_metadata(struct eb_sdist_build *s, struct eb_buf *out,
			    struct eb_error *err);

/* "base" or "build base", in messages. */
const char *eb_sdist_build_kind(const struct eb_sdist_build *s);

/* sdist_build_env.c */
/* The wheels that the build requires, below dir/env. */
int eb_sdist_build_install(struct eb_sdist_build *s, struct eb_error *err);
/* Variables of the build. */
void eb_sdist_build_env(struct eb_sdist_build *s);

/* sdist_build_result.c: the one wheel of dir/out: its name, it open.
 * EB_STEP: none, several, or another one than the lock says. */
int eb_sdist_build_result(struct eb_sdist_build *s, char **file, int *fd,
			  struct eb_error *err);

/* sdist_build_log.c */
int eb_sdist_build_log_open(struct eb_sdist_build *s, struct eb_error *err);
/* Keep what was said in the log folder; its path, caller frees. NULL: there is
 * no such folder. */
char *eb_sdist_build_log_keep(struct eb_sdist_build *s);
/* Adds to a filled EB_STEP error: what is missing, where the log is, its last
 * lines. */
void eb_sdist_build_explain(struct eb_sdist_build *s, struct eb_error *err);

#endif
