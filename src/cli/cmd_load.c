/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild load DIR: a definition that Azure's tools saved, into the
 * catalogue. */
#include <envbuild/azure.h>
#include <envbuild/file.h>

#include "cmd_named.h"

/* --name, else the definition's own; a reserved one is refused later. */
static int name_of(struct eb_cli *cli, char **out, struct eb_error *err)
{
	EB_CLEANUP(eb_azure_free_ptr) struct eb_azure *a = NULL;
	const char *name = eb_cli_own(cli, "name");

	if (name) {
		*out = eb_strdup(name);
		return 0;
	}
	if (eb_azure_read(cli->args.v[0], cli->config.platform, NULL, &a, err) <
	    0)
		return -1;
	*out = eb_strdup(a->name);
	if (*out)
		return 0;
	eb_err_set(err, EB_INPUT, "\"%s\" says no name", a->file);
	return eb_err_hint(err, "--name NAME gives one");
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	eb_autofree char *name = NULL;
	bool made;

	/* a name is no folder: clone takes those */
	if (!eb_path_exists(cli->args.v[0]))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", loading: there is no such folder",
				  cli->args.v[0]);
	if (name_of(cli, &name, err) < 0)
		return -1;
	if (eb_cli_register(cli, cli->args.v[0], name,
			    eb_cli_own(cli, "version"), &e, &made, err) < 0)
		return eb_cli_own(cli, "name")
			       ? -1
			       : eb_err_hint(err, "--name NAME gives another");
	return eb_cli_print_named(cli, e, made, err);
}

static const struct eb_cli_option own[] = {
	{ "name", "NAME" },
	{ "version", "VERSION" },
	{ 0 },
};

const struct eb_command eb_cmd_load = {
	.name = "load",
	.usage = "load DIR [--name NAME] [--version VERSION] [--shared] "
		 "[--json]",
	.summary = "a definition that Azure ML saved, into the catalogue",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.is_full = eb_cli_is_shared,
	.run = run,
};
