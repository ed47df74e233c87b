/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the reader and the writer of locks. */
#ifndef EB_LOCK_PRIVATE_H
#define EB_LOCK_PRIVATE_H

#include <envbuild/lock.h>

#define EB_LOCK_MAGIC "envbuild-lock"

/* lock_pins.c: to the list of packages, and to the commentary's sources (NULL:
 * they are not asked for). */
void eb_lock_add_pins(const struct eb_lock *lock, json_t *packages,
		      json_t *sources);
/* The next one; lock->pin has room. */
int eb_lock_take_pin(struct eb_lock *lock, const json_t *j,
		     const json_t *sources, const char *name,
		     struct eb_error *err);

/* lock_apt.c: the member "apt"; reading, which has to be as it is written. */
json_t *eb_lock_apt_json(const struct eb_lock *lock);
int eb_lock_take_apt(struct eb_lock *lock, const json_t *locked,
		     const char *name, struct eb_error *err);

/* lock_dockerfile.c: the member "dockerfile" of the hashed part, and that of
 * the commentary; reading both. */
json_t *eb_lock_dockerfile_json(const struct eb_lock *lock);
json_t *eb_lock_dockerfile_comment(const struct eb_lock *lock);
int eb_lock_take_dockerfile(struct eb_lock *lock, const json_t *locked,
			    const char *name, struct eb_error *err);
int eb_lock_take_dockerfile_comment(struct eb_lock *lock,
				    const json_t *comments, const char *name,
				    struct eb_error *err);

#endif
