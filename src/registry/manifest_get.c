/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests: fetched, their digest computed and compared. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/image.h>

#include "registry_int.h"

struct get {
	struct eb_repository *repo;
	const char *ref;
	struct eb_buf *text;
	struct eb_remote *out;
};

static int check_page(struct eb_call *c, const struct eb_buf *text,
		      const char *type, struct eb_error *err)
{
	size_t i = 0;

	while (i < text->len && isspace((unsigned char)text->data[i]))
		i++;
	if (text->data[i] != '<' && strcmp(type, "text/html") != 0)
		return 0;
	return eb_call_page(c, "a manifest", err);
}

static const char *type_by_members(const json_t *json)
{
	return json_is_array(json_object_get(json, "manifests"))
		       ? EB_MT_INDEX
		       : EB_MT_MANIFEST;
}

/* What it says it is; else what the server says; else by its members. */
static int take_type(struct eb_call *c, const struct eb_buf *text,
		     const char *type, char out[128], struct eb_error *err)
{
	eb_autojson json_t *json =
		eb_json_parse(text->data, text->len, "manifest", err);
	const char *own = eb_json_str(json, "mediaType");

	if (!json)
		return eb_call_prefix(c, err);
	if (eb_json_int(json, "schemaVersion", 2) != 2) {
		eb_err_set(err, EB_INPUT,
			   "it is a manifest of schema version %lld, from "
			   "before 2017",
			   (long long)eb_json_int(json, "schemaVersion", 0));
		return eb_call_prefix(c, err);
	}
	if (!own || strlen(own) > 127)
		own = eb_is_manifest_type(type) ? type : type_by_members(json);
	snprintf(out, 128, "%s", own);
	return 0;
}

/* 1 as it should be, 0 other bytes, whose digest err tells */
static int check_digest(struct eb_call *c, const struct get *g,
			struct eb_error *err)
{
	char want_text[EB_DIGEST_TEXT], have_text[EB_DIGEST_TEXT];
	struct eb_digest want;

	eb_sha256(g->text->data, g->text->len, &g->out->digest);
	if (eb_ref_is_digest(g->ref)) {
		if (eb_digest_parse(g->ref, &want) < 0)
			return 1;
	} else if (!eb_call_digest(c, &want)) {
		return 1;
	}
	if (eb_digest_equal(&want, &g->out->digest))
		return 1;
	eb_err_set(err, EB_INTEGRITY, "these are the bytes of %s, not of %s",
		   eb_digest_text(&g->out->digest, have_text),
		   eb_digest_text(&want, want_text));
	eb_call_prefix(c, err);
	return 0;
}

/* 1 got, 0 not there, -1; 2: wrong bytes, err tells */
static int get_once(struct eb_call *c, const struct get *g,
		    struct eb_error *err)
{
	char type[128];

	eb_buf_reset(g->text);
	if (eb_call(c, err) < 0)
		return -1;
	if (c->r.status == 404)
		return 0;
	if (c->r.status != 200)
		return eb_call_failed(c, err);
	eb_call_media_type(c, type);
	if (check_page(c, g->text, type, err) < 0)
		return -1;
	if (!check_digest(c, g, err))
		return 2;
	g->out->size = g->text->len;
	return take_type(c, g->text, type, g->out->media_type, err) < 0 ? -1
									: 1;
}

static int get_at(const struct eb_where *at, void *data, struct eb_error *err)
{
	const struct get *g = data;
	eb_autofree char *path = eb_asprintf("manifests/%s", g->ref);
	struct eb_call c = { .repo = g->repo,
			     .at = *at,
			     .doing = "reading the manifest",
			     .ref = g->ref,
			     .path = path,
			     .headers = eb_manifest_accept,
			     .small = true,
			     .sink = eb_call_text,
			     .data = g->text };
	int rc = get_once(&c, g, err);

	if (rc == 2) {
		eb_err_release(err);
		rc = get_once(&c, g, err);
	}
	eb_call_release(&c);
	return rc == 2 ? -1 : rc;
}

int eb_manifest_get_at(struct eb_repository *repo, const struct eb_where *at,
		       const char *ref, struct eb_buf *text,
		       struct eb_remote *out, struct eb_error *err)
{
	struct get g = { repo, ref, text, out };

	return get_at(at, &g, err);
}

int eb_manifest_get(struct eb_repository *repo, const char *ref,
		    struct eb_buf *text, struct eb_remote *out,
		    struct eb_error *err)
{
	struct get g = { repo, ref, text, out };

	memset(out, 0, sizeof *out);
	if (eb_ref_check(repo, ref, err) < 0)
		return -1;
	return eb_repository_read(repo, ref, get_at, &g, err);
}
