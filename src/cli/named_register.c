/* SPDX-License-Identifier: Apache-2.0 */
/* What register, clone and build --name share. */
#include <string.h>

#include <envbuild/json.h>

#include "cmd_named.h"

int eb_cli_register(struct eb_cli *cli, const char *input, const char *name,
		    const char *version, struct eb_named **out, bool *made,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *c = NULL;

	if (eb_env_name_check(name, err) < 0 ||
	    (version && eb_env_version_check(version, err) < 0) ||
	    eb_env_catalog(&cli->config, 0, cli->events, &c, err) < 0 ||
	    eb_env_definition(c, input, &cli->config, cli->events, &e, err) < 0)
		return -1;
	free(e->name);
	free(e->version); /* a file may say one: here --version alone does */
	e->name = eb_strdup(name);
	e->version = eb_strdup(version);
	if (eb_catalog_add(c, e, made, err) < 0)
		return -1;
	*out = eb_steal(e);
	return 0;
}

int eb_cli_print_named(struct eb_cli *cli, const struct eb_named *e, bool made,
		       struct eb_error *err)
{
	eb_autofree char *reference = eb_named_reference(e);

	if (!cli->config.json)
		return eb_cli_print(err, "%s", reference);
	return eb_cli_print_json(json_pack("{si ss ss ss sb}", "schema", 1,
					   "reference", reference, "name",
					   e->name, "version", e->version,
					   "new", made),
				 err);
}

int eb_cli_own_ref(const char *text, bool version, struct eb_env_ref *out,
		   struct eb_error *err)
{
	if (eb_env_ref_parse(text, out, err) < 0)
		return -1;
	if (!out->label && !out->curated && (out->version || !version))
		return 0;
	eb_err_set(err, EB_USAGE, "\"%s\" is no version of your own", text);
	return eb_err_hint(err, version ? "give NAME:VERSION"
					: "give NAME or NAME:VERSION");
}
