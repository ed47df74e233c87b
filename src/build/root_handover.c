/* SPDX-License-Identifier: Apache-2.0 */
/* The root in which resolving ran something, for the build of what was
 * resolved: made once, as unpacking it takes seconds. */
#include "root.h"

static void free_it(void *root)
{
	eb_root_free(root);
}

static void drop(struct eb_handover *h)
{
	if (h->root)
		h->free(h->root);
	h->root = NULL;
}

void eb_root_hand_over(struct eb_build *b)
{
	struct eb_handover *h = b->env ? b->env->handover : NULL;

	if (!h || !b->root)
		return;
	drop(h);
	b->root->b = NULL; /* all that is b's goes */
	b->root->base = NULL;
	h->root = eb_steal(b->root);
	h->free = free_it;
}

/* What lies over the base is its system packages and conda's payloads, in this
 * order, and nothing else. *has tells them of b->work. */
static bool is_same(const struct eb_root *r, const struct eb_build *b,
		    bool *has)
{
	size_t n = 0;

	if (!eb_digest_equal(&r->manifest, &eb_root_base(b)->manifest))
		return false;
	if (eb_root_has_apt(b) &&
	    (!r->n || !eb_digest_equal(&r->blob[n++], &b->apt.blob)))
		return false;
	for (size_t i = 0; i < b->n; i++) {
		const struct eb_work *w = &b->work[i];

		if (!w->package || !w->have_payload)
			continue;
		if (n == r->n ||
		    !eb_digest_equal(&r->blob[n++], &w->payload.blob))
			return false;
		has[i] = true;
	}
	return n == r->n;
}

struct eb_root *eb_root_take_over(struct eb_build *b)
{
	struct eb_handover *h = b->env ? b->env->handover : NULL;
	eb_autofree bool *has = eb_calloc(b->n + 1, sizeof *has);
	struct eb_root *r = h ? h->root : NULL;

	if (!r)
		return NULL;
	if (!is_same(r, b, has)) {
		drop(h);
		return NULL;
	}
	h->root = NULL;
	r->b = b;
	r->base = eb_root_base(b);
	r->events = b->events;
	free(r->has);
	r->has = eb_steal(has);
	eb_detail(b->events, "what resolving ran in serves the build too");
	return r;
}
