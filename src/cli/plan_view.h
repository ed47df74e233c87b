/* SPDX-License-Identifier: Apache-2.0 */
/* How a plan is shown. */
#ifndef EB_PLAN_VIEW_H
#define EB_PLAN_VIEW_H

#include <envbuild/build_plan.h>

#include "cli.h"

/* Of what is not there no size is guessed. */
bool eb_plan_has_no_guess(enum eb_planned_kind kind);
/* Path lists that are not known may make it more. */
bool eb_plan_may_grow(enum eb_planned_step_kind kind);
/* plan_view.c: tables for people. */
int eb_plan_print(const struct eb_build_plan *p, struct eb_error *err);
/* plan_json.c: the object of envbuild-json(5). New reference. */
json_t *eb_plan_json(const struct eb_build_plan *p,
		     const struct eb_digest *definition, bool solved);

#endif
