/* SPDX-License-Identifier: Apache-2.0 */
/* A plan, all of it: the steps of a build that makes nothing, what they leave,
 * and the sums. */
#include "plan_private.h"

bool eb_plan_is_done(const struct eb_planning *p)
{
	return p->out->image_there || (p->out->image_here && !p->b.team);
}

static int find_image(struct eb_planning *p, struct eb_error *err)
{
	struct eb_image_row row;
	int rc = eb_store_find_image(p->b.store, &p->out->lock,
				     p->b.compressor.id, &row, err);

	p->out->image_here = rc > 0;
	return rc < 0 ? -1 : 0;
}

static int foresee(struct eb_planning *p, struct eb_error *err)
{
	static int (*const steps[])(struct eb_build * b,
				    struct eb_error * err) = {
		eb_build_find_payloads, eb_build_moves,	  eb_build_clashes,
		eb_build_bytecodes,	eb_build_records, eb_build_buckets,
		eb_build_environment,
	};

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (steps[i](&p->b, err) < 0)
			return -1;
	return 0;
}

static void sum(struct eb_planning *p)
{
	struct eb_build_plan *out = p->out;

	for (size_t i = 0; i < p->foreseen.n && !eb_plan_is_done(p); i++)
		out->pull += p->foreseen.pulled[i]->item.size;
	for (size_t i = 0; p->b.team && i < out->n_layers; i++) {
		const struct eb_planned_layer *l = &out->layer[i];

		if (l->there)
			continue;
		out->push += l->size;
		/* A base's may be mounted. */
		out->about_push |= l->estimate || l->kind == EB_PLANNED_BASE;
	}
}

static int plan(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;

	eb_lock_hash(b->lock, &p->out->lock);
	if (eb_compressor_init(&b->compressor, b->config->compression, err) <
		    0 ||
	    find_image(p, err) < 0 || eb_build_begin(b, err) < 0 ||
	    eb_plan_ask(p, err) < 0 || foresee(p, err) < 0)
		return -1;
	if (eb_plan_packages(p, err) < 0 || eb_plan_layers(p, err) < 0 ||
	    eb_plan_steps(p, err) < 0 || eb_plan_ask_layers(p, err) < 0)
		return -1;
	eb_plan_clashes(p);
	sum(p);
	return 0;
}

int eb_build_plan(const struct eb_lock *lock, const struct eb_env *env,
		  const struct eb_config *config, struct eb_store *store,
		  struct eb_team *team, struct eb_events *events,
		  struct eb_build_plan *out, struct eb_error *err)
{
	struct eb_planning p = { .b = { .lock = lock,
					.env = env,
					.config = config,
					.store = store,
					.events = events,
					.team = team,
					.foreseen = &p.foreseen,
					.built = &p.built },
				 .out = out,
				 .known = EB_KNOWN_INIT };
	int rc;

	*out = (struct eb_build_plan){ 0 };
	pthread_mutex_init(&p.foreseen.lock, NULL);
	rc = plan(&p, err);
	eb_build_release(&p.b);
	eb_known_release(&p.known);
	pthread_mutex_destroy(&p.foreseen.lock);
	free(p.foreseen.pulled);
	free(p.read);
	if (rc < 0)
		eb_build_plan_release(out);
	return rc;
}
