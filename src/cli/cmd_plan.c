/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild plan ENV: what a build would do, without doing it. */
#include "plan_view.h"
#include "result.h"

/* A lock that is given is taken as it is; one that has to be solved is kept, so
 * that it is what the next build acts on. */
static int find_lock(struct eb_cli *cli, struct eb_result *r,
		     struct eb_error *err)
{
	if (!r->env->given)
		return eb_result_lock(cli, r, err);
	r->lock = eb_steal(r->env->given);
	return 0;
}

static int print(struct eb_cli *cli, const struct eb_result *r,
		 const struct eb_build_plan *plan, struct eb_error *err)
{
	eb_progress_pause(cli->progress);
	if (!cli->config.json)
		return eb_plan_print(plan, err);
	return eb_cli_print_json(
		eb_plan_json(plan, &r->env->definition, r->solved), err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_result_release) struct eb_result r = EB_RESULT_INIT;
	EB_CLEANUP(eb_build_plan_release) struct eb_build_plan plan = { 0 };

	if (eb_result_look(cli, cli->args.v[0], &r, err) < 0 ||
	    find_lock(cli, &r, err) < 0 ||
	    eb_build_plan(r.lock, r.env, &cli->config, r.store, r.team,
			  cli->events, &plan, err) < 0)
		return -1;
	return print(cli, &r, &plan, err);
}

const struct eb_command eb_cmd_plan = {
	.name = "plan",
	.usage = "plan ENV [--base REF] [--registry HOST/PREFIX] [--lock FILE] "
		 "[--json]",
	.summary = "what a build would do: layers, sizes, what is there, steps",
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.run = run,
};
