/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors, media types, platforms: what manifests and indexes share. */
#ifndef EB_OCI_DESCRIPTOR_H
#define EB_OCI_DESCRIPTOR_H

#include <stdbool.h>

#include <envbuild/image.h>

#define EB_REF_NAME "org.opencontainers.image.ref.name"
#define EB_MAX_BLOB ((uint64_t)1 << 40)

/* A JSON object into a zeroed descriptor. EB_INPUT names `what` and `key`. */
int eb_descriptor_parse(const json_t *json, const char *what, const char *key,
			struct eb_descriptor *out, struct eb_error *err);
json_t *eb_descriptor_json(const struct eb_descriptor *d);
/* NULL when there is none of that name */
const char *eb_descriptor_annotation(const struct eb_descriptor *d,
				     const char *name);
/* Annotations: a JSON object (or NULL) from and to name, value, name, ... */
int eb_annotations_parse(const json_t *json, const char *what,
			 struct eb_strv *out, struct eb_error *err);
json_t *eb_annotations_json(const struct eb_strv *annotations);

/* OCI's name for a media type of Docker's, else the same. */
const char *eb_media_type_oci(const char *type);
bool eb_media_type_is_layer(const char *type);
/* A manifest or an index: what `index.json` and `Accept` may name. */
bool eb_media_type_is_image(const char *type);

/* "linux/amd64[/variant]" */
struct eb_platform {
	char os[32], arch[32], variant[32];
};
int eb_platform_parse(const char *text, struct eb_platform *out,
		      struct eb_error *err);
/* From an object with os, architecture, variant: a descriptor's platform, a
 * configuration. Absent or long members become "". */
void eb_platform_of(const json_t *json, struct eb_platform *out);
/* Does an image for `have` run where `want` is asked for? */
bool eb_platform_fits(const struct eb_platform *have,
		      const struct eb_platform *want);
char *eb_platform_text(const struct eb_platform *p); /* caller frees */

#endif
