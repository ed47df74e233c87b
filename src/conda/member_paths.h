/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths of one package among each other: what lies below what, and where a
 * path ends that goes through a symbolic link of the same package.
 */
#ifndef EB_MEMBER_PATHS_H
#define EB_MEMBER_PATHS_H

#include <envbuild/entry.h>

/* Entries ordered so that all that lies below a path follows it at once. */
struct eb_member_paths {
	struct eb_entry **entry;
	size_t n;
};
void eb_member_paths_init(struct eb_member_paths *m, struct eb_entries *e);
void eb_member_paths_release(struct eb_member_paths *m);
/* By that order; NULL when there is none. */
struct eb_entry *eb_member_paths_find(const struct eb_member_paths *m,
				      const char *path);
/* EB_INPUT naming `what`: two entries with one path (but folders), or one
 * below a file. */
int eb_member_paths_check(const struct eb_member_paths *m, const char *what,
			  struct eb_error *err);
/* Where entries lie below links of `m`, their paths become what they are on
 * disk; EB_INPUT where that is outside `root` ("opt/env"; "" is everything).
 * Returns how many paths changed, which makes `m` invalid; -1 on error. With
 * `look` set nothing is changed. */
long eb_member_paths_resolve(const struct eb_member_paths *m, const char *root,
			     bool look, const char *what, struct eb_error *err);
/* The path that `target`, read in the folder of `path`, means, without links
 * being followed; NULL when it is absolute or above the top. Caller frees. */
char *eb_member_paths_join(const char *path, const char *target);

#endif
