/* SPDX-License-Identifier: Apache-2.0 */
/* Bases as a definition names them: by content, without an import. */
#include <string.h>

#include <envbuild/layout.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "base_priv.h"

static int refuse(const char *reference, const char *why, struct eb_error *err)
{
	eb_err_set(err, EB_USAGE, "\"%s\" as a base: %s", reference, why);
	return eb_err_hint(err, "a base is one of %s", EB_BASE_FORMS);
}

int eb_base_parse(const char *reference, struct eb_reference *out,
		  struct eb_error *err)
{
	if (!reference) {
		eb_err_set(err, EB_USAGE, "no base image is given");
		return eb_err_hint(err, "name one with --base: %s",
				   EB_BASE_FORMS);
	}
	if (eb_reference_parse(reference, out, err) < 0)
		return eb_err_hint(err, "a base is one of %s", EB_BASE_FORMS);
	if (out->kind == EB_REF_REGISTRY && !out->tag && !out->has_digest)
		out->tag = eb_strdup("latest");
	if (out->kind != EB_REF_STORE)
		return 0;
	eb_reference_release(out);
	return refuse(reference,
		      "an image of the store is an environment, not a base",
		      err);
}

bool eb_base_is_remote(const char *reference)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference r = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return reference && eb_reference_parse(reference, &r, &err) == 0 &&
	       r.kind == EB_REF_REGISTRY;
}

static int name_archive(const struct eb_reference *r, const char *platform,
			struct eb_store *store, struct eb_digest *out,
			struct eb_error *err)
{
	int got = eb_archive_resolve(r->path, r->tag, platform, out, err);

	if (got == 0) /* compressed: the file stands for the image */
		return eb_file_digest(store, r->path, out, err);
	return got < 0 ? -1 : 0;
}

static int name_by_content(const struct eb_reference *r, const char *platform,
			   struct eb_store *store, struct eb_digest *out,
			   struct eb_error *err)
{
	switch (r->kind) {
	case EB_REF_OCI:
		return eb_layout_resolve(r->path, r->tag, platform, out, err);
	case EB_REF_OCI_ARCHIVE:
		return name_archive(r, platform, store, out, err);
	default: return eb_file_digest(store, r->path, out, err);
	}
}

char *eb_base_name(const char *reference, const char *platform,
		   struct eb_store *store, struct eb_error *err)
{
	char text[EB_DIGEST_TEXT];
	struct eb_reference r;
	struct eb_digest digest;
	char *name = NULL;

	if (eb_base_parse(reference, &r, err) < 0)
		return NULL;
	if (r.kind == EB_REF_SCRATCH)
		name = eb_strdup("scratch");
	else if (r.kind == EB_REF_REGISTRY)
		name = eb_reference_format(&r);
	else if (name_by_content(&r, platform, store, &digest, err) == 0)
		name = eb_strdup(eb_digest_text(&digest, text));
	eb_reference_release(&r);
	return name;
}
