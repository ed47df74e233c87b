/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways of exporting share. */
#ifndef EB_OCI_EXPORT_H
#define EB_OCI_EXPORT_H

#include <envbuild/layout.h>

#include "descriptor.h"

struct eb_export {
	struct eb_store *store;
	const char *path, *tag; /* tag may be NULL */
	struct eb_platform platform;
	struct eb_descriptor self; /* of the manifest */
	struct eb_manifest image;
	struct eb_export_blob {
		struct eb_digest digest;
		uint64_t size;
	} * blob; /* all of them, sorted, each once */
	size_t n;
};

#define EB_OCI_LAYOUT "{\"imageLayoutVersion\":\"1.0.0\"}"

/* export_layout.c, export_archive.c. `docker`: with Docker's manifest.json */
int eb_export_layout(struct eb_export *x, struct eb_error *err);
int eb_export_archive(struct eb_export *x, bool docker, struct eb_error *err);

/* export_index.c */
/* index.json: `old` (NULL: none) with our image in it; caller frees. What had
 * the same tag loses its entry. */
json_t *eb_export_index(const struct eb_export *x, const json_t *old);
/* Docker's: NAME:TAG of our image, caller frees; manifest.json's text; and
 * the annotation that containerd takes the name from. */
char *eb_export_docker_name(const struct eb_export *x);
void eb_export_docker_manifest(const struct eb_export *x, struct eb_buf *out);
void eb_export_docker_index(const struct eb_export *x, struct eb_buf *out);

/* export.c: a blob that is open for reading */
int eb_export_open(const struct eb_export *x, const struct eb_export_blob *b,
		   struct eb_error *err);

#endif
