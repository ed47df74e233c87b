/* SPDX-License-Identifier: Apache-2.0 */
/* envbuild save ENV DIR: a definition as Azure's files. */
#include <stdlib.h>
#include <string.h>

#include <envbuild/azure.h>
#include <envbuild/file.h>
#include <envbuild/json.h>

#include "cmd_named.h"

/* Where they are put to be read again. */
static const char *scratch(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

/* The files that it was loaded from, read again where they stood together. */
static int from_files(const struct eb_named *e, const char *platform,
		      struct eb_azure **out, struct eb_error *err)
{
	eb_autojson json_t *files =
		eb_json_parse(e->files, strlen(e->files), e->name, err);
	eb_autofree char *dir = NULL;
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	int rc;

	if (!files || !(dir = eb_make_tempdir(scratch(), "envbuild-", err)))
		return -1;
	rc = eb_azure_write(files, dir, false, err);
	if (rc == 0)
		rc = eb_azure_read(dir, platform, NULL, out, err);
	eb_remove_tree(dir, &ignored);
	return rc;
}

/* What a definition of another form says, as Azure would have it. */
static int from_text(struct eb_cli *cli, const struct eb_named *e,
		     struct eb_azure **out, struct eb_error *err)
{
	const char *base = eb_named_option(e, "base");
	struct eb_azure *a = *out = eb_calloc(1, sizeof *a);

	a->conda = eb_strdup(e->text);
	a->image = eb_strdup(base);
	eb_strv_copy(&a->variable_name, &e->variable_name);
	eb_strv_copy(&a->variable_value, &e->variable_value);
	if (base)
		return 0;
	if (eb_named_image(e, &cli->config, &a->image, err) < 0)
		return -1;
	if (a->image)
		eb_warn(cli->events,
			"the definition names no base, and Azure ML wants one: "
			"it is \"%s\", which its lines decide",
			a->image);
	else
		eb_warn(cli->events,
			"the definition names no base: \"image\" is left open, "
			"and Azure ML wants one");
	return 0;
}

/* Options that it keeps; the base is an image. */
static void tell_options(struct eb_cli *cli, const struct eb_named *e,
			 const struct eb_azure *a)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv names = { 0 };
	EB_AUTOBUF(text, EB_MAX_TEXT);

	for (size_t i = 0; i < e->option_name.n; i++) {
		const char *name = e->option_name.v[i];

		if ((strcmp(name, "base") != 0 || !a->image ||
		     strcmp(e->option_value.v[i], a->image) != 0) &&
		    !eb_strv_has(&names, name))
			eb_strv_add(&names, name);
	}
	for (size_t i = 0; i < names.n; i++)
		eb_buf_addf(&text, "%s--%s", i ? ", " : "", names.v[i]);
	if (names.n)
		eb_warn(cli->events,
			"the files of Azure ML hold no options: %s %s left out",
			text.data, names.n > 1 ? "are" : "is");
}

static int refuse_requirements(const char *input, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\" is a requirements file, which Azure's forms cannot "
		   "hold",
		   input);
	return eb_err_hint(err, "write an environment file: dependencies: "
				"[python=VERSION, {pip: [...]}]");
}

static int get(struct eb_cli *cli, struct eb_named **out, struct eb_error *err)
{
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *c = NULL;
	struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };
	const char *input = cli->args.v[0];

	if (eb_env_catalog(&cli->config, EB_CATALOG_READONLY, cli->events, &c,
			   err) < 0)
		return -1;
	if (!*input || eb_env_is_path(input) ||
	    eb_config_has_packages(&cli->config))
		return eb_env_definition(c, input, &cli->config, cli->events,
					 out, err);
	if (eb_env_ref_parse(input, &ref, err) < 0 ||
	    eb_catalog_get(c, &ref, out, err) < 0)
		return -1;
	return (*out)->text ? 0 : eb_curated_incomplete(*out, err);
}

static int read_it(struct eb_cli *cli, struct eb_azure **out,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;

	if (get(cli, &e, err) < 0)
		return -1;
	if (!strcmp(e->file, "requirements.txt"))
		return refuse_requirements(cli->args.v[0], err);
	if ((e->files ? from_files(e, cli->config.platform, out, err)
		      : from_text(cli, e, out, err)) < 0)
		return -1;
	tell_options(cli, e, *out);
	if (e->name && (!(*out)->name || strcmp((*out)->name, e->name)))
		eb_azure_rename(*out, e->name, e->version);
	return 0;
}

static int form_of(struct eb_cli *cli, const struct eb_azure *a,
		   enum eb_azure_form *form, struct eb_error *err)
{
	const char *text = eb_cli_own(cli, "format");

	if (!text)
		*form = a->form == EB_AZURE_V2 ? EB_AZURE_V2 : EB_AZURE_V1;
	else if (!strcmp(text, "v1"))
		*form = EB_AZURE_V1;
	else if (!strcmp(text, "v2"))
		*form = EB_AZURE_V2;
	else
		return eb_err_set(err, EB_USAGE,
				  "--format \"%s\": v1 or v2 is expected",
				  text);
	return 0;
}

static int run(struct eb_cli *cli, struct eb_error *err)
{
	EB_CLEANUP(eb_azure_free_ptr) struct eb_azure *a = NULL;
	enum eb_azure_form form = EB_AZURE_V1;

	if (read_it(cli, &a, err) < 0 || form_of(cli, a, &form, err) < 0 ||
	    eb_azure_save(a, form, cli->args.v[1], eb_cli_own(cli, "overwrite"),
			  cli->events, err) < 0)
		return -1;
	return eb_cli_print(err, "%s", cli->args.v[1]);
}

static const struct eb_cli_option own[] = {
	{ "format", "v1|v2" },
	{ "overwrite", NULL },
	{ 0 },
};

const struct eb_command eb_cmd_save = {
	.name = "save",
	.usage = "save ENV DIR [--format v1|v2] [--overwrite] [--shared]",
	.summary = "a definition as the files of Azure ML",
	.own = own,
	.min_args = 2,
	.max_args = 2,
	.takes_env = true,
	.is_full = eb_cli_env_is_shared,
	.run = run,
};
