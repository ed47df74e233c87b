/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that cannot hold beside others of a definition. */
#ifndef EB_SPEC_OPTIONS_H
#define EB_SPEC_OPTIONS_H

#include <envbuild/spec.h>

/* Is there a line of that package whose versions exclude those of this one,
 * for certain? EB_INPUT that names both; what ranges leave open is for a
 * solver. */
int eb_spec_clash(const struct eb_spec *s, const struct eb_matchspec *m,
		  const char *shown, struct eb_error *err);
int eb_spec_pip_clash(const struct eb_spec *s, const struct eb_requirement *q,
		      struct eb_error *err);

#endif
