/* SPDX-License-Identifier: Apache-2.0 */
/* What the name of a base image says. */
#ifndef EB_CONTENTS_BASE_H
#define EB_CONTENTS_BASE_H

#include "contents.h"

/* Operating system, CUDA, MPI, Python and torch of out->base. */
void eb_contents_base(struct eb_contents *out);

#endif
