/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a pylock.toml counts for the definition hash: a canonical JSON text
 * for each package, and one for the environments that it is for.
 */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/pep440.h>
#include <envbuild/requirement.h>

#include "pep508.h"
#include "pip_line.h"
#include "pylock_int.h"

struct normal {
	const struct eb_pylock *l;
	eb_pylock_content_fn *content;
	void *data;
	const json_t *groups;
	char *dir;
	const char *package; /* for messages */
	struct eb_error *err;
};

static int bad(const struct normal *n, const char *what)
{
	eb_autofree char *name = eb_printable(n->package);

	return eb_err_set(n->err, EB_INPUT, "\"%s\", package \"%.128s\": %s",
			  n->l->name, name, what);
}

static void set(json_t *to, const char *key, const char *text)
{
	if (text)
		json_object_set_new(to, key, json_string(text));
}

/* --- hashes and content ----------------------------------------------------
 */

/* "sha256:<hex>", or the strongest of the others; NULL: it has none. */
static char *hash_of(const json_t *file)
{
	struct eb_strv all EB_CLEANUP(eb_strv_release) = { 0 };

	eb_pylock_hashes(file, &all);
	return all.n ? eb_strdup(all.v[0]) : NULL;
}

static char *path_of(const struct normal *n, const json_t *what)
{
	const char *url = eb_json_str(what, "url");
	const char *path = eb_json_str(what, "path");
	eb_autofree char *local = !path && url ? eb_pip_file_path(url) : NULL;

	if (local)
		path = local;
	return path ? eb_pip_absolute(n->dir, path) : NULL;
}

static int set_content(const struct normal *n, const char *path, json_t *to)
{
	char text[EB_DIGEST_TEXT];
	struct eb_digest digest;

	if (n->content(n->data, path, &digest, n->err) < 0)
		return -1;
	set(to, "content", eb_digest_text(&digest, text));
	return 0;
}

/* --- sources ---------------------------------------------------------------
 */

static int add_file(const struct normal *n, const json_t *file,
		    struct eb_strv *out)
{
	eb_autofree char *name = eb_pylock_name_of(file);
	eb_autofree char *hash = hash_of(file);

	if (!name || !hash)
		return bad(n, name ? "a file has no sha256, sha384 or sha512"
				   : "a file has neither name, url nor path");
	eb_strv_addf(out, "%s %s", name, hash);
	return 0;
}

/* Sorted, each once; nothing where there are none. */
static void set_list(json_t *to, const char *key, struct eb_strv *texts)
{
	json_t *list = json_array();

	eb_strv_sort(texts);
	eb_strv_unique(texts);
	for (size_t i = 0; i < texts->n; i++)
		json_array_append_new(list, json_string(texts->v[i]));
	if (texts->n)
		json_object_set(to, key, list);
	json_decref(list);
}

static int put_files(const struct normal *n, const json_t *package, json_t *to)
{
	const json_t *wheels = eb_json_arr(package, "wheels"), *file;
	const json_t *sdist = eb_json_obj(package, "sdist");
	struct eb_strv files EB_CLEANUP(eb_strv_release) = { 0 };
	size_t i;

	json_array_foreach (wheels, i, file) {
		if (add_file(n, file, &files) < 0)
			return -1;
	}
	if (sdist && add_file(n, sdist, &files) < 0)
		return -1;
	set_list(to, "files", &files);
	return 0;
}

static void put_place(const json_t *from, json_t *to)
{
	const char *url = eb_json_str(from, "url");
	eb_autofree char *shown = url ? eb_pip_clean(url) : NULL;

	set(to, "url", shown);
	set(to, "subdirectory", eb_json_str(from, "subdirectory"));
}

static int put_archive(const struct normal *n, const json_t *archive,
		       json_t *to)
{
	eb_autofree char *path = path_of(n, archive), *hash = hash_of(archive);

	if (!hash)
		return bad(n, "a file has no sha256, sha384 or sha512");
	put_place(archive, to);
	if (path)
		json_object_del(to, "url");
	set(to, "hash", hash);
	return 0;
}

static void put_vcs(const json_t *vcs, json_t *to)
{
	put_place(vcs, to);
	set(to, "path", eb_json_str(vcs, "path"));
	set(to, "type", eb_json_str(vcs, "type"));
	set(to, "commit", eb_json_str(vcs, "commit-id"));
	set(to, "revision", eb_json_str(vcs, "requested-revision"));
}

static int put_folder(const struct normal *n, const json_t *folder, json_t *to)
{
	eb_autofree char *path = path_of(n, folder);

	put_place(folder, to);
	if (json_is_true(json_object_get(folder, "editable")))
		json_object_set_new(to, "editable", json_true());
	return path ? set_content(n, path, to)
		    : bad(n, "a folder needs its path");
}

static int put_source(const struct normal *n, const json_t *package, json_t *to)
{
	const json_t *archive = eb_json_obj(package, "archive");
	const json_t *vcs = eb_json_obj(package, "vcs");
	const json_t *folder = eb_json_obj(package, "directory");

	if (put_files(n, package, to) < 0)
		return -1;
	if (vcs)
		put_vcs(vcs, to);
	if (archive && put_archive(n, archive, to) < 0)
		return -1;
	return folder ? put_folder(n, folder, to) : 0;
}

/* --- a package -------------------------------------------------------------
 */

static int put_name(const struct normal *n, json_t *to)
{
	eb_autofree char *name = NULL;

	if (!n->package[0] || n->package[eb_name_length(n->package)])
		return bad(n, "that is no name of a project");
	name = eb_project_name(n->package);
	set(to, "name", name);
	return 0;
}

static int put_version(const struct normal *n, const json_t *package,
		       json_t *to)
{
	const char *version = eb_json_str(package, "version");
	struct eb_pep440 v = { 0 };

	if (!version)
		return 0;
	if (eb_pep440_parse(version, strlen(version), &v) < 0)
		return bad(n, "its version is none");
	set(to, "version", v.text);
	eb_pep440_release(&v);
	return 0;
}

static int put_python(const struct normal *n, const json_t *package, json_t *to)
{
	struct eb_strv range EB_CLEANUP(eb_strv_release) = { 0 };
	const char *said = eb_json_str(package, "requires-python");
	const char *at = said ? said : "";

	if (eb_specifiers_parse(&at, &range, n->err) < 0)
		return eb_err_prefix(n->err, "\"%s\", package \"%s\"",
				     n->l->name, n->package);
	if (at[strspn(at, " \t")])
		return bad(n, "its requires-python is none");
	set_list(to, "requires-python", &range);
	return 0;
}

static char *marker_of(const struct normal *n, const char *text)
{
	eb_autofree char *plain = eb_pylock_marker(text, n->groups);
	char *out = eb_marker_normal(plain, n->err);

	if (!out)
		eb_err_prefix(n->err, "\"%s\", marker %s", n->l->name, text);
	return out;
}

static int put_marker(const struct normal *n, const json_t *package, json_t *to)
{
	const char *said = eb_json_str(package, "marker");
	eb_autofree char *marker = said ? marker_of(n, said) : NULL;

	set(to, "marker", marker);
	return said && !marker ? -1 : 0;
}

static void put_line(const json_t *j, struct eb_strv *out)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);

	eb_json_canonical(j, &text);
	eb_strv_take(out, eb_buf_steal(&text, NULL));
}

static int put_package(struct normal *n, const json_t *package,
		       struct eb_strv *out)
{
	eb_autojson json_t *to = json_object();
	const char *name = eb_json_str(package, "name");

	n->package = name ? name : "";
	if (put_name(n, to) < 0 || put_version(n, package, to) < 0 ||
	    put_marker(n, package, to) < 0 || put_python(n, package, to) < 0 ||
	    put_source(n, package, to) < 0)
		return -1;
	put_line(to, out);
	return 0;
}

/* --- the whole -------------------------------------------------------------
 */

static int put_environments(const struct normal *n, struct eb_strv *out)
{
	const json_t *said = eb_json_arr(n->l->root, "environments"), *e;
	struct eb_strv markers EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autojson json_t *to = json_object();
	size_t i;

	json_array_foreach (said, i, e) {
		const char *text = json_string_value(e);
		char *marker = text ? marker_of(n, text) : NULL;

		if (text && !marker)
			return -1;
		if (marker)
			eb_strv_take(&markers, marker);
	}
	set_list(to, "environments", &markers);
	if (markers.n)
		put_line(to, out);
	return 0;
}

int eb_pylock_normal(const struct eb_pylock *l, eb_pylock_content_fn *content,
		     void *data, struct eb_strv *out, struct eb_error *err)
{
	eb_autofree char *dir = eb_pylock_folder(l->name);
	struct normal n = { .l = l,
			    .content = content,
			    .data = data,
			    .groups = eb_json_arr(l->root, "default-groups"),
			    .dir = dir,
			    .err = err };
	int rc = put_environments(&n, out);
	const json_t *package;
	size_t i;

	if (rc < 0)
		return eb_err_at(err, l->name, 1, 1);
	json_array_foreach (l->packages, i, package) {
		if (put_package(&n, package, out) < 0)
			return eb_err_at(err, l->name, l->line[i], 1);
	}
	return 0;
}
