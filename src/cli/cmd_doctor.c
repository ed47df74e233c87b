/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild doctor: what this machine can do. */
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/part.h>
#include <envbuild/sandbox.h>
#include <envbuild/team.h>

#include "cli.h"

static void check_space(struct eb_checks *out, const struct eb_store *store)
{
	struct statvfs fs;
	char size[32];

	if (statvfs(eb_store_dir(store), &fs) < 0)
		return;
	eb_checks_add(out, "store", true, "%s, %s free", eb_store_dir(store),
		      eb_human_size((uint64_t)fs.f_bavail * fs.f_frsize, size));
}

/* Where scratch files can go: a store that cannot be used is said, and ends
 * nothing. */
static const char *check_store(struct eb_cli *cli, struct eb_checks *out,
			       struct eb_store **store)
{
	struct eb_error err = EB_ERROR_INIT;

	if (eb_cli_store(cli, 0, store, &err) < 0) {
		eb_checks_add(out, "store", false, "%s", err.message);
		eb_err_release(&err);
		return "/tmp";
	}
	check_space(out, *store);
	return eb_store_tmp(*store);
}

static void check_compressor(struct eb_checks *out)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_compressor c;

	if (eb_compressor_init(&c, "gzip", &err) < 0)
		eb_checks_add(out, "compressor", false, "%s", err.message);
	else
		eb_checks_add(out, "compressor", true, "%s%s", c.id,
			      c.golden ? ""
				       : " (writes other bytes than usual: its "
					 "blobs are not shared with others)");
	eb_err_release(&err);
}

/* conda's settings, as far as they say what channels mean. */
static void check_condarc(struct eb_checks *out, const struct eb_condarc *c)
{
	const struct eb_error *e = &c->err;

	for (size_t i = 0; i < c->file.n; i++)
		if (!e->file || strcmp(e->file, c->file.v[i]))
			eb_checks_add(out, "condarc", true, "%s", c->file.v[i]);
	for (size_t i = 0; i < c->variable.n; i++)
		eb_checks_add(out, "condarc", true, "variable %s",
			      c->variable.v[i]);
	if (e->file)
		eb_checks_add(out, "condarc", false, "%s:%u:%u: %s", e->file,
			      e->line, e->column, e->message);
	else if (eb_err_is_set(e))
		eb_checks_add(out, "condarc", false, "%s", e->message);
	if (!c->file.n && !c->variable.n)
		eb_checks_add(out, "condarc", true, "none is there");
}

static void check_limits(struct eb_checks *out, const struct eb_config *c)
{
	for (int i = 0; i < EB_LIMITS; i++)
		eb_checks_add(out, "limit", true, "%s=%llu", eb_limit_names[i],
			      (unsigned long long)c->limit[i]);
}

/* 1 reachable, 0 none is configured, -1. */
static int ping(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_team_free_ptr) struct eb_team *team = NULL;
	int rc = eb_cli_password(cli, err);

	if (rc == 0)
		rc = eb_team_open(&cli->config, true, cli->events, &team, err);
	if (rc <= 0)
		return rc;
	return eb_registry_ping(eb_team_repository(team), err) < 0 ? -1 : 1;
}

static void check_registry(struct eb_cli *cli, struct eb_checks *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int rc = ping(cli, &err);

	if (rc < 0)
		eb_checks_add(out, "registry", false, "%s", err.message);
	else if (rc > 0)
		eb_checks_add(out, "registry", true, "%s answers",
			      cli->config.registry);
	else
		eb_checks_add(out, "registry", true, "none is set");
}

static json_t *as_json(const struct eb_checks *checks)
{
	json_t *j = json_object(), *list = json_array();

	for (size_t i = 0; i < checks->n; i++) {
		const struct eb_check *c = &checks->check[i];

		json_array_append_new(list, json_pack("{s:s,s:b,s:s}", "name",
						      c->name, "ok", c->ok,
						      "detail", c->detail));
	}
	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "checks", list);
	return j;
}

static int print_checks(struct eb_cli *cli, const struct eb_checks *checks,
			struct eb_error *err)
{
	if (cli->config.json)
		return eb_cli_print_json(as_json(checks), err);
	for (size_t i = 0; i < checks->n; i++) {
		const struct eb_check *c = &checks->check[i];

		if (eb_cli_print(err, "%-4s %-20s %s", c->ok ? "ok" : "no",
				 c->name, c->detail) < 0)
			return -1;
	}
	return 0;
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	EB_CLEANUP(eb_checks_release) struct eb_checks checks = { 0 };
	const char *tmp = check_store(cli, &checks, &store);

	check_compressor(&checks);
	eb_sandbox_doctor(&checks, tmp);
	check_registry(cli, &checks);
	check_condarc(&checks, cli->config.condarc);
	check_limits(&checks, &cli->config);
	return print_checks(cli, &checks, err);
}

const struct eb_command eb_cmd_doctor = {
	.name = "doctor",
	.usage = "doctor [--json]",
	.summary = "what this machine can do; the limits in force",
	.max_args = 0,
	.run = run,
};
