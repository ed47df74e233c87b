/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild show NAME: what is known of an environment. */
#include <stdio.h>
#include <string.h>

#include <envbuild/json.h>

#include "cmd_named.h"

static int flush(struct eb_error *err)
{
	if (fflush(stdout) == EOF || ferror(stdout))
		return eb_err_set(err, EB_MACHINE,
				  "standard output cannot be written");
	return 0;
}

/* Somebody else may have written it. */
static void line(const char *key, const char *value)
{
	eb_autofree char *told = value ? eb_printable(value) : NULL;

	if (told)
		printf("%-12s %s\n", key, told);
}

static void lines(const char *key, const struct eb_strv *values)
{
	for (size_t i = 0; i < values->n; i++)
		line(i ? "" : key, values->v[i]);
}

static void pairs(const char *key, const struct eb_strv *names,
		  const struct eb_strv *values)
{
	for (size_t i = 0; i < names->n; i++) {
		eb_autofree char *text =
			eb_asprintf("%s=%s", names->v[i], values->v[i]);

		line(i ? "" : key, text);
	}
}

static void show_options(const struct eb_named *e)
{
	for (size_t i = 0; i < e->option_name.n; i++) {
		eb_autofree char *text = eb_asprintf(
			"%s%s", e->option_value.v[i],
			e->base_moves && !strcmp(e->option_name.v[i], "base")
				? " (newest tag)"
				: "");

		line(e->option_name.v[i], text);
	}
}

static void show_text(const struct eb_named *e)
{
	printf("\n%s%s", e->text, eb_ends(e->text, "\n") ? "" : "\n");
}

static int show(const struct eb_named *e, const struct eb_strv *findings,
		struct eb_error *err)
{
	eb_autofree char *framework = eb_named_framework(e);
	eb_autofree char *cuda = eb_named_cuda(e);

	line("name", e->name);
	line("version", e->version);
	line("status", eb_env_status_name(e->status));
	line("archived", e->archived ? "yes" : NULL);
	line("goes on as", e->superseded_by);
	lines("also called", &e->aliases);
	lines("label", &e->labels);
	line("made from", e->origin);
	line("source", e->source);
	show_options(e);
	line("python", e->python);
	line("framework", framework);
	line("cuda", cuda);
	lines("known", &e->known);
	pairs("variable", &e->variable_name, &e->variable_value);
	lines("contradicts", findings);
	if (e->text)
		show_text(e);
	else
		line("definition", "not public");
	return flush(err);
}

static json_t *list(const struct eb_strv *values)
{
	json_t *j = json_array();

	for (size_t i = 0; i < values->n; i++)
		json_array_append_new(j, json_string(values->v[i]));
	return j;
}

static json_t *options(const struct eb_named *e)
{
	json_t *j = json_object();

	for (size_t i = 0; i < e->option_name.n; i++) {
		const char *name = e->option_name.v[i];
		json_t *value = eb_config_option(name) == 1
					? json_true()
					: json_string(e->option_value.v[i]);

		if (eb_named_repeats(name)) {
			if (!json_object_get(j, name))
				json_object_set_new(j, name, json_array());
			json_array_append_new(json_object_get(j, name), value);
		} else {
			json_object_set_new(j, name, value);
		}
	}
	return j;
}

static void set(json_t *j, const char *key, const char *value)
{
	if (value)
		json_object_set_new(j, key, json_string(value));
}

static json_t *as_json(const struct eb_named *e, const struct eb_strv *findings)
{
	eb_autofree char *framework = eb_named_framework(e);
	eb_autofree char *cuda = eb_named_cuda(e);
	json_t *j = json_object(), *claims = json_object();

	json_object_set_new(j, "schema", json_integer(1));
	set(j, "name", e->name);
	set(j, "version", e->version);
	set(j, "status", eb_env_status_name(e->status));
	set(j, "superseded-by", e->superseded_by);
	set(j, "origin", e->origin);
	set(j, "source", e->source);
	set(j, "python", e->python);
	set(j, "framework", framework);
	set(j, "cuda", cuda);
	set(j, "definition", e->text);
	json_object_set_new(j, "archived", json_boolean(e->archived));
	json_object_set_new(j, "complete", json_boolean(e->text));
	json_object_set_new(j, "base-moves", json_boolean(e->base_moves));
	json_object_set_new(j, "aliases", list(&e->aliases));
	json_object_set_new(j, "labels", list(&e->labels));
	json_object_set_new(j, "options", options(e));
	json_object_set_new(j, "known", list(&e->known));
	json_object_set_new(claims, "name", list(&e->claims_name));
	json_object_set_new(claims, "tags", list(&e->claims_tags));
	json_object_set_new(j, "claims", claims);
	json_object_set_new(j, "contradictions", list(findings));
	return j;
}

static int print_text(const struct eb_named *e, struct eb_error *err)
{
	if (!e->text)
		return eb_curated_incomplete(e, err);
	fputs(e->text, stdout);
	return flush(err);
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *c = NULL;
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	EB_CLEANUP(eb_strv_release) struct eb_strv findings = { 0 };

	if (eb_env_ref_parse(cli->args.v[0], &ref, err) < 0 ||
	    eb_env_catalog(&cli->config, EB_CATALOG_READONLY, cli->events, &c,
			   err) < 0 ||
	    eb_catalog_get(c, &ref, &e, err) < 0 ||
	    eb_catalog_labels(c, e, err) < 0)
		return -1;
	if (eb_cli_own(cli, "definition"))
		return print_text(e, err);
	eb_claims_check(e, &findings);
	if (cli->config.json)
		return eb_cli_print_json(as_json(e, &findings), err);
	return show(e, &findings, err);
}

static const struct eb_cli_option own[] = { { "definition", NULL }, { 0 } };

const struct eb_command eb_cmd_show = {
	.name = "show",
	.usage = "show NAME [--definition] [--shared] [--json]",
	.summary = "what is known of an environment, and what contradicts",
	.own = own,
	.min_args = 1,
	.max_args = 1,
	.is_full = eb_cli_is_shared,
	.run = run,
};
