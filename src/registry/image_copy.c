/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From repository to repository, byte for byte: what a manifest names first,
 * then the manifest; of an index all its children first. Nothing is written
 * to the disk.
 */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>
#include <envbuild/transfer.h>

#include "image_blobs.h"
#include "registry_int.h"

#define MAX_DEPTH 2 /* an index in an index */
#define MAX_CHILDREN 4096

struct copy {
	struct eb_repository *to, *from;
	bool again; /* what was there has gone: ask for everything anew */
	size_t n;   /* manifests of indexes, so far */
};

struct node { /* one manifest */
	struct eb_buf text;
	struct eb_remote remote;
	struct eb_blob_refs blobs;
	json_t *index; /* of an index, else NULL */
	char type[128];
	char *name; /* for messages */
};

static void release(struct node *n)
{
	eb_buf_release(&n->text);
	eb_blob_refs_release(&n->blobs);
	json_decref(n->index);
	free(n->name);
}

static int copy_node(struct copy *c, struct node *n, unsigned depth,
		     struct eb_error *err);

static int not_there(const struct copy *c, const char *what,
		     struct eb_error *err)
{
	return eb_err_set(err, EB_NETWORK,
			  "\"%s\", copying: the registry has no %s",
			  eb_repository_text(c->from), what);
}

static int copy_blob(void *data, const struct eb_blob_ref *blob,
		     struct eb_error *err)
{
	struct copy *c = data;
	eb_autofree char *task = eb_blob_task(&blob->digest);
	int got = eb_blob_head(c->to, &blob->digest, blob->size, err);

	if (got == 0)
		got = eb_blob_copy(c->to, c->from, &blob->digest, blob->size,
				   task, err);
	if (got)
		return got < 0 ? -1 : 0;
	return not_there(c, task, err);
}

/* --- reading ---------------------------------------------------------------
 */
/* The text's own type is the one to be sent along; where it has none, the one
 * that it came with. */
static int parse(struct node *n, struct eb_error *err)
{
	const char *type;

	n->index = eb_json_parse(n->text.data, n->text.len, n->name, err);
	if (!n->index)
		return -1;
	strcpy(n->type, n->remote.media_type);
	type = eb_json_str(n->index, "mediaType");
	if (type && strlen(type) < sizeof n->type)
		strcpy(n->type, type);
	if (eb_json_arr(n->index, "manifests"))
		return 0;
	json_decref(eb_steal(n->index));
	return eb_blob_refs_parse(n->text.data, n->text.len, n->name, &n->blobs,
				  n->type, err);
}

static int get(struct copy *c, const char *ref, struct node *n,
	       struct eb_error *err)
{
	int got;

	eb_buf_init(&n->text, EB_MAX_REMOTE_MANIFEST);
	n->name = eb_asprintf("%s%s%s", eb_repository_text(c->from),
			      eb_starts(ref, "sha256:") ? "@" : ":", ref);
	got = eb_manifest_get(c->from, ref, &n->text, &n->remote, err);
	if (got)
		return got < 0 ? -1 : parse(n, err);
	return not_there(c, ref, err);
}

/* --- writing: blobs before manifests, children before their index ----------
 */
static int put(struct copy *c, const struct node *n, const char *ref,
	       struct eb_error *err)
{
	return eb_manifest_put(c->to, ref, n->type, n->text.data, n->text.len,
			       NULL, err);
}

/* Blobs that were seen there may have been collected since. */
static int put_or_copy_again(struct copy *c, struct node *n, const char *ref,
			     unsigned depth, struct eb_error *err)
{
	int rc = put(c, n, ref, err);

	if (rc == 0 || err->code != EB_NO)
		return rc;
	eb_err_release(err);
	c->again = true;
	c->n = 0;
	rc = copy_node(c, n, depth, err);
	if (rc == 0)
		rc = put(c, n, ref, err);
	if (rc < 0 && err->code == EB_NO)
		err->code = EB_NETWORK;
	return rc;
}

/* 1 there, with everything below it. */
static int is_there(struct copy *c, const char *digest, struct eb_error *err)
{
	struct eb_remote remote;

	return c->again ? 0 : eb_manifest_head(c->to, digest, &remote, err);
}

static int copy_child(struct copy *c, const char *digest, unsigned depth,
		      struct eb_error *err)
{
	EB_CLEANUP(release) struct node n = { 0 };
	int got = is_there(c, digest, err);

	if (got)
		return got < 0 ? -1 : 0;
	if (get(c, digest, &n, err) < 0 || copy_node(c, &n, depth, err) < 0)
		return -1;
	return put_or_copy_again(c, &n, digest, depth, err);
}

static int copy_children(struct copy *c, const struct node *n, unsigned depth,
			 struct eb_error *err)
{
	const json_t *list = eb_json_arr(n->index, "manifests");
	struct eb_digest d;
	json_t *entry;
	size_t i;

	c->n += json_array_size(list);
	if (depth >= MAX_DEPTH || c->n > MAX_CHILDREN)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has more than %d manifests, or "
				  "indexes nested more than %d deep",
				  n->name, MAX_CHILDREN, MAX_DEPTH);
	json_array_foreach (list, i, entry) {
		const char *digest =
			eb_json_need_str(entry, "digest", n->name, err);

		if (!digest)
			return -1;
		if (!eb_starts(digest, "sha256:") ||
		    eb_digest_parse(digest, &d) < 0)
			return eb_err_set(err, EB_INPUT,
					  "\"%s\": \"%s\" is not a sha256 "
					  "digest",
					  n->name, digest);
		if (copy_child(c, digest, depth + 1, err) < 0)
			return -1;
	}
	return 0;
}

static int copy_node(struct copy *c, struct node *n, unsigned depth,
		     struct eb_error *err)
{
	if (n->index)
		return copy_children(c, n, depth, err);
	return eb_blob_refs_each(&n->blobs, copy_blob, c, err);
}

static int copy_top(struct copy *c, struct node *n, const char *const *tag,
		    size_t n_tags, struct eb_error *err)
{
	char digest[EB_DIGEST_TEXT];
	int there;

	eb_digest_text(&n->remote.digest, digest);
	there = is_there(c, digest, err);
	if (there < 0 || (!there && copy_node(c, n, 0, err) < 0))
		return -1;
	for (size_t i = 0; i < n_tags; i++)
		if (put_or_copy_again(c, n, tag[i], 0, err) < 0)
			return -1;
	if (n_tags || there)
		return 0;
	return put_or_copy_again(c, n, digest, 0, err);
}

int eb_image_copy(struct eb_repository *to, struct eb_repository *from,
		  const char *ref, const char *const *tag, size_t n_tags,
		  struct eb_events *events, struct eb_digest *digest,
		  struct eb_error *err)
{
	struct copy c = { .to = to, .from = from };
	EB_CLEANUP(release) struct node n = { 0 };

	to->written = true; /* what a mirror has is not there */
	if (get(&c, ref ? ref : "latest", &n, err) < 0 ||
	    copy_top(&c, &n, tag, n_tags, err) < 0)
		return -1;
	eb_detail(events, "copied %s to %s", n.name, eb_repository_text(to));
	*digest = n.remote.digest;
	return 0;
}
