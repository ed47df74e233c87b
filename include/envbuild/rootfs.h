/* SPDX-License-Identifier: Apache-2.0 */
/* Layers applied to a folder (image-spec layer.md): whiteouts, opaque
 * folders, hard links, replaced types. Nothing ever leaves the folder: each
 * component of a path is opened by itself, links are followed by us, inside.
 * As root owners and devices are kept; without root owners become the
 * caller's and devices are left out (said once). Set-id bits of base layers
 * stay as they are. */
#ifndef EB_ROOTFS_H
#define EB_ROOTFS_H

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/store.h>

/* `dir` must be absent or empty; on an error it is emptied again. */
int eb_rootfs_unpack(struct eb_store *store, const struct eb_digest *manifest,
		     const char *dir, struct eb_events *events,
		     struct eb_error *err);
/* The same without devices, as what runs in it is given its own in /dev, and
 * nobody else may keep it from those of the host that an image names. */
int eb_rootfs_unpack_for_run(struct eb_store *store,
			     const struct eb_digest *manifest, const char *dir,
			     struct eb_events *events, struct eb_error *err);
/* Layers, or parts of layers, over what is there, without devices. On an error
 * the folder holds some of them. */
int eb_rootfs_add(struct eb_store *store, const struct eb_digest *blob,
		  size_t n, const char *dir, struct eb_events *events,
		  struct eb_error *err);

#endif
