/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images outside a registry: reading them into the store, writing them from
 * it. OCI layout (image-spec image-layout.md), OCI archive (a tar of one),
 * docker archive (also an OCI archive, facts 3.4), root file system tar.
 */
#ifndef EB_LAYOUT_H
#define EB_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/image.h>
#include <envbuild/reference.h>
#include <envbuild/store.h>
#include <envbuild/stream.h>

/* Manifest digest that an OCI layout's tag (NULL: the only one) points to,
 * resolved through indexes by platform. Reads index.json alone; quick. */
int eb_layout_resolve(const char *dir, const char *tag, const char *platform,
		      struct eb_digest *manifest, struct eb_error *err);

/* The same for an archive of a layout, as far as it is a plain tar: 1, else 0
 * (it is compressed). Reads the tar's headers alone; quick. */
int eb_archive_resolve(const char *file, const char *tag, const char *platform,
		       struct eb_digest *manifest, struct eb_error *err);
/* sha256 of a file; remembered in the store (NULL: there is none) by the
 * file's identity: device, inode, size, times. */
int eb_file_digest(struct eb_store *store, const char *path,
		   struct eb_digest *out, struct eb_error *err);

/* Bring a local image into the store, every byte verified: its layers, its
 * config, and a manifest (as it stands, or made for forms without one).
 * A rootfs tar becomes one layer, its compressed form kept when it is gzip or
 * zstd, else compressed by us. `digest`: manifest digest of an OCI image;
 * config digest where the form has no manifest (docker archive, rootfs). */
int eb_image_import(struct eb_store *store, const struct eb_reference *ref,
		    const char *platform, struct eb_events *events,
		    struct eb_digest *manifest, struct eb_digest *digest,
		    struct eb_error *err);

/* One layer of an image from a file (plain, gzip or zstd) into the store, where
 * it is kept compressed, and behind the layers of `image`. EB_INTEGRITY: its
 * diff ID is not `expect`. */
int eb_layer_import(struct eb_store *store, int fd, uint64_t size,
		    const char *name, const struct eb_digest *expect,
		    struct eb_manifest *image, struct eb_error *err);

/* Write the image of `manifest` (all blobs in the store) to a reference of
 * kind OCI (the tag is added to what the layout has), OCI_ARCHIVE,
 * DOCKER_ARCHIVE. `tag` where the reference has none. Crash-safe: blobs by
 * link or copy, sync, index.json last by rename; archives beside, renamed. */
int eb_image_export(struct eb_store *store, const struct eb_digest *manifest,
		    const struct eb_reference *to, const char *tag,
		    const char *platform, struct eb_events *events,
		    struct eb_error *err);

/* --- what is in a layer ------------------------------------------------- */
enum eb_member_type {
	EB_MEMBER_FILE = 'f',
	EB_MEMBER_DIR = 'd',
	EB_MEMBER_LINK = 'l',
	EB_MEMBER_HARD_LINK = 'h',
	EB_MEMBER_CHAR = 'c',
	EB_MEMBER_BLOCK = 'b',
	EB_MEMBER_FIFO = 'p',
};
struct eb_xattr {
	char *name;
	void *value;
	size_t size;
};
/* As it stands in the tar, unchecked; directories without final slash. */
struct eb_member {
	const char *name, *link; /* link: "" when it is none */
	char type;
	unsigned mode; /* the lower 12 bits */
	uint32_t uid, gid;
	uint64_t size;
	int64_t mtime;
	uint32_t mtime_ns;
	unsigned dev_major, dev_minor;
	const struct eb_xattr *xattr;
	size_t n_xattrs;
};
/* Walk the members of a layer in the store, in their order. The callback
 * reads from `content`, or not; it gives 0 to go on, 1 to stop, -1. */
typedef int eb_member_fn(void *data, const struct eb_member *m,
			 struct eb_stream *content, struct eb_error *err);
int eb_layer_walk(struct eb_store *store, const struct eb_descriptor *layer,
		  eb_member_fn *fn, void *data, struct eb_error *err);
/* The same from a stream of its `size` packed bytes, owned from here on. */
int eb_layer_walk_stream(struct eb_stream *packed, uint64_t size,
			 const char *name, eb_member_fn *fn, void *data,
			 struct eb_error *err);
/* sha256 of what a layer of the store holds decompressed: always measured,
 * whatever is remembered. */
int eb_layer_diff_id(struct eb_store *store, const struct eb_digest *blob,
		     struct eb_digest *out, struct eb_error *err);

#endif
