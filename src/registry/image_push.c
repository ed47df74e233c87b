/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An image of the store into a repository. The manifest comes last, so a tag
 * never names what is not there; what is killed or fails leaves blobs alone.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "push_int.h"
#include "registry_int.h"

struct image_push {
	struct eb_push *p;
	struct eb_stored_image image;
	char digest[EB_DIGEST_TEXT];
	bool there;  /* the manifest is, so all that it names was */
	bool resent; /* the blobs were looked for twice */
	bool *immutable;
};

static void release(struct image_push *ip)
{
	eb_stored_image_release(&ip->image);
}

/* The configuration is the last of the list. */
static int send_blobs(struct image_push *ip, struct eb_error *err)
{
	const struct eb_blob_refs *blobs = &ip->image.blobs;

	for (size_t i = 0; i < blobs->n; i++)
		eb_push_blob(ip->p, &blobs->v[i].digest, blobs->v[i].size,
			     NULL);
	return eb_push_wait(ip->p, err);
}

static void all_are_there(struct image_push *ip)
{
	const struct eb_blob_refs *blobs = &ip->image.blobs;
	EB_CLEANUP(eb_digests_release) struct eb_digests there = { 0 };

	for (size_t i = 0; i < blobs->n; i++)
		eb_digests_add(&there, &blobs->v[i].digest);
	eb_push_remember(ip->p, &there);
}

static int look(struct image_push *ip, struct eb_error *err)
{
	struct eb_remote remote;
	int got = eb_manifest_head(ip->p->to, ip->digest, &remote, err);

	if (got < 0)
		return -1;
	ip->there = got;
	if (!got)
		return send_blobs(ip, err);
	eb_detail(ip->p->events, "%s has %s", eb_repository_text(ip->p->to),
		  ip->digest);
	all_are_there(ip);
	return eb_push_wait(ip->p, err);
}

static int send_again(struct image_push *ip, struct eb_error *err)
{
	const struct eb_blob_refs *blobs = &ip->image.blobs;

	eb_note(ip->p->events,
		"%s lacks blobs that it had: they are sent once more",
		eb_repository_text(ip->p->to));
	ip->resent = true;
	for (size_t i = 0; i < blobs->n; i++)
		eb_push_forget(ip->p, &blobs->v[i].digest);
	return send_blobs(ip, err);
}

static int put(struct image_push *ip, const char *ref, struct eb_error *err)
{
	return eb_manifest_put(ip->p->to, ref, ip->image.media_type,
			       ip->image.text.data, ip->image.text.len,
			       ip->immutable, err);
}

/* The registry may have collected blobs between our look and now. */
static int put_manifest(struct image_push *ip, const char *ref,
			struct eb_error *err)
{
	int rc = put(ip, ref, err);

	if (rc == 0 || err->code != EB_NO || ip->resent)
		goto out;
	eb_err_release(err);
	if (send_again(ip, err) < 0)
		return -1;
	rc = put(ip, ref, err);
out:
	if (rc < 0 && err->code == EB_NO)
		err->code = EB_NETWORK;
	return rc;
}

/* A tag that stands there already is not written: it may be one that cannot
 * be. */
static int put_tag(struct image_push *ip, const char *tag, struct eb_error *err)
{
	struct eb_remote remote;
	int got = 0;

	if (ip->there)
		got = eb_manifest_head(ip->p->to, tag, &remote, err);
	if (got < 0)
		return -1;
	if (got && eb_digest_equal(&remote.digest, &ip->image.digest))
		return 0;
	return put_manifest(ip, tag, err);
}

int eb_image_push(struct eb_push *p, const struct eb_digest *manifest,
		  const char *const *tag, size_t n_tags, bool *immutable,
		  struct eb_error *err)
{
	EB_CLEANUP(release)
	struct image_push ip = { .p = p, .immutable = immutable };

	if (eb_stored_image_read(p->store, manifest, &ip.image, err) < 0)
		return -1;
	eb_digest_text(manifest, ip.digest);
	p->to->written = true; /* what a mirror has is not there */
	if (look(&ip, err) < 0)
		return -1;
	for (size_t i = 0; i < n_tags; i++)
		if (put_tag(&ip, tag[i], err) < 0)
			return -1;
	if (n_tags || ip.there)
		return 0;
	return put_manifest(&ip, ip.digest, err);
}
