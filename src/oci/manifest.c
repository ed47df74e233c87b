/* SPDX-License-Identifier: Apache-2.0 */
/* Image manifests (image-spec manifest.md). */
#include <inttypes.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "descriptor.h"

#define MAX_LAYERS 4096

static int check_head(const json_t *json, const char *what,
		      struct eb_error *err)
{
	const char *type = eb_json_str(json, "mediaType");

	if (eb_json_int(json, "schemaVersion", 0) != 2)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is not an image manifest: its "
				  "schemaVersion is not 2",
				  what);
	if (type && strcmp(eb_media_type_oci(type), EB_MT_MANIFEST) != 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is not an image manifest but \"%s\"",
				  what, type);
	return 0;
}

static int parse_config(const json_t *json, const char *what,
			struct eb_manifest *out, struct eb_error *err)
{
	if (eb_descriptor_parse(json_object_get(json, "config"), what, "config",
				&out->config, err) < 0)
		return -1;
	if (strcmp(out->config.media_type, EB_MT_CONFIG) != 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" is not an image: its configuration "
				  "is \"%s\"",
				  what, out->config.media_type);
	return 0;
}

static int parse_layer(const json_t *json, size_t i, const char *what,
		       struct eb_manifest *out, struct eb_error *err)
{
	eb_autofree char *key = eb_asprintf("layers[%zu]", i);
	struct eb_descriptor *d = &out->layer[i];

	if (eb_descriptor_parse(json, what, key, d, err) < 0)
		return -1;
	out->n_layers++;
	if (!eb_media_type_is_layer(d->media_type))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading \"%s\": \"%s\" is not a "
				  "layer",
				  what, key, d->media_type);
	return 0;
}

static int parse_layers(const json_t *json, const char *what,
			struct eb_manifest *out, struct eb_error *err)
{
	const json_t *layers = eb_json_arr(json, "layers");
	json_t *value;
	size_t i;

	if (!layers)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading \"layers\": is no list",
				  what);
	if (json_array_size(layers) > MAX_LAYERS)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has %zu layers, where at most %d are "
				  "allowed",
				  what, json_array_size(layers), MAX_LAYERS);
	out->layer = eb_calloc(json_array_size(layers), sizeof *out->layer);
	json_array_foreach (layers, i, value) {
		if (parse_layer(value, i, what, out, err) < 0)
			return -1;
	}
	return 0;
}

int eb_manifest_parse(const char *text, size_t len, const char *what,
		      struct eb_manifest *out, struct eb_error *err)
{
	eb_autojson json_t *json = eb_json_parse(text, len, what, err);

	memset(out, 0, sizeof *out);
	if (!json)
		return -1;
	if (check_head(json, what, err) == 0 &&
	    parse_config(json, what, out, err) == 0 &&
	    parse_layers(json, what, out, err) == 0 &&
	    eb_annotations_parse(json_object_get(json, "annotations"), what,
				 &out->annotations, err) == 0)
		return 0;
	eb_manifest_release(out);
	return -1;
}

void eb_manifest_format(const struct eb_manifest *m, struct eb_buf *out)
{
	eb_autojson json_t *json = json_object();
	json_t *layers = json_array();
	size_t i;

	for (i = 0; i < m->n_layers; i++)
		json_array_append_new(layers, eb_descriptor_json(&m->layer[i]));
	json_object_set_new(json, "schemaVersion", json_integer(2));
	json_object_set_new(json, "mediaType", json_string(EB_MT_MANIFEST));
	json_object_set_new(json, "config", eb_descriptor_json(&m->config));
	json_object_set_new(json, "layers", layers);
	if (m->annotations.n)
		json_object_set_new(json, "annotations",
				    eb_annotations_json(&m->annotations));
	eb_json_canonical(json, out);
}

void eb_manifest_release(struct eb_manifest *m)
{
	size_t i;

	eb_descriptor_release(&m->config);
	for (i = 0; i < m->n_layers; i++)
		eb_descriptor_release(&m->layer[i]);
	free(m->layer);
	eb_strv_release(&m->annotations);
	memset(m, 0, sizeof *m);
}

struct eb_descriptor *eb_manifest_add_layer(struct eb_manifest *m,
					    const char *media_type,
					    const struct eb_digest *digest,
					    uint64_t size)
{
	struct eb_descriptor *d;

	m->layer = eb_realloc(m->layer, m->n_layers + 1, sizeof *m->layer);
	d = &m->layer[m->n_layers++];
	*d = (struct eb_descriptor){ .media_type = eb_strdup(media_type),
				     .digest = *digest,
				     .size = size };
	return d;
}
