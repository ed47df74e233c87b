/* SPDX-License-Identifier: Apache-2.0 */
/* Python projects that conda's packages install. */
#ifndef EB_CONDA_PROJECTS_H
#define EB_CONDA_PROJECTS_H

#include <envbuild/pip_resolve.h>

#include "build_private.h"

struct eb_conda_projects {
	struct eb_installed *v; /* sorted by name; all of it is owned */
	size_t n, alloc;
};
/* Of the build's packages that depend on python, whose payloads are in the
 * store afterwards (b has been begun). */
int eb_conda_projects(struct eb_build *b, struct eb_conda_projects *out,
		      struct eb_error *err);
void eb_conda_projects_release(struct eb_conda_projects *p);

#endif
