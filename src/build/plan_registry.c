/* SPDX-License-Identifier: Apache-2.0 */
/* What the team's repository has of an image: the image itself, else layers and
 * parts as a build finds them; then, blob by blob, the layers of the plan. */
#include <string.h>

#include "plan_private.h"

#define AT_ONCE 8

/* --- the image ---------------------------------------------------------- */
static void take_layers(struct eb_planning *p, const struct eb_buf *text)
{
	EB_CLEANUP(eb_manifest_release) struct eb_manifest m = { 0 };
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (eb_manifest_parse(text->data, text->len, "image", &m, &why) < 0)
		return;
	for (size_t i = 0; i < m.n_layers; i++)
		eb_known_add_there(&p->known, &m.layer[i].digest);
}

/* lock- and locked-, as a build looks for them. What is in the image's map need
 * not be found in the store. 1, 0, -1. */
static int ask_image(struct eb_planning *p, struct eb_error *err)
{
	struct eb_team *t = p->b.team;
	eb_autofree char *tag = eb_team_tag_of(EB_TAG_LOCK, &p->out->lock,
					       p->b.config->compression);
	eb_autofree char *locked =
		eb_team_tag_of(EB_TAG_LOCKED, &p->out->lock, NULL);
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_REMOTE_MANIFEST);
	struct eb_remote remote;
	int rc = eb_manifest_get(t->repo, tag, &text, &remote, err);

	if (rc > 0)
		rc = eb_manifest_head(t->repo, locked, &remote, err);
	if (rc <= 0)
		return rc;
	take_layers(p, &text);
	if (eb_team_get_map(t, &p->out->lock, NULL, NULL, &p->known, &why) < 0)
		eb_note(p->b.events, "%s; planned without it", why.message);
	eb_known_sort(&p->known);
	return 1;
}

int eb_plan_ask(struct eb_planning *p, struct eb_error *err)
{
	int rc;

	if (!p->b.team)
		return 0;
	p->out->registry = eb_strdup(p->b.team->text);
	rc = ask_image(p, err);
	p->out->image_there = rc > 0;
	if (rc == 0)
		rc = eb_team_lookup(&p->b, &p->known, err);
	p->b.known = p->known.n ? &p->known : NULL;
	return rc < 0 ? -1 : 0;
}

/* --- blobs -------------------------------------------------------------- */
struct query {
	struct eb_planning *p;
	struct eb_planned_layer *layer;
};

static int ask_blob(void *arg, struct eb_error *err)
{
	struct query *q = arg;
	int rc = eb_blob_head(q->p->b.team->repo, &q->layer->blob,
			      q->layer->size, err);

	q->layer->there = rc > 0;
	return rc < 0 ? -1 : 0;
}

/* A layer that was found by its tag or in a map is there as well. */
static bool is_known(const struct eb_planning *p, const struct eb_digest *blob)
{
	if (eb_known_is_there(&p->known, blob))
		return true;
	for (size_t i = 0; i < p->known.n; i++)
		if (eb_digest_equal(&p->known.item[i].container, blob))
			return true;
	return false;
}

int eb_plan_ask_layers(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build_plan *out = p->out;
	eb_autofree struct query *q = eb_calloc(out->n_layers + 1, sizeof *q);
	struct eb_pool *pool;
	size_t n = 0;
	int rc;

	if (!p->b.team)
		return 0;
	for (size_t i = 0; i < out->n_layers; i++) {
		struct eb_planned_layer *l = &out->layer[i];

		l->there = out->image_there ||
			   (l->has_blob && is_known(p, &l->blob));
		if (l->has_blob && !l->there)
			q[n++] = (struct query){ p, l };
	}
	pool = eb_pool_new(n < AT_ONCE && n ? (unsigned)n : AT_ONCE);
	for (size_t i = 0; i < n; i++)
		eb_pool_submit(pool, ask_blob, &q[i]);
	rc = eb_pool_wait(pool, err);
	eb_pool_free(pool);
	return rc;
}
