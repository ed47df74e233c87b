/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild build ENV: resolve, build what is missing, cache, push. */
#include <string.h>

#include <envbuild/file.h>

#include "cmd_named.h"
#include "image_ref.h"
#include "result.h"

static void set_digest(json_t *j, const char *key, const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	json_object_set_new(j, key, json_string(eb_digest_text(d, text)));
}

static void add_counts(json_t *j, const struct eb_built *b)
{
	json_object_set_new(j, "pulled-bytes",
			    json_integer((json_int_t)b->brought));
	json_object_set_new(j, "pushed-bytes",
			    json_integer((json_int_t)b->pushed));
	json_object_set_new(j, "mounted", json_integer(b->mounted));
	json_object_set_new(j, "there", json_integer(b->there));
}

static json_t *as_json(const struct eb_result *r, const char *reference)
{
	eb_autofree char *registry = eb_result_registry(r);
	json_t *j = json_object();

	json_object_set_new(j, "schema", json_integer(1));
	json_object_set_new(j, "reference", json_string(reference));
	if (registry)
		json_object_set_new(j, "registry", json_string(registry));
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
	if (registry)
		add_counts(j, &r->built);
	return j;
}

static void say_pushed(struct eb_cli *cli, const struct eb_result *r)
{
	const struct eb_built *b = &r->built;
	char pushed[32], brought[32];

	if (r->standing || (b->cached && !b->pushed && !b->mounted))
		eb_note(cli->events, "the image was in the registry");
	else
		eb_note(cli->events,
			"%s pushed, %u mounted, %u were there; %s taken from "
			"the registry",
			eb_human_size(b->pushed, pushed), b->mounted, b->there,
			eb_human_size(b->brought, brought));
}

static void summary(struct eb_cli *cli, const struct eb_result *r)
{
	size_t n = r->lock->n + r->lock->n_pins;
	char fetched[32], packed[32];

	if (r->built.cached && !r->team)
		eb_note(cli->events, "the image was in the store");
	else if (!r->built.cached)
		eb_note(cli->events,
			"%zu package%s in %u layers; %s fetched, %s packed", n,
			n == 1 ? "" : "s", r->built.layers,
			eb_human_size(r->built.fetched, fetched),
			eb_human_size(r->built.packed, packed));
	if (r->team)
		say_pushed(cli, r);
}

/* A tag is one of the registry. */
static int check_tags(struct eb_cli *cli, struct eb_error *err)
{
	const struct eb_config *c = &cli->config;

	if (!c->tag.n || c->registry)
		return 0;
	eb_err_set(err, EB_USAGE, "option \"tag\" needs a registry");
	return eb_err_hint(err, "--registry HOST/PREFIX names it");
}

/* Standard output names the place of --output, the file what can be pulled. */
static int name_registry(struct eb_cli *cli, const struct eb_result *r,
			 struct eb_error *err)
{
	const char *path = cli->config.reference_file;
	eb_autofree char *registry = eb_result_registry(r);
	eb_autofree char *line = NULL;

	if (!path || !registry || !cli->config.output.n)
		return 0;
	line = eb_asprintf("%s\n", registry);
	return eb_write_file(path, line, strlen(line), 0644, err);
}

/* What is to be built; with --name it is registered first, and built as that.
 */
static int name_input(struct eb_cli *cli, char **input, struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	const char *name = eb_cli_own(cli, "name");
	bool made;

	*input = eb_strdup(cli->args.v[0]);
	if (!name)
		return 0;
	if (eb_cli_register(cli, *input, name, NULL, &e, &made, err) < 0)
		return -1;
	free(*input);
	*input = eb_asprintf("azureml:%s:%s", e->name, e->version);
	eb_note(cli->events, "%s as %s:%s", made ? "registered" : "known",
		e->name, e->version);
	return 0;
}

static int build(struct eb_cli *cli, struct eb_result *r, struct eb_error *err)
{
	eb_autofree char *reference = NULL, *input = NULL;

	r->builds = true;
	if (check_tags(cli, err) < 0 || eb_outputs_check(cli, err) < 0 ||
	    name_input(cli, &input, err) < 0 ||
	    eb_result_open(cli, input, r, err) < 0 ||
	    eb_result_lock(cli, r, err) < 0 || eb_result_build(cli, r, err) < 0)
		return -1;
	summary(cli, r);
	if (eb_result_outputs(cli, r, &reference, err) < 0)
		return -1;
	if (eb_print_reference(cli, reference, as_json(r, reference), err) < 0)
		return -1;
	return name_registry(cli, r, err);
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

static const struct eb_cli_option own[] = { { "name", "NAME" }, { 0 } };

const struct eb_command eb_cmd_build = {
	.name = "build",
	.usage = "[build] ENV [--base REF] [--registry HOST/PREFIX] "
		 "[--tag TAG|REF]... [--name NAME] [--lock FILE] "
		 "[--output PLACE]...",
	.own = own,
	.summary = "resolve, build what is missing, push, print the reference",
	.min_args = 1,
	.max_args = 1,
	.takes_env = true,
	.run = run,
};
