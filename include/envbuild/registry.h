/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client of the distribution protocol (distribution-spec 1.1): manifests,
 * blobs, tags, referrers.
 *
 *	struct eb_registry *r = eb_registry_new(&options, events);
 *	eb_repository_open(r, "ghcr.io", "team/env", &repo, &err)
 *	eb_manifest_get(repo, "env-...", &text, &info, &err)
 *
 * All functions may be called from several threads at once; each blocks until
 * its answer is there. Waiting and trying again: http.h. Authentication:
 * credential.h; tokens are asked for when a registry challenges, kept per
 * (realm, service, scopes) for their life, also in
 * $XDG_RUNTIME_DIR/envbuild/tokens (0600), and asked for anew once when one
 * is refused.
 *
 * http: on loopback it is tried first, unless a CA file or a certs.d entry
 * names the host; elsewhere with plain_http (or registries.conf's insecure)
 * alone, else EB_REFUSED. What answers is remembered per host.
 *
 * Errors name HOST/REPOSITORY:REFERENCE and what was being done: EB_NETWORK
 * (also a 404 of something that has to be there), EB_REFUSED (no or wrong
 * credentials, no permission, TLS, plain http), EB_INTEGRITY (other bytes
 * than their digest, after one more try), EB_INPUT (an answer beyond the
 * limits: manifest over 4 MiB, index in an index in an index). The words of
 * the registry's own error body follow, redacted, at most 200 bytes of them.
 */
#ifndef EB_REGISTRY_H
#define EB_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/buf.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#define EB_MAX_REMOTE_MANIFEST ((size_t)4 << 20)

struct eb_registry;   /* the client, for all hosts */
struct eb_repository; /* one repository */

struct eb_registry_options {
	const char *ca_file;
	bool plain_http; /* to hosts that are not loopback, too */
	bool offline;
	const char *user, *password; /* given ones, or NULL; copied */
	/* Whom those and ENVBUILD_REGISTRY_USER are for; NULL: every host. */
	const char *login_host;
	unsigned timeout_ms; /* of one try of a small request; 0: none */
	unsigned tries;	     /* 0: 5 */
	unsigned per_host;   /* transfers at once; 0: 6 */
	unsigned backoff_ms, stall_s; /* as in http.h */
	bool single; /* one caller at a time: no thread for the loop */
	const char *token_dir; /* NULL: $XDG_RUNTIME_DIR/envbuild; "": none */
};
struct eb_registry *eb_registry_new(const struct eb_registry_options *options,
				    struct eb_events *events);
void eb_registry_free(struct eb_registry *r); /* zeroes what is secret */
EB_AUTOPTR(struct eb_registry, eb_registry_free)

/* `host` and `name` as a reference has them ("docker.io", "library/debian").
 * The handle belongs to the client and lives as long; the same names give the
 * same handle. EB_USAGE for a wrong name; no request is made. */
int eb_repository_open(struct eb_registry *r, const char *host,
		       const char *name, struct eb_repository **out,
		       struct eb_error *err);
const char *eb_repository_host(const struct eb_repository *repo);
const char *eb_repository_name(const struct eb_repository *repo);
const char *eb_repository_text(const struct eb_repository *repo); /* h/n */
bool eb_repository_same_host(const struct eb_repository *a,
			     const struct eb_repository *b);
/* May we talk to it? GET /v2/ with authentication; for doctor. */
int eb_registry_ping(struct eb_repository *repo, struct eb_error *err);

/* --- manifests: `ref` is a tag or a digest's text ----------------------- */
struct eb_remote {
	struct eb_digest digest;
	char media_type[128];
	uint64_t size; /* 0: unknown (a HEAD without length) */
};
/* 1 there, 0 not (404), -1 cannot tell. All four Accept types are sent. A
 * server without HEAD (405), or whose answer has no digest, is asked by GET.
 */
int eb_manifest_head(struct eb_repository *repo, const char *ref,
		     struct eb_remote *out, struct eb_error *err);
/* 1, 0, -1. The text's digest is computed and compared with `ref` or with
 * what the server says. */
int eb_manifest_get(struct eb_repository *repo, const char *ref,
		    struct eb_buf *text, struct eb_remote *out,
		    struct eb_error *err);
/* The image of `platform` behind a tag or digest: through indexes, each child
 * verified by digest and size. 1, 0, -1; EB_INPUT: no such platform. `out` is
 * the image manifest's; `top` (may be NULL) of what `ref` itself is. */
int eb_manifest_resolve(struct eb_repository *repo, const char *ref,
			const char *platform, struct eb_buf *text,
			struct eb_remote *out, struct eb_digest *top,
			struct eb_error *err);
/* Every blob that it names has to be there already. A registry that answers
 * MANIFEST_BLOB_UNKNOWN: EB_NO (the caller sends the blobs again, once). A
 * server that computes another digest: EB_INTEGRITY. Warnings of the registry
 * (RFC 7234 299) are events, each once. `immutable` (may be NULL) is set, with
 * EB_REFUSED, where the tag exists and may not be moved. */
int eb_manifest_put(struct eb_repository *repo, const char *ref,
		    const char *media_type, const void *text, size_t len,
		    bool *immutable, struct eb_error *err);
/* By digest: all tags of it go, too. 1 gone, 0 was not there. EB_REFUSED
 * where the registry does not allow it. */
int eb_manifest_delete(struct eb_repository *repo, const struct eb_digest *d,
		       struct eb_error *err);
/* All tags, page by page (at most 100 pages of 1000). 0 also for a repository
 * that does not exist yet. */
int eb_tags_list(struct eb_repository *repo, struct eb_strv *out,
		 struct eb_error *err);

/* --- referrers ----------------------------------------------------------- */
/* The OCI index text of what refers to `subject`, by the API, else by the
 * fall-back tag; 1, 0 none, -1. `artifact_type` NULL: all. */
int eb_referrers_get(struct eb_repository *repo,
		     const struct eb_digest *subject, const char *artifact_type,
		     struct eb_buf *index, struct eb_error *err);
/* Put a manifest that has a `subject`; where the registry does not say
 * OCI-Subject, the fall-back tag's index gets its descriptor as well (read,
 * changed, written, read again; 3 times at most). */
int eb_referrer_put(struct eb_repository *repo, const void *text, size_t len,
		    struct eb_digest *digest, struct eb_error *err);

/* --- blobs ---------------------------------------------------------------- */
/* 1 there with this size (0: any), 0 not, -1. Another size counts as not. */
int eb_blob_head(struct eb_repository *repo, const struct eb_digest *d,
		 uint64_t size, struct eb_error *err);
/* Called with consecutive bytes; offset 0 again means: from the start. */
typedef int eb_blob_sink_fn(void *data, const void *p, size_t n,
			    uint64_t offset, struct eb_error *err);
/* The whole blob, its digest verified while it streams: what the sink got is
 * good only when this returned 1. 0: not there. Broken downloads are resumed;
 * wrong bytes are fetched once more, then EB_INTEGRITY. `task` names it in
 * progress events. */
int eb_blob_get(struct eb_repository *repo, const struct eb_digest *d,
		uint64_t size, const char *task, eb_blob_sink_fn *sink,
		void *data, struct eb_error *err);
/* A part of it, unverified: the caller has digests for what is in it. 1, 0 not
 * there, -1. */
int eb_blob_get_range(struct eb_repository *repo, const struct eb_digest *d,
		      uint64_t offset, uint64_t size, const char *task,
		      eb_blob_sink_fn *sink, void *data, struct eb_error *err);
/* Small ones, into memory; 1, 0, -1. */
int eb_blob_read(struct eb_repository *repo, const struct eb_digest *d,
		 size_t max, struct eb_buf *out, struct eb_error *err);

/* What is sent. */
struct eb_blob_source {
	const void *data; /* memory, or NULL: */
	int fd;		  /* by pread from 0 */
	uint64_t size;
	const char *task; /* for progress events, or NULL */
};
/* POST, then PUT of the whole; by the ladder of facts oci 1.4 where a registry
 * refuses that; what works is remembered per host. The caller has looked
 * whether it is there (eb_blob_head). EB_INTEGRITY: our own bytes are not the
 * digest's (looked at again when the registry says so). */
int eb_blob_put(struct eb_repository *repo, const struct eb_digest *d,
		const struct eb_blob_source *source, struct eb_error *err);
/* 1 mounted, 0 the registry would not (nothing is left open), -1. Another
 * host: 0. */
int eb_blob_mount(struct eb_repository *repo, const struct eb_digest *d,
		  const struct eb_repository *from, struct eb_error *err);
/* From one repository to another: mounted where it can be, else streamed
 * through memory, verified on the way. 1 sent, 2 mounted, 0 not there. */
int eb_blob_copy(struct eb_repository *to, struct eb_repository *from,
		 const struct eb_digest *d, uint64_t size, const char *task,
		 struct eb_error *err);

/* What was done so far, all threads together; for reports and tests. */
struct eb_registry_counts {
	uint64_t requests, sent, received; /* bytes of bodies */
};
void eb_registry_counts(struct eb_registry *r, struct eb_registry_counts *out);

#endif
