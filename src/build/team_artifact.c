/* SPDX-License-Identifier: Apache-2.0 */
/* Artifacts as text: written, and read with doubt. */
#include <string.h>

#include <envbuild/json.h>

#include "team_artifact.h"

#define MAX_BLOB ((uint64_t)1 << 40)
#define MAX_TYPE 255

void eb_artifact_release(struct eb_artifact *a)
{
	for (size_t i = 0; i < a->n; i++)
		eb_descriptor_release(&a->layer[i]);
	eb_strv_release(&a->notes);
	memset(a, 0, sizeof *a);
}

struct eb_descriptor *eb_artifact_add(struct eb_artifact *a,
				      const char *media_type,
				      const struct eb_digest *digest,
				      uint64_t size)
{
	struct eb_descriptor *d = &a->layer[a->n++];

	d->media_type = eb_strdup(media_type);
	d->digest = *digest;
	d->size = size;
	return d;
}

const struct eb_descriptor *eb_artifact_layer(const struct eb_artifact *a,
					      const char *media_type)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->layer[i].media_type, media_type))
			return &a->layer[i];
	return NULL;
}

void eb_artifact_note(struct eb_artifact *a, const char *name,
		      const char *value)
{
	if (!value)
		return;
	eb_strv_add(&a->notes, name);
	eb_strv_add(&a->notes, value);
}

const char *eb_artifact_noted(const struct eb_artifact *a, const char *name)
{
	for (size_t i = 0; i + 1 < a->notes.n; i += 2)
		if (!strcmp(a->notes.v[i], name))
			return a->notes.v[i + 1];
	return NULL;
}

const char *eb_artifact_annotation(const struct eb_descriptor *d,
				   const char *name)
{
	for (size_t i = 0; i + 1 < d->annotations.n; i += 2)
		if (!strcmp(d->annotations.v[i], name))
			return d->annotations.v[i + 1];
	return NULL;
}

/* --- writing ---------------------------------------------------------- */
static json_t *descriptor(const char *media_type,
			  const struct eb_digest *digest, uint64_t size)
{
	char text[EB_DIGEST_TEXT];

	return json_pack("{s:s,s:s,s:I}", "mediaType", media_type, "digest",
			 eb_digest_text(digest, text), "size",
			 (json_int_t)size);
}

static json_t *layer_json(const struct eb_descriptor *d)
{
	json_t *j = descriptor(d->media_type, &d->digest, d->size);
	json_t *notes;

	if (!d->annotations.n)
		return j;
	notes = json_object();
	for (size_t i = 0; i + 1 < d->annotations.n; i += 2)
		json_object_set_new(notes, d->annotations.v[i],
				    json_string(d->annotations.v[i + 1]));
	json_object_set_new(j, "annotations", notes);
	return j;
}

static json_t *notes_json(const struct eb_artifact *a)
{
	json_t *notes = json_object();
	char created[32];

	for (size_t i = 0; i + 1 < a->notes.n; i += 2)
		json_object_set_new(notes, a->notes.v[i],
				    json_string(a->notes.v[i + 1]));
	if (a->time)
		json_object_set_new(notes, EB_ANNOTATION_CREATED,
				    json_string(eb_rfc3339(a->time, created)));
	return notes;
}

void eb_artifact_format(const struct eb_artifact *a, const char *type,
			struct eb_buf *out)
{
	eb_autojson json_t *j =
		json_pack("{s:i,s:s,s:s}", "schemaVersion", 2, "mediaType",
			  EB_MT_MANIFEST, "artifactType", type);
	json_t *layers = json_array();
	struct eb_digest empty;

	eb_sha256("{}", 2, &empty);
	json_object_set_new(j, "config", descriptor(EB_MT_EMPTY, &empty, 2));
	for (size_t i = 0; i < a->n; i++)
		json_array_append_new(layers, layer_json(&a->layer[i]));
	json_object_set_new(j, "layers", layers);
	if (a->time || a->notes.n)
		json_object_set_new(j, "annotations", notes_json(a));
	eb_json_canonical(j, out);
}

/* --- reading ---------------------------------------------------------- */
static int damaged(const char *what, const char *how, struct eb_error *err)
{
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", reading it as an artifact: %s", what, how);
}

/* "....v2" where we know "....v1" */
static bool is_newer(const char *is, const char *known)
{
	size_t n = strlen(known);
	uint64_t version;

	while (n && known[n - 1] != 'v')
		n--;
	return n && !strncmp(is, known, n) &&
	       eb_parse_u64(is + n, UINT32_MAX, &version) == 0 &&
	       version > strtoull(known + n, NULL, 10);
}

static int check_type(const json_t *j, const char *what, const char *type,
		      struct eb_error *err)
{
	const char *media_type = eb_json_str(j, "mediaType");
	const char *is = eb_json_str(j, "artifactType");

	if (eb_json_int(j, "schemaVersion", 0) != 2 ||
	    (media_type && strcmp(media_type, EB_MT_MANIFEST)))
		return damaged(what, "it is no image manifest", err);
	if (!is) /* what knows no artifactType says it here */
		is = eb_json_str(json_object_get(j, "config"), "mediaType");
	if (is && !strcmp(is, type))
		return 0;
	if (!is || !is_newer(is, type))
		return damaged(what, "it is one of another kind", err);
	eb_err_set(err, EB_MACHINE,
		   "\"%s\" is an artifact of a newer format, \"%.100s\"", what,
		   is);
	return eb_err_hint(err, "use a newer envbuild than " EB_VERSION);
}

static int take_annotations(const json_t *j, struct eb_descriptor *d)
{
	const json_t *notes = json_object_get(j, "annotations");
	const char *name;
	json_t *value;

	if (!notes || json_is_null(notes))
		return 0;
	if (!json_is_object(notes))
		return -1;
	json_object_foreach ((json_t *)notes, name, value) {
		if (!json_is_string(value))
			return -1;
		eb_descriptor_annotate(d, name, json_string_value(value));
	}
	return 0;
}

static int take_layer(const json_t *j, struct eb_artifact *out)
{
	const char *type = eb_json_str(j, "mediaType");
	const char *text = eb_json_str(j, "digest");
	json_int_t size = eb_json_int(j, "size", -1);
	struct eb_digest digest;

	if (!type || strlen(type) > MAX_TYPE || !text ||
	    !eb_starts(text, "sha256:") || eb_digest_parse(text, &digest) < 0 ||
	    size < 0 || (uint64_t)size > MAX_BLOB)
		return -1;
	return take_annotations(
		j, eb_artifact_add(out, type, &digest, (uint64_t)size));
}

static int take_layers(const json_t *j, const char *what,
		       struct eb_artifact *out, struct eb_error *err)
{
	const json_t *layers = eb_json_arr(j, "layers");
	json_t *layer;
	size_t i;

	if (!layers || json_array_size(layers) > EB_ARTIFACT_LAYERS)
		return damaged(what, "it has no layers, or too many", err);
	json_array_foreach (layers, i, layer) {
		if (take_layer(layer, out) < 0)
			return damaged(what, "one of its layers is none", err);
	}
	return 0;
}

static void take_time(const json_t *j, struct eb_artifact *out)
{
	const char *text = eb_json_str(json_object_get(j, "annotations"),
				       EB_ANNOTATION_CREATED);
	int64_t ms;

	if (text && eb_date_parse(text, &ms) == 0 && ms > 0)
		out->time = ms / 1000;
}

static void take_notes(const json_t *j, struct eb_artifact *out)
{
	json_t *notes = json_object_get(j, "annotations");
	const char *name;
	json_t *value;

	json_object_foreach (notes, name, value) {
		if (out->notes.n / 2 < EB_ARTIFACT_NOTES &&
		    strcmp(name, EB_ANNOTATION_CREATED))
			eb_artifact_note(out, name, json_string_value(value));
	}
}

int eb_artifact_parse(const char *text, size_t len, const char *what,
		      const char *type, struct eb_artifact *out,
		      struct eb_error *err)
{
	struct eb_error why = EB_ERROR_INIT;
	eb_autojson json_t *j = eb_json_parse(text, len, what, &why);

	memset(out, 0, sizeof *out);
	eb_err_release(&why);
	if (!j || !json_is_object(j))
		return damaged(what, "it is no JSON object", err);
	if (check_type(j, what, type, err) < 0)
		return -1;
	if (take_layers(j, what, out, err) < 0) {
		eb_artifact_release(out);
		return -1;
	}
	take_time(j, out);
	take_notes(j, out);
	eb_sha256(text, len, &out->digest);
	return 0;
}
