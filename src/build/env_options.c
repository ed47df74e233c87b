/* SPDX-License-Identifier: Apache-2.0 */
/* What the options say to build. */
#include <string.h>

#include "env_options.h"
#include "env_prefix.h"

bool eb_config_has_packages(const struct eb_config *c)
{
	return c->conda_package.n || c->pip_package.n || c->python.n;
}

bool eb_config_stands_alone(const struct eb_config *c)
{
	return c->from_prefix || eb_config_has_packages(c);
}

struct eb_spec_part eb_config_part(const struct eb_config *c)
{
	return (struct eb_spec_part){ .environment = c->environment,
				      .category = &c->category };
}

int eb_env_one_input(const char *input, const struct eb_config *config,
		     struct eb_error *err)
{
	if (!config->from_prefix || !*input)
		return 0;
	return eb_err_set(err, EB_USAGE,
			  "\"--from-prefix\" is the whole of an environment: "
			  "\"%s\" cannot be given beside it",
			  input);
}

static int add(struct eb_spec *spec, const struct eb_config *c,
	       struct eb_events *events, struct eb_error *err)
{
	const struct eb_spec_options o = { .python = &c->python,
					   .conda = &c->conda_package,
					   .pip = &c->pip_package };

	return eb_spec_add_options(spec, &o, events, err);
}

static int refuse_beside(const char *what, const char *why,
			 struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\" %s: no package can be added to it",
		   what, why);
	return eb_err_hint(err, "--conda-package, --pip-package and --python "
				"add to what is still to be resolved");
}

static int may_add(const struct eb_config *c, const char *what,
		   const struct eb_spec *spec, struct eb_error *err)
{
	if (c->from_prefix)
		return refuse_beside(c->from_prefix, "has its packages already",
				     err);
	if (!spec)
		return refuse_beside(what, "is a lock", err);
	return spec->exact
		       ? refuse_beside(what, "has its packages already", err)
		       : 0;
}

/* A definition of options alone names its channels: they are part of it. */
static void take_channels(struct eb_spec *spec, const struct eb_config *c)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv first = { 0 };

	eb_strv_copy(&first, &c->channel_first);
	for (size_t i = 0; i < spec->channels.n; i++)
		if (!eb_strv_has(&first, spec->channels.v[i]))
			eb_strv_add(&first, spec->channels.v[i]);
	eb_strv_release(&spec->channels);
	eb_strv_copy(&spec->channels, &first);
}

/* ---- to be built -------------------------------------------------------- */

int eb_env_open_options(struct eb_env *env, const struct eb_config *config,
			struct eb_error *err)
{
	free(env->path);
	if (config->from_prefix) {
		env->path = eb_strdup(config->from_prefix);
		return eb_prefix_spec(config->from_prefix, config->platform,
				      &env->spec, err);
	}
	env->path = eb_strdup(EB_COMMAND_LINE);
	env->spec = eb_spec_new(EB_COMMAND_LINE);
	take_channels(env->spec, config);
	return 0;
}

int eb_env_add_packages(struct eb_env *env, const struct eb_config *config,
			struct eb_events *events, struct eb_error *err)
{
	if (!eb_config_has_packages(config))
		return 0;
	if (may_add(config, env->path, env->spec, err) < 0 ||
	    add(env->spec, config, events, err) < 0)
		return -1;
	eb_named_free(env->named);
	env->named = NULL;
	return 0;
}

/* ---- to be kept --------------------------------------------------------- */

static void take_text(struct eb_named *e, const struct eb_spec *spec)
{
	EB_AUTOBUF(text, EB_MAX_YAML);

	eb_spec_yaml(spec, NULL, &text);
	free(e->text);
	free(e->file);
	e->text = eb_buf_steal(&text, NULL);
	e->file = eb_strdup("conda_dependencies.yml");
}

static int prefix_alone(struct eb_config *c, struct eb_events *events,
			struct eb_spec **out, struct eb_error *err)
{
	if (eb_config_has_packages(c))
		return may_add(c, c->from_prefix, NULL, err);
	if (eb_prefix_spec(c->from_prefix, c->platform, out, err) < 0)
		return -1;
	eb_warn(events,
		"\"%s\": in its text every package is asked for, whoever asked "
		"for it there",
		c->from_prefix);
	return eb_prefix_tell(c->from_prefix, events, err);
}

/* Nothing that is kept is secret. */
static void redact(char **channel)
{
	char *clean = eb_url_redact(*channel);

	free(*channel);
	*channel = clean;
}

int eb_named_of_options(struct eb_config *config, struct eb_events *events,
			struct eb_named **out, struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;
	struct eb_named *e;

	if (!config->from_prefix)
		spec = eb_spec_new(EB_COMMAND_LINE);
	else if (prefix_alone(config, events, &spec, err) < 0)
		return -1;
	take_channels(spec, config);
	for (size_t i = 0; i < spec->channels.n; i++)
		redact(&spec->channels.v[i]);
	e = *out = eb_calloc(1, sizeof *e);
	e->origin = config->from_prefix ? eb_steal(config->from_prefix)
					: eb_strdup(EB_COMMAND_LINE);
	take_text(e, spec);
	return 0;
}

/* Files of Azure's hold the definition as it was. */
static void drop_files(struct eb_named *e, struct eb_events *events)
{
	if (e->files)
		eb_warn(events,
			"packages are added: of the files of \"%s\" the image, "
			"the packages and the variables are kept",
			e->origin);
	free(e->files);
	e->files = NULL;
}

int eb_named_add_packages(struct eb_named *e, struct eb_config *config,
			  struct eb_events *events, struct eb_error *err)
{
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;

	if (!eb_config_has_packages(config))
		return 0;
	if (eb_spec_parse(e->text, strlen(e->text), e->file, config->platform,
			  NULL, &spec, err) < 0 ||
	    may_add(config, e->origin, spec, err) < 0)
		return -1;
	if (spec->pylock)
		return refuse_beside(e->origin, "is resolved already", err);
	if (add(spec, config, events, err) < 0 ||
	    eb_named_stands_alone(spec, err) < 0)
		return -1;
	take_text(e, spec);
	drop_files(e, events);
	eb_strv_release(&config->python);
	eb_strv_release(&config->conda_package);
	eb_strv_release(&config->pip_package);
	return 0;
}
