/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild label NAME:VERSION LABEL */
#include <envbuild/json.h>

#include "cmd_named.h"

static int run(struct eb_cli *cli, struct eb_error *err)
{
	struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *c = NULL;
	const char *label = cli->args.v[1];

	if (eb_cli_own_ref(cli->args.v[0], true, &ref, err) < 0 ||
	    eb_env_catalog(&cli->config, 0, cli->events, &c, err) < 0 ||
	    eb_catalog_label(c, ref.name, ref.version, label, err) < 0)
		return -1;
	if (cli->config.json)
		return eb_cli_print_json(json_pack("{si ss ss ss}", "schema", 1,
						   "name", ref.name, "version",
						   ref.version, "label", label),
					 err);
	return eb_cli_print(err, "%s:%s", ref.name, ref.version);
}

const struct eb_command eb_cmd_label = {
	.name = "label",
	.usage = "label NAME:VERSION LABEL [--shared] [--json]",
	.summary = "give a label to a version, and take it from another",
	.min_args = 2,
	.max_args = 2,
	.is_full = eb_cli_is_shared,
	.run = run,
};
