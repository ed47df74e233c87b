/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an interpreter needs to compile, out of the payloads: its program, its
 * library without what compiling never imports, and shared libraries.
 *
 * Files are written first and links last, so that no link can lead a file
 * out of the folder; a link whose place is taken is left out. Only the
 * program itself may be executed.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/str.h>
#include <envbuild/stream.h>

#include "interpreter.h"

struct unpack {
	struct eb_interpreter *i;
	const char *inside; /* "opt/env" */
	char *program;	    /* "bin/python3.7" */
	char *modules;	    /* "lib/python3.7" */
	struct eb_strv link, target;
	bool found;
};

static void release(struct unpack *u)
{
	free(u->program);
	free(u->modules);
	eb_strv_release(&u->link);
	eb_strv_release(&u->target);
}

static bool in_list(const char *path, const char *const *list)
{
	for (; *list; list++)
		if (eb_starts(path, *list))
			return true;
	return false;
}

/* Below lib/pythonX.Y. */
static bool of_library(const char *path)
{
	static const char *const skipped[] = {
		"site-packages/",   "test/",	   "idlelib/",
		"tkinter/",	    "lib2to3/",	   "ensurepip/",
		"distutils/",	    "config-",	   "unittest/",
		"pydoc_data/",	    "turtledemo/", "asyncio/",
		"multiprocessing/", "email/",	   "xml/",
		"sqlite3/",	    NULL
	};

	return !in_list(path, skipped);
}

/* The path below the prefix when it is wanted, else NULL. */
static const char *wanted(const struct unpack *u, const char *path)
{
	size_t n = strlen(u->inside);
	const char *module;

	if (strncmp(path, u->inside, n) != 0 || path[n] != '/')
		return NULL;
	path += n + 1;
	if (strcmp(path, u->program) == 0 || eb_starts(path, "bin/python"))
		return path;
	module = eb_in_library(path, u->modules);
	if (module)
		return of_library(module) ? path : NULL;
	return eb_starts(path, "lib/") && !strchr(path + 4, '/') &&
			       strstr(path, ".so")
		       ? path
		       : NULL;
}

/* Our own folders alone lie on the way, no link does. */
static int make_parents(const char *root, const char *path,
			struct eb_error *err)
{
	eb_autofree char *folder = eb_path_join(root, path);
	char *slash = strrchr(folder, '/');

	*slash = '\0';
	return eb_mkdirs(folder, 0755, err);
}

/* Of two packages with one file the later one wins. */
static int write_file(const char *root, const char *path,
		      const struct eb_entry *e, struct eb_stream *content,
		      struct eb_error *err)
{
	mode_t mode = eb_starts(path, "bin/python") ? 0755 : 0644;
	eb_autofree char *full = eb_path_join(root, path);
	uint64_t size = e->size;
	char piece[32 << 10];
	eb_autofd int fd = -1;

	if (make_parents(root, path, err) < 0)
		return -1;
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		  mode);
	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "\"%s\", unpacking the interpreter", full);
	fchmod(fd, mode);
	while (size) {
		size_t n = size < sizeof piece ? (size_t)size : sizeof piece;

		if (eb_stream_read_all(content, piece, n, path, err) < 0 ||
		    eb_write_all(fd, piece, n, full, err) < 0)
			return -1;
		size -= n;
	}
	return 0;
}

static int take(void *data, const struct eb_entry *e, struct eb_stream *content,
		struct eb_error *err)
{
	struct unpack *u = data;
	const char *path = wanted(u, e->path);

	if (!path)
		return 0;
	if (strcmp(path, u->program) == 0)
		u->found = true;
	if (e->type == EB_ENTRY_FILE)
		return write_file(u->i->root, path, e, content, err);
	if (e->type == EB_ENTRY_LINK) {
		eb_strv_add(&u->link, path);
		eb_strv_add(&u->target, e->target);
	}
	return 0;
}

static int make_links(const struct unpack *u, struct eb_error *err)
{
	size_t k;

	for (k = 0; k < u->link.n; k++) {
		eb_autofree char *full = eb_path_join(u->i->root, u->link.v[k]);

		if (make_parents(u->i->root, u->link.v[k], err) < 0)
			return -1;
		if (symlink(u->target.v[k], full) < 0 && errno != EEXIST)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", unpacking the interpreter",
					    full);
	}
	return 0;
}

/* From the path list alone; most packages hold nothing of use. */
static int has_wanted(const struct unpack *u, struct eb_store *store,
		      const struct eb_item *item, struct eb_error *err)
{
	struct eb_entries paths EB_CLEANUP(eb_entries_release) = { 0 };
	size_t k;

	if (eb_part_paths(store, item, &paths, err) < 0)
		return -1;
	for (k = 0; k < paths.n; k++)
		if (wanted(u, paths.entry[k].path))
			return 1;
	return 0;
}

int eb_interpreter_unpack(struct eb_interpreter *i, struct eb_store *store,
			  const struct eb_item *payload, size_t n,
			  struct eb_error *err)
{
	struct unpack u EB_CLEANUP(release) = { .i = i,
						.inside = i->prefix + 1 };
	size_t k;
	int has;

	u.program = eb_asprintf("bin/python%s", i->minor);
	u.modules = eb_asprintf("lib/python%s", i->minor);
	if (eb_mkdirs(i->root, 0755, err) < 0)
		return -1;
	for (k = 0; k < n; k++) {
		has = has_wanted(&u, store, &payload[k], err);
		if (has < 0 || (has && eb_part_walk(store, &payload[k], take,
						    &u, err) < 0))
			return -1;
	}
	if (!u.found)
		return eb_err_set(err, EB_INPUT,
				  "\"%s/%s\" is in no package, so nothing can "
				  "compile bytecode",
				  i->prefix, u.program);
	return make_links(&u, err);
}
