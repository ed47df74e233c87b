/* SPDX-License-Identifier: Apache-2.0 */
/* A definition of Azure's, from its file or folder. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "azure_read.h"

/* "file:env.yml", "./env.yml": another file; everything else is a name. */
static const char *is_file(const char *text)
{
	if (eb_starts(text, "file:"))
		return text + strlen("file:");
	return eb_ends(text, ".yml") || eb_ends(text, ".yaml") ? text : NULL;
}

static int read_file(struct eb_azure_reader *r, const char *path,
		     const char *which);

/* A job's environment is written out, a file's, or another's by name. */
static int read_job(struct eb_azure_reader *r, const char *which)
{
	const struct eb_yaml_node *n;
	eb_autofree char *path = NULL;

	if (eb_azure_job_pick(r, which, &n) < 0)
		return -1;
	if (n->type == EB_YAML_MAP)
		return eb_azure_read_v2(r, n);
	if (n->type == EB_YAML_LIST)
		return eb_yaml_err(r->doc, n, r->err,
				   "an environment is no list");
	if (!is_file(n->text)) {
		r->out->reference = eb_strdup(n->text);
		return 0;
	}
	path = eb_azure_beside(r, is_file(n->text));
	if (r->out->form == EB_AZURE_JOB && strcmp(path, r->out->file))
		return read_file(r, path, NULL);
	return eb_yaml_err(r->doc, n, r->err, "\"%s\" refers to itself", path);
}

static int read_form(struct eb_azure_reader *r, const char *which)
{
	const struct eb_yaml_node *root = r->doc->root;

	if (which && r->out->form != EB_AZURE_JOB)
		return eb_yaml_err(r->doc, root, r->err,
				   "\"%s\" is no job that \"#%s\" could be in",
				   r->out->file, which);
	switch (r->out->form) {
	case EB_AZURE_V1: return eb_azure_read_v1(r, root);
	case EB_AZURE_V2: return eb_azure_read_v2(r, root);
	case EB_AZURE_JOB: return read_job(r, which);
	case EB_AZURE_MLFLOW: return eb_azure_read_mlflow(r, root);
	case EB_AZURE_NONE: break;
	}
	return eb_yaml_err(r->doc, root, r->err,
			   "\"%s\" is none of Azure ML's definitions",
			   r->out->file);
}

static int read_text(struct eb_azure_reader *r, const char *which)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	struct eb_azure *a = r->out;
	enum eb_azure_form form;
	int rc;

	if (eb_yaml_parse(a->source, strlen(a->source), a->file, &doc, r->err) <
	    0)
		return -1;
	form = eb_azure_form_of(a->file, doc->root);
	if (a->form == EB_AZURE_JOB && form == EB_AZURE_JOB)
		return eb_yaml_err(doc, doc->root, r->err,
				   "\"%s\" is a job again", a->file);
	a->form = form;
	r->doc = doc;
	rc = read_form(r, which);
	r->doc = NULL;
	if (r->elsewhere) {
		free(a->source);
		a->source = NULL;
	}
	return rc;
}

static int read_file(struct eb_azure_reader *r, const char *path,
		     const char *which)
{
	EB_AUTOBUF(text, EB_MAX_YAML);

	if ((strcmp(path, "-") ? eb_read_file(path, EB_MAX_YAML, &text, r->err)
			       : eb_read_fd(STDIN_FILENO, "standard input",
					    EB_MAX_YAML, &text, r->err)) < 0)
		return -1;
	free(r->out->file);
	r->out->file = eb_strdup(path);
	free(r->out->source);
	r->out->source = eb_buf_steal(&text, NULL);
	return read_text(r, which);
}

/* A folder stands for the definition in it. */
static int in_folder(const char *path, char **out, struct eb_error *err)
{
	static const char *const names[] = { "azureml_environment.json",
					     "environment.yml",
					     "environment.yaml" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char *file = eb_path_join(path, names[i]);

		if (eb_path_exists(file)) {
			*out = file;
			return 0;
		}
		free(file);
	}
	eb_err_set(err, EB_INPUT,
		   "folder \"%s\" holds no definition of Azure ML", path);
	return eb_err_hint(err, "it would be azureml_environment.json or "
				"environment.yml");
}

static int find_file(const char *path, char **out, struct eb_error *err)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return in_folder(path, out, err);
	*out = eb_strdup(path);
	return 0;
}

int eb_azure_read(const char *path, const char *platform,
		  struct eb_events *events, struct eb_azure **out,
		  struct eb_error *err)
{
	EB_CLEANUP(eb_azure_free_ptr)
	struct eb_azure *a = eb_calloc(1, sizeof *a);
	struct eb_azure_reader r = {
		.platform = platform, .events = events, .out = a, .err = err
	};
	const char *hash = eb_path_exists(path) ? NULL : strrchr(path, '#');
	eb_autofree char *stem =
		hash ? eb_strndup(path, (size_t)(hash - path)) : NULL;
	eb_autofree char *file = NULL;
	int added = 0;

	if (find_file(stem ? stem : path, &file, err) < 0 ||
	    read_file(&r, file, hash ? hash + 1 : NULL) < 0)
		return -1;
	if (a->spec && a->form != EB_AZURE_MLFLOW)
		added = eb_azure_default_python(a->spec, events, err);
	a->default_python = added > 0;
	if (added >= 0)
		*out = eb_steal(a);
	return added < 0 ? -1 : 0;
}

void eb_azure_rename(struct eb_azure *a, const char *name, const char *version)
{
	char *new_name = eb_strdup(name), *new_version = eb_strdup(version);

	free(a->name);
	free(a->version);
	free(a->source);
	a->name = new_name;
	a->version = new_version;
	a->source = NULL;
}

void eb_azure_free(struct eb_azure *a)
{
	if (!a)
		return;
	eb_spec_free(a->spec);
	eb_strv_release(&a->variable_name);
	eb_strv_release(&a->variable_value);
	json_decref(a->tags);
	json_decref(a->inference);
	json_decref(a->v1);
	free(a->file);
	free(a->name);
	free(a->version);
	free(a->description);
	free(a->reference);
	free(a->image);
	free(a->build.context);
	free(a->build.dockerfile);
	free(a->build.dockerfile_text);
	free(a->conda);
	free(a->conda_name);
	free(a->interpreter);
	free(a->source);
	free(a);
}
