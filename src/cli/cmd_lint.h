/* SPDX-License-Identifier: Apache-2.0 */
/* lint, by the light program without indexes and by the full one with them. */
#ifndef EB_CMD_LINT_H
#define EB_CMD_LINT_H

#include "cli.h"

#define EB_LINT_USAGE "lint ENV [--index | --no-index] [--fix] [--json]"
#define EB_LINT_SUMMARY \
	"every problem of a definition that can be known before a build"
extern const struct eb_cli_option eb_lint_own[];

/* `look`: what is added to what the text and the tables tell; or NULL. */
typedef int eb_lint_look_fn(struct eb_cli *cli, struct eb_linted *l,
			    struct eb_error *err);
int eb_lint_run(struct eb_cli *cli, eb_lint_look_fn *index,
		struct eb_error *err);

#endif
