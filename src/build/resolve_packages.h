/* SPDX-License-Identifier: Apache-2.0 */
/* What decides which of conda's packages a lock has. */
#ifndef EB_RESOLVE_PACKAGES_H
#define EB_RESOLVE_PACKAGES_H

#include "build_private.h"

/* lock->package, sorted by name, as the definition asks for a target on this
 * base. */
int eb_choose_packages(struct eb_resolver *r, const struct eb_base *base,
		       struct eb_lock *lock, struct eb_error *err);

/* Warns of what was added that no line asks for: Python, pip. */
void eb_tell_defaults(const struct eb_resolver *r, const struct eb_lock *lock);

#endif
