/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways of importing share. */
#ifndef EB_OCI_IMPORT_H
#define EB_OCI_IMPORT_H

#include <envbuild/event.h>
#include <envbuild/layout.h>

#include "source.h"

struct eb_import {
	struct eb_store *store;
	const struct eb_reference *ref;
	const char *platform;
	struct eb_events *events;
	struct eb_manifest image; /* being made */
	json_t *config;
	struct eb_digest *diff_id; /* that the configuration declares */
	size_t n;
};

/* import_layer.c */
/* Bytes into the store, verified; nothing is copied that is there. */
int eb_import_blob(struct eb_store *store, const struct eb_piece *piece,
		   const struct eb_digest *expect, const char *name,
		   struct eb_digest *digest, struct eb_error *err);
/* The diff ID of a blob: remembered, else by decompressing. With `check_tar`
 * it has to be a tar. */
int eb_import_diff_id(struct eb_store *store, const struct eb_digest *blob,
		      const char *name, bool check_tar, struct eb_digest *out,
		      struct eb_error *err);
/* At most 1,000 times what it is made of, and always 1 GiB. */
struct eb_stream *eb_import_unpack(struct eb_stream *packed, uint64_t size,
				   const char *name);
struct eb_stream *eb_import_decompress(int fd, uint64_t offset, uint64_t size,
				       const char *name);
/* A layer that is kept compressed as it is, or that we compress; added to
 * the image. `diff_id` (may be NULL) is what it has to be. */
int eb_import_layer(struct eb_import *im, const struct eb_piece *piece,
		    const char *name, const struct eb_digest *expect,
		    struct eb_digest *diff_id, struct eb_error *err);
/* Does it begin as gzip or zstd do? NULL, or the layer's media type. */
const char *eb_import_sniff(const struct eb_piece *piece);

/* import_gzip.c */
/* Plain bytes to a gzip blob in 1 MiB members. */
int eb_import_gzip(struct eb_store *store, struct eb_stream *in,
		   const char *name, struct eb_digest *blob, uint64_t *size,
		   struct eb_error *err);

/* import_oci.c, import_docker.c, import_rootfs.c */
int eb_import_oci(struct eb_import *im, const struct eb_source *s,
		  struct eb_digest *manifest, struct eb_digest *digest,
		  struct eb_error *err);
int eb_import_docker(struct eb_import *im, const struct eb_source *s,
		     struct eb_digest *manifest, struct eb_digest *digest,
		     struct eb_error *err);
int eb_import_rootfs(struct eb_import *im, struct eb_digest *manifest,
		     struct eb_digest *digest, struct eb_error *err);

/* import.c */
/* Put configuration and manifest of an image that had none. */
int eb_import_finish(struct eb_import *im, const char *config, size_t len,
		     struct eb_digest *manifest, struct eb_digest *digest,
		     struct eb_error *err);
/* Parse the configuration into `im`, which has to agree with n layers. */
int eb_import_config(struct eb_import *im, const char *text, size_t len,
		     const char *name, size_t n_layers, struct eb_error *err);

#endif
