/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild archive NAME[:VERSION] and restore NAME[:VERSION] */
#include <envbuild/json.h>

#include "cmd_named.h"

static int print(struct eb_cli *cli, const struct eb_env_ref *ref,
		 bool archived, struct eb_error *err)
{
	json_t *j;

	if (!cli->config.json)
		return eb_cli_print(err, "%s%s%s", ref->name,
				    ref->version ? ":" : "",
				    ref->version ? ref->version : "");
	j = json_pack("{si ss sb}", "schema", 1, "name", ref->name, "archived",
		      archived);
	if (ref->version)
		json_object_set_new(j, "version", json_string(ref->version));
	return eb_cli_print_json(j, err);
}

static int change(struct eb_cli *cli, bool archived, struct eb_error *err)
{
	struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *c = NULL;

	if (eb_cli_own_ref(cli->args.v[0], false, &ref, err) < 0 ||
	    eb_env_catalog(&cli->config, 0, cli->events, &c, err) < 0 ||
	    eb_catalog_archive(c, ref.name, ref.version, archived, err) < 0)
		return -1;
	return print(cli, &ref, archived, err);
}

static int archive(struct eb_cli *cli, struct eb_error *err)
{
	return change(cli, true, err);
}

static int restore(struct eb_cli *cli, struct eb_error *err)
{
	return change(cli, false, err);
}

const struct eb_command eb_cmd_archive = {
	.name = "archive",
	.usage = "archive NAME[:VERSION] [--shared] [--json]",
	.summary = "hide a version, or all of a name, from lists and latest",
	.min_args = 1,
	.max_args = 1,
	.is_full = eb_cli_is_shared,
	.run = archive,
};

const struct eb_command eb_cmd_restore = {
	.name = "restore",
	.usage = "restore NAME[:VERSION] [--shared] [--json]",
	.summary = "take back what archive did",
	.min_args = 1,
	.max_args = 1,
	.is_full = eb_cli_is_shared,
	.run = restore,
};
