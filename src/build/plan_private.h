/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside a plan: the steps of a build that makes nothing, and what is read off
 * them.
 *
 *	plan_build.c	all of it
 *	plan_foresee.c	what the steps leave of an item that is not there
 *	plan_registry.c	what the team's repository has
 *	plan_packages.c	packages: where their payloads come from
 *	plan_layers.c	layers, their sizes
 *	plan_steps.c	what would be executed, and what that needs
 *	plan_scripts.c	scripts of packages, and their layer
 *	plan_clashes.c	paths that several packages have
 *	plan_words.c	names, releasing
 */
#ifndef EB_PLAN_PRIVATE_H
#define EB_PLAN_PRIVATE_H

#include <envbuild/build_plan.h>

#include "team_work.h"

struct eb_planning {
	struct eb_build b;
	struct eb_build_plan *out;
	struct eb_known known;
	struct eb_foreseen foreseen;
	struct eb_built built;	/* counts that nobody reads */
	struct eb_digest *read; /* files that steps require, each once */
	size_t n_read, read_alloc;
};

/* plan_registry.c: is the image there, which layers and parts are known; then,
 * of the layers, which blobs are there. Without a team nothing. */
int eb_plan_ask(struct eb_planning *p, struct eb_error *err);
int eb_plan_ask_layers(struct eb_planning *p, struct eb_error *err);

/* Nothing is made, for the image is there. */
bool eb_plan_is_done(const struct eb_planning *p);

int eb_plan_packages(struct eb_planning *p, struct eb_error *err);
int eb_plan_layers(struct eb_planning *p, struct eb_error *err);
int eb_plan_steps(struct eb_planning *p, struct eb_error *err);
void eb_plan_clashes(struct eb_planning *p);

/* plan_scripts.c: the steps of post-link and activation, and (*layer, where
 * there is one) what is known of the layer: key, blob and size, or a key alone.
 */
int eb_plan_scripts(struct eb_planning *p, struct eb_error *err);
int eb_plan_script_layer(struct eb_planning *p, struct eb_planned_layer *layer,
			 bool *any, struct eb_error *err);

/* plan_steps.c: one more; how it came about, as the lock says, or the store;
 * the base's layers that lie in its registry alone are fetched. */
struct eb_planned_step *eb_plan_add_step(struct eb_planning *p,
					 enum eb_planned_step_kind kind,
					 const char *name);
int eb_plan_add_story(struct eb_planning *p, struct eb_planned_step *s,
		      struct eb_error *err);
int eb_plan_read_base(struct eb_planning *p, const struct eb_base *base,
		      struct eb_error *err);

/* Bytes of a file that a build would read from where `url` says. */
void eb_plan_read(struct eb_planning *p, const char *url, uint64_t size);

#endif
