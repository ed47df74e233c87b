/* SPDX-License-Identifier: Apache-2.0 */
/* What `envbuild verify` found, for people and programs. */
#ifndef EB_VERIFY_VIEW_H
#define EB_VERIFY_VIEW_H

#include <envbuild/verify.h>

#include "cli.h"

/* Lines, findings first; or with --json one object. `image` is NULL where none
 * could be read. */
int eb_verify_print(struct eb_cli *cli, const char *image,
		    const struct eb_findings *f, struct eb_error *err);
/* The same of a set of packages. */
int eb_verify_print_set(struct eb_cli *cli, const struct eb_findings *f,
			struct eb_error *err);

#endif
