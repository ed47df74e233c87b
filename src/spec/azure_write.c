/* SPDX-License-Identifier: Apache-2.0 */
/* A definition's files into a folder: all of them, or it is as it was. Until
 * the last one is in its place, those that they replace lie beside them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "azure_save.h"

struct file {
	const char *text; /* NULL: it has to go, for a reader would take it
			   * for a part of the definition */
	char *path, *part, *old;
	bool written, aside, placed;
};

struct folder {
	struct file *file;
	size_t n;
	const char *dir;
	bool made, done;
};

static void add(struct folder *folder, const char *name, const char *text)
{
	struct file *f = &folder->file[folder->n++];

	f->text = text;
	f->path = eb_path_join(folder->dir, name);
	f->part = eb_asprintf("%s.part", f->path);
	f->old = eb_asprintf("%s.old", f->path);
}

/* As it was; what is made anew has another name until then. */
static void undo(struct folder *folder)
{
	for (size_t i = 0; i < folder->n; i++) {
		struct file *f = &folder->file[i];

		if (f->placed)
			unlink(f->path);
		if (f->aside && rename(f->old, f->path) == 0)
			f->aside = false;
	}
}

static void release(struct folder *folder)
{
	if (!folder->done)
		undo(folder);
	for (size_t i = 0; i < folder->n; i++) {
		struct file *f = &folder->file[i];

		if (f->written && !f->placed)
			unlink(f->part);
		if (f->aside && folder->done)
			unlink(f->old);
		free(f->path);
		free(f->part);
		free(f->old);
	}
	if (folder->made && !folder->done)
		rmdir(folder->dir);
	free(folder->file);
}

/* Names come from definitions: none may lead elsewhere. */
static int fill(struct folder *folder, const json_t *files,
		struct eb_error *err)
{
	static const char *const names[] = { EB_AZURE_V1_FILE, EB_AZURE_V2_FILE,
					     EB_AZURE_CONDA_FILE,
					     EB_AZURE_DOCKERFILE };
	const size_t n = sizeof names / sizeof *names;
	const char *name;
	json_t *text;

	folder->file =
		eb_calloc(json_object_size(files) + n, sizeof *folder->file);
	json_object_foreach ((json_t *)files, name, text) {
		if (strchr(name, '/') || *name == '.' || !*name ||
		    !json_is_string(text))
			return eb_err_set(err, EB_INPUT,
					  "\"%s\" cannot be a file's name",
					  name);
		add(folder, name, json_string_value(text));
	}
	for (size_t i = 0; i < n; i++)
		if (!json_object_get(files, names[i]))
			add(folder, names[i], NULL);
	return 0;
}

static int may_replace(const struct file *f, bool overwrite,
		       struct eb_error *err)
{
	struct stat st;

	if (lstat(f->path, &st) < 0)
		return errno == ENOENT
			       ? 0
			       : eb_err_errno(err, EB_OK, errno,
					      "\"%s\", looking at it", f->path);
	if (S_ISDIR(st.st_mode))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", saving: a folder has that name",
				  f->path);
	if (overwrite)
		return 1;
	eb_err_set(err, EB_INPUT, "\"%s\", saving: it is there already",
		   f->path);
	return eb_err_hint(err, "--overwrite replaces it");
}

static int write_parts(struct folder *folder, struct eb_error *err)
{
	for (size_t i = 0; i < folder->n; i++) {
		struct file *f = &folder->file[i];

		if (!f->text)
			continue;
		if (eb_write_file(f->part, f->text, strlen(f->text), 0644,
				  err) < 0)
			return -1;
		f->written = true;
	}
	return 0;
}

static int move(const char *from, const char *to, const char *path, bool *moved,
		struct eb_error *err)
{
	*moved = rename(from, to) == 0;
	if (*moved)
		return 0;
	return eb_err_errno(err, EB_OK, errno, "\"%s\", writing", path);
}

static int commit(struct folder *folder, const bool *replaces,
		  struct eb_error *err)
{
	for (size_t i = 0; i < folder->n; i++) {
		struct file *f = &folder->file[i];

		if (replaces[i] &&
		    move(f->path, f->old, f->path, &f->aside, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < folder->n; i++) {
		struct file *f = &folder->file[i];

		if (f->text &&
		    move(f->part, f->path, f->path, &f->placed, err) < 0)
			return -1;
	}
	folder->done = true;
	return 0;
}

int eb_azure_write(const json_t *files, const char *dir, bool overwrite,
		   struct eb_error *err)
{
	struct folder folder EB_CLEANUP(release) = { .dir = dir };
	eb_autofree bool *replaces = NULL;

	if (fill(&folder, files, err) < 0)
		return -1;
	replaces = eb_calloc(folder.n, sizeof *replaces);
	for (size_t i = 0; i < folder.n; i++) {
		int rc = may_replace(&folder.file[i], overwrite, err);

		if (rc < 0)
			return -1;
		replaces[i] = rc;
	}
	folder.made = !eb_path_exists(dir);
	if (eb_mkdirs(dir, 0755, err) < 0 || write_parts(&folder, err) < 0)
		return -1;
	return commit(&folder, replaces, err);
}
