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

#endif
