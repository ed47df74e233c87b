/* SPDX-License-Identifier: Apache-2.0 */
/* What decides which of conda's packages a lock has. */
#ifndef EB_RESOLVE_PACKAGES_H
#define EB_RESOLVE_PACKAGES_H

#include "build_private.h"

/* lock->package, sorted by name, as the definition asks for a target on this
 * base. */
int eb_choose_packages(struct eb_resolver *r, const struct eb_base *base,
		       struct eb_lock *lock, struct eb_error *err);

/* exact_records.c: what the definition does not say of the packages of its
 * exact list, which are those of the lock, in its order. Of what a channel's
 * repodata has with the same hash, that; else what the package says itself,
 * which is fetched for it, but not for who explains: then it stays away. Found
 * once (r->found). EB_INTEGRITY: a hash is not what the definition says. */
int eb_complete_records(struct eb_resolver *r, struct eb_lock *lock,
			struct eb_error *err);

/* Warns of what was added that no line asks for: Python, pip. */
void eb_tell_defaults(const struct eb_resolver *r, const struct eb_lock *lock);

#endif
