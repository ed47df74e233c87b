/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Dockerfile as base: an executed step that ends before anything is solved,
 * for its result is the base. buildah builds it from images that we bring: it
 * is given no login and asks no registry, but for names that are known only
 * while it runs. The result is an image of the store (fact "step": key ->
 * manifest) and, with a team, the image step-...; the first one there wins.
 *
 *	dockerfile_recipe.c   what it is made of: text, arguments, context
 *	dockerfile_base.c     its result: known, found in the registry, made
 *	dockerfile_buildah.c  making it
 *	dockerfile_run.c      one call of buildah, its limits, its log
 *	dockerfile_image.c    what buildah made, into the store
 */
#ifndef EB_BUILD_DOCKERFILE_BASE_H
#define EB_BUILD_DOCKERFILE_BASE_H

#include <envbuild/dockerfile.h>

#include "build_private.h"

#define EB_DOCKERFILE_STEP "dockerfile" /* its name in commentaries, plans */

/* --- what it is made of: reads files alone ---------------------------------
 */
struct eb_recipe {
	struct eb_dockerfile file;
	struct eb_strv args;  /* NAME=VALUE, sorted, one of a name */
	struct eb_strv image; /* its references, each once, in their order */
	char *context;	      /* a folder; NULL: it takes nothing of one */
	struct eb_digest content;
};
bool eb_config_has_recipe(const struct eb_config *c);
/* What stands for it where a base's reference is told; caller frees. */
char *eb_recipe_reference(const struct eb_config *c);
/* The same as a definition hash has it: by content; caller frees. NULL: as
 * below. */
char *eb_recipe_name(const struct eb_config *c, struct eb_store *store,
		     struct eb_error *err);
/* With `to` (an empty folder, or NULL) the context is copied there. EB_INPUT,
 * EB_REFUSED: an image that the policy does not allow. */
int eb_recipe_read(const struct eb_config *c, struct eb_store *store,
		   const char *to, struct eb_recipe *out, struct eb_error *err);
void eb_recipe_release(struct eb_recipe *r);

/* --- its result -------------------------------------------------------------
 */
struct eb_dockerfile_request {
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_team *team; /* the caller's; NULL: one is opened if need be */
	struct eb_events *events;
	const struct eb_lock *lock; /* whose base it is; NULL: a new one */
	bool look;		    /* nothing is made */
};
/* The base, and (`locked`, may be NULL) what a lock says of it. EB_NETWORK:
 * it is not there and may not be made; EB_INPUT: it is not what the lock says
 * any more; EB_MACHINE: buildah is missing; EB_STEP: it failed. */
int eb_dockerfile_base(const struct eb_dockerfile_request *q,
		       struct eb_locked_dockerfile *locked,
		       struct eb_base **out, struct eb_error *err);

/* --- making it ---------------------------------------------------------------
 */
struct eb_dockerfile_making {
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_events *events;
	const struct eb_recipe *recipe;
	struct eb_base **from; /* of recipe->image */
	const char *platform;
	int64_t epoch; /* times of files that it makes, and of the image */
	uint64_t deadline;
	char *dir; /* everything lies below it */
	const char *program, *driver;
	int log;
};
/* The image's manifest in the store; *log is the path of what was said. */
int eb_dockerfile_make(struct eb_dockerfile_making *m,
		       struct eb_digest *manifest, char **log,
		       struct eb_error *err);
/* One call of buildah with these behind its own options, NULL at the end; what
 * it prints goes to the log and (`out`, may be NULL) the last line of its
 * standard output there (caller frees). `doing` is for errors, which say where
 * the log is: EB_STEP where it ends badly or runs into a limit. */
int eb_dockerfile_call(struct eb_dockerfile_making *m, const char *doing,
		       const char *const *words, char **out,
		       struct eb_error *err);
/* The folder that `buildah push ... dir:` has written. Layers of the images
 * that it is made of stay as they are. */
int eb_dockerfile_import(struct eb_dockerfile_making *m, const char *dir,
			 struct eb_digest *manifest, struct eb_error *err);

#endif
