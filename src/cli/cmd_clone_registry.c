/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild clone ENV NEWNAME where a registry is set: the image that is there
 * gets the tag of the new name, too. */
#include <envbuild/team.h>

#include "cmd_named.h"

/* The image by the definition, which is the original's. */
static int tag_image(struct eb_cli *cli, struct eb_team *team,
		     const struct eb_named *e, struct eb_error *err)
{
	EB_CLEANUP(eb_env_free_ptr) struct eb_env *env = NULL;
	eb_autofree char *input =
		eb_asprintf("azureml:%s:%s", e->name, e->version);
	eb_autofree char *tag = eb_team_name_tag(e->name, e->version);
	eb_autofree char *why = NULL;
	struct eb_team_image image = { 0 };
	int rc;

	if (eb_env_open(input, &cli->config, NULL, cli->events, &env, err) < 0)
		return -1;
	rc = eb_team_check(team, env, &cli->config, false, &image, &why, err);
	if (rc < 0)
		return -1;
	if (!rc) {
		eb_note(cli->events, "its image is not in the registry: %s",
			why);
		return 0;
	}
	return eb_team_tag(team, &image.digest, tag, err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	EB_CLEANUP(eb_team_free_ptr) struct eb_team *team = NULL;
	bool made;
	int rc;

	if (eb_cli_password(cli, err) < 0)
		return -1;
	rc = eb_team_open(&cli->config, true, cli->events, &team, err);
	if (rc < 0 || eb_cli_register(cli, cli->args.v[0], cli->args.v[1], NULL,
				      &e, &made, err) < 0)
		return -1;
	if (rc && tag_image(cli, team, e, err) < 0)
		return eb_err_prefix(err, "\"%s:%s\" is registered; its tag",
				     e->name, e->version);
	return eb_cli_print_named(cli, e, made, err);
}

const struct eb_command eb_cmd_clone_registry = {
	.name = "clone",
	.usage = EB_CLONE_USAGE,
	.summary = EB_CLONE_SUMMARY,
	.min_args = 2,
	.max_args = 2,
	.run = run,
};
