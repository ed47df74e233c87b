/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild clone ENV NEWNAME, without a registry; cmd_clone_registry.c looks
 * for the image in one. */
#include "cmd_named.h"

bool eb_clone_is_remote(const struct eb_cli *cli)
{
	const struct eb_config *c = &cli->config;

	return eb_cli_is_shared(cli) ||
	       (c->registry && !c->local && !c->offline && !c->no_push);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	bool made;

	if (eb_cli_register(cli, cli->args.v[0], cli->args.v[1], NULL, &e,
			    &made, err) < 0)
		return -1;
	return eb_cli_print_named(cli, e, made, err);
}

const struct eb_command eb_cmd_clone = {
	.name = "clone",
	.usage = EB_CLONE_USAGE,
	.summary = EB_CLONE_SUMMARY,
	.min_args = 2,
	.max_args = 2,
	.is_full = eb_clone_is_remote,
	.run = run,
};
