/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that collect items share. */
#ifndef EB_CUDA_ITEM_H
#define EB_CUDA_ITEM_H

#include "cuda_int.h"

struct eb_item *eb_item_add(struct eb_case *c, const char *name);
/* "1.7.1+cu101" becomes version and local part. */
void eb_item_version(struct eb_item *i, const char *version);
/* The same of a constraint that names one version. */
void eb_item_exact(struct eb_item *i, const char *term);
/* cuda_item_glibc.c: the glibc that a package asks for, or NULL; caller
 * frees. */
char *eb_item_glibc(const struct eb_decision_package *p);
/* cuda_item_pip.c: lines of the pip section, and its index lines. */
void eb_items_pip(struct eb_case *c);

#endif
