/* SPDX-License-Identifier: Apache-2.0 */
/* A definition saved as Azure's files in a folder: all of them or none. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "azure_save.h"

struct file {
	const char *text;
	char *path, *part; /* where it goes, and until all are written */
};

struct folder {
	struct file *file;
	size_t n;
};

static void release(struct folder *folder)
{
	for (size_t i = 0; i < folder->n; i++) {
		struct file *f = &folder->file[i];

		if (f->part)
			unlink(f->part);
		free(f->path);
		free(f->part);
	}
	free(folder->file);
}

static int may_write(const struct file *f, bool overwrite, struct eb_error *err)
{
	if (overwrite || !eb_path_exists(f->path))
		return 0;
	eb_err_set(err, EB_INPUT, "\"%s\", saving: it is there already",
		   f->path);
	return eb_err_hint(err, "--overwrite replaces it");
}

static int write_parts(struct folder *folder, bool overwrite,
		       struct eb_error *err)
{
	for (size_t i = 0; i < folder->n; i++)
		if (may_write(&folder->file[i], overwrite, err) < 0)
			return -1;
	for (size_t i = 0; i < folder->n; i++) {
		struct file *f = &folder->file[i];

		f->part = eb_asprintf("%s.part", f->path);
		if (eb_write_file(f->part, f->text, strlen(f->text), 0644,
				  err) < 0)
			return -1;
	}
	return 0;
}

static int commit(struct folder *folder, struct eb_error *err)
{
	for (size_t i = 0; i < folder->n; i++) {
		struct file *f = &folder->file[i];

		if (rename(f->part, f->path) < 0)
			return eb_err_errno(err, EB_OK, errno,
					    "\"%s\", writing", f->path);
		free(f->part);
		f->part = NULL;
	}
	return 0;
}

/* What an earlier definition left and this one has not: a reader would take it
 * for a part of this one. */
static int clear_others(const json_t *files, const char *dir, bool overwrite,
			struct eb_error *err)
{
	static const char *const names[] = { EB_AZURE_V1_FILE, EB_AZURE_V2_FILE,
					     EB_AZURE_CONDA_FILE,
					     EB_AZURE_DOCKERFILE };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		eb_autofree char *path = eb_path_join(dir, names[i]);
		const struct file other = { .path = path };

		if (json_object_get(files, names[i]))
			continue;
		if (may_write(&other, overwrite, err) < 0)
			return -1;
		if (unlink(path) < 0 && errno != ENOENT)
			return eb_err_errno(err, EB_OK, errno,
					    "\"%s\", removing", path);
	}
	return 0;
}

/* Names come from definitions: none may lead elsewhere. */
static int fill(struct folder *folder, const json_t *files, const char *dir,
		struct eb_error *err)
{
	const char *name;
	json_t *text;

	folder->file =
		eb_calloc(json_object_size(files) + 1, sizeof *folder->file);
	json_object_foreach ((json_t *)files, name, text) {
		struct file *f = &folder->file[folder->n];

		if (strchr(name, '/') || *name == '.' || !*name ||
		    !json_is_string(text))
			return eb_err_set(err, EB_INPUT,
					  "\"%s\" cannot be a file's name",
					  name);
		f->text = json_string_value(text);
		f->path = eb_path_join(dir, name);
		folder->n++;
	}
	return 0;
}

int eb_azure_write(const json_t *files, const char *dir, bool overwrite,
		   struct eb_error *err)
{
	struct folder folder EB_CLEANUP(release) = { 0 };

	if (fill(&folder, files, dir, err) < 0 ||
	    eb_mkdirs(dir, 0755, err) < 0 ||
	    write_parts(&folder, overwrite, err) < 0 ||
	    clear_others(files, dir, overwrite, err) < 0)
		return -1;
	return commit(&folder, err);
}

/* ---- what is in them ---------------------------------------------------- */

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

static void add(json_t *files, const char *name, const char *text)
{
	if (text)
		json_object_set_new(files, name, json_string(text));
}

/* A conda part that stood inside a definition of version 2 stays there. */
static void add_conda(json_t *files, const struct eb_azure *a,
		      enum eb_azure_form form)
{
	bool again = form == EB_AZURE_V2 && a->form == EB_AZURE_V2 && a->source;

	if (!again)
		add(files, EB_AZURE_CONDA_FILE, a->conda);
	else if (a->conda_name)
		add(files, a->conda_name, a->conda);
}

json_t *eb_azure_files(const struct eb_azure *a, enum eb_azure_form form,
		       struct eb_events *events)
{
	json_t *files = json_object();
	EB_AUTOBUF(text, EB_MAX_TEXT);

	make_text(a, form, events, &text);
	add(files, form == EB_AZURE_V1 ? EB_AZURE_V1_FILE : EB_AZURE_V2_FILE,
	    text.data);
	add_conda(files, a, form);
	add(files, EB_AZURE_DOCKERFILE, a->build.dockerfile_text);
	return files;
}

int eb_azure_save(const struct eb_azure *a, enum eb_azure_form form,
		  const char *dir, bool overwrite, struct eb_events *events,
		  struct eb_error *err)
{
	eb_autojson json_t *files = eb_azure_files(a, form, events);

	return eb_azure_write(files, dir, overwrite, err);
}
