/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes out of the team's registry into the store. Parts lie in the blobs of
 * bucket layers: of each blob one range is fetched that covers those that are
 * needed, and each slice is verified by its own digest.
 */
#include <string.h>

#include "team_private.h"

/* --- what was said to be there and is not --------------------------------- */
static void add_lost(struct eb_build *b, const struct eb_digest *blob)
{
	struct eb_lost *l = b->lost;

	pthread_mutex_lock(&l->lock);
	EB_GROW(l->blob, l->n, l->alloc);
	l->blob[l->n++] = *blob;
	pthread_mutex_unlock(&l->lock);
}

/* --- slices of one blob ----------------------------------------------------
 */
struct slices {
	struct eb_build *b;
	const struct eb_known_item **item; /* by offset */
	size_t n, i;			   /* the next one */
	uint64_t from, at;		   /* in the blob */
	struct eb_blob_writer *w;	   /* of the next one, or NULL */
};

static int put_row(struct eb_build *b, const struct eb_known_item *k,
		   struct eb_error *err)
{
	struct eb_digest paths;

	if (eb_store_put(b->store, b->known->paths.data + k->paths_at,
			 k->paths_size, &paths, err) < 0)
		return -1;
	return eb_store_put_item(b->store, &k->item, err);
}

static int finish_slice(struct slices *s, struct eb_error *err)
{
	const struct eb_known_item *k = s->item[s->i++];

	if (!s->w && eb_blob_begin(s->b->store, &s->w, err) < 0)
		return -1;
	if (eb_blob_commit(eb_steal(s->w), &k->item.blob, "slice", NULL, NULL,
			   err) < 0)
		return -1;
	return put_row(s->b, k, err);
}

/* As many bytes as the next slice wants; *used of them are done with. */
static int take_some(struct slices *s, const char *p, size_t n, size_t *used,
		     struct eb_error *err)
{
	const struct eb_known_item *k = s->item[s->i];
	uint64_t end = k->offset + k->item.size, left;

	if (!s->w && s->at > k->offset)
		return eb_err_set(err, EB_INTEGRITY,
				  "the parts in it lie above each other");
	if (s->at < k->offset) {
		left = k->offset - s->at;
		*used = n < left ? n : (size_t)left;
		return 0;
	}
	left = end - s->at;
	*used = n < left ? n : (size_t)left;
	if (!s->w && eb_blob_begin(s->b->store, &s->w, err) < 0)
		return -1;
	return eb_blob_write(s->w, p, *used, err);
}

static int take(void *data, const void *p, size_t n, uint64_t offset,
		struct eb_error *err)
{
	struct slices *s = data;
	const char *at = p;

	if (offset == 0) { /* perhaps once more */
		eb_blob_abort(eb_steal(s->w));
		s->i = 0;
		s->at = s->from;
	}
	while (n && s->i < s->n) {
		const struct eb_known_item *k = s->item[s->i];
		size_t used = 0;

		if (take_some(s, at, n, &used, err) < 0)
			return -1;
		s->at += used;
		at += used;
		n -= used;
		if (s->at == k->offset + k->item.size &&
		    finish_slice(s, err) < 0)
			return -1;
	}
	return 0;
}

/* --- one blob ---------------------------------------------------------------
 */
static int get(struct slices *s, bool whole, struct eb_error *err)
{
	const struct eb_known_item *first = s->item[0],
				   *last = s->item[s->n - 1];
	struct eb_repository *repo = eb_team_repository(s->b->team);
	uint64_t end = last->offset + last->item.size;
	const char *task = "layers of the team";

	s->from = whole ? 0 : first->offset;
	s->at = s->from;
	s->i = 0;
	if (whole)
		return eb_blob_get(repo, &first->container,
				   first->container_size, task, take, s, err);
	return eb_blob_get_range(repo, &first->container, s->from,
				 end - s->from, task, take, s, err);
}

/* 1 fetched, 0 gone or damaged (why it is, is said), -1. A server without
 * ranges has to send the whole. */
static int fetch(struct slices *s, struct eb_error *err)
{
	const struct eb_known_item *first = s->item[0];
	bool whole = s->n == 1 && first->item.size == first->container_size;
	int rc = get(s, whole, err);

	if (rc < 0 && !whole && err->code == EB_NETWORK) {
		eb_detail(s->b->events, "%s", err->message);
		eb_err_release(err);
		rc = get(s, true, err);
	}
	if (rc < 0 && err->code == EB_INTEGRITY) {
		eb_detail(s->b->events, "%s; fetching once more", err->message);
		eb_err_release(err);
		rc = get(s, whole, err);
	}
	if (rc > 0 && s->i < s->n)
		eb_err_set(err, EB_INTEGRITY, "the blob is too short");
	return eb_err_is_set(err) ? -1 : rc;
}

static int lose(struct slices *s, struct eb_error *err)
{
	const struct eb_digest *blob = &s->item[0]->container;
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	char text[EB_DIGEST_TEXT];

	if (eb_err_is_set(err))
		eb_err_move(&why, err);
	add_lost(s->b, blob);
	return eb_err_set(err, EB_INTEGRITY,
			  "blob \"%s\" of the team's registry is %s%s%s",
			  eb_digest_text(blob, text),
			  why.message ? "damaged: " : "not there any more",
			  why.message ? why.message : "", "");
}

/* Is each of them in the blob? What says so comes from outside. */
static bool inside(const struct slices *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct eb_known_item *k = s->item[i];

		if (k->offset > k->container_size ||
		    k->item.size > k->container_size - k->offset)
			return false;
	}
	return true;
}

static int bring_blob(struct slices *s, struct eb_error *err)
{
	int rc = inside(s) ? fetch(s, err) : 0;

	eb_blob_abort(eb_steal(s->w));
	if (rc == 0 || (rc < 0 && err->code == EB_INTEGRITY))
		return lose(s, err);
	if (rc < 0)
		return -1;
	__atomic_add_fetch(&s->b->built->brought,
			   s->item[s->n - 1]->offset +
				   s->item[s->n - 1]->item.size -
				   s->item[0]->offset,
			   __ATOMIC_RELAXED);
	return 0;
}

/* --- all ---------------------------------------------------------------------
 */
static int by_place(const void *a, const void *b)
{
	const struct eb_known_item *x = *(void *const *)a,
				   *y = *(void *const *)b;
	int d = eb_digest_compare(&x->container, &y->container);

	if (d)
		return d;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* What is not in the store. A part without bytes needs its row alone. */
static int collect(struct eb_build *b, const struct eb_item *item, size_t n,
		   const struct eb_known_item **out, size_t *n_out,
		   struct eb_error *err)
{
	static const char nothing[1];

	for (size_t i = 0; i < n; i++) {
		const struct eb_known_item *k;
		int here = eb_build_is_here(b, &item[i], err);

		if (here < 0)
			return -1;
		k = here ? NULL
			 : eb_known_find(b->known, item[i].kind, &item[i].key,
					 item[i].compressor);
		if (k && k->item.size)
			out[(*n_out)++] = k;
		else if (k && !b->foreseen &&
			 (eb_store_put(b->store, nothing, 0, NULL, err) < 0 ||
			  put_row(b, k, err) < 0))
			return -1;
	}
	qsort(out, *n_out, sizeof *out, by_place);
	return 0;
}

static size_t unique(const struct eb_known_item **k, size_t n)
{
	size_t to = 0;

	for (size_t i = 0; i < n; i++)
		if (!to || k[to - 1] != k[i])
			k[to++] = k[i];
	return to;
}

/* Of a plan: they are noted. */
static void foresee(struct eb_foreseen *f, const struct eb_known_item **k,
		    size_t n)
{
	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		while (j < f->n && f->pulled[j] != k[i])
			j++;
		if (j < f->n)
			continue;
		EB_GROW(f->pulled, f->n, f->alloc);
		f->pulled[f->n++] = k[i];
	}
	pthread_mutex_unlock(&f->lock);
}

int eb_build_bring(struct eb_build *b, const struct eb_item *item, size_t n,
		   struct eb_error *err)
{
	eb_autofree const struct eb_known_item **k = NULL;
	size_t found = 0, from, to;

	if (!b->known)
		return 0;
	k = eb_calloc(n + 1, sizeof *k);
	if (collect(b, item, n, k, &found, err) < 0)
		return -1;
	found = unique(k, found);
	if (b->foreseen)
		foresee(b->foreseen, k, found);
	if (b->foreseen)
		return 0;
	for (from = 0; from < found; from = to) {
		struct slices s = { .b = b, .item = k + from };

		for (to = from; to < found; to++)
			if (!eb_digest_equal(&k[to]->container,
					     &k[from]->container))
				break;
		s.n = to - from;
		if (bring_blob(&s, err) < 0)
			return -1;
	}
	return 0;
}
