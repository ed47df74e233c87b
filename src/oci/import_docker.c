/* SPDX-License-Identifier: Apache-2.0 */
/* What `docker save` writes: manifest.json names a configuration and layers
 * for each image. */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/str.h>

#include "descriptor.h"
#include "import.h"

/* Names are compared with Docker's defaults filled in, and ":latest". */
static char *full_name(const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_reference r;
	char *full;

	if (eb_reference_parse(text, &r, &err) < 0) {
		eb_err_release(&err);
		return NULL;
	}
	if (!r.tag && r.kind == EB_REF_REGISTRY)
		r.tag = eb_strdup("latest");
	full = eb_reference_format(&r);
	eb_reference_release(&r);
	return full;
}

static bool is_called(const json_t *entry, const char *tag)
{
	eb_autofree char *want = full_name(tag);
	json_t *value;
	size_t i;

	json_array_foreach (eb_json_arr(entry, "RepoTags"), i, value) {
		const char *text = json_string_value(value);
		eb_autofree char *have = text ? full_name(text) : NULL;

		if (have && want && strcmp(have, want) == 0)
			return true;
	}
	return false;
}

static char *names(const json_t *list)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);
	json_t *entry, *value;
	size_t i, k;

	json_array_foreach (list, i, entry) {
		json_array_foreach (eb_json_arr(entry, "RepoTags"), k, value) {
			if (json_is_string(value) && text.len < 1024)
				eb_buf_addf(&text, "%s%s", text.len ? ", " : "",
					    json_string_value(value));
		}
	}
	return eb_buf_steal(&text, NULL);
}

static const json_t *pick(const json_t *list, const struct eb_reference *ref,
			  struct eb_error *err)
{
	eb_autofree char *have = NULL;
	json_t *entry;
	size_t i;

	json_array_foreach (list, i, entry) {
		if (ref->tag ? is_called(entry, ref->tag)
			     : json_array_size(list) == 1)
			return entry;
	}
	have = names(list);
	if (ref->tag)
		eb_err_set(err, EB_INPUT, "\"%s\" has no image \"%s\"",
			   ref->path, ref->tag);
	else
		eb_err_set(err, EB_INPUT, "\"%s\" has %s", ref->path,
			   json_array_size(list) ? "several images"
						 : "no image");
	if (*have)
		eb_err_hint(err, "name one, \"docker-archive:%s:NAME:TAG\": %s",
			    ref->path, have);
	return NULL;
}

static int take_layer(struct eb_import *im, const struct eb_source *s,
		      const json_t *member, size_t i, struct eb_error *err)
{
	const char *text = json_string_value(member);
	eb_autofree char *name = eb_path_join(s->name, text ? text : "?");
	struct eb_piece piece = EB_PIECE_INIT;
	struct eb_digest diff_id;
	int got = text ? eb_source_find(s, text, &piece, err) : 0;

	if (got == 0)
		return eb_err_set(err, EB_INPUT, "\"%s\" is not there", name);
	if (got > 0)
		got = eb_import_layer(im, &piece, name, &im->diff_id[i],
				      &diff_id, err);
	eb_piece_release(&piece);
	eb_detail(im->events, "base layer %zu of %zu: %s", i + 1, im->n, name);
	return got < 0 ? -1 : 0;
}

static int take_layers(struct eb_import *im, const struct eb_source *s,
		       const json_t *list, struct eb_error *err)
{
	json_t *value;
	size_t i;

	json_array_foreach (list, i, value) {
		if (take_layer(im, s, value, i, err) < 0)
			return -1;
	}
	return 0;
}

static int take_image(struct eb_import *im, const struct eb_source *s,
		      const json_t *entry, struct eb_digest *manifest,
		      struct eb_digest *digest, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	const char *config = eb_json_need_str(entry, "Config", s->name, err);
	const json_t *layers = eb_json_arr(entry, "Layers");

	if (!config ||
	    eb_source_read(s, config, EB_MAX_MANIFEST, &text, err) < 0 ||
	    eb_import_config(im, text.data, text.len, s->name,
			     json_array_size(layers), err) < 0 ||
	    take_layers(im, s, layers, err) < 0)
		return -1;
	return eb_import_finish(im, text.data, text.len, manifest, digest, err);
}

int eb_import_docker(struct eb_import *im, const struct eb_source *s,
		     struct eb_digest *manifest, struct eb_digest *digest,
		     struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	eb_autojson json_t *list = NULL;
	const json_t *entry;

	if (eb_source_read(s, "manifest.json", EB_MAX_MANIFEST, &text, err) <
	    0) {
		if (err->code == EB_INPUT && !err->hint)
			eb_err_hint(err, "an archive of \"docker save\" has "
					 "this file");
		return -1;
	}
	list = eb_json_parse(text.data, text.len, s->name, err);
	if (!list)
		return -1;
	entry = pick(list, im->ref, err);
	return entry ? take_image(im, s, entry, manifest, digest, err) : -1;
}
