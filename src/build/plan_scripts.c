/* SPDX-License-Identifier: Apache-2.0 */
/* Of a plan: packages' scripts that would be run or sourced, and the layer that
 * they make. Who has any is told by path lists; where none of those that are
 * known says so, by a result that there is already. */
#include <string.h>

#include "plan_private.h"
#include "step.h"

typedef int key_fn(struct eb_build *b, struct eb_digest *out,
		   struct eb_error *err);

struct result {
	bool has_key, here;
	struct eb_digest key, blob;
	uint64_t size; /* where it is in the registry alone */
	bool known;
};

static int look(struct eb_planning *p, key_fn *key, struct result *r,
		struct eb_error *err)
{
	struct eb_build *b = &p->b;
	int rc;

	*r = (struct result){ 0 };
	if (!eb_script_has_keys(b->lock))
		return 0;
	if (key(b, &r->key, err) < 0)
		return -1;
	r->has_key = true;
	rc = eb_result_recall(b, &r->key, &r->blob, err);
	r->here = rc > 0;
	if (rc == 0 && b->team)
		rc = eb_team_step_look(b->team, &r->key, &r->blob, &r->size,
				       err);
	r->known = rc > 0;
	return rc < 0 ? -1 : 0;
}

/* --- the layer ------------------------------------------------------------ */
int eb_plan_script_layer(struct eb_planning *p, struct eb_planned_layer *layer,
			 bool *any, struct eb_error *err)
{
	struct eb_build *b = &p->b;
	struct result r = { 0 };

	*any = !strcmp(b->lock->post_link, "run");
	if (!*any)
		return 0;
	if (look(p, eb_post_link_key, &r, err) < 0)
		return -1;
	*any = r.known || eb_has_post_link(b);
	if (r.here && eb_post_link_look(b, &r.blob, &b->post_link, err) < 0)
		return -1;
	*layer = (struct eb_planned_layer){
		.kind = EB_PLANNED_SCRIPTS,
		.has_key = r.has_key,
		.key = r.key,
		.here = r.here,
		.has_blob = r.known,
		.blob = r.blob,
		.size = r.here ? b->post_link.size : r.size,
		.estimate = !r.known,
	};
	return 0;
}

/* --- the steps -------------------------------------------------------------
 */
static bool others_run(const struct eb_planning *p)
{
	for (size_t i = 0; i < p->out->n_steps; i++)
		if (p->out->step[i].runs &&
		    (p->out->step[i].kind == EB_PLANNED_APT_STEP ||
		     p->out->step[i].kind == EB_PLANNED_WHEEL ||
		     p->out->step[i].kind == EB_PLANNED_POST_LINK))
			return true;
	return false;
}

/* The image so far is unpacked. */
static int read_image(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;

	for (size_t i = 0; i < b->n; i++)
		if (b->work[i].have_payload &&
		    eb_build_bring(b, &b->work[i].payload, 1, err) < 0)
			return -1;
	return b->base->scratch || others_run(p)
		       ? 0
		       : eb_plan_read_base(p, b->base, err);
}

static int add_result(struct eb_planning *p, struct eb_planned_step *s,
		      const struct result *r, struct eb_error *err)
{
	s->has_key = r->has_key;
	s->key = r->key;
	s->has_result = r->known;
	s->result = r->blob;
	if (r->known && !eb_plan_is_done(p))
		p->out->pull += r->size;
	return r->known ? eb_plan_add_story(p, s, err) : 0;
}

struct kind {
	enum eb_planned_step_kind step;
	key_fn *key;
	bool (*has)(const struct eb_build *b, const struct eb_work *w);
	bool left_out, ends;
};

static bool is_linked(const struct eb_build *b, const struct eb_work *w)
{
	(void)b;
	return w->facts.post_link || w->facts.pre_link;
}

static bool is_sourced(const struct eb_build *b, const struct eb_work *w)
{
	return eb_is_activated(w, b->lock->prefix);
}

/* Those that are known; how many may have some besides. */
static size_t find(struct eb_planning *p, const struct kind *k, size_t *out,
		   size_t *perhaps)
{
	struct eb_build *b = &p->b;
	size_t n = 0;

	*perhaps = 0;
	for (size_t i = 0; i < b->n; i++) {
		*perhaps += !b->work[i].looked_at;
		if (b->work[i].looked_at && k->has(b, &b->work[i]))
			out[n++] = i;
	}
	return n;
}

static int add(struct eb_planning *p, const struct kind *k,
	       struct eb_error *err)
{
	eb_autofree size_t *who = eb_calloc(p->b.n + 1, sizeof *who);
	struct eb_planned_step *s;
	struct result r = { 0 };
	size_t perhaps, n = find(p, k, who, &perhaps);
	bool runs;

	if (!k->left_out && !k->ends && look(p, k->key, &r, err) < 0)
		return -1;
	if (!n && !r.known)
		return 0;
	runs = !k->left_out && !r.known && !eb_plan_is_done(p);
	if (runs && !k->ends && read_image(p, err) < 0)
		return -1;
	s = eb_plan_add_step(p, k->step, "scripts");
	memcpy(s->package, who, n * sizeof *who);
	s->n = n;
	s->perhaps = perhaps;
	s->runs = runs;
	s->impossible = runs && k->ends;
	s->privilege = k->left_out ? EB_PRIVILEGE_NONE : EB_PRIVILEGE_RUNTIME;
	return add_result(p, s, &r, err);
}

static bool any_pre_link(const struct eb_build *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->work[i].looked_at && b->work[i].facts.pre_link)
			return true;
	return false;
}

int eb_plan_scripts(struct eb_planning *p, struct eb_error *err)
{
	const struct eb_lock *lock = p->b.lock;
	const struct kind linked = {
		.step = EB_PLANNED_POST_LINK,
		.key = eb_post_link_key,
		.has = is_linked,
		.left_out = !strcmp(lock->post_link, "skip"),
		.ends = !strcmp(lock->post_link, "error") ||
			any_pre_link(&p->b),
	};
	const struct kind sourced = {
		.step = EB_PLANNED_ACTIVATION,
		.key = eb_activation_key,
		.has = is_sourced,
		.left_out = strcmp(lock->activation, "env") != 0,
	};

	return add(p, &linked, err) < 0 ? -1 : add(p, &sourced, err);
}
