/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base image: found, verified, explained. In this release a local OCI
 * layout, archive, root file system tar, or scratch.
 */
#ifndef EB_BASE_H
#define EB_BASE_H

#include <jansson.h>
#include <stdbool.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/image.h>
#include <envbuild/store.h>

struct eb_base {
	char *reference; /* as asked for */
	bool scratch;
	struct eb_digest digest;   /* what a lock names: manifest digest, or
				    * config digest (see layout.h) */
	struct eb_digest manifest; /* blob in the store */
	struct eb_manifest image;
	json_t *config;
	struct eb_digest *diff_id;
	size_t n_layers;
	char *glibc;   /* "2.36"; NULL: unknown (scratch) */
	char *os_name; /* "Debian GNU/Linux 12 (bookworm)" or NULL */
};

/* How the definition hash names it, without importing anything: "scratch" or
 * "sha256:..." by content; the digest of a big file is remembered in the
 * store by its identity (device, inode, size, times). `store` may be NULL or
 * read-only. Caller frees. NULL with EB_INPUT when it is not there; with
 * EB_USAGE for registry references (not supported yet: the message names the
 * local forms). */
char *eb_base_name(const char *reference, const char *platform,
		   struct eb_store *store, struct eb_error *err);

/* Import and read it. glibc: CONDA_OVERRIDE_GLIBC, else the config's labels
 * (distribution and version), else by streaming layers until os-release and
 * libc.so.6 are seen (kept as a fact by diff ID). A musl base, an envbuild
 * image, another platform: EB_INPUT. `reference` NULL: EB_USAGE that names
 * --base. */
int eb_base_resolve(const char *reference, const char *platform,
		    struct eb_store *store, struct eb_events *events,
		    struct eb_base **out, struct eb_error *err);
/* The base of a lock, from the store alone; else by its reference, whose
 * digest must be the lock's (EB_INPUT otherwise). */
int eb_base_reopen(const char *reference, const struct eb_digest *digest,
		   const char *platform, struct eb_store *store,
		   struct eb_events *events, struct eb_base **out,
		   struct eb_error *err);
void eb_base_free(struct eb_base *b);
EB_AUTOPTR(struct eb_base, eb_base_free)

#endif
