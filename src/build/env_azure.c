/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's forms as what is asked for: image, conda part and variables. */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/catalog.h>
#include <envbuild/file.h>
#include <envbuild/json.h>

#include "env_azure.h"
#include "env_named.h"

/* What stands for a conda part that is not there. */
#define NOTHING "dependencies: []\n"

bool eb_env_is_azure(const char *path)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_YAML);
	struct stat st;

	if (stat(path, &st) < 0)
		return strchr(path, '#') != NULL;
	if (S_ISDIR(st.st_mode))
		return true;
	if (!S_ISREG(st.st_mode) || st.st_size > (off_t)EB_MAX_YAML ||
	    eb_read_file(path, EB_MAX_YAML, &text, &none) < 0)
		return false;
	return eb_azure_form(path, text.data, text.len) != EB_AZURE_NONE;
}

static int refuse_build(const struct eb_azure *a, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\": its base is what a Dockerfile makes, which is not "
		   "built here",
		   a->file);
	return eb_err_hint(err, "build that image with a tool of its own and "
				"give it with --base");
}

static int default_base(const struct eb_azure *a, struct eb_config *config,
			struct eb_error *err)
{
	if (config->base)
		return 0;
	if (a->image)
		return eb_config_set(config, "base", a->image, err);
	return a->build.context || a->build.dockerfile_text
		       ? refuse_build(a, err)
		       : 0;
}

/* The spec, or one that asks for nothing. */
static int take_spec(struct eb_env *env, struct eb_azure *a,
		     const char *platform, struct eb_events *events,
		     struct eb_error *err)
{
	if (a->spec)
		env->spec = eb_steal(a->spec);
	else if (eb_spec_parse(NOTHING, strlen(NOTHING), a->file, platform,
			       events, &env->spec, err) < 0)
		return -1;
	for (size_t i = 0; i < a->variable_name.n; i++) {
		if (eb_strv_has(&env->spec->variable_name,
				a->variable_name.v[i]))
			continue;
		eb_strv_add(&env->spec->variable_name, a->variable_name.v[i]);
		eb_strv_add(&env->spec->variable_value, a->variable_value.v[i]);
	}
	return 0;
}

int eb_env_open_azure(struct eb_env *env, struct eb_config *config,
		      struct eb_events *events, struct eb_error *err)
{
	EB_CLEANUP(eb_azure_free_ptr) struct eb_azure *a = NULL;

	if (eb_azure_read(env->path, config->platform, events, &a, err) < 0)
		return -1;
	if (a->reference) {
		free(env->path);
		env->path = eb_strdup(a->reference);
		return eb_env_open_named(env, config, events, err);
	}
	if (default_base(a, config, err) < 0)
		return -1;
	return take_spec(env, a, config->platform, events, err);
}

/* ---- kept --------------------------------------------------------------- */

static char *files_of(const struct eb_azure *a)
{
	eb_autojson json_t *files = NULL;
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (a->form != EB_AZURE_V1 && a->form != EB_AZURE_V2)
		return NULL;
	files = eb_azure_files(a, a->form, NULL);
	eb_json_canonical(files, &text);
	return eb_buf_steal(&text, NULL);
}

static int refuse_reference(const struct eb_azure *a, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT, "\"%s\" only names \"%s\"", a->file,
		   a->reference);
	return eb_err_hint(err, "give that name itself");
}

int eb_named_of_azure(const struct eb_azure *a, struct eb_config *config,
		      struct eb_named **out, struct eb_error *err)
{
	struct eb_named *e;

	if (a->reference)
		return refuse_reference(a, err);
	if (default_base(a, config, err) < 0 ||
	    (a->spec && eb_named_stands_alone(a->spec, err) < 0))
		return -1;
	e = *out = eb_calloc(1, sizeof *e);
	e->name = eb_strdup(a->name);
	e->version = eb_strdup(a->version);
	e->text = eb_strdup(a->conda ? a->conda : NOTHING);
	e->file = eb_strdup("conda_dependencies.yml");
	e->origin = eb_strdup(a->file);
	e->files = files_of(a);
	eb_strv_copy(&e->variable_name, &a->variable_name);
	eb_strv_copy(&e->variable_value, &a->variable_value);
	return 0;
}
