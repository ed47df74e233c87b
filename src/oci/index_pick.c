/* SPDX-License-Identifier: Apache-2.0 */
/* Image indexes (image-spec image-index.md): the entry for a platform. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "index_pick.h"

/* What is no image for anybody: BuildKit's attestations, other artifacts. */
static bool is_image(const json_t *entry)
{
	const json_t *annotations = eb_json_obj(entry, "annotations");
	const char *type = eb_json_str(entry, "mediaType");
	struct eb_platform p;

	if (!type || !eb_media_type_is_image(type) ||
	    eb_json_str(annotations, "vnd.docker.reference.type"))
		return false;
	eb_platform_of(eb_json_obj(entry, "platform"), &p);
	return strcmp(p.os, "unknown") != 0;
}

static bool is_called(const json_t *entry, const char *tag)
{
	const char *name =
		eb_json_str(eb_json_obj(entry, "annotations"), EB_REF_NAME);

	return !tag || (name && strcmp(name, tag) == 0);
}

json_t *eb_index_parse(const char *text, size_t len, const char *what,
		       struct eb_error *err)
{
	eb_autojson json_t *json = eb_json_parse(text, len, what, err);
	const char *type = eb_json_str(json, "mediaType");

	if (!json)
		return NULL;
	if (eb_json_int(json, "schemaVersion", 0) != 2 ||
	    !eb_json_arr(json, "manifests") ||
	    (type && strcmp(eb_media_type_oci(type), EB_MT_INDEX) != 0)) {
		eb_err_set(err, EB_INPUT, "\"%s\" is not an image index", what);
		return NULL;
	}
	return eb_steal(json);
}

size_t eb_index_images(const json_t *index, const char *tag,
		       const struct eb_platform *want, const json_t **first)
{
	const json_t *list = eb_json_arr(index, "manifests");
	struct eb_platform have;
	json_t *entry;
	size_t i, n = 0;

	json_array_foreach (list, i, entry) {
		const json_t *platform = eb_json_obj(entry, "platform");

		if (!is_image(entry) || !is_called(entry, tag))
			continue;
		eb_platform_of(platform, &have);
		if (want && platform && !eb_platform_fits(&have, want))
			continue;
		if (n++ == 0 && first)
			*first = entry;
	}
	return n;
}

/* "linux/amd64, linux/arm64", of what there is */
static char *platforms(const json_t *index)
{
	struct eb_strv all = { 0 };
	EB_AUTOBUF(text, EB_MAX_TEXT);
	struct eb_platform p;
	json_t *entry;
	size_t i;

	json_array_foreach (eb_json_arr(index, "manifests"), i, entry) {
		if (!is_image(entry) || !eb_json_obj(entry, "platform"))
			continue;
		eb_platform_of(eb_json_obj(entry, "platform"), &p);
		eb_strv_take(&all, eb_platform_text(&p));
	}
	eb_strv_sort(&all);
	eb_strv_unique(&all);
	for (i = 0; i < all.n && i < 16; i++)
		eb_buf_addf(&text, "%s%s", i ? ", " : "", all.v[i]);
	eb_strv_release(&all);
	return eb_buf_steal(&text, NULL);
}

int eb_index_no_platform(const json_t *index, const char *what,
			 const char *platform, struct eb_error *err)
{
	eb_autofree char *have = platforms(index);

	eb_err_set(err, EB_INPUT, "\"%s\" has no image for \"%s\"", what,
		   platform);
	if (*have)
		eb_err_hint(err, "it has: %s", have);
	return -1;
}

int eb_index_pick(const char *text, size_t len, const char *what,
		  const char *platform, struct eb_descriptor *out,
		  struct eb_error *err)
{
	eb_autojson json_t *index = eb_index_parse(text, len, what, err);
	const json_t *entry = NULL;
	struct eb_platform want;

	memset(out, 0, sizeof *out);
	if (!index || eb_platform_parse(platform, &want, err) < 0)
		return -1;
	if (eb_index_images(index, NULL, &want, &entry) == 0)
		return eb_index_no_platform(index, what, platform, err);
	return eb_descriptor_parse(entry, what, "manifests", out, err);
}
