/* SPDX-License-Identifier: Apache-2.0 */
/* Pages in JSON (PEP 691, 700, 714). */
#include "index_int.h"

#include <string.h>

#include <envbuild/json.h>

/* true: there is one. Under its first name too. */
static bool has_metadata(const json_t *file)
{
	const json_t *said = json_object_get(file, "core-metadata");

	if (!said)
		said = json_object_get(file, "dist-info-metadata");
	return json_is_object(said) || json_is_true(said);
}

/* NULL, "" or the reason. */
static const char *yanked(const json_t *file)
{
	const json_t *said = json_object_get(file, "yanked");

	if (json_is_string(said))
		return json_string_length(said) ? json_string_value(said)
						: NULL;
	return json_is_true(said) ? "" : NULL;
}

static int add_file(const json_t *file, const char *url,
		    struct eb_index_page *out, struct eb_error *err)
{
	json_int_t size = eb_json_int(file, "size", 0);
	struct eb_index_link link = {
		.name = eb_json_str(file, "filename"),
		.url = eb_json_str(file, "url"),
		.sha256 = eb_json_str(eb_json_obj(file, "hashes"), "sha256"),
		.size = size > 0 ? (uint64_t)size : 0,
		.requires_python = eb_json_str(file, "requires-python"),
		.upload_time = eb_json_str(file, "upload-time"),
		.yanked = yanked(file),
		.metadata = has_metadata(file),
	};

	if (!link.url || !*link.url)
		return 0;
	return eb_index_page_add(out, url, &link, err);
}

int eb_index_json_parse(const char *text, size_t len, const char *url,
			struct eb_index_page *out, struct eb_error *err)
{
	eb_autofree char *shown = eb_index_shown(url);
	eb_autojson json_t *page = eb_json_parse(text, len, shown, err);
	const char *version =
		eb_json_str(eb_json_obj(page, "meta"), "api-version");
	const json_t *files = eb_json_arr(page, "files"), *file;
	size_t i;

	if (!page)
		return -1;
	if (version && eb_index_version_check(version, url, err) < 0)
		return -1;
	if (!files)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading the index's page: it has "
				  "no list of files",
				  shown);
	json_array_foreach (files, i, file) {
		if (add_file(file, url, out, err) < 0)
			return -1;
	}
	return 0;
}
