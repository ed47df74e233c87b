/* SPDX-License-Identifier: Apache-2.0 */
/* What team_nearest.c asks of the files beside it. */
#ifndef EB_TEAM_NEAREST_H
#define EB_TEAM_NEAREST_H

#include "team_private.h"

/* team_differs.c: from the nearest to ours, a line each: "+numpy 1.19.5",
 * "-six 1.16.0", "six 1.15.0 -> 1.16.0"; then the settings that differ. */
void eb_locks_differ(const struct eb_lock *nearest, const struct eb_lock *ours,
		     struct eb_strv *out);
/* Where nothing could be solved: what is asked for, against the nearest. */
void eb_spec_differs(const struct eb_lock *nearest, const struct eb_spec *ours,
		     struct eb_strv *out);

/* team_cost.c: what a build of `ours` would push, beside what the nearest
 * image has. An estimate: compressed layers are taken to be as large as the
 * packages that they are made of. Each package that is not in the nearest lock
 * by its sha256 counts with its packed size; a bucket in which anything
 * changes counts with the size that it has in the nearest's map besides, for
 * it is written anew. The environment's own layer, configuration, manifest and
 * a base's layers are not counted. */
int eb_push_estimate(const struct eb_lock *nearest, const struct eb_lock *ours,
		     const struct eb_known *map, uint64_t *bytes,
		     struct eb_error *err);

#endif
