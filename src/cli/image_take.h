/* SPDX-License-Identifier: Apache-2.0 */
/* ENV or IMAGE as `run` and `verify` take it: into the store, and unpacked. */
#ifndef EB_IMAGE_TAKE_H
#define EB_IMAGE_TAKE_H

#include "image_ref.h"
#include "result.h"

/* Does the word name an image? Else it is an environment. */
bool eb_names_image(const char *text);
/* All of the image in r's store, which is opened where that is not done; an
 * environment is built first when it is not there. Of an image *manifest is
 * set as soon as it is known; zero before. */
int eb_take_image(struct eb_cli *cli, const char *what, struct eb_result *r,
		  struct eb_digest *manifest, struct eb_error *err);

struct eb_taken {
	char *dir; /* of the store's tmp: the root file system, and room */
	char *rootfs;
	json_t *config;
};
int eb_take_config(struct eb_taken *t, struct eb_store *store,
		   const struct eb_digest *manifest, struct eb_error *err);
int eb_take_rootfs(struct eb_taken *t, struct eb_cli *cli,
		   struct eb_store *store, const struct eb_digest *manifest,
		   struct eb_error *err);
void eb_taken_release(struct eb_taken *t);

#endif
