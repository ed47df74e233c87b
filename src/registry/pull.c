/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An image out of a repository into the store. The manifest stays as it came,
 * also where it is Docker's. Facts of the kind "pulled" keep the image: one for
 * the reference with its platform, one for each further blob.
 */
#include <string.h>

#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/transfer.h>

#include "image_blobs.h"

#define KIND "pulled"
#define DEFAULT_TAG "latest"

struct pull {
	struct eb_repository *from;
	const char *ref, *platform;
	struct eb_store *store;
	struct eb_events *events;
	char *name; /* "HOST/REPOSITORY:REF", for messages and the fact */
	struct eb_buf text;
	struct eb_remote remote;
	struct eb_blob_refs blobs;
};

static void release(struct pull *p)
{
	free(p->name);
	eb_buf_release(&p->text);
	eb_blob_refs_release(&p->blobs);
}

static int not_there(const struct pull *p, const char *what,
		     struct eb_error *err)
{
	return eb_err_set(err, EB_NETWORK,
			  "\"%s\", pulling: the registry has no %s", p->name,
			  what);
}

static int check_stored(const struct eb_digest *have,
			const struct eb_digest *want, const struct pull *p,
			struct eb_error *err)
{
	char a[EB_DIGEST_TEXT], b[EB_DIGEST_TEXT];

	if (eb_digest_equal(have, want))
		return 0;
	return eb_err_set(err, EB_INTEGRITY, "\"%s\", pulling: %s came for %s",
			  p->name, eb_digest_text(have, a),
			  eb_digest_text(want, b));
}

/* Its shape is checked as that of every other image. */
static int take_manifest(struct pull *p, struct eb_digest *top,
			 struct eb_manifest *m, struct eb_error *err)
{
	char type[128];
	int got = eb_manifest_resolve(p->from, p->ref, p->platform, &p->text,
				      &p->remote, top, err);

	if (got <= 0)
		return got < 0 ? -1 : not_there(p, "such image", err);
	if (eb_blob_refs_parse(p->text.data, p->text.len, p->name, &p->blobs,
			       type, err) < 0)
		return -1;
	return eb_manifest_parse(p->text.data, p->text.len, p->name, m, err);
}

static int read_config(struct pull *p, const struct eb_descriptor *config,
		       struct eb_buf *out, struct eb_error *err)
{
	const struct eb_blob_ref blob = { config->digest, config->size };
	int got = eb_blob_in_store(p->store, &blob, err);

	if (got)
		return got < 0 ? -1
			       : eb_store_read(p->store, &config->digest,
					       EB_MAX_MANIFEST, out, err);
	got = eb_blob_read(p->from, &config->digest, EB_MAX_MANIFEST, out, err);
	return got ? (got < 0 ? -1 : 0) : not_there(p, "configuration", err);
}

static void look_at_platform(struct pull *p, const json_t *config)
{
	eb_autofree char *have =
		eb_asprintf("%s/%s", eb_json_str(config, "os"),
			    eb_json_str(config, "architecture"));
	size_t n = strlen(have);

	if (strncmp(have, p->platform, n) ||
	    (p->platform[n] && p->platform[n] != '/'))
		eb_warn(p->events, "\"%s\" is an image for %s, not for %s",
			p->name, have, p->platform);
}

static int take_config(struct pull *p, const struct eb_manifest *m,
		       struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	eb_autofree struct eb_digest *id = NULL;
	eb_autojson json_t *json = NULL;
	struct eb_digest digest;
	size_t n = 0;

	if (read_config(p, &m->config, &text, err) < 0)
		return -1;
	eb_sha256(text.data, text.len, &digest);
	if (check_stored(&digest, &m->config.digest, p, err) < 0)
		return -1;
	json = eb_config_parse(text.data, text.len, p->name, err);
	if (!json || eb_config_diff_ids(json, &id, &n, err) < 0)
		return -1;
	if (n != m->n_layers)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has %zu diff IDs for %zu layers",
				  p->name, n, m->n_layers);
	look_at_platform(p, json);
	return eb_store_put(p->store, text.data, text.len, NULL, err);
}

static int take_blob(void *data, const struct eb_blob_ref *blob,
		     struct eb_error *err)
{
	struct pull *p = data;
	eb_autofree char *task = NULL;
	int got = eb_blob_in_store(p->store, blob, err);

	if (got)
		return got < 0 ? -1 : 0;
	got = eb_blob_pull(p->from, p->store, blob, err);
	if (got)
		return got < 0 ? -1 : 0;
	task = eb_blob_task(&blob->digest);
	return not_there(p, task, err);
}

/* Facts for what of the image is in the store now. */
static int keep(struct pull *p, struct eb_error *err)
{
	eb_autofree char *key = eb_asprintf("%s %s", p->name, p->platform);
	eb_autofree char *rest = eb_asprintf("%s ", key);
	EB_CLEANUP(eb_strv_release) struct eb_strv keys = { 0 };
	eb_autofree struct eb_fact *fact =
		eb_calloc(p->blobs.n + 1, sizeof *fact);
	char text[EB_DIGEST_TEXT];
	size_t n = 1;

	fact[0] = (struct eb_fact){ key, "", &p->remote.digest };
	for (size_t i = 0; i < p->blobs.n; i++) {
		const struct eb_blob_ref *blob = &p->blobs.v[i];
		int got = eb_blob_in_store(p->store, blob, err);

		if (got < 0)
			return -1;
		if (!got)
			continue;
		eb_strv_addf(&keys, "%s%s", rest,
			     eb_digest_text(&blob->digest, text));
		fact[n++] = (struct eb_fact){ keys.v[keys.n - 1], "",
					      &blob->digest };
	}
	return eb_store_put_facts(p->store, KIND, rest, fact, n, err);
}

static int remember_source(struct pull *p, struct eb_error *err)
{
	eb_autofree struct eb_digest *d = eb_calloc(p->blobs.n, sizeof *d);

	for (size_t i = 0; i < p->blobs.n; i++)
		d[i] = p->blobs.v[i].digest;
	return eb_blob_source_put(p->store, eb_repository_text(p->from), d,
				  p->blobs.n, err);
}

/* The manifest comes last: who finds it finds all that it names, or where that
 * is. */
static int pull_image(struct pull *p, unsigned flags, struct eb_digest *top,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	struct eb_digest digest;

	if (take_manifest(p, top, &m, err) < 0 || take_config(p, &m, err) < 0)
		return -1;
	if ((flags & EB_PULL_LAYERS) &&
	    eb_blob_refs_each(&p->blobs, take_blob, p, err) < 0)
		return -1;
	if (remember_source(p, err) < 0 ||
	    eb_store_put(p->store, p->text.data, p->text.len, &digest, err) < 0)
		return -1;
	return check_stored(&digest, &p->remote.digest, p, err);
}

int eb_image_pull(struct eb_repository *from, const char *ref,
		  const char *platform, unsigned flags, struct eb_store *store,
		  struct eb_events *events, struct eb_digest *digest,
		  struct eb_digest *top, struct eb_error *err)
{
	EB_CLEANUP(release)
	struct pull p = { .from = from,
			  .ref = ref ? ref : DEFAULT_TAG,
			  .platform = platform,
			  .store = store,
			  .events = events };

	eb_buf_init(&p.text, EB_MAX_REMOTE_MANIFEST);
	p.name = eb_asprintf("%s%s%s", eb_repository_text(from),
			     eb_starts(p.ref, "sha256:") ? "@" : ":", p.ref);
	if (pull_image(&p, flags, top, err) < 0 || keep(&p, err) < 0)
		return -1;
	*digest = p.remote.digest;
	return 0;
}
