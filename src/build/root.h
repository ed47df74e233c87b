/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment so far as a root file system, in which steps are executed:
 * the base and the payloads of the works, unpacked once into a folder of the
 * store's tmp. Steps see it read-only; what they write goes into folders that
 * are mounted.
 */
#ifndef EB_BUILD_ROOT_H
#define EB_BUILD_ROOT_H

#include <envbuild/pip_resolve.h>
#include <envbuild/sandbox.h>

#include "build_private.h"

struct eb_root {
	struct eb_build *b;
	const struct eb_base *base; /* what it begins with */
	char *dir;		    /* all of it; removed at the end */
	char *rootfs;		    /* below it */
	bool *has;		    /* of b->work: is it in there? */
	struct eb_events *events;
	struct eb_digest manifest; /* of the base */
	struct eb_digest *blob;	   /* what lies over it, in order */
	size_t n, alloc;
};

/* With conda's packages that have a payload; with `wheels` the projects of the
 * Python side too, but for those that are built without isolation. Made, or
 * added to, when needed; it stays b's. EB_MACHINE: nothing can run here (the
 * base is scratch, another platform). */
int eb_build_root(struct eb_build *b, bool wheels, struct eb_root **out,
		  struct eb_error *err);
/* The base alone, without system packages, an empty folder where it is scratch;
 * the caller frees it. */
int eb_root_of_base(struct eb_build *b, struct eb_root **out,
		    struct eb_error *err);
/* root_image.c: the image so far, layer by layer: base, system packages, own
 * layers, buckets, and who wins a path; the caller frees it. EB_MACHINE: the
 * platform is another one; the hint is the caller's. */
int eb_root_of_image(struct eb_build *b, struct eb_root **out,
		     struct eb_error *err);
void eb_root_free(struct eb_root *r);
EB_AUTOPTR(struct eb_root, eb_root_free)
/* Does it begin with the base's system packages (b->apt)? They belong to the
 * base, not to a build base. */
bool eb_root_has_apt(const struct eb_build *b);
/* root_handover.c: b's root, if it has one, outlives b, for a build of the same
 * environment. That takes it where it would make just the same, else it goes.
 * NULL: there is none. */
void eb_root_hand_over(struct eb_build *b);
struct eb_root *eb_root_take_over(struct eb_build *b);
/* What it begins with: the lock's build base, or its base. */
const struct eb_base *eb_root_base(const struct eb_build *b);

/* A command in it, with the limits build-*; `log_fd` takes its output. */
struct eb_root_command {
	const char *const *argv;
	const struct eb_strv *env; /* complete */
	const char *cwd;
	const struct eb_mount *mount;
	size_t n_mounts;
	enum eb_network network;
	enum eb_limit_name time; /* the limit that it has; 0: build-time */
	bool writable;		 /* the root itself */
	bool owners;		 /* it gives files to others than root */
	int log_fd;
};
int eb_root_run(struct eb_root *r, const struct eb_root_command *c, int *status,
		struct eb_error *err);

bool eb_root_is_program(const struct eb_root *r, const char *path);
/* An environment may have a record of its Python, and no program. */
bool eb_root_has_python(const struct eb_root *r);
/* Where is the program, in the environment or in the base? First of the names
 * that is there; caller frees. NULL: none. */
char *eb_root_program(const struct eb_root *r, const char *const *names);
/* conda's own linker goes, where the base has one. */
void eb_root_prefer_linker(const struct eb_root *r);
/* The proxies of this machine that `env` does not name. */
void eb_root_add_proxies(struct eb_strv *env);
/* The file of certificates that what runs with network is given, or NULL. */
const char *eb_root_certificates(const struct eb_config *config);
/* Open a path of the root, whose links lead inside it. -1: errno. */
int eb_root_open(const struct eb_root *r, const char *path, int flags,
		 unsigned mode);
/* The base's variables, less PATH, HOME and PYTHON*; PATH with the
 * environment's first (and `before` in front of it), which is added. */
void eb_root_env(const struct eb_root *r, const char *before,
		 struct eb_strv *env);

/* eb_uv_elsewhere_fn; `build` is the struct eb_build whose works are there. */
int eb_root_uv(void *build, struct eb_uv_call *call, struct eb_error *err);

#endif
