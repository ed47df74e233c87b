/* SPDX-License-Identifier: Apache-2.0 */
/* layer-: one own layer, by its key. The path list's first line tells all that
 * there is to know of it. */
#include <string.h>

#include "team_artifact.h"

static const char *layer_type(const char *compressor)
{
	return eb_starts(compressor, "zstd") ? EB_MT_LAYER_ZSTD
					     : EB_MT_LAYER_GZIP;
}

/* Is it of this compressor, as far as it says? */
static const struct eb_descriptor *find_layer(const struct eb_artifact *a,
					      const char *compressor)
{
	const struct eb_descriptor *d =
		eb_artifact_layer(a, layer_type(compressor));
	const char *by =
		d ? eb_artifact_annotation(d, EB_ANNOTATION_COMPRESSOR) : NULL;

	return by && !strcmp(by, compressor) ? d : NULL;
}

static int take(const char *tag, const struct eb_digest *key,
		const struct eb_descriptor *layer, const struct eb_buf *paths,
		struct eb_known *out, struct eb_error *err)
{
	struct eb_item item;

	if (eb_store_item_parse(paths->data, paths->len, &item) < 0 ||
	    item.kind != EB_ITEM_LAYER || !eb_digest_equal(&item.key, key) ||
	    !eb_digest_equal(&item.blob, &layer->digest) ||
	    item.size != layer->size)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\", looking at its path list: it is "
				  "that of another layer",
				  tag);
	eb_sha256(paths->data, paths->len, &item.paths);
	return eb_known_add(out, &item, &item.blob, item.size, 0, paths->data,
			    paths->len, err);
}

int eb_team_get_layer(struct eb_team *t, const struct eb_digest *key,
		      const char *compressor, struct eb_known *out,
		      struct eb_error *err)
{
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LAYER, key, NULL);
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	EB_AUTOBUF(paths, EB_MAX_PATHS);
	const struct eb_descriptor *layer;
	int rc = eb_artifact_get(t, tag, EB_MT_LAYER, &a, err);

	if (rc <= 0)
		return rc;
	layer = find_layer(&a, compressor);
	if (!layer)
		return 0;
	if (eb_artifact_unpack(t, &a, tag, EB_MT_PATHS, EB_MAX_PATHS, &paths,
			       err) < 0 ||
	    take(tag, key, layer, &paths, out, err) < 0)
		return -1;
	return 1;
}

static void describe(struct eb_artifact *a, const struct eb_item *item,
		     const struct eb_buf *paths)
{
	struct eb_descriptor *d = eb_artifact_add(
		a, layer_type(item->compressor), &item->blob, item->size);
	char hex[EB_HEX_SIZE];
	struct eb_digest digest;

	eb_descriptor_annotate(d, EB_ANNOTATION_KEY,
			       eb_digest_hex(&item->key, hex));
	eb_descriptor_annotate(d, EB_ANNOTATION_COMPRESSOR, item->compressor);
	eb_sha256(paths->data, paths->len, &digest);
	eb_artifact_add(a, EB_MT_PATHS, &digest, paths->len);
}

int eb_team_put_layer(struct eb_team *t, struct eb_push *push, bool fresh,
		      const struct eb_known_item *layer, const char *paths,
		      struct eb_error *err)
{
	eb_autofree char *tag =
		eb_team_tag_of(EB_TAG_LAYER, &layer->item.key, NULL);
	EB_CLEANUP(eb_artifact_release) struct eb_artifact a = { 0 };
	struct eb_artifact_data data[EB_ARTIFACT_LAYERS] = { 0 };
	EB_AUTOBUF(packed, EB_MAX_PATHS);
	struct eb_remote remote;
	int there = fresh ? 0 : eb_manifest_head(t->repo, tag, &remote, err);

	if (there)
		return there < 0 ? -1 : 0;
	eb_team_zstd(paths, layer->paths_size, &packed);
	if (packed.overflow)
		return eb_err_set(err, EB_INPUT,
				  "the path list of a layer is too long");
	describe(&a, &layer->item, &packed);
	data[1] = (struct eb_artifact_data){ packed.data, packed.len };
	if (eb_push_now(push, &a.layer[1].digest, packed.data, packed.len,
			err) < 0)
		return -1;
	return eb_artifact_point(t, tag, EB_MT_LAYER, &a, data, err);
}
