/* SPDX-License-Identifier: Apache-2.0 */
/* The base image: imported, read, checked. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/layout.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>
#include <envbuild/transfer.h>

#include "base_priv.h"

#define OWN_LABEL "dev.envbuild.lock"

static int parse_texts(struct eb_base *b, struct eb_store *store,
		       struct eb_error *err)
{
	EB_AUTOBUF(manifest, EB_MAX_MANIFEST);
	EB_AUTOBUF(config, EB_MAX_MANIFEST);
	const char *what = b->reference;

	if (eb_store_read(store, &b->manifest, EB_MAX_MANIFEST, &manifest,
			  err) < 0 ||
	    eb_manifest_parse(manifest.data, manifest.len, what, &b->image,
			      err) < 0 ||
	    eb_store_read(store, &b->image.config.digest, EB_MAX_MANIFEST,
			  &config, err) < 0)
		return -1;
	b->config = eb_config_parse(config.data, config.len, what, err);
	if (!b->config ||
	    eb_config_diff_ids(b->config, &b->diff_id, &b->n_layers, err) < 0)
		return -1;
	if (b->n_layers != b->image.n_layers)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has %zu diff IDs for %zu layers",
				  what, b->n_layers, b->image.n_layers);
	return 0;
}

/* Of a platform's text, os and architecture count here: a variant that the
 * configuration leaves open is no other platform. */
static int check_platform(const struct eb_base *b, const char *platform,
			  struct eb_error *err)
{
	const char *os = eb_json_str(b->config, "os");
	const char *arch = eb_json_str(b->config, "architecture");
	eb_autofree char *have = eb_asprintf("%s/%s", os, arch);
	size_t n = strlen(have);

	if (strncmp(platform, have, n) == 0 &&
	    (platform[n] == '\0' || platform[n] == '/'))
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\" is an image for \"%s\", not for \"%s\"",
			  b->reference, have, platform);
}

static bool is_environment(const struct eb_base *b)
{
	const json_t *config = eb_json_obj(b->config, "config");
	size_t i;

	if (json_object_get(eb_json_obj(config, "Labels"), OWN_LABEL))
		return true;
	for (i = 0; i < b->image.annotations.n; i += 2) {
		if (strcmp(b->image.annotations.v[i], OWN_LABEL) == 0)
			return true;
	}
	return false;
}

static int check_environment(const struct eb_base *b, struct eb_error *err)
{
	if (!is_environment(b))
		return 0;
	eb_err_set(err, EB_INPUT,
		   "\"%s\" is an environment that envbuild has made, not a "
		   "base",
		   b->reference);
	return eb_err_hint(err, "take the base that it was built on; replacing "
				"the environment (--replace-env) is not "
				"supported");
}

/* Everything but what names it: b->reference, digest, manifest are there. */
static int read_base(struct eb_base *b, const char *platform,
		     const struct eb_base_from *from, struct eb_error *err)
{
	if (parse_texts(b, from->store, err) < 0 ||
	    check_platform(b, platform, err) < 0)
		return -1;
	if (from->any)
		return 0;
	if (check_environment(b, err) < 0)
		return -1;
	return eb_base_find_glibc(b, from, err);
}

/* Which manifest stands for its digest. */
static int note(const struct eb_base *b, struct eb_store *store,
		struct eb_error *err)
{
	char key[EB_DIGEST_TEXT], text[EB_DIGEST_TEXT];

	return eb_store_put_fact(store, EB_BASE_FACT,
				 eb_digest_text(&b->digest, key),
				 eb_digest_text(&b->manifest, text), NULL, err);
}

static int import(struct eb_base *b, const struct eb_reference *r,
		  const char *platform, struct eb_store *store,
		  struct eb_events *events, struct eb_error *err)
{
	if (eb_image_import(store, r, platform, events, &b->manifest,
			    &b->digest, err) < 0)
		return -1;
	return note(b, store, err);
}

static int from_scratch(struct eb_base *b, const char *platform,
			struct eb_error *err)
{
	b->scratch = true;
	b->config = eb_config_new(platform);
	return eb_base_override_glibc(b, err) < 0 ? -1 : 0;
}

/* What has to be asked of whom to have it. */
struct request {
	const char *reference, *platform;
	const struct eb_digest *pinned; /* or NULL: whatever it is now */
	const struct eb_base_from *from;
};

static int obtain(struct eb_base *b, const struct eb_reference *r,
		  const struct request *q, struct eb_error *err)
{
	int got;

	if (r->kind == EB_REF_SCRATCH)
		return from_scratch(b, q->platform, err);
	if (r->kind == EB_REF_REGISTRY)
		got = eb_base_pull(b, r, q->pinned, q->platform, q->from, err);
	else
		got = import(b, r, q->platform, q->from->store, q->from->events,
			     err);
	if (got < 0)
		return -1;
	return read_base(b, q->platform, q->from, err);
}

static int resolve(const struct request *q, struct eb_base **out,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *b = NULL;
	EB_CLEANUP(eb_reference_release) struct eb_reference r = { 0 };

	if (eb_base_parse(q->reference, &r, err) < 0)
		return -1;
	b = eb_calloc(1, sizeof *b);
	b->reference = eb_strdup(q->reference);
	if (obtain(b, &r, q, err) < 0)
		return -1;
	*out = eb_steal(b);
	return 0;
}

int eb_base_resolve(const char *reference, const char *platform,
		    const struct eb_base_from *from, struct eb_base **out,
		    struct eb_error *err)
{
	const struct request q = { reference, platform, NULL, from };

	return resolve(&q, out, err);
}

/* The manifest of `digest`: itself, or the one made for a form without. */
static int find_manifest(struct eb_store *store, const struct eb_digest *digest,
			 struct eb_digest *manifest, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_DIGEST_TEXT);
	char key[EB_DIGEST_TEXT];
	int got = eb_store_find_fact(store, EB_BASE_FACT,
				     eb_digest_text(digest, key), &text, err);

	if (got < 0)
		return -1;
	if (got == 0 || eb_digest_parse(text.data, manifest) < 0)
		*manifest = *digest;
	return eb_store_has(store, manifest, err);
}

/* In the store, or a place is known where it lies. */
static int can_be_had(struct eb_store *store, const struct eb_digest *blob,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv places = { 0 };
	int got = eb_store_has(store, blob, err);

	return got ? got : eb_blob_source_find(store, blob, &places, err);
}

static int all_there(struct eb_store *store, const struct eb_manifest *m,
		     struct eb_error *err)
{
	int got = 1;
	size_t i;

	for (i = 0; got > 0 && i < m->n_layers; i++)
		got = can_be_had(store, &m->layer[i].digest, err);
	return got;
}

/* 1 read, 0 not all of it can be had from the store. What cannot be read as an
 * image is a configuration whose manifest is forgotten. */
static int from_store(struct eb_base *b, const struct request *q,
		      struct eb_error *err)
{
	struct eb_error ignored = EB_ERROR_INIT;
	int got = find_manifest(q->from->store, q->pinned, &b->manifest, err);

	if (got <= 0)
		return got;
	b->digest = *q->pinned;
	if (parse_texts(b, q->from->store, &ignored) < 0) {
		eb_err_release(&ignored);
		return 0;
	}
	got = all_there(q->from->store, &b->image, err);
	if (got <= 0)
		return got;
	if (check_platform(b, q->platform, err) < 0)
		return -1;
	if (q->from->any)
		return 1;
	if (check_environment(b, err) < 0 ||
	    eb_base_find_glibc(b, q->from, err) < 0)
		return -1;
	return 1;
}

static int by_reference(const struct request *q, struct eb_base **out,
			struct eb_error *err)
{
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *b = NULL;
	char want[EB_DIGEST_TEXT], have[EB_DIGEST_TEXT];

	if (resolve(q, &b, err) < 0)
		return -1;
	if (!eb_digest_equal(&b->digest, q->pinned)) {
		eb_err_set(err, EB_INPUT,
			   "\"%s\" is %s now, where the lock says %s",
			   q->reference, eb_digest_text(&b->digest, have),
			   eb_digest_text(q->pinned, want));
		return eb_err_hint(err, "put the base of the lock back, or "
					"renew the lock with --update-lock");
	}
	*out = eb_steal(b);
	return 0;
}

int eb_base_recall(const char *reference, const struct eb_digest *digest,
		   const char *platform, const struct eb_base_from *from,
		   struct eb_base **out, struct eb_error *err)
{
	EB_CLEANUP(eb_base_free_ptr)
	struct eb_base *b = eb_calloc(1, sizeof *b);
	const struct request q = { reference, platform, digest, from };
	int got;

	b->reference = eb_strdup(reference ? reference : "base");
	got = from_store(b, &q, err);
	if (got > 0)
		*out = eb_steal(b);
	return got;
}

int eb_base_reopen(const char *reference, const struct eb_digest *digest,
		   const char *platform, const struct eb_base_from *from,
		   struct eb_base **out, struct eb_error *err)
{
	struct request q = { reference, platform, digest, from };
	int got;

	if (eb_digest_is_zero(digest)) {
		q.reference = "scratch";
		return by_reference(&q, out, err);
	}
	got = eb_base_recall(reference, digest, platform, from, out, err);
	if (got)
		return got < 0 ? -1 : 0;
	return by_reference(&q, out, err);
}

int eb_base_adopt(const char *reference, const struct eb_digest *manifest,
		  const char *platform, const struct eb_base_from *from,
		  struct eb_base **out, struct eb_error *err)
{
	EB_CLEANUP(eb_base_free_ptr)
	struct eb_base *b = eb_calloc(1, sizeof *b);

	b->reference = eb_strdup(reference);
	b->manifest = *manifest;
	if (read_base(b, platform, from, err) < 0)
		return -1;
	b->digest = b->image.config.digest;
	if (note(b, from->store, err) < 0)
		return -1;
	*out = eb_steal(b);
	return 0;
}

void eb_base_free(struct eb_base *b)
{
	if (!b)
		return;
	free(b->reference);
	eb_manifest_release(&b->image);
	json_decref(b->config);
	free(b->diff_id);
	free(b->glibc);
	free(b->os_name);
	free(b);
}
