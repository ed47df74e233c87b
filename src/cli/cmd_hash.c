/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild hash ENV: definition hash, lock hash where known. */
#include <stdio.h>

#include <envbuild/json.h>

#include "cli.h"

/* A missing or unreadable store only means that no lock is known. */
static struct eb_store *open_store(struct eb_cli *cli)
{
	struct eb_error ignored = EB_ERROR_INIT;
	struct eb_store *store = NULL;

	if (eb_cli_store(cli, EB_STORE_READONLY, &store, &ignored) < 0)
		eb_err_release(&ignored);
	return store;
}

static int show(const struct eb_env *env, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (!env->spec)
		return eb_err_set(err, EB_USAGE,
				  "\"%s\" is a lock: the text that was hashed "
				  "is not in it",
				  env->path);
	if (eb_definition_text(&env->request, &text, err) < 0)
		return -1;
	fputs(text.data, stdout);
	return fflush(stdout) == EOF
		       ? eb_err_set(err, EB_MACHINE,
				    "standard output cannot be written")
		       : 0;
}

static int print_azure(const struct eb_env *env, struct eb_error *err)
{
	if (!env->spec || !*env->spec->azure_name)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is no conda environment file: Azure "
				  "names those alone",
				  env->path);
	return eb_cli_print(err, "%s", env->spec->azure_name);
}

static int find_lock(const struct eb_env *env, struct eb_store *store,
		     char hex[EB_HEX_SIZE], struct eb_error *err)
{
	struct eb_lock_row row;
	int rc;

	if (env->given) {
		eb_lock_hash(env->given, &row.lock);
		rc = 1;
	} else {
		rc = store ? eb_store_find_definition(store, &env->definition,
						      &row, err)
			   : 0;
	}
	if (rc > 0)
		eb_digest_hex(&row.lock, hex);
	return rc;
}

static int print_hashes(struct eb_cli *cli, const struct eb_env *env,
			struct eb_store *store, struct eb_error *err)
{
	char definition[EB_HEX_SIZE], lock[EB_HEX_SIZE];
	int known = find_lock(env, store, lock, err);
	const char *azure = env->spec ? env->spec->azure_name : "";
	json_t *j;

	if (known < 0)
		return -1;
	eb_digest_hex(&env->definition, definition);
	if (cli->config.json) {
		j = json_object();
		json_object_set_new(j, "schema", json_integer(1));
		json_object_set_new(j, "definition", json_string(definition));
		if (known)
			json_object_set_new(j, "lock", json_string(lock));
		if (*azure)
			json_object_set_new(j, "azure", json_string(azure));
		return eb_cli_print_json(j, err);
	}
	if (eb_cli_print(err, "definition %s", definition) < 0)
		return -1;
	if (known && eb_cli_print(err, "lock %s", lock) < 0)
		return -1;
	return *azure ? eb_cli_print(err, "azure %s", azure) : 0;
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = open_store(cli);
	EB_CLEANUP(eb_env_free_ptr) struct eb_env *env = NULL;

	if (eb_env_open(cli->args.v[0], &cli->config, store, cli->events, &env,
			err) < 0)
		return -1;
	if (eb_cli_own(cli, "show"))
		return show(env, err);
	if (eb_cli_own(cli, "azure"))
		return print_azure(env, err);
	return print_hashes(cli, env, store, err);
}

static const struct eb_cli_option own[] = { { "show", NULL },
					    { "azure", NULL },
					    { 0 } };

const struct eb_command eb_cmd_hash = {
	.name = "hash",
	.usage = "hash ENV [--show | --azure] [--json]",
	.summary = "definition hash, lock hash where known, Azure's name",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.is_full = eb_cli_env_is_shared,
	.run = run,
};
