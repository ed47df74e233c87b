/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which paths of a package are linked, and what is said of each: paths.json,
 * in packages before 2017 files and no_link (has_prefix: link_prefixes.c).
 */
#include <string.h>

#include <envbuild/json.h>

#include "link_int.h"

int eb_link_paths_refuse(const struct eb_package *p, const char *source,
			 const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "\"%s\", reading \"%s\": %s", p->what,
			  source, why);
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/');
}

static int refuse_meta(const struct eb_package *p,
		       const struct eb_link_paths *l, const char *path,
		       struct eb_error *err)
{
	eb_autofree char *shown = eb_printable_line(path);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" lists \"%s\" in \"%s\"; conda-meta/ is not a "
			  "package's to fill",
			  p->what, shown, l->source);
}

/* *out stays NULL for what is never linked. */
static int add(const struct eb_package *p, struct eb_link_paths *l,
	       const char *path, struct eb_link_path **out,
	       struct eb_error *err)
{
	*out = NULL;
	while (path[0] == '.' && path[1] == '/')
		path += 2;
	if (eb_path_check(path, p->what, err) < 0)
		return -1;
	if (is_below(path, "conda-meta"))
		return refuse_meta(p, l, path, err);
	if (is_below(path, "info"))
		return 0;
	EB_GROW(l->path, l->n, l->alloc);
	*out = &l->path[l->n];
	**out = (struct eb_link_path){ .path = eb_strdup(path), .order = l->n };
	l->n++;
	return 0;
}

static int by_path(const void *a, const void *b)
{
	const struct eb_link_path *x = a, *y = b;
	int rc = strcmp(x->path, y->path);

	return rc ? rc : (x->order > y->order) - (x->order < y->order);
}

static void release_path(struct eb_link_path *path)
{
	free(path->path);
	free(path->placeholder);
}

/* Of a path that is listed twice the first one counts. */
static void sort(struct eb_link_paths *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->path, l->n, sizeof *l->path, by_path);
	for (size_t i = 0; i < l->n; i++) {
		if (n && strcmp(l->path[n - 1].path, l->path[i].path) == 0)
			release_path(&l->path[i]);
		else
			l->path[n++] = l->path[i];
	}
	l->n = n;
}

static int compare(const void *path, const void *listed)
{
	return strcmp(path, ((const struct eb_link_path *)listed)->path);
}

struct eb_link_path *eb_link_paths_find(const struct eb_link_paths *l,
					const char *path)
{
	if (!l->n)
		return NULL;
	return bsearch(path, l->path, l->n, sizeof *l->path, compare);
}

void eb_link_paths_release(struct eb_link_paths *l)
{
	for (size_t i = 0; i < l->n; i++)
		release_path(&l->path[i]);
	free(l->path);
	*l = (struct eb_link_paths){ 0 };
}

static int field(const struct eb_package *p, const struct eb_link_paths *l,
		 const char *path, const char *name, const char *why,
		 struct eb_error *err)
{
	eb_autofree char *shown = eb_printable_line(path);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\", reading \"%s\": \"%s\" of \"%s\" %s",
			  p->what, l->source, name, shown, why);
}

static int read_content(const struct eb_package *p,
			const struct eb_link_paths *l, const json_t *j,
			struct eb_link_path *to, struct eb_error *err)
{
	const char *sha256 = eb_json_str(j, "sha256");
	json_int_t size = eb_json_int(j, "size_in_bytes", -1);

	to->has_sha256 = sha256 != NULL;
	if (sha256 && eb_digest_parse(sha256, &to->sha256) < 0)
		return field(p, l, to->path, "sha256", "is no sha256", err);
	to->has_size = size >= 0;
	to->size = size >= 0 ? (uint64_t)size : 0;
	return 0;
}

static int read_one(const struct eb_package *p, struct eb_link_paths *l,
		    const json_t *j, struct eb_error *err)
{
	const char *type = eb_json_str(j, "path_type"), *mode;
	const char *path = eb_json_str(j, "_path");
	struct eb_link_path *to;

	if (!path)
		return eb_link_paths_refuse(p, l->source,
					    "an entry has no \"_path\"", err);
	if (add(p, l, path, &to, err) < 0)
		return -1;
	if (!to)
		return 0;
	to->is_folder = type && strcmp(type, "directory") == 0;
	to->no_link = json_is_true(json_object_get(j, "no_link"));
	to->placeholder = eb_strdup(eb_json_str(j, "prefix_placeholder"));
	if (to->placeholder && !*to->placeholder)
		free(eb_steal(to->placeholder));
	mode = eb_json_str(j, "file_mode");
	if (mode && strcmp(mode, "text") != 0 && strcmp(mode, "binary") != 0)
		return field(p, l, path, "file_mode",
			     "is neither text nor binary", err);
	to->text = !mode || strcmp(mode, "text") == 0;
	return read_content(p, l, j, to, err);
}

static int read_json(const struct eb_package *p,
		     const struct eb_package_info *info,
		     struct eb_link_paths *l, struct eb_error *err)
{
	eb_autofree char *name = eb_asprintf("%s/info/paths.json", p->what);
	eb_autojson json_t *j =
		eb_json_parse(info->text, info->size, name, err);
	const json_t *list;
	json_t *one;
	size_t i;

	l->source = "info/paths.json";
	if (!j)
		return -1;
	if (eb_json_int(j, "paths_version", 1) != 1)
		return eb_link_paths_refuse(p, l->source,
					    "its paths_version is not 1", err);
	list = eb_json_arr(j, "paths");
	if (!list)
		return eb_link_paths_refuse(p, l->source, "it has no \"paths\"",
					    err);
	json_array_foreach (list, i, one) {
		if (read_one(p, l, one, err) < 0)
			return -1;
	}
	sort(l);
	return 0;
}

/* The lines of an info file, stripped, without empty ones and comments. */
static void lines(const struct eb_package_info *info, struct eb_strv *out)
{
	struct eb_strv all = { 0 };

	eb_strv_split(&all, info->text, "\n");
	for (size_t i = 0; i < all.n; i++) {
		const char *line = eb_strip(all.v[i]);

		if (*line && *line != '#')
			eb_strv_add(out, line);
	}
	eb_strv_release(&all);
}

static void read_no_link(const struct eb_package *p, struct eb_link_paths *l)
{
	const struct eb_package_info *info = eb_package_info(p, "no_link");
	struct eb_strv list EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_link_path *path;

	if (info)
		lines(info, &list);
	for (size_t i = 0; i < list.n; i++) {
		path = eb_link_paths_find(l, list.v[i]);
		if (path)
			path->no_link = true;
	}
}

static int read_files(const struct eb_package *p,
		      const struct eb_package_info *info,
		      struct eb_link_paths *l, struct eb_error *err)
{
	struct eb_strv list EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_link_path *to;

	l->source = "info/files";
	if (strlen(info->text) != info->size)
		return eb_link_paths_refuse(p, l->source, "it has a NUL byte",
					    err);
	lines(info, &list);
	for (size_t i = 0; i < list.n; i++) {
		if (add(p, l, list.v[i], &to, err) < 0)
			return -1;
	}
	sort(l);
	read_no_link(p, l);
	return eb_link_has_prefix(p, l, err);
}

int eb_link_paths_read(const struct eb_package *p, struct eb_link_paths *out,
		       struct eb_error *err)
{
	const struct eb_package_info *json = eb_package_info(p, "paths.json");
	const struct eb_package_info *files = eb_package_info(p, "files");

	*out = (struct eb_link_paths){ 0 };
	if (json)
		return read_json(p, json, out, err);
	if (files)
		return read_files(p, files, out, err);
	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has neither \"info/paths.json\" nor "
			  "\"info/files\"",
			  p->what);
}
