/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of resolving a pip section share. */
#ifndef EB_RESOLVE_PIP_H
#define EB_RESOLVE_PIP_H

#include <envbuild/pip_resolve.h>

#include "build_private.h"
#include "conda_projects.h"

struct eb_pip_side {
	struct eb_resolver *r;
	struct eb_pip_set set;
	struct eb_indexes indexes;
	struct eb_build build; /* of conda's packages alone */
	struct eb_built built;
	struct eb_conda_projects projects;
	struct eb_pip_request request;
	char *cache;
	struct eb_pin *asked; /* with how they are built */
	size_t n_asked, alloc_asked;
	struct eb_strv folder; /* of commits; removed at the end */
};

/* The lock's pins, from its definition's pip section; conda's packages that
 * they replace leave it. */
int eb_resolve_pip(struct eb_resolver *r, struct eb_lock *lock,
		   struct eb_error *err);

/* resolve_pylock.c: does the policy allow every place that it names? What it
 * says of indexes need not be where its files are. */
int eb_check_pylock(const struct eb_config *config, const struct eb_pylock *l,
		    struct eb_error *err);

/* resolve_builds.c: what the builds of those that are no wheels require. */
int eb_plan_builds(struct eb_pip_side *s, struct eb_lock *lock,
		   struct eb_error *err);
/* What an isolated build of the pin requires, its variables too: into
 * pin->build, which has its settings. */
int eb_plan_isolated(struct eb_pip_side *s, struct eb_pin *pin,
		     struct eb_error *err);

/* resolve_ask.c: eb_pip_ask_fn and eb_uv_elsewhere_fn of a struct eb_pip_side.
 */
int eb_ask_project(void *side, struct eb_pin *pin, int fd,
		   struct eb_buf *metadata, struct eb_error *err);
int eb_ask_elsewhere(void *side, struct eb_uv_call *call, struct eb_error *err);
/* How the pin is built, where it was asked; or NULL. */
const struct eb_pin_build *eb_asked_before(const struct eb_pip_side *s,
					   const struct eb_pin *pin);
void eb_asked_release(struct eb_pip_side *s);

/* resolve_commit.c: eb_pip_checkout_fn of a struct eb_pip_side. */
int eb_ask_commit(void *side, const char *url, struct eb_pin *pin, char **dir,
		  struct eb_error *err);
void eb_commits_release(struct eb_pip_side *s);

/* resolve_needs.c: what a build asks for before anything of it runs. */
struct eb_needs {
	struct eb_strv requires;
	bool asks; /* its backend may name more when it is asked */
};
/* Of a folder, its digest becomes the pin's. */
int eb_needs_of(struct eb_build *b, struct eb_pin *pin, struct eb_needs *out,
		struct eb_error *err);
void eb_needs_release(struct eb_needs *n);

#endif
