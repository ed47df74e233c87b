/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of referrers: an OCI index's descriptors, each digest once. */
#ifndef EB_REGISTRY_REFERRERS_H
#define EB_REGISTRY_REFERRERS_H

#include "registry_int.h"

/* referrers_tag.c */
/* sha256-<64 hex>: the fall-back tag of a subject */
void eb_referrers_tag(const struct eb_digest *subject, char tag[80]);
/* The index that stands at the fall-back tag, *out NULL when there is none;
 * 1, 0, -1. */
int eb_referrers_at_tag(struct eb_repository *repo, const char *tag,
			json_t **out, struct eb_error *err);
/* Its descriptor is in the tag's index, and stayed there. */
int eb_referrers_add(struct eb_repository *repo,
		     const struct eb_digest *subject, json_t *descriptor,
		     struct eb_error *err);

/* referrers_list.c */
json_t *eb_referrers_new(void); /* an empty index */
/* `more` (an index) into `index`, those of that type (NULL: all). */
void eb_referrers_join(json_t *index, const json_t *more,
		       const char *artifact_type);
bool eb_referrers_has(const json_t *index, const char *digest);
/* An OCI index of a text, or NULL. */
json_t *eb_referrers_parse(const struct eb_buf *text);

/* Hub says OCI-Subject and keeps no list (facts oci 1.8). */
bool eb_referrers_untrusted(const struct eb_repository *repo);

#endif
