/* SPDX-License-Identifier: Apache-2.0 */
/* What a package says of itself, where no channel does. */
#ifndef EB_PACKAGE_RECORD_H
#define EB_PACKAGE_RECORD_H

#include "build_private.h"

/* `place`: what is known: where it is, what it is called, its hashes as far as
 * they are known, which are checked. The archive is fetched and read.
 * EB_INTEGRITY, EB_NETWORK; EB_INPUT: it is another package, or none. */
int eb_package_record(struct eb_resolver *r, const struct eb_record *place,
		      struct eb_record *out, struct eb_error *err);

#endif
