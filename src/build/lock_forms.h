/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the forms of other tools that a lock can be written in. */
#ifndef EB_LOCK_FORMS_H
#define EB_LOCK_FORMS_H

#include <envbuild/lock.h>

/* conda's packages of the lock, dependencies first; caller frees, NULL with
 * err. */
const struct eb_record **eb_lock_in_link_order(const struct eb_lock *lock,
					       struct eb_error *err);

#endif
