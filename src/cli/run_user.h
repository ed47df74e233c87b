/* SPDX-License-Identifier: Apache-2.0 */
/* Who a command runs as. */
#ifndef EB_RUN_USER_H
#define EB_RUN_USER_H

#include <envbuild/error.h>

/* `user` as an image configuration has it: "", "name", "1000", "name:group",
 * or NULL. Without a group the user's own, else 0. EB_INPUT: an unknown name.
 */
int eb_run_user(const char *rootfs, const char *user, unsigned *uid,
		unsigned *gid, struct eb_error *err);

#endif
