/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild run ENV|IMAGE [-- COMMAND]: run in the image, without a daemon. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/sandbox.h>

#include "image_take.h"
#include "run_user.h"

struct container {
	struct eb_strv argv, env;
	struct eb_mount *mount;
	size_t n_mounts;
	struct eb_taken image;
	const json_t *settings; /* "config" of its configuration */
	enum eb_network network;
};

static void release(struct container *c)
{
	eb_taken_release(&c->image);
	for (size_t i = 0; i < c->n_mounts; i++) {
		free(c->mount[i].source);
		free(c->mount[i].destination);
	}
	eb_strv_release(&c->argv);
	eb_strv_release(&c->env);
	free(c->mount);
}

/* --- what it says
 * ---------------------------------------------------------------- */
static void add_list(struct eb_strv *out, const json_t *list)
{
	const json_t *item;
	size_t i;

	if (!list)
		return;
	json_array_foreach ((json_t *)list, i, item) {
		if (json_string_value(item))
			eb_strv_add(out, json_string_value(item));
	}
}

static void command_line(struct container *c, const struct eb_cli *cli)
{
	add_list(&c->argv, eb_json_arr(c->settings, "Entrypoint"));
	if (cli->command.n)
		for (size_t i = 0; i < cli->command.n; i++)
			eb_strv_add(&c->argv, cli->command.v[i]);
	else
		add_list(&c->argv, eb_json_arr(c->settings, "Cmd"));
	if (!c->argv.n)
		eb_strv_add(&c->argv, "/bin/sh");
}

/* K=V, or K as our own environment has it. */
static void set_variable(struct container *c, const char *pair)
{
	const char *eq = strchr(pair, '=');
	eb_autofree char *name = eb_strndup(pair, strcspn(pair, "="));
	const char *value = eq ? eq + 1 : getenv(name);

	if (value)
		eb_config_set_env(c->image.config, name, value);
}

static int variables(const struct eb_cli *cli, struct eb_error *err)
{
	for (size_t i = 0; i + 1 < cli->own.n; i += 2)
		if (!strcmp(cli->own.v[i], "env") &&
		    strcspn(cli->own.v[i + 1], "=") == 0)
			return eb_err_set(err, EB_USAGE,
					  "variable \"%s\" has no name",
					  cli->own.v[i + 1]);
	return 0;
}

static void environment(struct container *c, const struct eb_cli *cli)
{
	for (size_t i = 0; i + 1 < cli->own.n; i += 2)
		if (!strcmp(cli->own.v[i], "env"))
			set_variable(c, cli->own.v[i + 1]);
	c->settings = eb_json_obj(c->image.config, "config");
	add_list(&c->env, eb_json_arr(c->settings, "Env"));
	if (!eb_config_env(c->image.config, "PATH"))
		eb_strv_add(&c->env, "PATH=" EB_SANDBOX_PATH);
	if (!eb_config_env(c->image.config, "HOME"))
		eb_strv_add(&c->env, "HOME=/root");
}

/* SRC:DST[:ro] */
static int add_mount(struct container *c, const char *text,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv piece = { 0 };
	struct eb_mount *m;

	eb_strv_split(&piece, text, ":");
	if (piece.n < 2 || piece.n > 3 || !*piece.v[0] || *piece.v[1] != '/' ||
	    (piece.n == 3 && strcmp(piece.v[2], "ro"))) {
		eb_err_set(err, EB_USAGE, "mount \"%s\" is not SRC:DST[:ro]",
			   text);
		return eb_err_hint(err, "DST is an absolute path");
	}
	if (!eb_path_exists(piece.v[0]))
		return eb_err_set(err, EB_USAGE,
				  "mount \"%s\": there is no \"%s\"", text,
				  piece.v[0]);
	c->mount = eb_realloc(c->mount, c->n_mounts + 1, sizeof *c->mount);
	m = &c->mount[c->n_mounts++];
	m->source = realpath(piece.v[0], NULL);
	m->destination = eb_strdup(piece.v[1]);
	m->read_only = piece.n == 3;
	return 0;
}

static int mounts(struct container *c, const struct eb_cli *cli,
		  struct eb_error *err)
{
	for (size_t i = 0; i + 1 < cli->own.n; i += 2)
		if (!strcmp(cli->own.v[i], "mount") &&
		    add_mount(c, cli->own.v[i + 1], err) < 0)
			return -1;
	return 0;
}

static int network(const struct eb_cli *cli, enum eb_network *out,
		   struct eb_error *err)
{
	const char *text = eb_cli_own(cli, "network");

	*out = EB_NETWORK_NONE;
	if (!text || !strcmp(text, "none"))
		return 0;
	*out = EB_NETWORK_HOST;
	if (!strcmp(text, "host"))
		return 0;
	eb_err_set(err, EB_USAGE, "option \"network\" cannot be \"%s\"", text);
	return eb_err_hint(err, "one of: none|host");
}

/* --- running
 * ------------------------------------------------------------------------ */
static int start(struct container *c, struct eb_cli *cli, int *status,
		 struct eb_error *err)
{
	const char *workdir = eb_cli_own(cli, "workdir");
	struct eb_sandbox s = {
		.rootfs = c->image.rootfs,
		.argv = (const char *const *)c->argv.v,
		.env = (const char *const *)c->env.v,
		.cwd = workdir ? workdir
			       : eb_json_str(c->settings, "WorkingDir"),
		.mount = c->mount,
		.n_mounts = c->n_mounts,
		.network = c->network,
		.tmp = c->image.dir,
	};

	if (s.cwd && !*s.cwd)
		s.cwd = NULL;
	if (eb_run_user(c->image.rootfs, eb_json_str(c->settings, "User"),
			&s.uid, &s.gid, err) < 0)
		return -1;
	eb_progress_pause(cli->progress);
	return eb_sandbox_run(&s, status, cli->events, err);
}

static int run_image(struct eb_cli *cli, struct eb_result *r, int *status,
		     struct eb_error *err)
{
	EB_CLEANUP(release) struct container c = { 0 };
	struct eb_digest manifest;

	if (mounts(&c, cli, err) < 0 || network(cli, &c.network, err) < 0 ||
	    variables(cli, err) < 0 ||
	    eb_take_image(cli, cli->args.v[0], r, &manifest, err) < 0 ||
	    eb_take_config(&c.image, r->store, &manifest, err) < 0)
		return -1;
	c.settings = eb_json_obj(c.image.config, "config");
	command_line(&c, cli);
	environment(&c, cli);
	if (eb_take_rootfs(&c.image, cli, r->store, &manifest, err) < 0)
		return -1;
	return start(&c, cli, status, err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_result_release) struct eb_result r = EB_RESULT_INIT;
	int status = 0;

	eb_progress_log(cli->progress, cli->args.v[0]);
	return run_image(cli, &r, &status, err) < 0 ? -1 : status;
}

static const struct eb_cli_option own[] = {
	{ "mount", "SRC:DST[:ro]" },
	{ "env", "K[=V]" },
	{ "workdir", "DIR" },
	{ "network", "none|host" },
	{ 0 },
};

const struct eb_command eb_cmd_run = {
	.name = "run",
	.usage = "run ENV|IMAGE [--mount SRC:DST[:ro]] [--env K[=V]] "
		 "[--workdir DIR] [--network none|host] [-- COMMAND...]",
	.summary = "run a command in the image, through an OCI runtime",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.takes_command = true,
	.failure = 125, /* keeps our failures apart from the command's */
	.run = run,
};
