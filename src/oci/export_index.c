/* SPDX-License-Identifier: Apache-2.0 */
/* index.json of a layout, and what Docker wants beside it. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/str.h>

#include "export.h"

static json_t *own_entry(const struct eb_export *x, const char *name,
			 const char *value)
{
	json_t *entry = eb_descriptor_json(&x->self), *p = json_object();
	json_t *annotations = json_object();

	json_object_set_new(p, "architecture", json_string(x->platform.arch));
	json_object_set_new(p, "os", json_string(x->platform.os));
	if (*x->platform.variant)
		json_object_set_new(p, "variant",
				    json_string(x->platform.variant));
	json_object_set_new(entry, "platform", p);
	if (x->tag)
		json_object_set_new(annotations, EB_REF_NAME,
				    json_string(x->tag));
	if (name)
		json_object_set_new(annotations, name, json_string(value));
	if (json_object_size(annotations))
		json_object_set(entry, "annotations", annotations);
	json_decref(annotations);
	return entry;
}

/* Has our tag; or, without one, is our image without one. */
static bool is_replaced(const struct eb_export *x, const json_t *entry)
{
	const char *tag =
		eb_json_str(eb_json_obj(entry, "annotations"), EB_REF_NAME);
	const char *digest = eb_json_str(entry, "digest");
	char own[EB_DIGEST_TEXT];

	if (x->tag || tag)
		return x->tag && tag && strcmp(tag, x->tag) == 0;
	return digest &&
	       strcmp(digest, eb_digest_text(&x->self.digest, own)) == 0;
}

json_t *eb_export_index(const struct eb_export *x, const json_t *old)
{
	json_t *index = old ? json_copy((json_t *)old) : json_object();
	json_t *list = json_array(), *entry;
	size_t i;

	json_array_foreach (eb_json_arr(old, "manifests"), i, entry) {
		if (!is_replaced(x, entry))
			json_array_append(list, entry);
	}
	json_array_append_new(list, own_entry(x, NULL, NULL));
	json_object_set_new(index, "schemaVersion", json_integer(2));
	if (!old)
		json_object_set_new(index, "mediaType",
				    json_string(EB_MT_INDEX));
	json_object_set_new(index, "manifests", list);
	return index;
}

char *eb_export_docker_name(const struct eb_export *x)
{
	const char *slash;

	if (!x->tag)
		return NULL;
	slash = strrchr(x->tag, '/');
	if (strchr(slash ? slash : x->tag, ':'))
		return eb_strdup(x->tag);
	return eb_asprintf("%s:latest", x->tag);
}

static json_t *blob_path(const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];
	eb_autofree char *path =
		eb_asprintf("blobs/sha256/%s", eb_digest_hex(d, hex));

	return json_string(path);
}

void eb_export_docker_manifest(const struct eb_export *x, struct eb_buf *out)
{
	eb_autojson json_t *list = json_array();
	eb_autofree char *name = eb_export_docker_name(x);
	json_t *entry = json_object(), *tags = json_array();
	json_t *layers = json_array();
	size_t i;

	for (i = 0; i < x->image.n_layers; i++)
		json_array_append_new(layers,
				      blob_path(&x->image.layer[i].digest));
	if (name)
		json_array_append_new(tags, json_string(name));
	json_object_set_new(entry, "Config",
			    blob_path(&x->image.config.digest));
	json_object_set_new(entry, "RepoTags", tags);
	json_object_set_new(entry, "Layers", layers);
	json_array_append_new(list, entry);
	eb_json_canonical(list, out);
}

/* Here the tag is NAME:TAG; the layout's own name for it is TAG alone. */
void eb_export_docker_index(const struct eb_export *x, struct eb_buf *out)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autojson json_t *index = json_object();
	eb_autofree char *name = eb_export_docker_name(x), *full = NULL;
	struct eb_export own = *x;
	struct eb_reference r;
	json_t *list = json_array();

	own.tag = name ? strrchr(name, ':') + 1 : NULL;
	if (name && eb_reference_parse(name, &r, &err) == 0) {
		full = eb_reference_format(&r);
		eb_reference_release(&r);
	}
	eb_err_release(&err);
	json_array_append_new(
		list, own_entry(&own, full ? "io.containerd.image.name" : NULL,
				full));
	json_object_set_new(index, "schemaVersion", json_integer(2));
	json_object_set_new(index, "mediaType", json_string(EB_MT_INDEX));
	json_object_set_new(index, "manifests", list);
	eb_json_canonical(index, out);
}
