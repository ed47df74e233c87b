/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are the URL or the path of a package file. */
#ifndef EB_URL_SPECS_H
#define EB_URL_SPECS_H

#include <envbuild/repodata.h>

#include "build_private.h"

struct eb_url_specs {
	struct eb_matchspec **spec; /* a line each: what it asks the solver
				     * for; NULL: it is no file */
	struct eb_record *record;   /* likewise, of its file */
	size_t n;
	struct eb_matchspec **depends; /* of these files */
	size_t n_depends, alloc_depends;
};
void eb_url_specs_free(struct eb_url_specs *u);
/* r->urls: the files are fetched, each against the hash of its line, and say
 * what they are. Found once. Errors at the line: EB_INTEGRITY another hash;
 * EB_INPUT another platform, no package; EB_NETWORK; EB_REFUSED by the policy.
 */
int eb_url_specs_read(struct eb_resolver *r, struct eb_error *err);
/* The URL of the line that is this file, as written: it may have a login;
 * NULL. */
const char *eb_url_spec_of(const struct eb_spec *spec,
			   const struct eb_record *r);
/* Where a channel of `rd` has the same file, that record counts, for channels
 * mend them; the others are added behind the channels. */
void eb_url_specs_add(const struct eb_resolver *r, struct eb_repodata *rd);

#endif
