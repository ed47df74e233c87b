/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layers and parts the team has, before anything is made: those of the
 * nearest environment, by its map, and own layers by their tags. All of it
 * saves work and nothing depends on it, so what goes wrong is said and passed
 * by.
 */
#include <string.h>

#include "team_work.h"

#define AT_ONCE 8

static void passed_by(struct eb_build *b, struct eb_error *err)
{
	eb_note(b->events, "%s; built without it", err->message);
	eb_err_release(err);
}

/* --- what is missing
 * ---------------------------------------------------------- */
struct missing { /* members whose payload the store lacks */
	size_t *index, n;
};

static int find_missing(struct eb_build *b, struct missing *out,
			struct eb_error *err)
{
	for (size_t i = 0; i < b->n; i++) {
		enum eb_item_kind kind =
			b->member[i].own ? EB_ITEM_LAYER : EB_ITEM_PART;
		struct eb_item item;
		int rc = eb_store_find_item(b->store, kind,
					    &b->work[i].payload_key,
					    b->compressor.id, &item, err);

		if (rc < 0)
			return -1;
		if (rc == 0)
			out->index[out->n++] = i;
	}
	return 0;
}

/* --- the nearest environment ------------------------------------------------
 */
struct near {
	struct eb_build *b;
	const struct missing *missing;
	const struct eb_digest *lock;
	struct eb_known *out;
	struct eb_buf *text; /* of the image */
	int image, map;	     /* are they there? */
};

static int ask_image(void *arg, struct eb_error *err)
{
	struct near *n = arg;
	eb_autofree char *tag =
		eb_team_tag_of(EB_TAG_LOCK, n->lock, n->b->config->compression);
	struct eb_remote remote;

	n->image =
		eb_manifest_get(n->b->team->repo, tag, n->text, &remote, err);
	return n->image;
}

/* A payload that the store lacks? */
static bool is_missing(void *arg, const struct eb_item *item)
{
	const struct near *n = arg;

	for (size_t i = 0; i < n->missing->n; i++) {
		const struct eb_work *w = &n->b->work[n->missing->index[i]];

		if (eb_digest_equal(&w->payload_key, &item->key))
			return true;
	}
	return false;
}

/* A store with nothing in it wants all of it. */
static int ask_map(void *arg, struct eb_error *err)
{
	struct near *n = arg;
	bool all = n->missing->n == n->b->n;

	n->map = eb_team_get_map(n->b->team, n->lock, all ? NULL : is_missing,
				 n, n->out, err);
	return n->map;
}

/* An image that is there has its blobs, so its map can be believed, and the
 * base's layers need not be looked for. */
static void spare_layers(struct near *n)
{
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (!n->b->push || eb_manifest_parse(n->text->data, n->text->len,
					     "nearest", &m, &err) < 0)
		return;
	for (size_t i = 0; i < m.n_layers; i++) {
		eb_push_known(n->b->push, &m.layer[i].digest);
		eb_known_add_there(n->out, &m.layer[i].digest);
	}
}

static int take_map(struct eb_build *b, const struct missing *missing,
		    const struct eb_recent_entry *e, struct eb_known *out,
		    struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	struct near n = { b, missing, &e->lock, out, &text, 0, 0 };
	char hex[EB_HEX_SIZE];
	int rc = eb_team_both(b->team, ask_map, &n, ask_image, &n, err);

	if (rc == 0 && n.image && n.map) {
		spare_layers(&n);
		eb_detail(b->events,
			  "the nearest environment is \"%s\", lock %.12s",
			  e->name, eb_digest_hex(&e->lock, hex));
		return 0;
	}
	eb_known_release(out);
	*out = (struct eb_known)EB_KNOWN_INIT;
	return rc;
}

/* False: there is no `recent`, so nobody has built anything here, or could not
 * write it. Then no tag of a layer is asked for either: the list is a hint, and
 * one that was lost may cost work. */
static bool nearest(struct eb_build *b, const struct missing *missing,
		    struct eb_known *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const struct eb_recent_entry *e = NULL;
	const struct eb_recent *recent;
	struct eb_sketch sketch;
	int rc = eb_team_recent(b->team, &recent, &err);
	bool none = rc == 0 && !recent->damaged;

	if (rc > 0) {
		eb_sketch_of(b->lock, &sketch);
		e = eb_recent_nearest(recent, &sketch);
	}
	if (e)
		rc = take_map(b, missing, e, out, &err);
	if (rc < 0)
		passed_by(b, &err);
	eb_known_sort(out);
	return !none;
}

/* --- own layers, by their tags ----------------------------------------------
 */
struct query {
	struct eb_build *b;
	const struct eb_digest *key;
	struct eb_known found;
};

static int ask(void *arg, struct eb_error *err)
{
	struct query *q = arg;

	return eb_team_get_layer(q->b->team, q->key, q->b->compressor.id,
				 &q->found, err) < 0
		       ? -1
		       : 0;
}

static int take_found(struct eb_known *out, struct query *q,
		      struct eb_error *err)
{
	for (size_t i = 0; i < q->found.n; i++) {
		const struct eb_known_item *k = &q->found.item[i];

		if (eb_known_add(out, &k->item, &k->container,
				 k->container_size, k->offset,
				 q->found.paths.data + k->paths_at,
				 k->paths_size, err) < 0)
			return -1;
	}
	return 0;
}

static void ask_all(struct eb_build *b, struct query *q, size_t n,
		    struct eb_known *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_pool *pool = eb_pool_new(n < AT_ONCE ? (unsigned)n : AT_ONCE);
	int rc;

	for (size_t i = 0; i < n; i++)
		eb_pool_submit(pool, ask, &q[i]);
	rc = eb_pool_wait(pool, &err);
	eb_pool_free(pool);
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			rc = take_found(out, &q[i], &err);
		eb_known_release(&q[i].found);
	}
	if (rc < 0)
		passed_by(b, &err);
	eb_known_sort(out);
}

int eb_team_lookup(struct eb_build *b, struct eb_known *out,
		   struct eb_error *err)
{
	eb_autofree size_t *index = eb_calloc(b->n + 1, sizeof *index);
	eb_autofree struct query *q = eb_calloc(b->n + 1, sizeof *q);
	struct missing missing = { index, 0 };
	size_t n_queries = 0;

	if (find_missing(b, &missing, err) < 0)
		return -1;
	if (!missing.n || !nearest(b, &missing, out))
		return 0;
	for (size_t i = 0; i < missing.n; i++) {
		const struct eb_digest *key = &b->work[index[i]].payload_key;

		if (b->member[index[i]].own &&
		    !eb_known_find(out, EB_ITEM_LAYER, key, b->compressor.id))
			q[n_queries++] = (struct query){
				.b = b, .key = key, .found = EB_KNOWN_INIT
			};
	}
	if (n_queries)
		ask_all(b, q, n_queries, out);
	return 0;
}
