/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System packages (--apt): an executed step on the base alone. The base's own
 * apt installs them from the base's own sources; what that changes is a layer
 * right above the base, which is the result of the step. It is always gzip, as
 * the layers of a base it is taken as it is by every image.
 */
#ifndef EB_BUILD_APT_H
#define EB_BUILD_APT_H

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/str.h>

#define EB_APT_STEP "apt" /* its name in commentaries and plans */

/* A name by Debian's grammar, perhaps with =VERSION. */
bool eb_apt_is_package(const char *text);
/* The option's values: lists (comma or space), and files, which have a slash in
 * their name or end in .txt: one a line, # begins a comment. Sorted, each
 * once. EB_USAGE, EB_INPUT: something is no package, or has two versions. */
int eb_apt_read(const struct eb_strv *given, struct eb_strv *out,
		struct eb_error *err);

struct eb_apt_layer {
	struct eb_digest key, blob, diff_id;
	uint64_t size;
	struct eb_strv package; /* installed by it: "name=version" */
};
void eb_apt_layer_release(struct eb_apt_layer *layer);

struct eb_build;
/* As far as the store knows it; b: lock, store. 1, 0, -1. */
int eb_apt_recall(struct eb_build *b, struct eb_apt_layer *out,
		  struct eb_error *err);
/* What is said of a layer: its diff ID, size, packages; it is read once. */
int eb_apt_look(struct eb_build *b, const struct eb_digest *result,
		struct eb_apt_layer *out, struct eb_error *err);
/* b->apt, where the lock has system packages: from the store, from the
 * registry, else made. EB_STEP: apt failed; EB_INPUT: the base has no apt, or
 * its sources no such package; EB_MACHINE: nothing can run. */
int eb_build_apt(struct eb_build *b, struct eb_error *err);
/* apt_run.c: makes it; `log` is the path of what was said (caller frees). */
int eb_apt_run(struct eb_build *b, struct eb_digest *result, char **log,
	       struct eb_error *err);

#endif
