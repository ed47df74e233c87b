/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An environment as Azure Machine Learning writes it down, read and written:
 *
 *   v1      the folder of Environment.save_to_directory(): the file
 *	     azureml_environment.json, beside it conda_dependencies.yml and
 *	     BaseDockerfile where there are such; or the JSON with both inside
 *   v2      environment.yml: image, conda_file, build, os_type, tags, ...
 *   job     a v2 job or pipeline whose `environment:` is one of these
 *   mlflow  python_env.yaml
 *
 * Every field that was there is kept, so that what was loaded is saved again
 * byte for byte; what no image can honour is reported, never dropped in
 * silence. Sources: facts of azureml-core's Environment and azure-ai-ml's
 * schemas, as envbuild-azure(5) states them.
 */
#ifndef EB_AZURE_H
#define EB_AZURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include <envbuild/buf.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

enum eb_azure_form {
	EB_AZURE_NONE, /* the file is something else */
	EB_AZURE_V1,
	EB_AZURE_V2,
	EB_AZURE_JOB,
	EB_AZURE_MLFLOW,
};

/* A Dockerfile instead of an image, or a folder that has one. */
struct eb_azure_build {
	char *context;	       /* folder, relative to the file; or NULL */
	char *dockerfile;      /* path in it; "Dockerfile" */
	char *dockerfile_text; /* v1's baseDockerfile; or NULL */
};

struct eb_azure {
	enum eb_azure_form form;
	char *file;	      /* for messages */
	char *name, *version; /* or NULL */
	char *description;    /* or NULL */
	char *reference;      /* "azureml:NAME:6": another environment;
			       * then nothing below is set */
	char *image;	      /* or NULL */
	struct eb_azure_build build;
	char *conda; /* the text of its conda YAML; or NULL */
	size_t conda_len;
	char *conda_file;    /* where that text stands */
	unsigned conda_line; /* its first line there, from 0 */
	bool user_managed;   /* the base alone is the environment */
	char *interpreter;   /* "python"; in the base */
	struct eb_strv variable_name, variable_value;
	json_t *v1; /* all of azureml_environment.json, in its
		     * order; NULL in other forms */
	json_t *v2; /* all keys of the v2 YAML; or NULL */
};

/* Which form `text` has, by its keys; `file` helps ("azureml_environment.json",
 * "python_env.yaml"). Never an error. */
enum eb_azure_form eb_azure_form(const char *file, const char *text,
				 size_t len);

/* Reads a file, or a folder that holds azureml_environment.json or
 * environment.yml. `path` may end in "#jobs.NAME" (one of a pipeline's jobs);
 * a job with several environments and no such ending is EB_INPUT that lists
 * them. Fields that are read, kept and not honoured are told as events, one
 * each, with their place. EB_INPUT with file:line:column: no name where one is
 * required, both image and build, conda_file without image, channels or
 * dependencies at the top (a conda file was meant), a plain password, an
 * operating system that is not Linux, a Dockerfile over 102,400 characters. */
int eb_azure_read(const char *path, struct eb_events *events,
		  struct eb_azure **out, struct eb_error *err);
void eb_azure_free(struct eb_azure *a);
EB_AUTOPTR(struct eb_azure, eb_azure_free)

/* Writes `a` below `dir`, which must not hold such a file already (EB_INPUT,
 * unless `overwrite`): all files or none. `form` V1 or V2; a field that it
 * cannot hold is told as an event. A v1 folder that was read is written byte
 * for byte. Credentials are never written. */
int eb_azure_save(const struct eb_azure *a, enum eb_azure_form form,
		  const char *dir, bool overwrite, struct eb_events *events,
		  struct eb_error *err);

/* The text whose SHA-256 names Azure's conda environment (keys sorted, items
 * in their order, an empty name), and that name: "azureml_" and its first 32
 * hex digits, as the service of 2020 and 2021 made them. `conda` is a conda
 * YAML; `file` is for messages. EB_INPUT where it is none. */
#define EB_AZURE_NAME 41
int eb_azure_conda_text(const char *conda, size_t len, const char *file,
			struct eb_buf *out, struct eb_error *err);
int eb_azure_conda_name(const char *conda, size_t len, const char *file,
			char name[EB_AZURE_NAME], struct eb_error *err);

#endif
