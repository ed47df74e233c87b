/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of a requirement line that several files read. */
#ifndef EB_PEP508_H
#define EB_PEP508_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/requirement.h>

/* Length of a project's or an extra's name at `p`, 0 when there is none. */
size_t eb_name_length(const char *p);
/* "[a, b]" at `*at` (or nothing): normal names, sorted, into `out`. */
int eb_extras_parse(const char **at, struct eb_strv *out, struct eb_error *err);
/* A whole marker in its normal text; NULL on error. */
char *eb_marker_normal(const char *text, struct eb_error *err);

#endif
