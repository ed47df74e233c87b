/* SPDX-License-Identifier: Apache-2.0 */
/* Image configurations (image-spec config.md): reading and making. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "descriptor.h"

#define MAX_DIFF_IDS 4096

static int wrong(const char *what, const char *key, const char *why,
		 struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT, "\"%s\", reading \"%s\": %s", what,
			  key, why);
}

/* Absent and null are one. */
static const json_t *member(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

static bool all_text(const json_t *list)
{
	json_t *value;
	size_t i;

	json_array_foreach (list, i, value) {
		if (!json_is_string(value))
			return false;
	}
	return true;
}

static int check_diff_ids(const json_t *json, const char *what,
			  struct eb_error *err)
{
	const json_t *rootfs = eb_json_obj(json, "rootfs");
	const json_t *ids = eb_json_arr(rootfs, "diff_ids");
	const char *type = eb_json_str(rootfs, "type");
	struct eb_digest d;
	json_t *value;
	size_t i;

	if (!type || strcmp(type, "layers") != 0)
		return wrong(what, "rootfs.type", "is not \"layers\"", err);
	/* Docker leaves the list out when it is empty. */
	if (!ids && member(rootfs, "diff_ids"))
		return wrong(what, "rootfs.diff_ids", "is no list", err);
	if (json_array_size(ids) > MAX_DIFF_IDS)
		return wrong(what, "rootfs.diff_ids", "has more than 4096",
			     err);
	json_array_foreach (ids, i, value) {
		const char *text = json_string_value(value);

		if (!text || !eb_starts(text, "sha256:") ||
		    eb_digest_parse(text, &d) < 0)
			return wrong(what, "rootfs.diff_ids",
				     "holds what is not a sha256 digest", err);
	}
	return 0;
}

/* The members that we edit. */
static int check_shape(const json_t *json, const char *what,
		       struct eb_error *err)
{
	const json_t *config = member(json, "config");
	const json_t *env = member(config, "Env");
	const json_t *labels = member(config, "Labels");
	const json_t *history = member(json, "history");

	if (config && !json_is_object(config))
		return wrong(what, "config", "is no object", err);
	if (env && (!json_is_array(env) || !all_text(env)))
		return wrong(what, "config.Env", "is no list of texts", err);
	if (labels && !json_is_object(labels))
		return wrong(what, "config.Labels", "is no object", err);
	if (history && !json_is_array(history))
		return wrong(what, "history", "is no list", err);
	return 0;
}

json_t *eb_config_parse(const char *text, size_t len, const char *what,
			struct eb_error *err)
{
	eb_autojson json_t *json = eb_json_parse(text, len, what, err);

	if (!json)
		return NULL;
	if (!eb_json_need_str(json, "architecture", what, err) ||
	    !eb_json_need_str(json, "os", what, err) ||
	    check_diff_ids(json, what, err) < 0 ||
	    check_shape(json, what, err) < 0)
		return NULL;
	return eb_steal(json);
}

json_t *eb_config_new(const char *platform)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_platform p;
	json_t *json = json_object(), *rootfs = json_object();

	if (eb_platform_parse(platform, &p, &err) < 0)
		eb_err_release(&err);
	json_object_set_new(json, "architecture", json_string(p.arch));
	json_object_set_new(json, "os", json_string(p.os));
	if (*p.variant)
		json_object_set_new(json, "variant", json_string(p.variant));
	json_object_set_new(json, "config", json_object());
	json_object_set_new(rootfs, "type", json_string("layers"));
	json_object_set_new(rootfs, "diff_ids", json_array());
	json_object_set_new(json, "rootfs", rootfs);
	json_object_set_new(json, "history", json_array());
	return json;
}

int eb_config_diff_ids(const json_t *config, struct eb_digest **ids, size_t *n,
		       struct eb_error *err)
{
	const json_t *list =
		eb_json_arr(eb_json_obj(config, "rootfs"), "diff_ids");
	eb_autofree struct eb_digest *own =
		eb_calloc(json_array_size(list), sizeof *own);
	json_t *value;
	size_t i;

	json_array_foreach (list, i, value) {
		const char *text = json_string_value(value);

		if (!text || eb_digest_parse(text, &own[i]) < 0)
			return wrong("configuration", "rootfs.diff_ids",
				     "holds what is not a sha256 digest", err);
	}
	*n = json_array_size(list);
	*ids = eb_steal(own);
	return 0;
}

void eb_config_format(const json_t *config, struct eb_buf *out)
{
	eb_json_canonical(config, out);
}
