/* SPDX-License-Identifier: Apache-2.0 */
/* The client for registries that the options ask for. */
#include <envbuild/team.h>

#include "cli.h"

int eb_cli_registry(struct eb_cli *cli, const char *login_host, bool single,
		    struct eb_registry **out, struct eb_error *err)
{
	const struct eb_asking asking = { .login_host = login_host,
					  .single = single };

	if (cli->config.username && !cli->config.password_stdin) {
		eb_err_set(err, EB_USAGE,
			   "option \"--username\" needs \"--password-stdin\"");
		return eb_err_hint(err, "or set ENVBUILD_REGISTRY_USER and "
					"ENVBUILD_REGISTRY_PASSWORD");
	}
	if (eb_cli_password(cli, err) < 0)
		return -1;
	*out = eb_config_registry(&cli->config, &asking, cli->events);
	return 0;
}
