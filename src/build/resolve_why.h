/* SPDX-License-Identifier: Apache-2.0 */
/* What the solver's explanations name, and what is kept of them. */
#ifndef EB_RESOLVE_WHY_H
#define EB_RESOLVE_WHY_H

#include <envbuild/solve.h>

#include "build_private.h"

/* The request's lines, with their places, and one more for what no line asks
 * for. Caller frees the list alone. */
struct eb_solve_line *eb_solve_lines(const struct eb_spec *spec);
/* Other platforms whose channels have a name, as far as that is here; `data`:
 * the resolver. */
void eb_solve_elsewhere(void *data, const char *name, struct eb_strv *out);

/* For who explains. The first failure is kept: later ones are of other CUDAs.
 */
void eb_keep_unsolved(struct eb_resolver *r, const struct eb_solve_request *q,
		      const struct eb_unsolved *u);
/* What is not the newest. A failure leaves nothing. */
void eb_keep_held(struct eb_resolver *r, const struct eb_solve_request *q,
		  const struct eb_solution *s);

#endif
