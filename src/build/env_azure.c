/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's forms as what is asked for: image, conda part and variables. */
#include <string.h>
#include <sys/stat.h>

#include <envbuild/catalog.h>
#include <envbuild/file.h>
#include <envbuild/json.h>

#include "dockerfile_base.h"
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

/* Beside the definition. */
static char *beside(const struct eb_azure *a, const char *path)
{
	const char *slash = strrchr(a->file, '/');
	eb_autofree char *folder = NULL;

	if (*path == '/' || !slash)
		return eb_strdup(path);
	folder = eb_strndup(a->file, (size_t)(slash - a->file) + 1);
	return eb_asprintf("%s%s", folder, path);
}

/* What makes the base: a text, which has no context, or a folder. */
static int default_dockerfile(const struct eb_azure *a,
			      struct eb_config *config, struct eb_error *err)
{
	const struct eb_azure_build *b = &a->build;
	eb_autofree char *context = NULL, *file = NULL;

	if (b->dockerfile_text)
		return eb_config_set(config, "dockerfile-text",
				     b->dockerfile_text, err) < 0
			       ? -1
			       : eb_config_set(config, "dockerfile", a->file,
					       err);
	context = beside(a, b->context);
	file = eb_path_join(context,
			    b->dockerfile ? b->dockerfile : "Dockerfile");
	if (!config->context &&
	    eb_config_set(config, "context", context, err) < 0)
		return -1;
	return eb_config_set(config, "dockerfile", file, err);
}

static int default_base(const struct eb_azure *a, struct eb_config *config,
			struct eb_error *err)
{
	if (config->base || eb_config_has_recipe(config))
		return 0;
	if (a->image)
		return eb_config_set(config, "base", a->image, err);
	return a->build.context || a->build.dockerfile_text
		       ? default_dockerfile(a, config, err)
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

/* Where no file of Azure's is kept, its default is written down. */
static char *text_of(const struct eb_azure *a)
{
	EB_AUTOBUF(text, EB_MAX_YAML);

	if (!a->default_python || a->form == EB_AZURE_V1 ||
	    a->form == EB_AZURE_V2)
		return eb_strdup(a->conda ? a->conda : NOTHING);
	eb_spec_yaml(a->spec, NULL, &text);
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
	e->text = text_of(a);
	e->file = eb_strdup("conda_dependencies.yml");
	e->origin = eb_strdup(a->file);
	e->files = files_of(a);
	eb_strv_copy(&e->variable_name, &a->variable_name);
	eb_strv_copy(&e->variable_value, &a->variable_value);
	return 0;
}
