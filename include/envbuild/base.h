/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base image: found, verified, explained. A registry reference, a local
 * OCI layout, archive, root file system tar, or scratch.
 *
 * Of a base in a registry only manifest and config come into the store; its
 * layers stay there (transfer.h, eb_blob_source_find) unless somebody needs
 * their bytes.
 */
#ifndef EB_BASE_H
#define EB_BASE_H

#include <jansson.h>
#include <stdbool.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/image.h>
#include <envbuild/registry.h>
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
 * read-only. A registry reference is named as asked for, in full
 * ("docker.io/library/debian:12"); nobody is asked. Caller frees. NULL with
 * EB_INPUT when it is not there. */
char *eb_base_name(const char *reference, const char *platform,
		   struct eb_store *store, struct eb_error *err);

/* Is it in a registry? Then the functions below need a client. */
bool eb_base_is_remote(const char *reference);

/* What was learned by streaming a base, for others: key -> text. Errors are
 * the caller's to swallow: 1, 0, -1; 0, -1. */
struct eb_base_memory {
	void *data;
	int (*recall)(void *data, const struct eb_digest *key,
		      struct eb_buf *text, struct eb_error *err);
	int (*keep)(void *data, const struct eb_digest *key, const char *text,
		    struct eb_error *err);
};
struct eb_base_from {
	struct eb_store *store;
	struct eb_registry *registry;	     /* NULL: none may be asked */
	const struct eb_base_memory *memory; /* or NULL */
	struct eb_events *events;
	bool any; /* what an image is made of: no C library is looked for, and
		   * an environment will do */
};

/* Import and read it; A tag is asked for each time; offline its last known
 * digest is taken. glibc: CONDA_OVERRIDE_GLIBC, else the config's labels
 * (distribution and version), else by streaming layers until os-release and
 * libc.so.6 are seen (kept by diff ID as a fact, and in `memory`). A musl base,
 * an envbuild image, another platform: EB_INPUT. `reference` NULL: EB_USAGE
 * that names
 * --base. */
int eb_base_resolve(const char *reference, const char *platform,
		    const struct eb_base_from *from, struct eb_base **out,
		    struct eb_error *err);
/* The base of a lock, from the store alone; else by its reference, whose
 * digest must be the lock's (EB_INPUT otherwise; a registry is asked by
 * digest, whatever its tag points to now). */
int eb_base_reopen(const char *reference, const struct eb_digest *digest,
		   const char *platform, const struct eb_base_from *from,
		   struct eb_base **out, struct eb_error *err);
/* The same from the store alone: 1, 0 it has not all of it, -1. */
int eb_base_recall(const char *reference, const struct eb_digest *digest,
		   const char *platform, const struct eb_base_from *from,
		   struct eb_base **out, struct eb_error *err);
/* An image of the store that was made to be a base, by its manifest; it is
 * named by its configuration's digest from then on. */
int eb_base_adopt(const char *reference, const struct eb_digest *manifest,
		  const char *platform, const struct eb_base_from *from,
		  struct eb_base **out, struct eb_error *err);
void eb_base_free(struct eb_base *b);
EB_AUTOPTR(struct eb_base, eb_base_free)

#endif
