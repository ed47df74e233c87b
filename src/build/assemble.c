/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration and manifest: the base's layers, then ours. */
#include <string.h>
#include <time.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/transfer.h>

#include "build_private.h"

#define LABEL_LOCK "dev.envbuild.lock"
#define LAYER_KEY "dev.envbuild.layer-key"
#define STEP_KEY "dev.envbuild.step-key"
#define TEXT_FACT "image-text" /* digest -> that blob */

struct assembly {
	struct eb_build *build;
	json_t *config;
	struct eb_manifest manifest;
	size_t n_base; /* of its layers */
	char created[32];
};

static void add_layer(struct assembly *a, const struct eb_item *item,
		      const char *by)
{
	struct eb_descriptor *d = eb_manifest_add_layer(
		&a->manifest, eb_compressor_media_type(&a->build->compressor),
		&item->blob, item->size);
	char hex[EB_HEX_SIZE];

	eb_descriptor_annotate(d, LAYER_KEY, eb_digest_hex(&item->key, hex));
	eb_config_add_layer(a->config, &item->plain, a->created, by);
}

static void add_base(struct assembly *a)
{
	const struct eb_base *base = a->build->base;

	for (size_t i = 0; i < base->n_layers; i++) {
		const struct eb_descriptor *d = &base->image.layer[i];

		eb_manifest_add_layer(&a->manifest, d->media_type, &d->digest,
				      d->size);
	}
	a->n_base = base->n_layers;
	eb_config_fix_history(a->config, a->created);
}

/* Taken as it is, like the base's. */
static void add_step(struct assembly *a, const struct eb_digest *key,
		     const struct eb_digest *blob, uint64_t size,
		     const struct eb_digest *diff_id, const char *by)
{
	struct eb_descriptor *d = eb_manifest_add_layer(
		&a->manifest, EB_MT_LAYER_GZIP, blob, size);
	char hex[EB_HEX_SIZE];

	eb_descriptor_annotate(d, STEP_KEY, eb_digest_hex(key, hex));
	eb_config_add_layer(a->config, diff_id, a->created, by);
}

static void add_apt(struct assembly *a)
{
	const struct eb_apt_layer *apt = &a->build->apt;

	if (a->build->lock->apt.n)
		add_step(a, &apt->key, &apt->blob, apt->size, &apt->diff_id,
			 "envbuild system packages");
}

static void add_post_link(struct assembly *a)
{
	const struct eb_post_link *p = &a->build->post_link;

	if (p->size)
		add_step(a, &p->key, &p->blob, p->size, &p->diff_id,
			 "envbuild post-link scripts");
}

static void add_layers(struct assembly *a)
{
	struct eb_build *b = a->build;

	for (size_t i = 0; i < b->plan.n_own; i++) {
		const struct eb_work *w = &b->work[b->plan.own[i]];
		eb_autofree char *by =
			eb_asprintf("envbuild package %s", w->file);

		add_layer(a, &w->payload, by);
	}
	for (size_t i = 0; i < b->plan.n_buckets; i++) {
		eb_autofree char *by =
			eb_asprintf("envbuild bucket %u", b->plan.bucket[i]);

		add_layer(a, &b->bucket[i], by);
	}
	add_post_link(a);
	add_layer(a, &b->environment, "envbuild environment");
}

/* --- writing -----------------------------------------------------------------
 */
static json_t *start_config(struct assembly *a)
{
	json_t *config = json_deep_copy(a->build->base->config);

	json_object_set(config, "config", a->build->lock->config);
	a->config = json_deep_copy(config); /* the lock's is not ours to edit */
	json_decref(config);
	json_object_set_new(a->config, "created", json_string(a->created));
	return a->config;
}

static int put_config(struct assembly *a, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	struct eb_descriptor *d = &a->manifest.config;

	eb_config_format(a->config, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "the image configuration is larger than the "
				  "4 MiB that registries take");
	d->media_type = eb_strdup(EB_MT_CONFIG);
	d->size = text.len;
	if (eb_store_put(a->build->store, text.data, text.len, &d->digest,
			 err) < 0)
		return -1;
	if (a->build->push)
		eb_push_fresh(a->build->push, &d->digest, NULL, d->size,
			      "configuration");
	return 0;
}

/* Layers that the store has. The base's may lie in a registry; of ours all are
 * here, or 0. */
static int find_layers(const struct assembly *a, struct eb_digest *out,
		       size_t *n, struct eb_error *err)
{
	for (size_t i = 0; i < a->manifest.n_layers; i++) {
		const struct eb_digest *d = &a->manifest.layer[i].digest;
		int here = eb_store_has(a->build->store, d, err);

		if (here < 0 || (here == 0 && i >= a->n_base))
			return here;
		if (here)
			out[(*n)++] = *d;
	}
	return 1;
}

/* No row, for there is no image here: its texts alone are kept. */
static int keep_texts(const struct assembly *a,
		      const struct eb_digest *manifest, struct eb_error *err)
{
	const struct eb_digest *text[] = { manifest,
					   &a->manifest.config.digest };
	char key[EB_DIGEST_TEXT];

	for (size_t i = 0; i < 2; i++)
		if (eb_store_put_fact(a->build->store, TEXT_FACT,
				      eb_digest_text(text[i], key), "", text[i],
				      err) < 0)
			return -1;
	return 0;
}

static int put_image(struct assembly *a, const struct eb_digest *lock,
		     const struct eb_digest *manifest, uint64_t manifest_size,
		     struct eb_error *err)
{
	eb_autofree struct eb_digest *blobs =
		eb_calloc(a->manifest.n_layers + 2, sizeof *blobs);
	size_t n = 0;
	struct eb_image_row row = { .lock = *lock,
				    .manifest = *manifest,
				    .config = a->manifest.config.digest,
				    .size = manifest_size +
					    a->manifest.config.size,
				    .time = time(NULL) };

	int here = find_layers(a, blobs, &n, err);

	if (here <= 0)
		return here < 0 ? -1 : keep_texts(a, manifest, err);
	snprintf(row.compressor, sizeof row.compressor, "%s",
		 a->build->compressor.id);
	for (size_t i = 0; i < a->manifest.n_layers; i++)
		row.size += a->manifest.layer[i].size;
	blobs[n] = *manifest;
	blobs[n + 1] = a->manifest.config.digest;
	return eb_store_put_image(a->build->store, &row, blobs, n + 2, err);
}

static int put_manifest(struct assembly *a, const struct eb_digest *lock,
			struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	struct eb_built *built = a->build->built;
	char label[EB_DIGEST_TEXT];

	eb_strv_add(&a->manifest.annotations, LABEL_LOCK);
	eb_strv_add(&a->manifest.annotations, eb_digest_text(lock, label));
	eb_strv_add(&a->manifest.annotations,
		    "org.opencontainers.image.created");
	eb_strv_add(&a->manifest.annotations, a->created);
	eb_manifest_format(&a->manifest, &text);
	if (eb_store_put(a->build->store, text.data, text.len, &built->manifest,
			 err) < 0)
		return -1;
	built->config = a->manifest.config.digest;
	built->layers = (unsigned)a->manifest.n_layers;
	return put_image(a, lock, &built->manifest, text.len, err);
}

static int assemble(struct assembly *a, struct eb_error *err)
{
	struct eb_digest lock;
	char label[EB_DIGEST_TEXT];

	start_config(a);
	eb_lock_hash(a->build->lock, &lock);
	eb_config_set_label(a->config, LABEL_LOCK,
			    eb_digest_text(&lock, label));
	if (eb_add_env_vars(a->build, a->config, err) < 0)
		return -1;
	eb_activation_apply(a->build->activation, a->config);
	eb_naming_set_env(a->build->lock, &lock, a->config);
	add_base(a);
	add_apt(a);
	add_layers(a);
	if (put_config(a, err) < 0)
		return -1;
	return put_manifest(a, &lock, err);
}

int eb_build_assemble(struct eb_build *b, struct eb_error *err)
{
	struct assembly a = { .build = b };
	int rc;

	eb_rfc3339(eb_lock_created(b->lock), a.created);
	rc = assemble(&a, err);
	json_decref(a.config);
	eb_manifest_release(&a.manifest);
	return rc;
}
