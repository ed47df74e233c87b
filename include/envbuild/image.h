/* SPDX-License-Identifier: Apache-2.0 */
/* OCI image configuration and manifest (image-spec 1.1): read, edit, write. */
#ifndef EB_IMAGE_H
#define EB_IMAGE_H

#include <jansson.h>
#include <stdint.h>

#include <envbuild/buf.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/str.h>

#define EB_MT_MANIFEST "application/vnd.oci.image.manifest.v1+json"
#define EB_MT_INDEX "application/vnd.oci.image.index.v1+json"
#define EB_MT_CONFIG "application/vnd.oci.image.config.v1+json"
#define EB_MT_LAYER_TAR "application/vnd.oci.image.layer.v1.tar"
#define EB_MT_LAYER_GZIP "application/vnd.oci.image.layer.v1.tar+gzip"
#define EB_MT_LAYER_ZSTD "application/vnd.oci.image.layer.v1.tar+zstd"

struct eb_descriptor {
	char *media_type;
	struct eb_digest digest;
	uint64_t size;
	/* name, value, name, value ... in order of name */
	struct eb_strv annotations;
};
void eb_descriptor_release(struct eb_descriptor *d);

struct eb_manifest {
	struct eb_descriptor config;
	struct eb_descriptor *layer;
	size_t n_layers;
	struct eb_strv annotations;
};
/* Docker's schema 2 types are read and become OCI's. EB_INPUT otherwise. */
int eb_manifest_parse(const char *text, size_t len, const char *what,
		      struct eb_manifest *out, struct eb_error *err);
void eb_manifest_format(const struct eb_manifest *m, struct eb_buf *out);
void eb_manifest_release(struct eb_manifest *m);
struct eb_descriptor *eb_manifest_add_layer(struct eb_manifest *m,
					    const char *media_type,
					    const struct eb_digest *digest,
					    uint64_t size);
void eb_descriptor_annotate(struct eb_descriptor *d, const char *name,
			    const char *value);
/* Pick from an index by platform "linux/amd64"; attestations are skipped. */
int eb_index_pick(const char *text, size_t len, const char *what,
		  const char *platform, struct eb_descriptor *out,
		  struct eb_error *err);

/*
 * Configuration as a JSON tree: unknown members of the base's are kept.
 * eb_config_parse checks the required members and the number of diff IDs.
 */
json_t *eb_config_parse(const char *text, size_t len, const char *what,
			struct eb_error *err);
json_t *eb_config_new(const char *platform);
int eb_config_diff_ids(const json_t *config, struct eb_digest **ids, size_t *n,
		       struct eb_error *err); /* caller frees */
const char *eb_config_env(const json_t *config, const char *name); /* value */
void eb_config_set_env(json_t *config, const char *name, const char *value);
void eb_config_unset_env(json_t *config, const char *name);
void eb_config_set_label(json_t *config, const char *name, const char *value);
/* One layer more: diff ID and its history entry. `created` RFC 3339. */
void eb_config_add_layer(json_t *config, const struct eb_digest *diff_id,
			 const char *created, const char *created_by);
/* History entries are made up for base layers that have none. */
void eb_config_fix_history(json_t *config, const char *created);
/* The final text: canonical JSON. Its digest is the image ID. */
void eb_config_format(const json_t *config, struct eb_buf *out);

#endif
