/* SPDX-License-Identifier: Apache-2.0 */
/* What the check of the store and that of a registry share. */
#ifndef EB_CMD_CHECK_H
#define EB_CMD_CHECK_H

#include "cli.h"

#define EB_CHECK_USAGE                                               \
	"check ENV [--base REF] [--registry HOST/PREFIX] [--local] " \
	"[--max-age TIME] [--timeout TIME] [--explain] [--json]"
#define EB_CHECK_SUMMARY \
	"is the image there? exit 0 hit, 1 miss, else cannot tell"
extern const struct eb_cli_option eb_check_own[];

/* Does this call ask a registry? */
bool eb_check_is_remote(const struct eb_cli *cli);
/* From the store alone. */
int eb_check_run_local(struct eb_cli *cli, struct eb_error *err);
/* The store for reading; 1, 0 there is none yet, -1. */
int eb_check_store(struct eb_cli *cli, struct eb_store **out,
		   struct eb_error *err);

#endif
