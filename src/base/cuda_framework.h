/* SPDX-License-Identifier: Apache-2.0 */
/* What the files about frameworks share. */
#ifndef EB_CUDA_FRAMEWORK_H
#define EB_CUDA_FRAMEWORK_H

#include "cuda_int.h"

/* cuda_variant.c: is its build one for a GPU, and what says so? */
void eb_framework_variant(const struct eb_case *c, struct eb_framework *f);

#endif
