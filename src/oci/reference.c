/* SPDX-License-Identifier: Apache-2.0 */
/* References: the local forms by their prefix, and the text of all forms. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/reference.h>
#include <envbuild/str.h>

#include "reference_name.h"

static const struct local_form {
	const char *prefix;
	enum eb_ref_kind kind;
} forms[] = {
	{ "store:", EB_REF_STORE },
	{ "oci:", EB_REF_OCI },
	{ "oci-archive:", EB_REF_OCI_ARCHIVE },
	{ "docker-archive:", EB_REF_DOCKER_ARCHIVE },
	{ "rootfs:", EB_REF_ROOTFS },
};

int eb_reference_bad(const char *text, const char *why, struct eb_error *err)
{
	return eb_err_set(err, EB_USAGE, "\"%s\" is not an image reference: %s",
			  text, why);
}

/* ref.name of image-spec annotations.md: components of letters and digits
 * with separators, joined by slashes. */
static bool is_layout_tag(const char *s)
{
	bool word = false;

	for (; *s; s++) {
		if (isalnum((unsigned char)*s))
			word = true;
		else if (*s == '/' && !word)
			return false;
		else if (*s == '/')
			word = false;
		else if (!strchr("-._:@+", *s) || !word)
			return false;
	}
	return word;
}

/* PATH[:TAG]: the first colon parts them, as it does for skopeo. */
static int split_path(const char *text, const char *rest,
		      struct eb_reference *out, struct eb_error *err)
{
	const char *colon = strchr(rest, ':');

	out->path =
		eb_strndup(rest, colon ? (size_t)(colon - rest) : strlen(rest));
	if (!*out->path)
		return eb_reference_bad(text, "it has no path", err);
	if (colon)
		out->tag = eb_strdup(colon + 1);
	return 0;
}

static int parse_layout(const char *text, const char *rest,
			struct eb_reference *out, struct eb_error *err)
{
	if (split_path(text, rest, out, err) < 0)
		return -1;
	if (out->tag && !is_layout_tag(out->tag))
		return eb_reference_bad(text, "its tag is not one", err);
	return 0;
}

static int parse_docker_archive(const char *text, const char *rest,
				struct eb_reference *out, struct eb_error *err)
{
	struct eb_reference name = { 0 };
	int got;

	if (split_path(text, rest, out, err) < 0)
		return -1;
	if (!out->tag)
		return 0;
	got = eb_reference_parse_name(text, out->tag, &name, err);
	if (got == 0 && name.has_digest)
		got = eb_reference_bad(text, "a digest names nothing there",
				       err);
	eb_reference_release(&name);
	return got;
}

static int parse_store(const char *text, const char *rest,
		       struct eb_reference *out, struct eb_error *err)
{
	if (eb_starts(rest, "sha256:")) {
		if (eb_digest_parse(rest, &out->digest) < 0)
			return eb_reference_bad(
				text,
				"a digest is \"sha256:\" and 64 "
				"lower-case hexadecimal digits",
				err);
		out->has_digest = true;
		return 0;
	}
	if (!eb_reference_is_tag(rest, strlen(rest)))
		return eb_reference_bad(text, "its tag is not one", err);
	out->tag = eb_strdup(rest);
	return 0;
}

static int parse_rootfs(const char *text, const char *rest,
			struct eb_reference *out, struct eb_error *err)
{
	if (!*rest)
		return eb_reference_bad(text, "it has no path", err);
	out->path = eb_strdup(rest);
	return 0;
}

static int parse_local(const char *text, const char *rest,
		       struct eb_reference *out, struct eb_error *err)
{
	switch (out->kind) {
	case EB_REF_STORE: return parse_store(text, rest, out, err);
	case EB_REF_DOCKER_ARCHIVE:
		return parse_docker_archive(text, rest, out, err);
	case EB_REF_ROOTFS: return parse_rootfs(text, rest, out, err);
	default: return parse_layout(text, rest, out, err);
	}
}

static int parse(const char *text, struct eb_reference *out,
		 struct eb_error *err)
{
	size_t i;

	if (strcmp(text, "scratch") == 0) {
		out->kind = EB_REF_SCRATCH;
		return 0;
	}
	for (i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (!eb_starts(text, forms[i].prefix))
			continue;
		out->kind = forms[i].kind;
		return parse_local(text, text + strlen(forms[i].prefix), out,
				   err);
	}
	out->kind = EB_REF_REGISTRY;
	if (eb_starts(text, "docker://"))
		return eb_reference_parse_name(text, text + 9, out, err);
	return eb_reference_parse_name(text, text, out, err);
}

int eb_reference_parse(const char *text, struct eb_reference *out,
		       struct eb_error *err)
{
	memset(out, 0, sizeof *out);
	if (parse(text, out, err) == 0)
		return 0;
	eb_reference_release(out);
	return -1;
}

static char *format_registry(const struct eb_reference *r)
{
	char digest[EB_DIGEST_TEXT];

	return eb_asprintf(
		"%s/%s%s%s%s%s", r->registry, r->repository, r->tag ? ":" : "",
		r->tag ? r->tag : "", r->has_digest ? "@" : "",
		r->has_digest ? eb_digest_text(&r->digest, digest) : "");
}

char *eb_reference_format(const struct eb_reference *r)
{
	char digest[EB_DIGEST_TEXT];
	size_t i = 0;

	if (r->kind == EB_REF_SCRATCH)
		return eb_strdup("scratch");
	if (r->kind == EB_REF_REGISTRY)
		return format_registry(r);
	while (forms[i].kind != r->kind)
		i++;
	if (r->kind == EB_REF_STORE)
		return eb_asprintf("store:%s",
				   r->has_digest
					   ? eb_digest_text(&r->digest, digest)
					   : r->tag);
	return eb_asprintf("%s%s%s%s", forms[i].prefix, r->path,
			   r->tag ? ":" : "", r->tag ? r->tag : "");
}

void eb_reference_release(struct eb_reference *r)
{
	free(r->registry);
	free(r->repository);
	free(r->path);
	free(r->tag);
	memset(r, 0, sizeof *r);
}
