/* SPDX-License-Identifier: Apache-2.0 */
/* Is a manifest there, and which one? */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <envbuild/image.h>
#include <envbuild/reference.h>

#include "registry_int.h"

#define DOCKER_MANIFEST "application/vnd.docker.distribution.manifest.v2+json"
#define DOCKER_INDEX "application/vnd.docker.distribution.manifest.list.v2+json"

const char *const eb_manifest_accept[] = {
	"Accept: " EB_MT_MANIFEST ", " DOCKER_MANIFEST ", " EB_MT_INDEX
	", " DOCKER_INDEX,
	NULL,
};

bool eb_is_index_type(const char *type)
{
	return strcmp(type, EB_MT_INDEX) == 0 ||
	       strcmp(type, DOCKER_INDEX) == 0;
}

bool eb_is_manifest_type(const char *type)
{
	return eb_is_index_type(type) || strcmp(type, EB_MT_MANIFEST) == 0 ||
	       strcmp(type, DOCKER_MANIFEST) == 0;
}

bool eb_ref_is_digest(const char *ref)
{
	return strchr(ref, ':') != NULL;
}

int eb_ref_check(const struct eb_repository *repo, const char *ref,
		 struct eb_error *err)
{
	eb_autofree char *text = eb_repository_ref(repo, ref);
	struct eb_reference r = { 0 };
	int rc = eb_reference_parse(text, &r, err);

	if (rc == 0 && !r.tag && !r.has_digest)
		rc = eb_err_set(err, EB_USAGE, "\"%s\" has no tag", text);
	eb_reference_release(&r);
	return rc;
}

int eb_call_digest(const struct eb_call *c, struct eb_digest *out)
{
	eb_autofree char *field = eb_call_field(c, "Docker-Content-Digest");

	return field && strncmp(field, "sha256:", 7) == 0 &&
	       eb_digest_parse(field, out) == 0;
}

void eb_call_media_type(const struct eb_call *c, char out[128])
{
	eb_autofree char *field = eb_call_field(c, "Content-Type");
	size_t n = field ? strcspn(field, "; \t") : 0;

	if (n > 127)
		n = 0;
	snprintf(out, 128, "%.*s", (int)n, field ? field : "");
	eb_lower(out);
}

bool eb_call_is_page(const struct eb_call *c)
{
	static const char *const own[] = { "Docker-Content-Digest",
					   "Docker-Distribution-Api-Version",
					   "Location" };
	char type[128];
	size_t i;

	eb_call_media_type(c, type);
	if (strcmp(type, "text/html") != 0)
		return false;
	/* what answers like a registry is one, in whatever framework */
	for (i = 0; i < sizeof own / sizeof *own; i++) {
		eb_autofree char *field = eb_call_field(c, own[i]);

		if (field)
			return false;
	}
	return true;
}

int eb_call_page(const struct eb_call *c, const char *instead,
		 struct eb_error *err)
{
	eb_err_set(err, EB_NETWORK, "the answer is a web page, not %s",
		   instead);
	eb_err_hint(err, "something between here and the registry answers for "
			 "it: a login page of the network, a proxy");
	return eb_call_prefix(c, err);
}

struct head {
	struct eb_repository *repo;
	const char *ref;
	struct eb_remote *out;
};

static uint64_t length_of(const struct eb_call *c)
{
	eb_autofree char *field = eb_call_field(c, "Content-Length");
	uint64_t n = 0;

	if (!field || eb_parse_u64(field, EB_MAX_REMOTE_MANIFEST, &n) < 0)
		return 0;
	return n;
}

/* 1 the answer tells all, 0 the manifest itself has to be looked at */
static int take_answer(const struct head *h, const struct eb_call *c)
{
	struct eb_digest asked;

	eb_call_media_type(c, h->out->media_type);
	h->out->size = length_of(c);
	if (!eb_is_manifest_type(h->out->media_type) ||
	    !eb_call_digest(c, &h->out->digest))
		return 0;
	return !eb_ref_is_digest(h->ref) ||
	       (eb_digest_parse(h->ref, &asked) == 0 &&
		eb_digest_equal(&asked, &h->out->digest));
}

static int by_get(const struct eb_where *at, const struct head *h,
		  struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);

	return eb_manifest_get_at(h->repo, at, h->ref, &text, h->out, err);
}

static int head_at(const struct eb_where *at, void *data, struct eb_error *err)
{
	struct head *h = data;
	eb_autofree char *path = eb_asprintf("manifests/%s", h->ref);
	struct eb_call c = { .repo = h->repo,
			     .at = *at,
			     .doing = "looking for the manifest",
			     .ref = h->ref,
			     .method = "HEAD",
			     .path = path,
			     .headers = eb_manifest_accept,
			     .small = true };
	int rc;

	if (at->host->no_head)
		return by_get(at, h, err);
	rc = eb_call(&c, err);
	if (rc == 0 && c.r.status == 405)
		at->host->no_head = true;
	if (rc == 0 && c.r.status == 200)
		rc = take_answer(h, &c) ? 1 : by_get(at, h, err);
	else if (rc == 0 && c.r.status != 404)
		rc = by_get(at, h, err); /* which can say why */
	eb_call_release(&c);
	return rc;
}

int eb_manifest_head(struct eb_repository *repo, const char *ref,
		     struct eb_remote *out, struct eb_error *err)
{
	struct head h = { repo, ref, out };

	memset(out, 0, sizeof *out);
	if (eb_ref_check(repo, ref, err) < 0)
		return -1;
	return eb_repository_ask(repo, ref, head_at, &h, err);
}
