/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that choose a CUDA share. */
#ifndef EB_CUDA_CHOICE_H
#define EB_CUDA_CHOICE_H

#include "cuda_int.h"

/* Is it a framework whose builds are known, and not one for the CPU? */
bool eb_choice_counts(const struct eb_framework *f);
/* For whom that CUDA is experimental, or NULL. */
const struct eb_framework *eb_choice_experimental(const struct eb_case *c,
						  const char *minor);
/* Does it fit the fleet? If not, `*why` is the caller's to free. */
bool eb_choice_fits(struct eb_case *c, const char *minor, char **why);
/* "CUDA 12.6"; caller frees. */
char *eb_choice_row(const char *minor);
/* The lowest of a list, or the newest of a range? */
bool eb_choice_from_below(const struct eb_case *c);

/* cuda_settle.c: fills the decision; says why it is that one of `set`, whose
 * text is `from`; and what else there is in it. */
void eb_choice_settle(struct eb_case *c, const char *minor);
void eb_choice_because(struct eb_case *c, eb_cudas set, const char *from);
void eb_choice_alternatives(struct eb_case *c, eb_cudas set);

#endif
