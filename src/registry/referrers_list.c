/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes of referrers, as values. */
#include <string.h>
#include <strings.h>

#include <envbuild/image.h>

#include "referrers.h"

json_t *eb_referrers_new(void)
{
	json_t *index = json_object();

	json_object_set_new(index, "schemaVersion", json_integer(2));
	json_object_set_new(index, "mediaType", json_string(EB_MT_INDEX));
	json_object_set_new(index, "manifests", json_array());
	return index;
}

bool eb_referrers_has(const json_t *index, const char *digest)
{
	json_t *one;
	size_t i;

	json_array_foreach (eb_json_arr(index, "manifests"), i, one) {
		const char *have = eb_json_str(one, "digest");

		if (have && strcmp(have, digest) == 0)
			return true;
	}
	return false;
}

void eb_referrers_join(json_t *index, const json_t *more,
		       const char *artifact_type)
{
	json_t *list = json_object_get(index, "manifests");
	json_t *one;
	size_t i;

	json_array_foreach (eb_json_arr(more, "manifests"), i, one) {
		const char *digest = eb_json_str(one, "digest");
		const char *type = eb_json_str(one, "artifactType");

		if (!digest || eb_referrers_has(index, digest))
			continue;
		if (!artifact_type ||
		    (type && strcmp(type, artifact_type) == 0))
			json_array_append(list, one);
	}
}

json_t *eb_referrers_parse(const struct eb_buf *text)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *json =
		eb_json_parse(text->data, text->len, "referrers", &err);

	eb_err_release(&err);
	return eb_json_arr(json, "manifests") ? eb_steal(json) : NULL;
}

bool eb_referrers_untrusted(const struct eb_repository *repo)
{
	return strcasecmp(eb_repository_host(repo), "docker.io") == 0;
}
