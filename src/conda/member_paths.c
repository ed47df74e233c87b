/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of one package among each other. */
#include <stdbool.h>
#include <string.h>

#include <envbuild/str.h>

#include "member_paths.h"

#define FOLLOW_MAX 40

static int by_path(const void *a, const void *b)
{
	const struct eb_entry *x = *(struct eb_entry *const *)a;
	const struct eb_entry *y = *(struct eb_entry *const *)b;

	return eb_path_compare(x->path, y->path);
}

void eb_member_paths_init(struct eb_member_paths *m, struct eb_entries *e)
{
	m->n = e->n;
	m->entry = eb_calloc(e->n + 1, sizeof *m->entry);
	for (size_t i = 0; i < e->n; i++)
		m->entry[i] = &e->entry[i];
	qsort(m->entry, m->n, sizeof *m->entry, by_path);
}

void eb_member_paths_release(struct eb_member_paths *m)
{
	free(m->entry);
	*m = (struct eb_member_paths){ 0 };
}

static int path_and_entry(const void *path, const void *entry)
{
	return eb_path_compare(path, (*(struct eb_entry *const *)entry)->path);
}

struct eb_entry *eb_member_paths_find(const struct eb_member_paths *m,
				      const char *path)
{
	struct eb_entry **found =
		bsearch(path, m->entry, m->n, sizeof *m->entry, path_and_entry);

	return found ? *found : NULL;
}

static int refuse_twice(const struct eb_entry *e, const char *what,
			struct eb_error *err)
{
	eb_autofree char *path = eb_printable_line(e->path);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has two members with the path \"%s\"", what,
			  path);
}

int eb_member_paths_check(const struct eb_member_paths *m, const char *what,
			  struct eb_error *err)
{
	const struct eb_entry *file = NULL, *last = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct eb_entry *e = m->entry[i];
		bool folders = last && last->type == EB_ENTRY_DIR &&
			       e->type == EB_ENTRY_DIR;

		if (last && !folders && strcmp(last->path, e->path) == 0)
			return refuse_twice(e, what, err);
		if (file && eb_path_is_below(e->path, file->path))
			return eb_path_refuse_below(e->path, file->path, what,
						    err);
		if (e->type == EB_ENTRY_FILE)
			file = e;
		last = e;
	}
	return 0;
}

/* The component at `from` to `to` is put behind what `out` holds; false when
 * it leads above the top. */
static bool step(char *out, const char *from, const char *to)
{
	size_t n = (size_t)(to - from), len = strlen(out);
	char *slash;

	if (n == 0 || (n == 1 && *from == '.'))
		return true;
	if (n != 2 || memcmp(from, "..", 2) != 0) {
		if (len)
			out[len++] = '/';
		memcpy(out + len, from, n);
		out[len + n] = '\0';
		return true;
	}
	if (!len)
		return false;
	slash = strrchr(out, '/');
	*(slash ? slash : out) = '\0';
	return true;
}

char *eb_member_paths_join(const char *path, const char *target)
{
	const char *slash = strrchr(path, '/'), *end;
	eb_autofree char *out = eb_malloc(strlen(path) + strlen(target) + 2);

	if (*target == '/')
		return NULL;
	*out = '\0';
	if (slash) {
		memcpy(out, path, (size_t)(slash - path));
		out[slash - path] = '\0';
	}
	for (; *target; target = *end ? end + 1 : end) {
		end = strchrnul(target, '/');
		if (!step(out, target, end))
			return NULL;
	}
	return eb_steal(out);
}

/* The first folder of a path that is a link of the same package; *rest is
 * what follows it. */
static const struct eb_entry *link_above(const struct eb_member_paths *m,
					 const char *path, const char **rest)
{
	eb_autofree char *folder = eb_strdup(path);

	for (char *p = strchr(folder, '/'); p; p = strchr(p + 1, '/')) {
		const struct eb_entry *e;

		*p = '\0';
		e = eb_member_paths_find(m, folder);
		*p = '/';
		if (e && e->type == EB_ENTRY_LINK) {
			*rest = path + (p - folder);
			return e;
		}
	}
	return NULL;
}

static bool is_inside(const char *path, const char *root)
{
	return *root ? eb_path_is_below(path, root) : *path != '\0';
}

static int refuse_out(const char *path, const struct eb_entry *link,
		      const char *what, struct eb_error *err)
{
	eb_autofree char *member = eb_printable_line(path);
	eb_autofree char *through = eb_printable_line(link->path);
	eb_autofree char *target = eb_printable_line(link->target);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has a member \"%s\" that leaves the prefix "
			  "through \"%s\", a link to \"%s\"",
			  what, member, through, target);
}

/* 1 and *out when the path goes through links. */
static int resolve(const struct eb_member_paths *m, const char *path,
		   const char *root, const char *what, char **out,
		   struct eb_error *err)
{
	eb_autofree char *now = eb_strdup(path);
	const struct eb_entry *link;
	const char *rest;

	for (int i = 0; (link = link_above(m, now, &rest)); i++) {
		eb_autofree char *folder =
			eb_member_paths_join(link->path, link->target);
		char *next = NULL;

		if (i == FOLLOW_MAX || !folder)
			return refuse_out(path, link, what, err);
		next = eb_asprintf("%s%s", folder, *folder ? rest : rest + 1);
		free(now);
		now = next;
		if (!is_inside(now, root))
			return refuse_out(path, link, what, err);
	}
	if (strcmp(now, path) == 0)
		return 0;
	*out = eb_steal(now);
	return 1;
}

struct change {
	struct eb_entry *entry;
	char *path;
};

/* All are found before one is changed: the order of `m` goes by the paths. */
static long apply(struct change *change, size_t n, bool look)
{
	for (size_t i = 0; i < n; i++) {
		if (look) {
			free(change[i].path);
			continue;
		}
		free(change[i].entry->path);
		change[i].entry->path = change[i].path;
	}
	free(change);
	return (long)n;
}

long eb_member_paths_resolve(const struct eb_member_paths *m, const char *root,
			     bool look, const char *what, struct eb_error *err)
{
	const struct eb_entry *link = NULL;
	struct change *change = NULL;
	size_t n = 0, alloc = 0;

	for (size_t i = 0; i < m->n; i++) {
		struct eb_entry *e = m->entry[i];
		char *path = NULL;
		int rc = 0;

		if (link && eb_path_is_below(e->path, link->path))
			rc = resolve(m, e->path, root, what, &path, err);
		else
			link = e->type == EB_ENTRY_LINK ? e : NULL;
		if (rc < 0) {
			apply(change, n, true);
			return -1;
		}
		if (rc == 0)
			continue;
		EB_GROW(change, n, alloc);
		change[n++] = (struct change){ e, path };
	}
	return apply(change, n, look);
}
