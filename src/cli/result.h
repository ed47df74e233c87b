/* SPDX-License-Identifier: Apache-2.0 */
/* What build, lock and run share. Open, lock, build, outputs: in this order;
 * release in every case. */
#ifndef EB_RESULT_H
#define EB_RESULT_H

#include "cli.h"

struct eb_result {
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

int eb_result_open(struct eb_cli *cli, const char *input, struct eb_result *out,
		   struct eb_error *err);
/* Are all --output places such as can be written? Asked before the work. */
int eb_result_check_outputs(const struct eb_cli *cli, struct eb_error *err);
int eb_result_lock(struct eb_cli *cli, struct eb_result *r,
		   struct eb_error *err);
int eb_result_build(struct eb_cli *cli, struct eb_result *r,
		    struct eb_error *err);
/* Write --output places; *reference is what standard output gets (owned by
 * the caller): of the first place, else of the store. */
int eb_result_outputs(struct eb_cli *cli, struct eb_result *r, char **reference,
		      struct eb_error *err);
void eb_result_release(struct eb_result *r);

#endif
