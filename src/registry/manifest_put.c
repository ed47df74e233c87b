/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests: written and deleted. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "registry_int.h"

/* For what passes by itself: 20, 40, ... 320 ms. */
#define TRIES 5
#define FIRST_PAUSE 20000000L

static int missing_blobs(struct eb_call *c, struct eb_error *err)
{
	eb_call_failed(c, err);
	err->code = EB_NO;
	return -1;
}

static bool names_missing(struct eb_call *c)
{
	return (c->r.status == 400 || c->r.status == 404 ||
		c->r.status == 422) &&
	       (eb_call_has_code(c, "MANIFEST_BLOB_UNKNOWN") ||
		eb_call_has_code(c, "BLOB_UNKNOWN"));
}

/* docker-registry 2.8 empties the file that says it has a blob before it
 * fills it anew, when another one sends the same blob: for that moment it does
 * not know it, by both of these codes. */
static bool is_being_written(struct eb_call *c)
{
	return names_missing(c) && eb_call_has_code(c, "DIGEST_INVALID");
}

static int put_failed(struct eb_call *c, bool *immutable, struct eb_error *err)
{
	if (names_missing(c))
		return missing_blobs(c, err);
	if (!eb_ref_is_digest(c->ref) && eb_call_is_immutable(c)) {
		if (immutable)
			*immutable = true;
		eb_call_failed(c, err);
		err->code = EB_REFUSED;
		eb_err_hint(err, "tags of this registry cannot be moved once "
				 "they are there");
		return -1;
	}
	eb_call_failed(c, err);
	if (c->r.status == 404)
		eb_err_hint(err,
			    "the registry may want \"%s\" to be made "
			    "beforehand",
			    c->repo->name);
	return -1;
}

static int check_digest(struct eb_call *c, const void *text, size_t len,
			struct eb_error *err)
{
	char a[EB_DIGEST_TEXT], b[EB_DIGEST_TEXT];
	struct eb_digest ours, theirs;

	if (!eb_call_digest(c, &theirs))
		return 0;
	eb_sha256(text, len, &ours);
	if (eb_digest_equal(&ours, &theirs))
		return 0;
	eb_err_set(err, EB_INTEGRITY, "the registry has got %s, sent was %s",
		   eb_digest_text(&theirs, b), eb_digest_text(&ours, a));
	return eb_call_prefix(c, err);
}

static int check_size(const struct eb_repository *repo, const char *ref,
		      size_t len, struct eb_error *err)
{
	eb_autofree char *name = eb_repository_ref(repo, ref);

	if (len <= EB_MAX_REMOTE_MANIFEST)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\": writing the manifest: it has %zu bytes, "
			  "registries take %zu",
			  name, len, EB_MAX_REMOTE_MANIFEST);
}

struct putting {
	const char *media_type;
	const void *text;
	size_t len;
	bool *immutable, *subject;
	bool again; /* it was refused for something that passes */
};

static int put_once(struct eb_repository *repo, const char *ref,
		    struct putting *p, struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("manifests/%s", ref);
	eb_autofree char *type = eb_asprintf("Content-Type: %s", p->media_type);
	const char *headers[] = { type, NULL };
	struct eb_call c = { .repo = repo,
			     .doing = "writing the manifest",
			     .ref = ref,
			     .method = "PUT",
			     .path = path,
			     .headers = headers,
			     .body = { .kind = EB_HTTP_MEMORY,
				       .data = p->text,
				       .size = p->len },
			     .push = true };
	eb_autofree char *field = NULL;
	int rc;

	p->again = false;
	if (p->immutable)
		*p->immutable = false;
	if (eb_ref_check(repo, ref, err) < 0 ||
	    check_size(repo, ref, p->len, err) < 0 ||
	    eb_repository_home(repo, &c.at, err) < 0)
		return -1;
	repo->written = true;
	rc = eb_call(&c, err);
	if (rc == 0 && !eb_call_good(&c)) {
		p->again = is_being_written(&c);
		rc = put_failed(&c, p->immutable, err);
	} else if (rc == 0 && eb_call_is_page(&c))
		rc = eb_call_page(&c, "that of a registry", err);
	else if (rc == 0)
		rc = check_digest(&c, p->text, p->len, err);
	field = rc == 0 ? eb_call_field(&c, "OCI-Subject") : NULL;
	if (p->subject)
		*p->subject = field != NULL;
	eb_call_release(&c);
	return rc;
}

int eb_manifest_put_known(struct eb_repository *repo, const char *ref,
			  const char *media_type, const void *text, size_t len,
			  bool *immutable, bool *subject, struct eb_error *err)
{
	struct putting p = { .media_type = media_type,
			     .text = text,
			     .len = len,
			     .immutable = immutable,
			     .subject = subject };
	int rc = put_once(repo, ref, &p, err);

	for (unsigned i = 0; rc < 0 && p.again && i < TRIES; i++) {
		struct timespec pause = { .tv_nsec = FIRST_PAUSE << i };

		eb_err_release(err);
		nanosleep(&pause, NULL);
		rc = put_once(repo, ref, &p, err);
	}
	return rc;
}

int eb_manifest_put(struct eb_repository *repo, const char *ref,
		    const char *media_type, const void *text, size_t len,
		    bool *immutable, struct eb_error *err)
{
	return eb_manifest_put_known(repo, ref, media_type, text, len,
				     immutable, NULL, err);
}

static int delete_failed(struct eb_call *c, struct eb_error *err)
{
	bool never = c->r.status == 405 || eb_call_has_code(c, "UNSUPPORTED");

	eb_call_failed(c, err);
	if (never) {
		err->code = EB_REFUSED;
		eb_err_hint(err, "this registry does not let anybody delete");
	}
	return -1;
}

int eb_manifest_delete(struct eb_repository *repo, const struct eb_digest *d,
		       struct eb_error *err)
{
	char ref[EB_DIGEST_TEXT];
	eb_autofree char *path =
		eb_asprintf("manifests/%s", eb_digest_text(d, ref));
	struct eb_call c = { .repo = repo,
			     .doing = "deleting the manifest",
			     .ref = ref,
			     .method = "DELETE",
			     .path = path,
			     .small = true,
			     .remove = true };
	int rc;

	if (eb_repository_home(repo, &c.at, err) < 0)
		return -1;
	repo->written = true;
	rc = eb_call(&c, err);
	if (rc == 0 && eb_call_good(&c))
		rc = 1;
	else if (rc == 0 && c.r.status != 404)
		rc = delete_failed(&c, err);
	eb_call_release(&c);
	return rc;
}
