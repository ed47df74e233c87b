/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild register ENV --name NAME: a definition into the catalogue. */
#include "cmd_named.h"

/* For lists, which have none of the options that it brings itself; a
 * registration is one without it, too. */
static void remember(struct eb_cli *cli, const struct eb_named *e)
{
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *c = NULL;
	struct eb_config config EB_CLEANUP(eb_config_release) = { 0 };
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_digest settings, hash;
	bool fixed;

	if (eb_cli_is_shared(cli))
		return;
	eb_config_copy(&cli->config, &config);
	for (size_t i = 0; i < config.given.n; i++)
		eb_config_reset(&config, config.given.v[i]);
	eb_strv_release(&config.given);
	if (eb_env_settings(&config, NULL, &settings, &ignored) == 0 &&
	    eb_named_definition(e, &config, NULL, &hash, &fixed, &ignored) ==
		    0 &&
	    fixed && eb_catalog_open(NULL, 0, &c, &ignored) == 0)
		eb_catalog_remember(c, e->name, e->version, &settings, &hash,
				    &ignored);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	const char *name = eb_cli_own(cli, "name");
	bool made;

	if (!name) {
		eb_err_set(err, EB_USAGE, "a name is missing");
		return eb_err_hint(err, "--name NAME gives it");
	}
	if (eb_cli_register(cli, cli->args.v[0], name,
			    eb_cli_own(cli, "version"), &e, &made, err) < 0)
		return -1;
	if (made)
		remember(cli, e);
	else
		eb_note(cli->events, "the definition is there already");
	return eb_cli_print_named(cli, e, made, err);
}

static const struct eb_cli_option own[] = {
	{ "name", "NAME" },
	{ "version", "VERSION" },
	{ 0 },
};

const struct eb_command eb_cmd_register = {
	.name = "register",
	.usage = "register ENV --name NAME [--version VERSION] [--base REF] "
		 "[--as-of DATE] [OPTIONS] [--shared] [--json]",
	.summary = "keep a definition under a name",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.is_full = eb_cli_is_shared,
	.run = run,
};
