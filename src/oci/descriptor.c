/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors and their media types and annotations. */
#include <inttypes.h>
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "descriptor.h"

static const struct {
	const char *docker, *oci;
} types[] = {
	{ "application/vnd.docker.distribution.manifest.v2+json",
	  EB_MT_MANIFEST },
	{ "application/vnd.docker.distribution.manifest.list.v2+json",
	  EB_MT_INDEX },
	{ "application/vnd.docker.container.image.v1+json", EB_MT_CONFIG },
	{ "application/vnd.docker.image.rootfs.diff.tar", EB_MT_LAYER_TAR },
	{ "application/vnd.docker.image.rootfs.diff.tar.gzip",
	  EB_MT_LAYER_GZIP },
	{ "application/vnd.docker.image.rootfs.diff.tar.zstd",
	  EB_MT_LAYER_ZSTD },
	{ "application/vnd.docker.image.rootfs.foreign.diff.tar",
	  "application/vnd.oci.image.layer.nondistributable.v1.tar" },
	{ "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
	  "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip" },
};

const char *eb_media_type_oci(const char *type)
{
	size_t i;

	for (i = 0; i < sizeof types / sizeof *types; i++) {
		if (strcmp(type, types[i].docker) == 0)
			return types[i].oci;
	}
	return type;
}

bool eb_media_type_is_layer(const char *type)
{
	static const char *const stems[] = {
		EB_MT_LAYER_TAR,
		"application/vnd.oci.image.layer.nondistributable.v1.tar",
	};
	size_t i;

	for (i = 0; i < sizeof stems / sizeof *stems; i++) {
		const char *rest = type + strlen(stems[i]);

		if (eb_starts(type, stems[i]) &&
		    (!*rest || !strcmp(rest, "+gzip") ||
		     !strcmp(rest, "+zstd")))
			return true;
	}
	return false;
}

bool eb_media_type_is_image(const char *type)
{
	type = eb_media_type_oci(type);
	return strcmp(type, EB_MT_MANIFEST) == 0 ||
	       strcmp(type, EB_MT_INDEX) == 0;
}

struct pair {
	const char *name, *value;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pair *)a)->name,
		      ((const struct pair *)b)->name);
}

int eb_annotations_parse(const json_t *json, const char *what,
			 struct eb_strv *out, struct eb_error *err)
{
	eb_autofree struct pair *pair = NULL;
	const char *key;
	json_t *value;
	size_t i, n = 0;

	if (!json || json_is_null(json))
		return 0;
	if (!json_is_object(json))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading \"annotations\": is no "
				  "object",
				  what);
	pair = eb_calloc(json_object_size(json), sizeof *pair);
	json_object_foreach ((json_t *)json, key, value) {
		if (!json_is_string(value))
			return eb_err_set(err, EB_INPUT,
					  "\"%s\", reading the annotation "
					  "\"%s\": is no text",
					  what, key);
		pair[n++] = (struct pair){ key, json_string_value(value) };
	}
	qsort(pair, n, sizeof *pair, by_name);
	for (i = 0; i < n; i++) {
		eb_strv_add(out, pair[i].name);
		eb_strv_add(out, pair[i].value);
	}
	return 0;
}

json_t *eb_annotations_json(const struct eb_strv *annotations)
{
	json_t *object = json_object();
	size_t i;

	for (i = 0; i + 1 < annotations->n; i += 2)
		json_object_set_new(object, annotations->v[i],
				    json_string(annotations->v[i + 1]));
	return object;
}

static int parse_members(const json_t *json, const char *what, const char *key,
			 struct eb_descriptor *out, struct eb_error *err)
{
	const char *type = eb_json_need_str(json, "mediaType", what, err);
	const char *digest =
		type ? eb_json_need_str(json, "digest", what, err) : NULL;
	json_int_t size = eb_json_int(json, "size", -1);

	if (!digest)
		return eb_err_prefix(err, "%s", key);
	if (!eb_starts(digest, "sha256:") ||
	    eb_digest_parse(digest, &out->digest) < 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading \"%s\": \"%s\" is not a "
				  "sha256 digest",
				  what, key, digest);
	if (size < 0 || (uint64_t)size > EB_MAX_BLOB)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading \"%s\": no size, or one "
				  "that is out of range",
				  what, key);
	out->size = (uint64_t)size;
	out->media_type = eb_strdup(eb_media_type_oci(type));
	return eb_annotations_parse(json_object_get(json, "annotations"), what,
				    &out->annotations, err);
}

int eb_descriptor_parse(const json_t *json, const char *what, const char *key,
			struct eb_descriptor *out, struct eb_error *err)
{
	if (!json_is_object(json))
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", reading \"%s\": no descriptor there",
				  what, key);
	if (parse_members(json, what, key, out, err) == 0)
		return 0;
	eb_descriptor_release(out);
	return -1;
}

json_t *eb_descriptor_json(const struct eb_descriptor *d)
{
	char digest[EB_DIGEST_TEXT];
	json_t *object = json_object();

	json_object_set_new(object, "mediaType", json_string(d->media_type));
	json_object_set_new(object, "digest",
			    json_string(eb_digest_text(&d->digest, digest)));
	json_object_set_new(object, "size", json_integer((json_int_t)d->size));
	if (d->annotations.n)
		json_object_set_new(object, "annotations",
				    eb_annotations_json(&d->annotations));
	return object;
}

const char *eb_descriptor_annotation(const struct eb_descriptor *d,
				     const char *name)
{
	size_t i;

	for (i = 0; i + 1 < d->annotations.n; i += 2) {
		if (strcmp(d->annotations.v[i], name) == 0)
			return d->annotations.v[i + 1];
	}
	return NULL;
}

/* Where `name` stands, or belongs. */
static size_t place(const struct eb_strv *a, const char *name)
{
	size_t i = 0;

	while (i + 1 < a->n && strcmp(a->v[i], name) < 0)
		i += 2;
	return i;
}

void eb_descriptor_annotate(struct eb_descriptor *d, const char *name,
			    const char *value)
{
	struct eb_strv *a = &d->annotations;
	size_t at = place(a, name);

	if (at < a->n && strcmp(a->v[at], name) == 0) {
		free(a->v[at + 1]);
		a->v[at + 1] = eb_strdup(value);
		return;
	}
	eb_strv_add(a, name);
	eb_strv_add(a, value);
	if (at + 2 < a->n) {
		char *pair[2] = { a->v[a->n - 2], a->v[a->n - 1] };

		memmove(a->v + at + 2, a->v + at,
			(a->n - 2 - at) * sizeof *a->v);
		memcpy(a->v + at, pair, sizeof pair);
	}
}

void eb_descriptor_release(struct eb_descriptor *d)
{
	free(d->media_type);
	eb_strv_release(&d->annotations);
	memset(d, 0, sizeof *d);
}
