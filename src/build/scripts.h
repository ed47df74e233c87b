/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What packages want to be run (facts 5.6, 5.8; conda runs post-link scripts
 * when all packages are linked, and sources etc/conda/activate.d when an
 * environment is activated): two executed steps on the image so far.
 *
 * post-link: the scripts in link order; what they change is a layer, the
 * result. activation: what sourcing changes of the variables, a JSON object;
 * what it does to files is dropped.
 *
 *	script_names.c	    who has scripts
 *	script_keys.c	    the keys, from the lock alone
 *	post_link.c	    known, found in the registry, made
 *	post_link_run.c	    making it
 *	activation.c	    known, found in the registry, made; into the image
 *	activation_run.c    making it
 *	activation_diff.c   two environments -> its result
 *	activation_entrypoint.c  the other way, by which nothing is run
 */
#ifndef EB_BUILD_SCRIPTS_H
#define EB_BUILD_SCRIPTS_H

#include <jansson.h>

#include <envbuild/digest.h>
#include <envbuild/entry.h>
#include <envbuild/error.h>
#include <envbuild/str.h>

#define EB_POST_LINK_STEP "post-link" /* in commentaries and logs */
#define EB_ACTIVATION_STEP "activation"
/* Below the prefix: paths of packages that post-link scripts changed or
 * removed, one a line, sorted; in their layer where there are any. */
#define EB_POST_LINK_CHANGED "conda-meta/envbuild.changed"

struct eb_build;
struct eb_root;
struct eb_link_facts;
struct eb_work;

/* --- who has scripts: b has the path lists of what is known -----------------
 */
bool eb_is_post_link(const struct eb_build *b, const struct eb_work *w);
/* Does any package have one that is to be run? */
bool eb_has_post_link(const struct eb_build *b);
/* Does anything, or the post-link layer, have a script that is to be sourced
 * (--activation=env)? */
bool eb_is_activated(const struct eb_work *w, const char *prefix);
bool eb_has_activation(const struct eb_build *b);

/* --- keys; b: lock, store ---------------------------------------------------
 * EB_INPUT: the lock has none, as it does not say what a source of the Python
 * side becomes.
 */
struct eb_lock;
bool eb_script_has_keys(const struct eb_lock *lock);
int eb_post_link_key(struct eb_build *b, struct eb_digest *out,
		     struct eb_error *err);
int eb_activation_key(struct eb_build *b, struct eb_digest *out,
		      struct eb_error *err);

/* --- post-link --------------------------------------------------------------
 */
struct eb_post_link {
	struct eb_digest key, blob, diff_id;
	uint64_t size;	     /* of the blob; 0: there is no such layer */
	struct eb_strv path; /* what is in it, or removed by it; sorted */
};
void eb_post_link_release(struct eb_post_link *p);
/* What is said of a layer that the store has. */
int eb_post_link_look(struct eb_build *b, const struct eb_digest *result,
		      struct eb_post_link *out, struct eb_error *err);
/* Is the path in that layer, or removed by it, alone or with a folder above? */
bool eb_post_link_has(const struct eb_build *b, const char *path);
/* b->post_link, where a package has a script that is to be run: from the
 * store, from the registry, else made. EB_STEP: a script failed; EB_MACHINE:
 * nothing can run here. */
int eb_build_post_link(struct eb_build *b, struct eb_error *err);
/* Makes it; `log` is the path of what was said (caller frees). */
int eb_post_link_run(struct eb_build *b, struct eb_digest *result, char **log,
		     struct eb_error *err);

/* --- activation -------------------------------------------------------------
 */
/* b->activation: the object, where there are scripts; the same errors. */
int eb_build_activation(struct eb_build *b, struct eb_error *err);
/* `env` is what the image has without it (NAME=VALUE). */
int eb_activation_run(struct eb_build *b, const struct eb_strv *env,
		      json_t **result, char **log, struct eb_error *err);
/* From two lists NAME=VALUE, as they were before and after; `warnings` (what is
 * no variable) is copied into it. */
json_t *eb_activation_result(const struct eb_strv *before,
			     const struct eb_strv *after,
			     const struct eb_strv *warnings);
/* Into the configuration of an image. */
void eb_activation_apply(const json_t *result, json_t *config);
/* The variables of a configuration with those that packages bring
 * (etc/conda/env_vars.d). */
int eb_add_env_vars(struct eb_build *b, json_t *config, struct eb_error *err);

/* --- --activation=entrypoint ------------------------------------------------
 */
/* Before that of `image` (an image configuration). */
void eb_activation_set_entrypoint(const char *prefix, json_t *image);
/* The script; EB_MACHINE: the base is scratch and no package has a shell. */
int eb_activation_add_entrypoint(struct eb_build *b, struct eb_entries *out,
				 struct eb_error *err);

#endif
