/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of the catalogue: what a name stands for, what a file becomes. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/base.h>
#include <envbuild/file.h>

#include "build_private.h"
#include "env_azure.h"
#include "env_kept.h"
#include "env_named.h"
#include "env_options.h"

bool eb_env_is_path(const char *input)
{
	static const char *const endings[] = { ".yml",	".yaml", ".txt",
					       ".json", ".lock", ".toml" };

	if (!strcmp(input, "-"))
		return true;
	if (eb_starts(input, "azureml:"))
		return false;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (eb_ends(input, endings[i]))
			return true;
	if (strstr(input, ".yml#") || strstr(input, ".yaml#"))
		return true;
	return strchr(input, '/') || access(input, F_OK) == 0;
}

static int get(struct eb_catalog *c, const char *input, struct eb_named **out,
	       struct eb_error *err)
{
	struct eb_env_ref ref EB_CLEANUP(eb_env_ref_release) = { 0 };

	if (eb_env_ref_parse(input, &ref, err) < 0 ||
	    eb_catalog_get(c, &ref, out, err) < 0)
		return -1;
	return (*out)->text ? 0 : eb_curated_incomplete(*out, err);
}

static void add_variables(struct eb_spec *spec, const struct eb_named *e)
{
	for (size_t i = 0; i < e->variable_name.n; i++) {
		if (eb_strv_has(&spec->variable_name, e->variable_name.v[i]))
			continue;
		eb_strv_add(&spec->variable_name, e->variable_name.v[i]);
		eb_strv_add(&spec->variable_value, e->variable_value.v[i]);
	}
}

static int parse(struct eb_env *env, const struct eb_named *e,
		 const char *platform, struct eb_events *events,
		 struct eb_error *err)
{
	eb_autofree char *name = eb_named_reference(e);
	eb_autofree char *file = eb_asprintf("%s/%s", name, e->file);

	if (eb_spec_parse(e->text, strlen(e->text), file, platform, events,
			  &env->spec, err) < 0)
		return -1;
	add_variables(env->spec, e);
	/* What came from Azure is meant as it is there. */
	if (!e->files && e->status == EB_ENV_OWN)
		return 0;
	return eb_azure_default_python(env->spec, events, err) < 0 ? -1 : 0;
}

int eb_env_open_named(struct eb_env *env, struct eb_config *config,
		      struct eb_events *events, struct eb_error *err)
{
	EB_CLEANUP(eb_catalog_close_ptr) struct eb_catalog *c = NULL;

	if (eb_env_catalog(config, EB_CATALOG_READONLY, events, &c, err) < 0 ||
	    get(c, env->path, &env->named, err) < 0 ||
	    eb_env_take_options(config, env->named, err) < 0)
		return -1;
	return parse(env, env->named, config->platform, events, err);
}

static bool is_fixed(const struct eb_named *e, const struct eb_spec *spec)
{
	const char *bases[] = { eb_named_option(e, "base"),
				eb_named_option(e, "build-base") };

	if (eb_named_option(e, "dockerfile") ||
	    eb_named_option(e, "dockerfile-text"))
		return false;
	for (size_t i = 0; i < 2; i++)
		if (bases[i] && strcmp(bases[i], "scratch") &&
		    !eb_base_is_remote(bases[i]))
			return false;
	for (size_t i = 0; i < spec->n_pip; i++)
		if (spec->pip[i].argument)
			return false;
	for (size_t i = 0; i < spec->n_conda; i++) {
		const char *url = eb_matchspec_url(spec->conda[i]);

		if (url && eb_starts(url, "file:"))
			return false;
	}
	return true;
}

int eb_named_definition(const struct eb_named *e,
			const struct eb_config *config, struct eb_store *store,
			struct eb_digest *out, bool *fixed,
			struct eb_error *err)
{
	EB_CLEANUP(eb_env_free_ptr)
	struct eb_env *env = eb_calloc(1, sizeof *env);
	struct eb_config c EB_CLEANUP(eb_config_release) = { 0 };

	eb_config_copy(config, &c);
	env->path = eb_strdup(e->name);
	if (eb_env_take_options(&c, e, err) < 0 ||
	    parse(env, e, c.platform, NULL, err) < 0 ||
	    eb_env_request(env, &c, store, err) < 0)
		return -1;
	*out = env->definition;
	*fixed = is_fixed(e, env->spec);
	return 0;
}

/* What wins over the options of a name counts as well. */
static void add_given(const struct eb_config *config, struct eb_digest *d)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv given = { 0 };
	struct eb_keyer k;

	for (const char *const *o = eb_named_options; *o; o++)
		if (eb_strv_has(&config->given, *o))
			eb_strv_add(&given, *o);
	if (!given.n)
		return;
	eb_key_begin(&k, "envbuild settings 1");
	eb_key_digest(&k, d);
	for (size_t i = 0; i < given.n; i++)
		eb_key_text(&k, given.v[i]);
	eb_key_end(&k, d);
}

int eb_env_settings(const struct eb_config *config, struct eb_store *store,
		    struct eb_digest *out, struct eb_error *err)
{
	char text[] = "dependencies: [python, {pip: [x]}]\n";
	char name[] = "settings", file[] = "conda_dependencies.yml";
	const struct eb_named e = { .name = name, .text = text, .file = file };
	bool fixed;

	if (eb_named_definition(&e, config, store, out, &fixed, err) < 0)
		return -1;
	add_given(config, out);
	return 0;
}

/* --- a file to be kept --- */

static int read_text(const char *path, struct eb_buf *text,
		     struct eb_error *err)
{
	if (!strcmp(path, "-"))
		return eb_read_fd(STDIN_FILENO, "standard input", EB_MAX_YAML,
				  text, err);
	return eb_read_file(path, EB_MAX_YAML, text, err);
}

/* A requirements file is known by its name, and a list of conda's packages can
 * be: one that looks like it is kept. */
static char *kept_file(const char *path, const struct eb_spec *spec)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (!eb_ends(name, ".txt") &&
	    !(eb_starts(name, "requirements") && eb_ends(name, ".in")))
		return eb_strdup("conda_dependencies.yml");
	return eb_strdup(spec->has_pip_section ? "requirements.txt"
					       : "conda-packages.txt");
}

static int from_azure(const char *path, struct eb_config *config,
		      struct eb_events *events, struct eb_named **out,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_azure_free_ptr) struct eb_azure *a = NULL;

	if (eb_azure_read(path, config->platform, events, &a, err) < 0 ||
	    eb_named_of_azure(a, config, out, err) < 0)
		return -1;
	return eb_env_keep_options(*out, config, events, err);
}

static int refuse_lock(const char *path, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\" is a lock", path);
	return eb_err_hint(err, "the catalogue keeps definitions: give the "
				"file that it was made from");
}

static int from_file(const char *path, struct eb_config *config,
		     struct eb_events *events, struct eb_named **out,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;
	EB_AUTOBUF(text, EB_MAX_YAML);
	struct eb_named *e;

	if (eb_env_is_azure(path))
		return from_azure(path, config, events, out, err);
	if (read_text(path, &text, err) < 0)
		return -1;
	if (eb_lock_is(text.data, text.len))
		return refuse_lock(path, err);
	if (eb_spec_parse(text.data, text.len, path, config->platform, events,
			  &spec, err) < 0)
		return -1;
	if (spec->exact)
		return refuse_lock(path, err);
	if (eb_named_stands_alone(spec, err) < 0)
		return -1;
	e = *out = eb_calloc(1, sizeof *e);
	e->text = eb_strndup(text.data, text.len);
	e->file = kept_file(path, spec);
	e->origin = eb_strdup(path);
	return eb_env_keep_options(e, config, events, err);
}

static int from_name(struct eb_catalog *c, const char *input,
		     struct eb_config *config, struct eb_events *events,
		     struct eb_named **out, struct eb_error *err)
{
	struct eb_named *e;

	if (get(c, input, out, err) < 0)
		return -1;
	e = *out;
	if (eb_env_take_options(config, e, err) < 0)
		return -1;
	free(e->origin);
	e->origin = eb_named_reference(e);
	free(e->version);
	e->version = NULL;
	return eb_env_keep_options(e, config, events, err);
}

static void drop_option(struct eb_named *e, const char *option)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->option_name.n; i++) {
		char *name = e->option_name.v[i], *value = e->option_value.v[i];

		if (!strcmp(name, option)) {
			free(name);
			free(value);
			continue;
		}
		e->option_name.v[kept] = name;
		e->option_value.v[kept++] = value;
	}
	e->option_name.n = e->option_value.n = kept;
}

static int from_options(struct eb_config *config, struct eb_events *events,
			struct eb_named **out, struct eb_error *err)
{
	if (eb_named_of_options(config, events, out, err) < 0 ||
	    eb_env_keep_options(*out, config, events, err) < 0)
		return -1;
	drop_option(*out, "channel"); /* the text has them */
	return 0;
}

int eb_env_definition(struct eb_catalog *c, const char *input,
		      struct eb_config *config, struct eb_events *events,
		      struct eb_named **out, struct eb_error *err)
{
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	int rc = eb_env_one_input(input, config, err);

	if (rc == 0)
		rc = !*input ? from_options(config, events, &e, err)
		     : eb_env_is_path(input)
			     ? from_file(input, config, events, &e, err)
			     : from_name(c, input, config, events, &e, err);
	if (rc < 0 || eb_named_add_packages(e, config, events, err) < 0)
		return -1;
	*out = eb_steal(e);
	return 0;
}
