/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands about named environments share. */
#ifndef EB_CMD_NAMED_H
#define EB_CMD_NAMED_H

#include <envbuild/catalog.h>

#include "cli.h"

/* The definition of `input` as a new version of `name` (`version` may be
 * NULL); *out is what stands there then. */
int eb_cli_register(struct eb_cli *cli, const char *input, const char *name,
		    const char *version, struct eb_named **out, bool *made,
		    struct eb_error *err);
/* "NAME:VERSION", or an object with name, version, and whether it was made. */
int eb_cli_print_named(struct eb_cli *cli, const struct eb_named *e, bool made,
		       struct eb_error *err);
/* NAME or NAME:VERSION of an own one. EB_USAGE for a label; `version` tells
 * whether there has to be one. */
int eb_cli_own_ref(const char *text, bool version, struct eb_env_ref *out,
		   struct eb_error *err);

/* Does a clone ask the registry for the image? */
bool eb_clone_is_remote(const struct eb_cli *cli);
#define EB_CLONE_USAGE "clone ENV NEWNAME [--shared] [--json]"
#define EB_CLONE_SUMMARY "the same under another name; nothing is built"

#endif
