/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executed steps of the Python side: what is no wheel becomes one, once
 * (DESIGN "Executed steps"; facts 9). One at a time.
 *
 * A step is known by its key, from the lock alone, before it runs. Its result
 * lies in the store (fact "step": key -> result) and, with a team, in the
 * registry (step-...): the first one there wins. A result that another base
 * gave is taken too where neither the source nor the wheel has anything to do
 * with a machine.
 */
#ifndef EB_BUILD_STEP_H
#define EB_BUILD_STEP_H

#include <envbuild/delta.h>
#include <envbuild/sdist.h>

#include "build_private.h"

/* sha256 of all that its result depends on: the source, python (version and
 * package), platform, base, what the build requires, variables and settings;
 * of conda's packages those that are no Python projects; without isolation all
 * of the environment; SOURCE_DATE_EPOCH, EB_BUILD_EPOCH. b: lock.
 * EB_INPUT: the lock has no python. */
int eb_step_key(struct eb_build *b, const struct eb_pin *pin,
		struct eb_digest *out, struct eb_error *err);
/* Its key, and its result as far as the store knows one. 1, 0, -1. */
int eb_step_recall(struct eb_build *b, const struct eb_pin *pin,
		   struct eb_digest *key, struct eb_digest *result,
		   struct eb_error *err);
/* The same, and in the team's registry: its size there, which is not 0 where
 * the store has it not. Nothing is fetched but what says so. */
int eb_step_look(struct eb_build *b, const struct eb_pin *pin,
		 struct eb_digest *key, struct eb_digest *result,
		 uint64_t *size, struct eb_error *err);
/* How it came about, where it was built here: time and log of `out`. 1, 0,
 * -1. */
int eb_step_story(struct eb_store *store, const struct eb_digest *result,
		  struct eb_lock_step *out, struct eb_error *err);
/* The wheel of a pin that is none: from the store, from the registry, else
 * built. `fd` is it for reading, `file` a name that fits it (caller frees),
 * `result` its sha256, which is a blob of the store. Built in the root of the
 * works that have a payload. EB_STEP: the build went wrong or ran into a limit;
 * EB_INPUT: the source is none; EB_MACHINE: nothing can be run. */
int eb_step_wheel(struct eb_build *b, const struct eb_pin *pin, int *fd,
		  char **file, struct eb_digest *result, struct eb_error *err);

/* --- results (step_result.c): 1, 0, -1 -------------------------------------
 */
/* By its key, of those that the store has. */
int eb_result_recall(struct eb_build *b, const struct eb_digest *key,
		     struct eb_digest *result, struct eb_error *err);
/* Out of the registry, into the store. */
int eb_result_ask_team(struct eb_build *b, const struct eb_digest *key,
		       struct eb_digest *result, struct eb_error *err);
/* A new one: 0, -1. What stands in the registry in the end is the result. */
int eb_result_tell_team(struct eb_build *b, const struct eb_digest *key,
			struct eb_digest *result, struct eb_error *err);
int eb_result_remember(struct eb_build *b, const struct eb_digest *key,
		       const struct eb_digest *result, struct eb_error *err);
/* How it came about, for eb_step_story(); `log` may be NULL. */
int eb_result_tell_story(struct eb_build *b, const struct eb_digest *result,
			 uint64_t ns, const char *log, struct eb_error *err);

/* --- logs (step_log.c) ------------------------------------------------------
 */
/* In the log folder, under a name with this in it; its path, caller frees.
 * NULL: there is no such folder. */
char *eb_step_log_keep(int log, const char *name);
/* Its end, printable; caller frees. */
char *eb_step_log_tail(int log);
/* Where it is (path may be NULL) and its last lines; `text` is cut. */
void eb_step_log_tell(const char *path, char *text, struct eb_buf *out);

/* --- layers (step_layer.c) --------------------------------------------------
 */
struct eb_root;
/* What a step changed of a root since it was looked at (`before`, at the time
 * `begun`), as a layer of the store; `what` for warnings about set-id bits that
 * are cleared, and what no layer holds. */
int eb_step_layer(struct eb_root *root, const char *what,
		  eb_delta_skip_fn *skip, const struct eb_delta *before,
		  int64_t begun, struct eb_digest *result,
		  struct eb_error *err);

/* --- for the lock ----------------------------------------------------------
 */
/* What the source of a pin (archive, repository or folder) says of its build.
 * A folder's digest is filled in. Archives are kept in the store. */
int eb_step_source(struct eb_build *b, struct eb_pin *pin, struct eb_sdist *out,
		   struct eb_error *err);
/* What its backend asks for besides what is declared
 * (get_requires_for_build_wheel, by which setuptools tells of
 * `setup_requires`), as requirements. pin->build has what is declared. Nothing
 * is run where the source shows that there is nothing to ask
 * (eb_sdist.asks). */
int eb_step_requires(struct eb_build *b, const struct eb_pin *pin,
		     struct eb_strv *out, struct eb_error *err);
/* The METADATA that its backend makes (prepare_metadata_for_build_wheel, else
 * that of its wheel), with what pin->build says, without network. EB_STEP. */
int eb_step_metadata(struct eb_build *b, const struct eb_pin *pin,
		     struct eb_buf *out, struct eb_error *err);

#endif
