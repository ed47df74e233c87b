/* SPDX-License-Identifier: Apache-2.0 */
/* The blobs that a manifest names; several at once. */
#include <string.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/pool.h>
#include <envbuild/str.h>

#include "image_blobs.h"

#define MAX_BLOBS 4096
#define MAX_BLOB_SIZE ((json_int_t)1 << 40)

void eb_blob_refs_release(struct eb_blob_refs *r)
{
	free(r->v);
	memset(r, 0, sizeof *r);
}

void eb_blob_refs_add(struct eb_blob_refs *r, const struct eb_digest *d,
		      uint64_t size)
{
	for (size_t i = 0; i < r->n; i++)
		if (eb_digest_equal(&r->v[i].digest, d))
			return;
	EB_GROW(r->v, r->n, r->alloc);
	r->v[r->n++] = (struct eb_blob_ref){ *d, size };
}

/* Not to be had from a registry, nor to be sent to one. */
static int check_type(const char *type, const char *what, struct eb_error *err)
{
	if (!strstr(type, ".nondistributable.") &&
	    !strstr(type, ".rootfs.foreign."))
		return 0;
	eb_err_set(err, EB_INPUT,
		   "\"%s\" has a layer that may not be distributed (\"%s\")",
		   what, type);
	return eb_err_hint(err, "its maker alone may hand out such layers; "
				"choose an image without them");
}

static int add_descriptor(struct eb_blob_refs *out, const json_t *json,
			  const char *what, struct eb_error *err)
{
	const char *type = eb_json_need_str(json, "mediaType", what, err);
	const char *digest =
		type ? eb_json_need_str(json, "digest", what, err) : NULL;
	json_int_t size = eb_json_int(json, "size", -1);
	struct eb_digest d;

	if (!digest || check_type(type, what, err) < 0)
		return -1;
	if (!eb_starts(digest, "sha256:") || eb_digest_parse(digest, &d) < 0)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": \"%s\" is not a sha256 digest", what,
				  digest);
	if (size < 0 || size > MAX_BLOB_SIZE)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\": blob \"%s\" has no size, or one "
				  "that is out of range",
				  what, digest);
	eb_blob_refs_add(out, &d, (uint64_t)size);
	return 0;
}

static int add_layers(struct eb_blob_refs *out, const json_t *manifest,
		      const char *what, struct eb_error *err)
{
	const json_t *layers = eb_json_arr(manifest, "layers");
	json_t *layer;
	size_t i;

	if (json_array_size(layers) > MAX_BLOBS)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has more than %d layers", what,
				  MAX_BLOBS);
	json_array_foreach (layers, i, layer) {
		if (add_descriptor(out, layer, what, err) < 0)
			return -1;
	}
	return 0;
}

int eb_blob_refs_parse(const char *text, size_t len, const char *what,
		       struct eb_blob_refs *out, char media_type[128],
		       struct eb_error *err)
{
	eb_autojson json_t *json = eb_json_parse(text, len, what, err);
	const char *type = eb_json_str(json, "mediaType");

	if (!json)
		return -1;
	if (!type)
		type = EB_MT_MANIFEST;
	if (eb_json_int(json, "schemaVersion", 0) != 2 ||
	    !eb_json_arr(json, "layers") || strlen(type) >= 128)
		return eb_err_set(err, EB_INPUT, "\"%s\" is not a manifest",
				  what);
	strcpy(media_type, type);
	if (add_layers(out, json, what, err) < 0)
		return -1;
	return add_descriptor(out, json_object_get(json, "config"), what, err);
}

int eb_stored_image_read(struct eb_store *store, const struct eb_digest *digest,
			 struct eb_stored_image *out, struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];

	memset(out, 0, sizeof *out);
	eb_buf_init(&out->text, EB_MAX_MANIFEST);
	out->digest = *digest;
	if (eb_store_read(store, digest, EB_MAX_MANIFEST, &out->text, err) ==
		    0 &&
	    eb_blob_refs_parse(out->text.data, out->text.len,
			       eb_digest_text(digest, name), &out->blobs,
			       out->media_type, err) == 0)
		return 0;
	eb_stored_image_release(out);
	return -1;
}

void eb_stored_image_release(struct eb_stored_image *image)
{
	eb_buf_release(&image->text);
	eb_blob_refs_release(&image->blobs);
}

struct job {
	eb_blob_ref_fn *fn;
	void *data;
	const struct eb_blob_ref *blob;
};

static int run_job(void *arg, struct eb_error *err)
{
	const struct job *job = arg;

	return job->fn(job->data, job->blob, err);
}

int eb_blob_refs_each(const struct eb_blob_refs *r, eb_blob_ref_fn *fn,
		      void *data, struct eb_error *err)
{
	eb_autofree struct job *job = NULL;
	struct eb_pool *pool;
	int rc;

	if (r->n < 2)
		return r->n ? fn(data, r->v, err) : 0;
	job = eb_calloc(r->n, sizeof *job);
	pool = eb_pool_new(r->n < EB_AT_ONCE ? (unsigned)r->n : EB_AT_ONCE);
	for (size_t i = 0; i < r->n; i++) {
		job[i] = (struct job){ fn, data, &r->v[i] };
		eb_pool_submit(pool, run_job, &job[i]);
	}
	rc = eb_pool_wait(pool, err);
	eb_pool_free(pool);
	return rc;
}
