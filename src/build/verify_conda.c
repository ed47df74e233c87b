/* SPDX-License-Identifier: Apache-2.0 */
/* What conda-meta/NAME-VERSION-BUILD.json claims. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "verify_claims.h"

#define CHECK "conda-meta"

static enum eb_claim_type type_of(const json_t *path)
{
	const char *type = eb_json_str(path, "path_type");

	if (!type)
		return EB_CLAIM_ANY;
	if (!strcmp(type, "softlink"))
		return EB_CLAIM_LINK;
	if (!strcmp(type, "directory"))
		return EB_CLAIM_DIR;
	return !strcmp(type, "hardlink") ? EB_CLAIM_FILE : EB_CLAIM_ANY;
}

/* The sum of what lies in the prefix; where it is not said that of the package
 * is, unless a prefix was replaced. The size is the package's. */
static void set_content(struct eb_claim *claim, const json_t *path)
{
	const char *there = eb_json_str(path, "sha256_in_prefix");
	const char *packed = eb_json_str(path, "sha256");
	bool replaced = eb_json_str(path, "prefix_placeholder") != NULL;
	json_int_t size = eb_json_int(path, "size_in_bytes", -1);

	if (there && packed && strcmp(there, packed) != 0)
		replaced = true;
	if (!there && !replaced)
		there = packed;
	claim->has_sha256 =
		there && eb_digest_parse(there, &claim->sha256) == 0;
	claim->has_size = !replaced && size >= 0;
	claim->size = claim->has_size ? (uint64_t)size : 0;
}

static void claim(struct eb_claims *c, const char *file, const char *path,
		  const json_t *entry)
{
	char *inside = eb_installed_path(c->prefix, "", path);
	struct eb_claim *one;

	if (!inside || *path == '/') {
		free(inside);
		eb_finding_add(c->out, CHECK, file,
			       "lists \"%s\", which leads out of the prefix",
			       path);
		return;
	}
	one = eb_claim_add(c, inside);
	if (!entry)
		return;
	one->type = type_of(entry);
	if (one->type != EB_CLAIM_DIR)
		set_content(one, entry);
}

static void claim_all(struct eb_claims *c, const char *file, const json_t *j)
{
	const json_t *data = eb_json_obj(j, "paths_data");
	json_t *one;
	size_t i;

	json_array_foreach ((json_t *)eb_json_arr(data, "paths"), i, one) {
		const char *path = eb_json_str(one, "_path");

		if (path)
			claim(c, file, path, one);
		else
			eb_finding_add(c->out, CHECK, file,
				       "has a path without a name");
	}
	json_array_foreach ((json_t *)eb_json_arr(j, "files"), i, one)
		if (json_is_string(one))
			claim(c, file, json_string_value(one), NULL);
}

static int read_one(struct eb_claims *c, const char *file, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_PATHLIST);
	eb_autojson json_t *j = NULL;
	const char *name, *version;

	if (eb_claims_read(c, file, &text, err) < 0)
		return -1;
	j = eb_json_parse(text.data, text.len, file, err);
	if (!j)
		return -1;
	name = eb_json_need_str(j, "name", file, err);
	version = name ? eb_json_need_str(j, "version", file, err) : NULL;
	if (!version)
		return -1;
	if (!strcmp(name, "python") && !c->what->python)
		c->what->python = eb_strdup(version);
	eb_strv_addf(&c->owner, "%s %s", name, version);
	claim_all(c, file, j);
	return c->record ? c->record(c->data, file, j, err) : 0;
}

int eb_verify_conda(struct eb_claims *c, struct eb_error *err)
{
	struct eb_strv file EB_CLEANUP(eb_strv_release) = { 0 };

	if (eb_claims_list(c, "conda-meta", ".json", &file, err) < 0)
		return -1;
	for (size_t i = 0; i < file.n; i++) {
		eb_autofree char *path = eb_path_join("conda-meta", file.v[i]);

		if (read_one(c, path, err) == 0)
			continue;
		eb_finding_add(c->out, CHECK, path, "cannot be read: %s",
			       err->message);
		eb_err_release(err);
	}
	if (!file.n)
		eb_finding_note(c->out, CHECK, NULL,
				"no conda package is in the image");
	return 0;
}
