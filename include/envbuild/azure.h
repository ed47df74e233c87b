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

struct eb_spec;

struct eb_azure {
	enum eb_azure_form form;
	char *file;	      /* for messages; the definition's own file */
	char *name, *version; /* or NULL */
	char *description;    /* or NULL */
	char *reference;      /* "azureml:NAME:6": another environment; then
			       * nothing below is set */
	char *image;	      /* or NULL */
	struct eb_azure_build build;
	struct eb_spec *spec; /* its conda part; NULL: the base alone */
	char *conda;	      /* the text of that part, to be saved; or NULL */
	char *conda_name;     /* the file in the definition's folder that it was
			       * read from; NULL: it stood elsewhere */
	bool user_managed;    /* v1: the base's own Python is the environment */
	bool default_python;  /* the conda part got Azure's */
	char *interpreter;    /* and where it is: "python" */
	struct eb_strv variable_name, variable_value;
	json_t *tags;	   /* v2, as text; or NULL */
	json_t *inference; /* inference_config; or NULL */
	json_t *v1;	   /* azureml_environment.json in its order; NULL
			    * in other forms */
	char *source;	   /* the text of `file`; NULL: not as it was */
};

/* Which form a text has, by its keys and by the name of its file
 * ("azureml_environment.json", "python_env.yaml"). Never an error: what cannot
 * be read has none. */
enum eb_azure_form eb_azure_form(const char *file, const char *text,
				 size_t len);

/* Reads a file, or a folder that holds azureml_environment.json or
 * environment.yml. `path` may end in "#jobs.NAME" (one of a pipeline's jobs);
 * where there are several environments and no such ending, EB_INPUT lists them.
 * The conda part is read for `platform` as eb_spec_read() does. What is read,
 * kept and not honoured is told as events, one each, with its place; so is a
 * variable of the v1 service's example, which is left out. EB_INPUT with
 * file:line:column: neither image nor build, or both; conda_file without image;
 * channels or dependencies beside them (a conda file was meant); an operating
 * system that is not Linux; one half of a registry's login; a Dockerfile over
 * 102,400 characters. Passwords are never kept. */
int eb_azure_read(const char *path, const char *platform,
		  struct eb_events *events, struct eb_azure **out,
		  struct eb_error *err);
void eb_azure_free(struct eb_azure *a);
EB_AUTOPTR(struct eb_azure, eb_azure_free)

/* The conda part of such a definition that asks for packages and for no Python
 * gets Azure's default, as from_conda_specification() gives it, with a warning:
 * 1; 0: there is nothing to add; -1. eb_azure_read() does that itself, with
 * eb_azure.spec alone: the text stays as it is. */
#define EB_AZURE_PYTHON "python=3.8.13"
int eb_azure_default_python(struct eb_spec *spec, struct eb_events *events,
			    struct eb_error *err);

/* Another name and version (NULL: none), under which it is saved. */
void eb_azure_rename(struct eb_azure *a, const char *name, const char *version);

/* Its files, name -> text: V1 is azureml_environment.json,
 * conda_dependencies.yml and BaseDockerfile, V2 is environment.yml with
 * conda_dependencies.yml. What the form cannot hold is told as an event. A
 * definition that was read in that form, and not changed since, is the same
 * byte for byte. New reference. */
json_t *eb_azure_files(const struct eb_azure *a, enum eb_azure_form form,
		       struct eb_events *events);
/* Writes such files into the folder `dir`, which is made: all of them or none;
 * one that is there already is EB_INPUT unless `overwrite`, which also removes
 * what an earlier definition left. */
int eb_azure_write(const json_t *files, const char *dir, bool overwrite,
		   struct eb_error *err);
/* Both. */
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
