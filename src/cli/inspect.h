/* SPDX-License-Identifier: Apache-2.0 */
/* What `envbuild inspect` found out, and how it is shown. */
#ifndef EB_INSPECT_H
#define EB_INSPECT_H

#include <envbuild/image.h>

#include "cli.h"

struct eb_inspection {
	char *reference;	      /* by digest */
	char media_type[128];	      /* of the manifest */
	struct eb_digest digest, top; /* top: what the reference is */
	struct eb_strv platforms;     /* of an index */
	struct eb_manifest manifest;
	json_t *config;
};
void eb_inspection_release(struct eb_inspection *i);

/* inspect_image.c: of the image's platform; no layer of a registry's image is
 * fetched. */
int eb_inspect(struct eb_cli *cli, const char *image, struct eb_inspection *out,
	       struct eb_error *err);

/* inspect_view.c */
json_t *eb_inspection_json(const struct eb_inspection *i);
/* The same for people, made from that. */
int eb_inspection_print(const json_t *json, struct eb_error *err);

#endif
