/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild cache gc --registry: what is old or unreachable in the team's
 * repository is listed, and removed with --delete. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/team.h>

#include "cmd_cache.h"

/* Behind the option, as the next argument, else as configured. */
static int take_place(struct eb_cli *cli, struct eb_error *err)
{
	const char *place = eb_cli_own(cli, "registry");

	if (*place && cli->args.n > 1)
		return eb_err_set(err, EB_USAGE,
				  "\"%s\" is one argument too many",
				  cli->args.v[1]);
	if (!*place && cli->args.n > 1)
		place = cli->args.v[1];
	if (*place)
		return eb_config_set(&cli->config, "registry", place, err);
	if (cli->config.registry)
		return 0;
	eb_err_set(err, EB_USAGE, "no registry is configured");
	return eb_err_hint(err, "--registry HOST/PREFIX");
}

static int check_words(struct eb_cli *cli, struct eb_error *err)
{
	static const char *const others[] = { "quick", "rebuild", "max-size" };

	if (strcmp(cli->args.v[0], "gc")) {
		eb_err_set(err, EB_USAGE,
			   "option \"--registry\" goes with \"cache gc\"");
		return eb_err_hint(err, "usage: envbuild %s", cli->cmd->usage);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (eb_cli_own(cli, others[i]))
			return eb_err_set(err, EB_USAGE,
					  "option \"--%s\" is of the local "
					  "store, not of a registry",
					  others[i]);
	if (eb_cli_own(cli, "delete") && eb_cli_own(cli, "dry-run"))
		return eb_err_set(err, EB_USAGE,
				  "\"--delete\" and \"--dry-run\" say the "
				  "opposite");
	return 0;
}

/* To be asked is what this is for, whatever builds are configured to do. */
static int open_team(struct eb_cli *cli, struct eb_team **out,
		     struct eb_error *err)
{
	int rc;

	cli->config.no_push = cli->config.local = false;
	rc = eb_team_open(&cli->config, false, cli->events, out, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	return eb_err_set(err, EB_NETWORK, "\"%s\", looking at it: offline",
			  cli->config.registry);
}

static json_t *report_json(const struct eb_team_gc_report *r)
{
	return json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "schema", 1,
			 "images", (int)r->images, "locks", (int)r->locks,
			 "layers", (int)r->layers, "steps", (int)r->steps,
			 "old", (int)r->old, "unreachable", (int)r->unreachable,
			 "removed", (int)r->removed, "refused",
			 (int)r->refused);
}

static int print_report(struct eb_cli *cli, const struct eb_team_gc_report *r,
			struct eb_error *err)
{
	eb_progress_pause(cli->progress);
	if (cli->config.json)
		return eb_cli_print_json(report_json(r), err);
	return eb_cli_print(err,
			    "%u images, %u locks, %u layers, %u steps; %u old, "
			    "%u unreachable; %u removed, %u refused",
			    r->images, r->locks, r->layers, r->steps, r->old,
			    r->unreachable, r->removed, r->refused);
}

static int gc(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_team_free_ptr) struct eb_team *team = NULL;
	const struct eb_team_gc_options options = {
		/* 0 means no limit there, -1 is unset here */
		.max_age_s = cli->config.max_age < 0	? 0
			     : cli->config.max_age == 0 ? 1
							: cli->config.max_age,
		.remove = eb_cli_own(cli, "delete") != NULL,
	};
	struct eb_team_gc_report report;

	if (open_team(cli, &team, err) < 0 ||
	    eb_team_gc(team, &options, &report, err) < 0 ||
	    print_report(cli, &report, err) < 0)
		return -1;
	return report.refused ? EB_REFUSED : EB_OK;
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	if (!eb_cache_is_remote(cli))
		return eb_cache_run_local(cli, err);
	if (check_words(cli, err) < 0 || take_place(cli, err) < 0)
		return -1;
	return gc(cli, err);
}

const struct eb_command eb_cmd_cache_registry = {
	.name = "cache",
	.usage = EB_CACHE_USAGE,
	.summary = EB_CACHE_SUMMARY,
	.own = eb_cache_own,
	.min_args = 1,
	.max_args = 2,
	.run = run,
};
