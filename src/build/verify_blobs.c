/* SPDX-License-Identifier: Apache-2.0 */
/* The blobs of an image against their digests, its layers against the diff
 * IDs of the configuration. */
#include <inttypes.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/layout.h>
#include <envbuild/verify.h>

#define BLOB "blob"

/* 1: it is what it should be; 0: told. */
static int check_blob(struct eb_store *store, const struct eb_digest *want,
		      uint64_t size, const char *what, struct eb_findings *out,
		      struct eb_error *err)
{
	char name[EB_DIGEST_TEXT], text[EB_DIGEST_TEXT];
	struct eb_digest have;
	eb_autofd int fd = -1;
	uint64_t n;
	int got = eb_store_blob(store, want, &fd, &n, err);

	out->blobs++;
	eb_digest_text(want, name);
	if (got == 0)
		eb_finding_add(out, BLOB, name, "(%s) is not in the store",
			       what);
	if (got <= 0)
		return got;
	if (eb_sha256_fd(fd, &have, &n, err) < 0)
		return -1;
	if (!eb_digest_equal(want, &have)) {
		eb_finding_add(out, BLOB, name, "(%s) is damaged: it holds %s",
			       what, eb_digest_text(&have, text));
		return 0;
	}
	if (size == UINT64_MAX || n == size)
		return 1;
	eb_finding_add(out, BLOB, name,
		       "(%s) has %" PRIu64 " bytes, where the manifest says "
		       "%" PRIu64,
		       what, n, size);
	return 0;
}

static int check_diff_id(struct eb_store *store, const struct eb_digest *blob,
			 const struct eb_digest *want, struct eb_findings *out,
			 struct eb_error *err)
{
	char name[EB_DIGEST_TEXT], have[EB_DIGEST_TEXT], say[EB_DIGEST_TEXT];
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_digest id;

	eb_digest_text(blob, name);
	if (eb_layer_diff_id(store, blob, &id, &why) < 0) {
		if (why.code != EB_INTEGRITY && why.code != EB_INPUT) {
			eb_err_move(err, &why);
			return -1;
		}
		eb_finding_add(out, BLOB, name, "cannot be decompressed: %s",
			       why.message);
		return 0;
	}
	if (eb_digest_equal(&id, want))
		return 1;
	eb_finding_add(out, BLOB, name,
		       "has the diff ID %s, where the configuration says %s",
		       eb_digest_text(&id, have), eb_digest_text(want, say));
	return 0;
}

struct image {
	struct eb_store *store;
	struct eb_findings *out;
	struct eb_manifest manifest;
	json_t *config;
	struct eb_digest *diff_id;
	size_t n;
};

static void release(struct image *i)
{
	eb_manifest_release(&i->manifest);
	json_decref(i->config);
	free(i->diff_id);
}

static int read_manifest(struct image *i, const struct eb_digest *digest,
			 struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	if (eb_store_read(i->store, digest, EB_MAX_MANIFEST, &text, err) < 0)
		return -1;
	return eb_manifest_parse(text.data, text.len,
				 eb_digest_text(digest, name), &i->manifest,
				 err);
}

static int read_config(struct image *i, struct eb_error *err)
{
	const struct eb_digest *digest = &i->manifest.config.digest;
	char name[EB_DIGEST_TEXT];
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	if (eb_store_read(i->store, digest, EB_MAX_MANIFEST, &text, err) < 0)
		return -1;
	i->config = eb_config_parse(text.data, text.len,
				    eb_digest_text(digest, name), err);
	if (!i->config)
		return -1;
	return eb_config_diff_ids(i->config, &i->diff_id, &i->n, err);
}

/* What is malformed is a finding like any other. */
static int told(struct image *i, const struct eb_digest *blob,
		struct eb_error *err)
{
	char name[EB_DIGEST_TEXT];

	if (err->code != EB_INTEGRITY && err->code != EB_INPUT)
		return -1;
	eb_finding_add(i->out, BLOB, eb_digest_text(blob, name),
		       "cannot be read: %s", err->message);
	eb_err_release(err);
	return 0;
}

static int check_layer(struct image *i, size_t k, struct eb_error *err)
{
	const struct eb_descriptor *d = &i->manifest.layer[k];
	eb_autofree char *what =
		eb_asprintf("layer %zu of %zu", k + 1, i->manifest.n_layers);
	int got = check_blob(i->store, &d->digest, d->size, what, i->out, err);

	if (got <= 0 || k >= i->n)
		return got;
	return check_diff_id(i->store, &d->digest, &i->diff_id[k], i->out, err);
}

static int check_layers(struct image *i, struct eb_error *err)
{
	bool whole = i->config && i->n == i->manifest.n_layers;

	if (i->config && !whole)
		eb_finding_add(i->out, BLOB, NULL,
			       "the configuration has %zu diff IDs, the "
			       "manifest %zu layers",
			       i->n, i->manifest.n_layers);
	for (size_t k = 0; k < i->manifest.n_layers; k++) {
		int got = check_layer(i, k, err);

		if (got < 0)
			return -1;
		whole = whole && got;
	}
	return whole;
}

static int check(struct image *i, const struct eb_digest *manifest,
		 struct eb_error *err)
{
	const struct eb_descriptor *c = &i->manifest.config;
	int got = check_blob(i->store, manifest, UINT64_MAX, "manifest", i->out,
			     err);

	if (got <= 0)
		return got;
	if (read_manifest(i, manifest, err) < 0)
		return told(i, manifest, err);
	got = check_blob(i->store, &c->digest, c->size, "configuration", i->out,
			 err);
	if (got < 0)
		return -1;
	if (got > 0 && read_config(i, err) < 0 && told(i, &c->digest, err) < 0)
		return -1;
	return check_layers(i, err);
}

int eb_verify_blobs(struct eb_store *store, const struct eb_digest *manifest,
		    json_t **config, struct eb_findings *out,
		    struct eb_error *err)
{
	struct image i EB_CLEANUP(release) = { .store = store, .out = out };
	int got = check(&i, manifest, err);

	*config = got > 0 ? json_incref(i.config) : NULL;
	return got < 0 ? -1 : 0;
}
