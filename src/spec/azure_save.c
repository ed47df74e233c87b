/* SPDX-License-Identifier: Apache-2.0 */
/* A definition saved as Azure's files in a folder: all of them or none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "azure_save.h"

struct file {
	const char *name;
	const char *text; /* NULL: there is none */
	size_t len;
	char *path, *part; /* where it goes, and until all are written */
};

#define FILES 3
struct folder {
	struct file file[FILES];
};

static void release(struct folder *folder)
{
	for (size_t i = 0; i < FILES; i++) {
		struct file *f = &folder->file[i];

		if (f->part)
			unlink(f->part);
		free(f->path);
		free(f->part);
	}
}

static int may_write(const struct file *f, bool overwrite, struct eb_error *err)
{
	if (overwrite || !eb_path_exists(f->path))
		return 0;
	eb_err_set(err, EB_INPUT, "\"%s\", saving: it is there already",
		   f->path);
	return eb_err_hint(err, "--overwrite replaces it");
}

static int write_parts(struct folder *folder, const char *dir, bool overwrite,
		       struct eb_error *err)
{
	for (size_t i = 0; i < FILES; i++) {
		struct file *f = &folder->file[i];

		f->path = eb_path_join(dir, f->name);
		if (may_write(f, overwrite, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < FILES; i++) {
		struct file *f = &folder->file[i];

		if (!f->text)
			continue;
		f->part = eb_asprintf("%s.part", f->path);
		if (eb_write_file(f->part, f->text, f->len, 0644, err) < 0)
			return -1;
	}
	return 0;
}

/* What an earlier definition left and this one has not goes too. */
static int commit(struct folder *folder, struct eb_error *err)
{
	for (size_t i = 0; i < FILES; i++) {
		struct file *f = &folder->file[i];

		if (!f->text) {
			if (unlink(f->path) < 0 && errno != ENOENT)
				return eb_err_errno(err, EB_OK, errno,
						    "\"%s\", removing",
						    f->path);
			continue;
		}
		if (rename(f->part, f->path) < 0)
			return eb_err_errno(err, EB_OK, errno,
					    "\"%s\", writing", f->path);
		free(f->part);
		f->part = NULL;
	}
	return 0;
}

static void tell_v1(const struct eb_azure *a, struct eb_events *events)
{
	if (a->description || a->tags || a->inference)
		eb_warn(events, "version 1 holds no description, tags and "
				"inference_config: they are left out");
	if (a->build.context)
		eb_warn(events,
			"version 1 holds no build context of this "
			"machine: \"%s\" is left out",
			a->build.context);
}

static void tell_v2(const struct eb_azure *a, struct eb_events *events)
{
	if (a->variable_name.n)
		eb_warn(events,
			"version 2 holds no environment variables: %s%s left "
			"out",
			a->variable_name.v[0],
			a->variable_name.n > 1 ? " and others are" : " is");
	if (a->user_managed)
		eb_warn(events, "version 2 holds no user-managed Python: the "
				"image alone says so");
}

static void make_text(const struct eb_azure *a, enum eb_azure_form form,
		      struct eb_events *events, struct eb_buf *text)
{
	if (form == EB_AZURE_V1) {
		tell_v1(a, events);
		eb_azure_v1_text(a, text);
	} else if (a->form == EB_AZURE_V2 && a->source) {
		eb_buf_adds(text, a->source);
	} else {
		tell_v2(a, events);
		eb_azure_v2_text(a, text);
	}
}

/* A conda part that stood inside a definition of version 2 stays there. */
static void add_conda(const struct eb_azure *a, enum eb_azure_form form,
		      struct file *f)
{
	bool again = form == EB_AZURE_V2 && a->form == EB_AZURE_V2 && a->source;

	f->name = again && a->conda_name ? a->conda_name : EB_AZURE_CONDA_FILE;
	if (!a->conda || (again && !a->conda_name))
		return;
	f->text = a->conda;
	f->len = strlen(a->conda);
}

int eb_azure_save(const struct eb_azure *a, enum eb_azure_form form,
		  const char *dir, bool overwrite, struct eb_events *events,
		  struct eb_error *err)
{
	EB_AUTOBUF(text, 4 * EB_MAX_YAML);
	const char *dockerfile = a->build.dockerfile_text;
	struct folder folder EB_CLEANUP(release) = { 0 };
	struct file *f = folder.file;

	make_text(a, form, events, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is too large to be saved", a->name);
	f[0] = (struct file){ .name = form == EB_AZURE_V1
					      ? "azureml_environment.json"
					      : "environment.yml",
			      .text = text.data,
			      .len = text.len };
	add_conda(a, form, &f[1]);
	f[2] = (struct file){ .name = "BaseDockerfile",
			      .text = dockerfile,
			      .len = dockerfile ? strlen(dockerfile) : 0 };
	if (eb_mkdirs(dir, 0755, err) < 0 ||
	    write_parts(&folder, dir, overwrite, err) < 0)
		return -1;
	return commit(&folder, err);
}
