/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild build ENV: resolve, build what is missing, cache. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "result.h"

static void set_digest(json_t *j, const char *key, const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	json_object_set_new(j, key, json_string(eb_digest_text(d, text)));
}

static json_t *as_json(const struct eb_result *r, const char *reference)
{
	json_t *j = json_object();

	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "reference", json_string(reference));
	set_digest(j, "manifest", &r->built.manifest);
	set_digest(j, "image-id", &r->built.config);
	set_digest(j, "lock", &r->built.lock);
	set_digest(j, "definition", &r->env->definition);
	json_object_set_new(j, "cached", json_boolean(r->built.cached));
	json_object_set_new(j, "solved", json_boolean(r->solved));
	json_object_set_new(j, "fetched-bytes",
			    json_integer((json_int_t)r->built.fetched));
	json_object_set_new(j, "packed-bytes",
			    json_integer((json_int_t)r->built.packed));
	return j;
}

static void summary(struct eb_cli *cli, const struct eb_result *r)
{
	char fetched[32], packed[32];

	if (r->built.cached)
		eb_note(cli->events, "the image was in the store");
	else
		eb_note(cli->events,
			"%zu packages in %u layers; %s fetched, %s packed",
			r->lock->n, r->built.layers,
			eb_human_size(r->built.fetched, fetched),
			eb_human_size(r->built.packed, packed));
}

static int print_result(struct eb_cli *cli, struct eb_result *r,
			const char *reference, struct eb_error *err)
{
	eb_autofree char *line = eb_asprintf("%s\n", reference);

	if (cli->config.reference_file &&
	    eb_write_file(cli->config.reference_file, line, strlen(line), 0644,
			  err) < 0)
		return -1;
	eb_progress_pause(cli->progress);
	if (cli->config.json)
		return eb_cli_print_json(as_json(r, reference), err);
	return eb_cli_print(err, "%s", reference);
}

static int build(struct eb_cli *cli, struct eb_result *r, struct eb_error *err)
{
	eb_autofree char *reference = NULL;

	if (eb_result_check_outputs(cli, err) < 0 ||
	    eb_result_open(cli, cli->args.v[0], r, err) < 0 ||
	    eb_result_lock(cli, r, err) < 0 || eb_result_build(cli, r, err) < 0)
		return -1;
	summary(cli, r);
	if (eb_result_outputs(cli, r, &reference, err) < 0)
		return -1;
	return print_result(cli, r, reference, err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_result_release) struct eb_result r = EB_RESULT_INIT;
	const char *log = eb_progress_log(cli->progress, cli->args.v[0]);

	if (build(cli, &r, err) < 0)
		return -1;
	if (log)
		eb_detail(cli->events, "log: %s", log);
	return 0;
}

const struct eb_command eb_cmd_build = {
	.name = "build",
	.usage = "[build] ENV [--base REF] [--lock FILE] [--output PLACE]...",
	.summary = "resolve, build what is missing, print the reference",
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
