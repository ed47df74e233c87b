/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild inspect IMAGE: what it is, without fetching its layers. */
#include <envbuild/json.h>

#include "inspect.h"

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_inspection_release) struct eb_inspection i = { 0 };
	eb_autojson json_t *json = NULL;

	if (eb_inspect(cli, cli->args.v[0], &i, err) < 0)
		return -1;
	json = eb_inspection_json(&i);
	eb_progress_pause(cli->progress);
	if (cli->config.json)
		return eb_cli_print_json(eb_steal(json), err);
	return eb_inspection_print(json, err);
}

const struct eb_command eb_cmd_inspect = {
	.name = "inspect",
	.usage = "inspect IMAGE [--platform OS/ARCH] [--json]",
	.summary = "what an image is: digests, layers, labels, its lock",
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
