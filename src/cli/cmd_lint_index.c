/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild lint ENV with indexes: those that are here, or with --index all. */
#include "cmd_lint.h"

/* A store that is not there has no copies. */
static int open_store(struct eb_cli *cli, bool network, struct eb_store **out,
		      struct eb_error *err)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (network)
		return eb_cli_store(cli, 0, out, err);
	if (eb_cli_store(cli, EB_STORE_READONLY, out, &ignored) < 0)
		*out = NULL;
	return 0;
}

static int look(struct eb_cli *cli, struct eb_linted *l, struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	bool network = eb_cli_own(cli, "index") && !cli->config.offline;

	if (open_store(cli, network, &store, err) < 0)
		return -1;
	return eb_lint_index(&cli->config, network, store, l, err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	return eb_lint_run(cli, eb_cli_own(cli, "no-index") ? NULL : look, err);
}

const struct eb_command eb_cmd_lint_index = {
	.name = "lint",
	.usage = EB_LINT_USAGE,
	.summary = EB_LINT_SUMMARY,
	.own = eb_lint_own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.run = run,
};
