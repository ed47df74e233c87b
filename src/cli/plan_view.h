/* SPDX-License-Identifier: Apache-2.0 */
/* How a plan is shown. */
#ifndef EB_PLAN_VIEW_H
#define EB_PLAN_VIEW_H

#include <envbuild/build_plan.h>

#include "cli.h"

/* plan_view.c: tables for people. */
int eb_plan_print(const struct eb_build_plan *p, struct eb_error *err);
/* plan_json.c: the object of envbuild-json(5). New reference. */
json_t *eb_plan_json(const struct eb_build_plan *p,
		     const struct eb_digest *definition, bool solved);

#endif
