/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an environment that conda made: what its parts share. Links are
 * followed inside of it alone; sizes and counts are capped. */
#ifndef EB_PREFIX_READ_H
#define EB_PREFIX_READ_H

#include <envbuild/spec.h>

#include "verify_claims.h"

#define EB_PREFIX_PACKAGES 10000 /* of conda, and of pip likewise */

struct eb_prefix {
	const char *dir; /* as given */
	struct eb_claims c;
	struct eb_findings found;
	struct eb_verified what;
};
/* The folder and what conda-meta claims, sorted; `record` is called for each
 * of its files. EB_INPUT: it is no environment of conda, or one of these files
 * cannot be understood. Released also after an error. */
int eb_prefix_open(struct eb_prefix *p, const char *dir,
		   eb_claims_record_fn *record, void *data,
		   struct eb_error *err);
void eb_prefix_release(struct eb_prefix *p);

/* prefix_python.c: what pip installed, each a line of the pip section, and
 * which of these a person asked for. EB_INPUT that names those that cannot be
 * had elsewhere. */
int eb_prefix_python(struct eb_prefix *p, struct eb_strv *line,
		     struct eb_strv *requested, struct eb_error *err);

#endif
