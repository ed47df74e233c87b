/* SPDX-License-Identifier: Apache-2.0 */
/* Finding out what an image is: manifest and configuration alone. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "image_ref.h"
#include "inspect.h"

void eb_inspection_release(struct eb_inspection *i)
{
	free(i->reference);
	eb_strv_release(&i->platforms);
	eb_manifest_release(&i->manifest);
	json_decref(i->config);
}

static void add_platform(struct eb_inspection *i, const json_t *entry)
{
	const json_t *p = eb_json_obj(entry, "platform");
	const char *os = eb_json_str(p, "os");
	const char *arch = eb_json_str(p, "architecture");
	const char *variant = eb_json_str(p, "variant");

	if (os && arch && strcmp(os, "unknown"))
		eb_strv_addf(&i->platforms, "%s/%s%s%s", os, arch,
			     variant ? "/" : "", variant ? variant : "");
}

/* 1 it is an index, 0 it is none. */
static int read_platforms(struct eb_inspection *i, const struct eb_buf *text,
			  const char *what, struct eb_error *err)
{
	eb_autojson json_t *json =
		eb_json_parse(text->data, text->len, what, err);
	json_t *entry;
	size_t n;

	if (!json)
		return -1;
	json_array_foreach (eb_json_arr(json, "manifests"), n, entry) {
		add_platform(i, entry);
	}
	return eb_json_arr(json, "manifests") != NULL;
}

/* Its type by its own words, OCI's where it has none. */
static int read_manifest(struct eb_inspection *i, const struct eb_buf *text,
			 const char *what, struct eb_error *err)
{
	eb_autojson json_t *json =
		eb_json_parse(text->data, text->len, what, err);
	const char *type = eb_json_str(json, "mediaType");

	if (!json)
		return -1;
	if (!type || strlen(type) >= sizeof i->media_type)
		type = EB_MT_MANIFEST;
	strcpy(i->media_type, type);
	return eb_manifest_parse(text->data, text->len, what, &i->manifest,
				 err);
}

static int read_config(struct eb_inspection *i, const struct eb_buf *text,
		       const char *what, struct eb_error *err)
{
	eb_autofree struct eb_digest *id = NULL;
	size_t n = 0;

	i->config = eb_config_parse(text->data, text->len, what, err);
	if (!i->config || eb_config_diff_ids(i->config, &id, &n, err) < 0)
		return -1;
	if (n != i->manifest.n_layers)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has %zu diff IDs for %zu layers",
				  what, n, i->manifest.n_layers);
	return 0;
}

/* --- in a registry ---------------------------------------------------------
 */
static int absent(const char *image, const char *what, struct eb_error *err)
{
	return eb_err_set(err, EB_NETWORK,
			  "\"%s\", inspecting: the registry has no %s", image,
			  what);
}

/* What the reference is; an index leads on by its digest. */
static int get_manifest(struct eb_inspection *i, struct eb_repository *repo,
			const char *ref, const char *platform,
			const char *image, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	char name[EB_DIGEST_TEXT];
	struct eb_remote remote;
	int got = eb_manifest_get(repo, ref, &text, &remote, err);

	if (got <= 0)
		return got < 0 ? -1 : absent(image, "such image", err);
	i->top = i->digest = remote.digest;
	got = read_platforms(i, &text, image, err);
	if (got <= 0)
		return got < 0 ? -1 : read_manifest(i, &text, image, err);
	eb_buf_reset(&text);
	got = eb_manifest_resolve(repo, eb_digest_text(&i->top, name), platform,
				  &text, &remote, NULL, err);
	if (got <= 0)
		return got < 0 ? -1 : absent(image, "image of it", err);
	i->digest = remote.digest;
	return read_manifest(i, &text, image, err);
}

static int get_config(struct eb_inspection *i, struct eb_repository *repo,
		      const char *image, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_MANIFEST);
	int got = eb_blob_read(repo, &i->manifest.config.digest,
			       EB_MAX_MANIFEST, &text, err);

	if (got <= 0)
		return got < 0 ? -1 : absent(image, "configuration", err);
	return read_config(i, &text, image, err);
}

static int from_registry(struct eb_cli *cli, const struct eb_reference *ref,
			 const char *image, struct eb_inspection *out,
			 struct eb_error *err)
{
	EB_CLEANUP(eb_registry_free_ptr) struct eb_registry *registry = NULL;
	struct eb_repository *repo;
	char text[EB_DIGEST_TEXT];

	if (eb_cli_registry(cli, ref->registry, true, &registry, err) < 0 ||
	    eb_image_repository(cli, registry, ref, &repo, err) < 0 ||
	    get_manifest(out, repo, eb_image_name(ref, text),
			 cli->config.platform, image, err) < 0 ||
	    get_config(out, repo, image, err) < 0)
		return -1;
	out->reference = eb_image_by_digest(repo, &out->digest);
	return 0;
}

/* --- in the store, or brought there ----------------------------------------
 */
static int from_store(struct eb_cli *cli, const struct eb_reference *ref,
		      const char *image, struct eb_inspection *out,
		      struct eb_error *err)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	EB_AUTOBUF(text, EB_MAX_MANIFEST);

	if (eb_cli_store(cli, 0, &store, err) < 0 ||
	    eb_image_obtain(cli, store, ref, &out->digest, err) < 0 ||
	    eb_store_read(store, &out->digest, EB_MAX_MANIFEST, &text, err) <
		    0 ||
	    read_manifest(out, &text, image, err) < 0)
		return -1;
	eb_buf_reset(&text);
	if (eb_store_read(store, &out->manifest.config.digest, EB_MAX_MANIFEST,
			  &text, err) < 0)
		return -1;
	out->top = out->digest;
	out->reference = ref->kind == EB_REF_STORE
				 ? eb_cli_reference(&out->digest)
				 : eb_strdup(image);
	return read_config(out, &text, image, err);
}

int eb_inspect(struct eb_cli *cli, const char *image, struct eb_inspection *out,
	       struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference ref = { 0 };

	if (eb_reference_parse(image, &ref, err) < 0)
		return -1;
	if (ref.kind == EB_REF_REGISTRY)
		return from_registry(cli, &ref, image, out, err);
	return from_store(cli, &ref, image, out, err);
}
