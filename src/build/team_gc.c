/* SPDX-License-Identifier: Apache-2.0 */
/* What is old or unreachable in the team's repository: decided and removed. */
#include <string.h>
#include <time.h>

#include "team_gc.h"

#define SHORT_HEX 32

/* --- old -------------------------------------------------------------- */
static const struct eb_gc_tag *find_tag(const struct eb_gc *g,
					enum eb_gc_kind kind, const char *hex)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->tag[i].kind == kind && g->tag[i].found &&
		    !strncmp(g->tag[i].hex, hex, SHORT_HEX))
			return &g->tag[i];
	return NULL;
}

static bool older(const struct eb_gc *g, int64_t time)
{
	return g->options->max_age_s && time &&
	       g->now - time >= g->options->max_age_s;
}

/* An image whose lock does not tell its age stays. */
static void mark_old(struct eb_gc *g)
{
	for (size_t i = 0; i < g->n_images; i++) {
		struct eb_gc_image *image = &g->image[i];
		const struct eb_gc_tag *lock =
			*image->lock ? find_tag(g, EB_GC_LOCKED, image->lock)
				     : NULL;

		image->old = lock && older(g, lock->time);
		image->stays = !image->old;
	}
	for (size_t i = 0; i < g->n; i++)
		if (g->tag[i].kind == EB_GC_OTHER &&
		    g->tag[i].image < g->n_images)
			g->image[g->tag[i].image].stays = true;
	for (size_t i = 0; i < g->n; i++) {
		struct eb_gc_tag *t = &g->tag[i];

		if (t->kind == EB_GC_IMAGE && t->image < g->n_images &&
		    !g->image[t->image].stays)
			t->why = "old";
	}
}

/* --- unreachable ------------------------------------------------------ */
/* Prefixes of the keys and locks that images which stay need, sorted. */
static void needed(const struct eb_gc *g, struct eb_strv *keys,
		   struct eb_strv *locks)
{
	for (size_t i = 0; i < g->n_images; i++) {
		const struct eb_gc_image *image = &g->image[i];

		if (!image->stays)
			continue;
		if (*image->lock)
			eb_strv_addf(locks, "%.*s", SHORT_HEX, image->lock);
		for (size_t k = 0; k < image->keys.n; k++)
			eb_strv_addf(keys, "%.*s", SHORT_HEX, image->keys.v[k]);
	}
	eb_strv_sort(keys);
	eb_strv_sort(locks);
}

static void mark_unreachable(struct eb_gc *g)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv keys = { 0 }, locks = { 0 };

	needed(g, &keys, &locks);
	for (size_t i = 0; i < g->n; i++) {
		struct eb_gc_tag *t = &g->tag[i];

		if (!t->found)
			continue;
		if ((t->kind == EB_GC_LOCKED &&
		     !eb_in_sorted(&locks, t->hex)) ||
		    (t->kind == EB_GC_LAYER && !eb_in_sorted(&keys, t->hex)) ||
		    (t->kind == EB_GC_STEP && older(g, t->time)))
			t->why = "unreachable";
	}
}

/* Tags are listed page by page: an image may have come between two of them.
 * Its lock- stands before its locked- does. */
static int came_meanwhile(struct eb_gc *g, const struct eb_gc_tag *t,
			  struct eb_error *err)
{
	static const char *const endings[] = { "", "-zstd" };
	struct eb_remote remote;
	int there = 0;

	if (find_tag(g, EB_GC_IMAGE, t->hex))
		return 0; /* it was seen and goes */
	for (size_t i = 0; i < 2 && !there; i++) {
		eb_autofree char *tag =
			eb_asprintf("lock-%s%s", t->hex, endings[i]);

		there = eb_manifest_head(g->team->repo, tag, &remote, err);
	}
	return there;
}

static int spare_new_ones(struct eb_gc *g, struct eb_error *err)
{
	for (size_t i = 0; i < g->n; i++) {
		struct eb_gc_tag *t = &g->tag[i];
		int there;

		if (t->kind != EB_GC_LOCKED || !t->why)
			continue;
		there = came_meanwhile(g, t, err);
		if (there < 0)
			return -1;
		if (there)
			t->why = NULL;
	}
	return 0;
}

/* --- removing --------------------------------------------------------- */
static int by_digest(const void *a, const void *b)
{
	const struct eb_gc_tag *x = *(struct eb_gc_tag *const *)a;
	const struct eb_gc_tag *y = *(struct eb_gc_tag *const *)b;
	int d = eb_digest_compare(&x->digest, &y->digest);

	return d ? d : strcmp(x->tag, y->tag);
}

static void tell(struct eb_gc *g, const struct eb_gc_tag *t)
{
	char when[32];

	if (!strcmp(t->why, "old"))
		g->report->old++;
	else
		g->report->unreachable++;
	eb_note(g->team->events, "%s: %s%s%s", t->why, t->tag,
		t->time ? ", of " : "",
		t->time ? eb_rfc3339(t->time, when) : "");
}

static int remove_one(struct eb_gc *g, const struct eb_digest *d,
		      struct eb_error *err)
{
	int rc;

	/* Who does not allow the first does not allow the others. */
	if (g->report->refused && !g->report->removed) {
		g->report->refused++;
		return 0;
	}
	rc = eb_manifest_delete(g->team->repo, d, err);
	if (rc >= 0) {
		g->report->removed++;
		return 0;
	}
	if (err->code != EB_REFUSED)
		return -1;
	if (!g->report->refused++)
		eb_warn(g->team->events, "%s%s%s", err->message,
			err->hint ? "; " : "", err->hint ? err->hint : "");
	eb_err_release(err);
	return 0;
}

/* The tags from..to have one digest. */
static int group(struct eb_gc *g, struct eb_gc_tag **t, size_t n,
		 struct eb_error *err)
{
	for (size_t i = 0; i < n; i++)
		if (!t[i]->why)
			return 0;
	for (size_t i = 0; i < n; i++)
		tell(g, t[i]);
	return g->options->remove ? remove_one(g, &t[0]->digest, err) : 0;
}

/* One kind after the other: images go before what they need. */
static int remove_kind(struct eb_gc *g, struct eb_gc_tag **t, size_t n,
		       enum eb_gc_kind kind, struct eb_error *err)
{
	size_t to;

	for (size_t from = 0; from < n; from = to) {
		for (to = from + 1; to < n; to++)
			if (!eb_digest_equal(&t[to]->digest, &t[from]->digest))
				break;
		if (t[from]->kind == kind &&
		    group(g, t + from, to - from, err) < 0)
			return -1;
	}
	return 0;
}

static int remove_all(struct eb_gc *g, struct eb_error *err)
{
	static const enum eb_gc_kind order[] = { EB_GC_IMAGE, EB_GC_LOCKED,
						 EB_GC_LAYER, EB_GC_STEP };
	eb_autofree struct eb_gc_tag **t =
		eb_calloc(g->n + 1, sizeof(struct eb_gc_tag *));
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->tag[i].found)
			t[n++] = &g->tag[i];
	qsort(t, n, sizeof(struct eb_gc_tag *), by_digest);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (remove_kind(g, t, n, order[i], err) < 0)
			return -1;
	return 0;
}

int eb_team_gc(struct eb_team *t, const struct eb_team_gc_options *options,
	       struct eb_team_gc_report *out, struct eb_error *err)
{
	struct eb_gc g EB_CLEANUP(eb_gc_release) = {
		.team = t, .options = options, .report = out, .now = time(NULL)
	};

	memset(out, 0, sizeof *out);
	if (eb_gc_read(&g, err) < 0)
		return -1;
	mark_old(&g);
	mark_unreachable(&g);
	if (spare_new_ones(&g, err) < 0)
		return -1;
	return remove_all(&g, err);
}
