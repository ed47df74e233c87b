/* SPDX-License-Identifier: Apache-2.0 */
/* What build, lock and run share. Open, lock, build, outputs: in this order;
 * release in every case. */
#ifndef EB_RESULT_H
#define EB_RESULT_H

#include <envbuild/team.h>

#include "cli.h"

struct eb_result {
	struct eb_team *team; /* NULL: no registry */
	bool builds;	      /* an image will be made, unless: */
	bool standing;	      /* the team has the image: `image` */
	struct eb_team_image image;
	struct eb_store *store;
	struct eb_env *env;
	struct eb_lock *lock;
	bool solved;
	struct eb_built built;
	int lock_fd; /* one build a definition */
};
#define EB_RESULT_INIT        \
	{                     \
		.lock_fd = -1 \
	}

/* Opening without waiting for who builds it: for those who make nothing. */
int eb_result_look(struct eb_cli *cli, const char *input, struct eb_result *out,
		   struct eb_error *err);
/* What was looked at before is not opened again. */
int eb_result_open(struct eb_cli *cli, const char *input, struct eb_result *out,
		   struct eb_error *err);
int eb_result_lock(struct eb_cli *cli, struct eb_result *r,
		   struct eb_error *err);
/* The lock as above, or what the team has under env-; then the image, which is
 * pushed where there is a team, and --tag. */
int eb_result_build(struct eb_cli *cli, struct eb_result *r,
		    struct eb_error *err);
/* All bytes of the image into the store: layers may lie in registries. */
int eb_result_bring(struct eb_cli *cli, struct eb_result *r,
		    struct eb_error *err);
/* "HOST/PREFIX@sha256:...", NULL without a registry; caller frees. */
char *eb_result_registry(const struct eb_result *r);
/* Write --output places; *reference is what standard output gets (owned by
 * the caller): of the first place, else of the registry, else of the store. */
int eb_result_outputs(struct eb_cli *cli, struct eb_result *r, char **reference,
		      struct eb_error *err);
void eb_result_release(struct eb_result *r);

#endif
