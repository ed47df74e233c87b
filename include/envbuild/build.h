/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning and executing: the only module that knows them all.
 *
 *	struct eb_env *env;	    what is asked for, hashed
 *	eb_env_open(...)
 *	eb_env_lock(...)	    the lock: given, remembered or solved anew
 *	eb_build_image(...)	    the image of a lock, in the store
 */
#ifndef EB_BUILD_H
#define EB_BUILD_H

#include <stdbool.h>

#include <envbuild/config.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/lock.h>
#include <envbuild/mem.h>
#include <envbuild/spec.h>
#include <envbuild/store.h>

#define EB_VERSION "0.1.0"
#define EB_PREFIX "/opt/env"

/* --- what is asked for -------------------------------------------------- */
struct eb_env {
	char *path;	       /* as given; "-" is standard input */
	struct eb_spec *spec;  /* NULL: the input is a lock */
	struct eb_lock *given; /* the input itself, or --lock's file */
	struct eb_request request;
	struct eb_digest definition;
};
/* Reads the input, the effective channels and the base's name; loads neither
 * libcurl nor libarchive nor libsolv. `store` may be NULL. A name of the
 * catalogue is EB_INPUT for now. */
int eb_env_open(const char *input, const struct eb_config *config,
		struct eb_store *store, struct eb_events *events,
		struct eb_env **out, struct eb_error *err);
void eb_env_free(struct eb_env *env);
EB_AUTOPTR(struct eb_env, eb_env_free)

/* --- is it there? -------------------------------------------------------- */
/* 1: the store has the image (row filled); 0: it has not, `why` says which
 * part is missing (caller frees); -1: cannot tell. */
int eb_check_local(const struct eb_env *env, const struct eb_config *config,
		   struct eb_store *store, struct eb_image_row *row, char **why,
		   struct eb_error *err);

/* --- resolving ------------------------------------------------------------ */
/* The lock by --lock, by the store (unless --refresh or older than
 * --max-age), or by solving; a solved one is put into the store and, with
 * --update-lock, into the file. *solved tells which. */
int eb_env_lock(struct eb_env *env, const struct eb_config *config,
		struct eb_store *store, struct eb_events *events,
		struct eb_lock **out, bool *solved, struct eb_error *err);

/* --- building ---------------------------------------------------------------
 */
struct eb_built {
	struct eb_digest lock, manifest, config;
	bool cached;		  /* nothing had to be made */
	uint64_t fetched, packed; /* bytes */
	/* with a team's registry: bytes out of it, bytes into it, and how many
	 * blobs were mounted or there already */
	uint64_t brought, pushed;
	unsigned mounted, there;
	unsigned layers, new_layers;
};
int eb_build_image(const struct eb_lock *lock, const struct eb_env *env,
		   const struct eb_config *config, struct eb_store *store,
		   struct eb_events *events, struct eb_built *out,
		   struct eb_error *err);

#endif
