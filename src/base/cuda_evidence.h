/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that collect evidence share. */
#ifndef EB_CUDA_EVIDENCE_H
#define EB_CUDA_EVIDENCE_H

#include "cuda_int.h"

/* A new one, with the place of the item (may be NULL); `why` is to be
 * filled. */
struct eb_evidence *eb_evidence_add(struct eb_case *c, const struct eb_item *i,
				    const char *package, eb_cudas allows);
/* cuda_evidence_framework.c */
void eb_evidence_framework(struct eb_case *c, struct eb_framework *f);

#endif
