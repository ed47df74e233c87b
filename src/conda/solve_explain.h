/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences about specs, candidates and what keeps them from going
 * together. Each adds to `out`; none ends with a full stop. */
#ifndef EB_SOLVE_EXPLAIN_H
#define EB_SOLVE_EXPLAIN_H

#include <envbuild/buf.h>

#include "solve_int.h"

const char *eb_sv_channel_name(const struct eb_sv *sv, unsigned channel);

/* A spec of the user that no record matches. */
void eb_sv_say_missing(struct eb_sv *sv, uint32_t spec, struct eb_buf *out);
/* The one spec in use has no answer. */
void eb_sv_say_alone(struct eb_sv *sv, struct eb_buf *out);
/* The specs in use have none together. */
void eb_sv_say_conflict(struct eb_sv *sv, struct eb_buf *out);

#endif
