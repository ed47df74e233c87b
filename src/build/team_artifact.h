/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Artifacts of the team's cache (image-spec 1.1, "Guidelines for Artifact
 * Usage"): an OCI image manifest with an artifactType, the empty descriptor as
 * its configuration, and a few layers that are found by their media types.
 * `org.opencontainers.image.created` is the time that counts for the kind.
 */
#ifndef EB_TEAM_ARTIFACT_H
#define EB_TEAM_ARTIFACT_H

#include <envbuild/image.h>

#include "team_private.h"

#define EB_ARTIFACT_LAYERS 8
#define EB_ARTIFACT_NOTES 64
#define EB_ANNOTATION_CREATED "org.opencontainers.image.created"
#define EB_ANNOTATION_LOCK "dev.envbuild.lock"
#define EB_ANNOTATION_KEY "dev.envbuild.layer-key"
#define EB_ANNOTATION_COMPRESSOR "dev.envbuild.compressor"

struct eb_artifact {
	struct eb_descriptor layer[EB_ARTIFACT_LAYERS];
	size_t n;
	int64_t time;	      /* s; 0: it does not say */
	struct eb_strv notes; /* its other annotations: name, value, ... */
	struct eb_digest digest;
};
void eb_artifact_release(struct eb_artifact *a);
/* The next layer; at most EB_ARTIFACT_LAYERS. */
struct eb_descriptor *eb_artifact_add(struct eb_artifact *a,
				      const char *media_type,
				      const struct eb_digest *digest,
				      uint64_t size);
/* One more annotation of its own; `value` NULL: none. */
void eb_artifact_note(struct eb_artifact *a, const char *name,
		      const char *value);
/* NULL: it has none of that name. */
const char *eb_artifact_noted(const struct eb_artifact *a, const char *name);
/* NULL: it has none of that media type. */
const struct eb_descriptor *eb_artifact_layer(const struct eb_artifact *a,
					      const char *media_type);
const char *eb_artifact_annotation(const struct eb_descriptor *d,
				   const char *name);

/* Canonical JSON. */
void eb_artifact_format(const struct eb_artifact *a, const char *type,
			struct eb_buf *out);
/* EB_INTEGRITY: it is none, or damaged; EB_MACHINE: `type` of a newer
 * version. */
int eb_artifact_parse(const char *text, size_t len, const char *what,
		      const char *type, struct eb_artifact *out,
		      struct eb_error *err);

/* What stands under a tag; 1, 0, -1 (as above, too). */
int eb_artifact_get(struct eb_team *t, const char *tag, const char *type,
		    struct eb_artifact *out, struct eb_error *err);
/* Its blob of a media type, of at most `max` bytes. EB_INTEGRITY: it has none,
 * or the registry has not. */
int eb_artifact_read(struct eb_team *t, const struct eb_artifact *a,
		     const char *what, const char *media_type, size_t max,
		     struct eb_buf *out, struct eb_error *err);
/* The same of a zstd blob, unpacked to at most `max` bytes. */
int eb_artifact_unpack(struct eb_team *t, const struct eb_artifact *a,
		       const char *what, const char *media_type, size_t max,
		       struct eb_buf *out, struct eb_error *err);

/* What one layer of a manifest that is put holds; data NULL: it is in the
 * repository already. */
struct eb_artifact_data {
	const void *data;
	size_t size;
};
/* Blobs, the empty configuration, then the manifest under the tag; `data` has
 * one element a layer. They are small and were made just now: they are sent
 * without a look whether they are there. a->digest is filled. */
int eb_artifact_put(struct eb_team *t, const char *tag, const char *type,
		    struct eb_artifact *a, const struct eb_artifact_data *data,
		    struct eb_error *err);
/* The same where the blobs have been sent already: they go once more only when
 * the registry has lost one. */
int eb_artifact_point(struct eb_team *t, const char *tag, const char *type,
		      struct eb_artifact *a,
		      const struct eb_artifact_data *data,
		      struct eb_error *err);
/* The empty configuration, in the background, unless it was seen there. */
void eb_artifact_send_empty(struct eb_team *t, struct eb_push *push);
/* One blob from memory, unless it is there. */
int eb_team_put_blob(struct eb_team *t, const struct eb_digest *d,
		     const void *p, size_t n, struct eb_error *err);

/* One zstd frame more in `out`. */
void eb_team_zstd(const void *p, size_t n, struct eb_buf *out);
/* All frames, unpacked behind what `out` has; EB_INTEGRITY: damaged, or more
 * than `max` bytes. */
int eb_team_unzstd(const void *p, size_t n, const char *name, size_t max,
		   struct eb_buf *out, struct eb_error *err);

#endif
