/* SPDX-License-Identifier: Apache-2.0 */
/* IMAGE on the command line, and places that one is written to. */
#ifndef EB_IMAGE_REF_H
#define EB_IMAGE_REF_H

#include <envbuild/reference.h>
#include <envbuild/registry.h>

#include "cli.h"

/* --- image_ref.c ---------------------------------------------------------- */
/* Its repository; the policy's list of registries is looked at. */
int eb_image_repository(struct eb_cli *cli, struct eb_registry *registry,
			const struct eb_reference *ref,
			struct eb_repository **out, struct eb_error *err);
/* What to ask the registry for: digest, tag, or "latest". */
const char *eb_image_name(const struct eb_reference *ref,
			  char text[EB_DIGEST_TEXT]);
/* "HOST/REPOSITORY@sha256:..."; caller frees. */
char *eb_image_by_digest(const struct eb_repository *repo,
			 const struct eb_digest *d);
/* The image of that platform in the store, whatever form `ref` has: looked up,
 * imported, or pulled with its layers. */
int eb_image_obtain(struct eb_cli *cli, struct eb_store *store,
		    const struct eb_reference *ref, struct eb_digest *manifest,
		    struct eb_error *err);
/* What of it lies in a registry alone comes into the store. */
int eb_image_bring(struct eb_cli *cli, struct eb_store *store,
		   const struct eb_digest *manifest, struct eb_error *err);

/* --- output.c --------------------------------------------------------------
 */
/* Are all --output places such as can be written? Asked before the work. */
int eb_outputs_check(const struct eb_cli *cli, struct eb_error *err);
/* What is written there, and how it is called where the place does not say:
 * `tag` in a layout, `name` (NULL: made of the tag) in a docker archive. */
struct eb_output {
	struct eb_store *store;
	const struct eb_digest *manifest;
	const char *platform;
	const char *tag, *name; /* each may be NULL */
};
/* Write all; *reference (owned by the caller) is what standard output gets: of
 * the first place, else of the store. */
int eb_outputs_write(struct eb_cli *cli, const struct eb_output *o,
		     char **reference, struct eb_error *err);
/* Standard output and --reference-file; `json` (taken) with --json. */
int eb_print_reference(struct eb_cli *cli, const char *reference, json_t *json,
		       struct eb_error *err);

#endif
