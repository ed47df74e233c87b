/* SPDX-License-Identifier: Apache-2.0 */
/*
 * envbuild check ENV: is the image there? 0 hit, 1 miss, else cannot tell.
 * Here from the store alone; cmd_check_registry.c asks a registry.
 */
#include <envbuild/json.h>

#include "cmd_check.h"

static int answer_json(const char *status, const char *reference,
		       const char *why, struct eb_error *err)
{
	json_t *j = json_object();

	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "status", json_string(status));
	if (reference)
		json_object_set_new(j, "reference", json_string(reference));
	if (why)
		json_object_set_new(j, "why", json_string(why));
	return eb_cli_print_json(j, err);
}

static int hit(struct eb_cli *cli, const struct eb_image_row *row,
	       struct eb_error *err)
{
	eb_autofree char *reference = eb_cli_reference(&row->manifest);

	if (cli->config.json)
		return answer_json("hit", reference, NULL, err);
	return eb_cli_print(err, "%s", reference);
}

static int miss(struct eb_cli *cli, const char *why, struct eb_error *err)
{
	if (cli->config.json)
		return answer_json("miss", NULL, why, err) < 0 ? -1 : EB_NO;
	eb_note(cli->events, "miss: %s", why);
	return EB_NO;
}

/* A store that is not there yet has no image: that is a clear miss. */
int eb_check_store(struct eb_cli *cli, struct eb_store **out,
		   struct eb_error *err)
{
	if (eb_cli_store(cli, EB_STORE_READONLY, out, err) == 0)
		return 1;
	if (err->code != EB_NO)
		return -1;
	eb_err_release(err);
	return 0;
}

static int refuse_explain(const struct eb_cli *cli, struct eb_error *err)
{
	if (!eb_cli_own(cli, "explain"))
		return 0;
	eb_err_set(err, EB_USAGE,
		   "option \"--explain\" looks for what is near in a registry, "
		   "and none is asked");
	return eb_err_hint(err, "give --registry HOST/PREFIX, without --local, "
				"--offline and --no-push");
}

int eb_check_run_local(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	EB_CLEANUP(eb_env_free_ptr) struct eb_env *env = NULL;
	eb_autofree char *why = NULL;
	struct eb_image_row row;
	int there, rc;

	if (refuse_explain(cli, err) < 0)
		return -1;
	there = eb_check_store(cli, &store, err);
	if (there < 0)
		return -1;
	if (eb_env_open(cli->args.v[0], &cli->config, store, cli->events, &env,
			err) < 0)
		return -1;
	if (!there)
		return miss(cli, "there is no store yet", err);
	rc = eb_check_local(env, &cli->config, store, &row, &why, err);
	if (rc < 0)
		return -1;
	return rc ? hit(cli, &row, err) : miss(cli, why, err);
}

static bool is_full(const struct eb_cli *cli)
{
	return eb_check_is_remote(cli) || eb_cli_env_is_shared(cli);
}

bool eb_check_is_remote(const struct eb_cli *cli)
{
	const struct eb_config *c = &cli->config;

	return c->registry && !c->local && !c->offline && !c->no_push;
}

const struct eb_cli_option eb_check_own[] = {
	{ "explain", NULL },
	{ 0 },
};

const struct eb_command eb_cmd_check = {
	.name = "check",
	.usage = EB_CHECK_USAGE,
	.summary = EB_CHECK_SUMMARY,
	.own = eb_check_own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.is_full = is_full,
	.run = eb_check_run_local,
};
