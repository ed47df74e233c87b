/* SPDX-License-Identifier: Apache-2.0 */
/* A manifest with a subject, and its place in the list of referrers. */
#include <string.h>

#include <envbuild/image.h>

#include "referrers.h"

static void copy_member(json_t *to, const char *name, const json_t *from,
			const char *key)
{
	json_t *value = json_object_get(from, key);

	if (value)
		json_object_set(to, name, value);
}

/* What the list says of it: its type, its annotations, all of them. */
static json_t *descriptor_of(const json_t *manifest, const char *type,
			     const char *digest, size_t len)
{
	const json_t *config = eb_json_obj(manifest, "config");
	json_t *d = json_object();

	json_object_set_new(d, "mediaType", json_string(type));
	json_object_set_new(d, "digest", json_string(digest));
	json_object_set_new(d, "size", json_integer((json_int_t)len));
	if (eb_json_str(manifest, "artifactType"))
		copy_member(d, "artifactType", manifest, "artifactType");
	else
		copy_member(d, "artifactType", config, "mediaType");
	if (eb_json_obj(manifest, "annotations"))
		copy_member(d, "annotations", manifest, "annotations");
	return d;
}

static int subject_of(const json_t *manifest, struct eb_digest *out,
		      struct eb_error *err)
{
	const char *digest =
		eb_json_str(eb_json_obj(manifest, "subject"), "digest");

	if (digest && strncmp(digest, "sha256:", 7) == 0 &&
	    eb_digest_parse(digest, out) == 0)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"manifest\": adding a referrer: it has no subject");
}

static int put(struct eb_repository *repo, const void *text, size_t len,
	       struct eb_digest *digest, struct eb_error *err)
{
	eb_autojson json_t *manifest =
		eb_json_parse(text, len, "manifest", err);
	eb_autojson json_t *descriptor = NULL;
	const char *type = eb_json_str(manifest, "mediaType");
	char ref[EB_DIGEST_TEXT];
	struct eb_digest subject;
	bool kept;

	if (!manifest || subject_of(manifest, &subject, err) < 0)
		return -1;
	if (!type)
		type = EB_MT_MANIFEST;
	eb_sha256(text, len, digest);
	eb_digest_text(digest, ref);
	if (eb_manifest_put_known(repo, ref, type, text, len, NULL, &kept,
				  err) < 0)
		return -1;
	if (kept && !eb_referrers_untrusted(repo))
		return 0;
	descriptor = descriptor_of(manifest, type, ref, len);
	return eb_referrers_add(repo, &subject, descriptor, err);
}

/* What it names should have been there: here that is nobody's "no". */
int eb_referrer_put(struct eb_repository *repo, const void *text, size_t len,
		    struct eb_digest *digest, struct eb_error *err)
{
	int rc = put(repo, text, len, digest, err);

	if (rc < 0 && err->code == EB_NO)
		err->code = EB_NETWORK;
	return rc;
}
