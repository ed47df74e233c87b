/* SPDX-License-Identifier: Apache-2.0 */
/* pip's installation report (format 1) in the words of a pylock.toml. */
#include <string.h>

#include <envbuild/json.h>

#include "own_pip.h"
#include "pylock_int.h"
#include "pip_line.h"

static void copy(json_t *to, const char *key, const json_t *from,
		 const char *name)
{
	const char *text = eb_json_str(from, name);

	if (text)
		json_object_set_new(to, key, json_string(text));
}

/* "hashes", or "hash": "sha256=<hex>" of older ones. */
static json_t *hashes_of(const json_t *archive)
{
	const json_t *said = eb_json_obj(archive, "hashes");
	const char *one = eb_json_str(archive, "hash");
	json_t *out = said ? json_deep_copy(said) : json_object();

	if (!said && one && eb_starts(one, "sha256="))
		json_object_set_new(out, "sha256", json_string(one + 7));
	return out;
}

static json_t *file_of(const json_t *info)
{
	json_t *file = json_object();

	copy(file, "url", info, "url");
	copy(file, "subdirectory", info, "subdirectory");
	json_object_set_new(file, "hashes",
			    hashes_of(eb_json_obj(info, "archive_info")));
	return file;
}

static bool is_wheel(const json_t *info)
{
	const char *url = eb_json_str(info, "url");
	eb_autofree char *path =
		eb_strndup(url ? url : "", url ? strcspn(url, "?#") : 0);

	return eb_ends(path, ".whl");
}

static void put_archive(json_t *package, const json_t *info, bool direct)
{
	json_t *file = file_of(info), *list;

	if (direct) {
		json_object_set_new(package, "archive", file);
	} else if (is_wheel(info)) {
		list = json_array();
		json_array_append_new(list, file);
		json_object_set_new(package, "wheels", list);
	} else {
		json_object_set_new(package, "sdist", file);
	}
}

static void put_vcs(json_t *package, const json_t *info)
{
	const json_t *said = eb_json_obj(info, "vcs_info");
	json_t *vcs = json_object();

	copy(vcs, "type", said, "vcs");
	copy(vcs, "commit-id", said, "commit_id");
	copy(vcs, "requested-revision", said, "requested_revision");
	copy(vcs, "url", info, "url");
	copy(vcs, "subdirectory", info, "subdirectory");
	json_object_set_new(package, "vcs", vcs);
}

static void put_folder(json_t *package, const json_t *info)
{
	const char *url = eb_json_str(info, "url");
	eb_autofree char *path = url ? eb_pip_file_path(url) : NULL;
	json_t *folder = json_object();

	if (path)
		json_object_set_new(folder, "path", json_string(path));
	copy(folder, "subdirectory", info, "subdirectory");
	json_object_set_new(package, "directory", folder);
}

static json_t *package_of(const json_t *item)
{
	const json_t *metadata = eb_json_obj(item, "metadata");
	const json_t *info = eb_json_obj(item, "download_info");
	json_t *package = json_object();

	copy(package, "name", metadata, "name");
	copy(package, "version", metadata, "version");
	copy(package, "requires-python", metadata, "requires_python");
	if (eb_json_obj(info, "vcs_info"))
		put_vcs(package, info);
	else if (eb_json_obj(info, "dir_info"))
		put_folder(package, info);
	else
		put_archive(package, info,
			    json_is_true(json_object_get(item, "is_direct")));
	return package;
}

json_t *eb_own_pip_packages(const char *text, size_t len, struct eb_error *err)
{
	eb_autojson json_t *root = eb_json_parse(text, len, "report.json", err);
	const json_t *list = eb_json_arr(root, "install"), *item;
	json_t *out = NULL;
	size_t i;

	if (!root) {
		err->code = EB_STEP; /* whoever wrote it */
		return NULL;
	}
	if (!list || json_array_size(list) > EB_PYLOCK_PACKAGES) {
		eb_err_set(err, EB_STEP,
			   "\"report.json\", which pip wrote, is "
			   "no report of a format that is known");
		return NULL;
	}
	out = json_array();
	json_array_foreach (list, i, item)
		json_array_append_new(out, package_of(item));
	return out;
}
