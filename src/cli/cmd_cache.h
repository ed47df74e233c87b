/* SPDX-License-Identifier: Apache-2.0 */
/* What the care of the store and that of a registry share. */
#ifndef EB_CMD_CACHE_H
#define EB_CMD_CACHE_H

#include "cli.h"

#define EB_CACHE_USAGE                                    \
	"cache path|list|check|gc [--quick] [--rebuild] " \
	"[--max-size SIZE] [--max-age TIME] [--dry-run] " \
	"[--registry [HOST/PREFIX]] [--delete]"
#define EB_CACHE_SUMMARY                                              \
	"the local store: where, what, is it sound, make room; or a " \
	"registry's"
extern const struct eb_cli_option eb_cache_own[];

/* Is it the team's repository that is to be looked after? */
bool eb_cache_is_remote(const struct eb_cli *cli);
/* The local store's. */
int eb_cache_run_local(struct eb_cli *cli, struct eb_error *err);

#endif
