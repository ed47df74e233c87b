/* SPDX-License-Identifier: Apache-2.0 */
/* The source of a step in a folder of its own. */
#ifndef EB_BUILD_STEP_SOURCE_H
#define EB_BUILD_STEP_SOURCE_H

#include "step.h"

struct eb_wheel_limits eb_step_limits(const struct eb_build *b);

/* Its files below `dir`, which exists and is empty; read (`out`, may be NULL).
 * A folder that is not what the lock says any more: EB_INPUT. */
int eb_step_unpack(struct eb_build *b, const struct eb_pin *pin,
		   const char *dir, struct eb_sdist *out, struct eb_error *err);
/* Bytes of a wheel or sdist by its digest: from the store, else fetched and
 * kept there. */
int eb_step_fetch(struct eb_build *b, const struct eb_pin *pin, int *fd,
		  struct eb_error *err);

/* The bytes of `fd` kept there, which have to have the pin's digest. */
int eb_step_keep(struct eb_build *b, const struct eb_pin *pin, int fd,
		 struct eb_error *err);

/* step_vcs.c: a commit with its submodules, into `dir`, by git. */
int eb_step_checkout(struct eb_build *b, const struct eb_pin *pin,
		     const char *dir, struct eb_error *err);
/* step_folder.c: a copy of what of a folder counts; its digest. `dir` NULL:
 * the digest alone. */
int eb_step_copy_folder(struct eb_build *b, const struct eb_pin *pin,
			const char *dir, struct eb_digest *digest,
			struct eb_error *err);
/* Where a folder pin lies; caller frees. */
char *eb_step_folder_path(const struct eb_pin *pin);

#endif
