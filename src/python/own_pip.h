/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving by a pip of the environment, where there is no uv. */
#ifndef EB_PYTHON_OWN_PIP_H
#define EB_PYTHON_OWN_PIP_H

#include "pip_resolve_int.h"

/* Fills z->version, and z->pip_file where it is not the environment's own. */
int eb_own_pip_find(struct eb_resolving *z, struct eb_error *err);
/* The folder of a call: lines, constraints, pip.conf; its command line. */
int eb_own_pip_call(const struct eb_resolving *z,
		    const struct eb_uv_call_plan *plan,
		    struct eb_uv_call_made *out, struct eb_error *err);
/* What pip reports, as a pylock's packages. EB_STEP: it is no report. */
json_t *eb_own_pip_packages(const char *text, size_t len, struct eb_error *err);
/* What pip says of a failure as an error; always -1. */
int eb_own_pip_explain(const struct eb_resolving *z, const char *said,
		       struct eb_error *err);
/* Is it a question of versions? */
bool eb_own_pip_unsolved(const char *said);

/* All of it: z->answer. */
int eb_own_pip_resolve(struct eb_resolving *z, struct eb_error *err);

#endif
