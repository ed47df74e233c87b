/* SPDX-License-Identifier: Apache-2.0 */
/* What a build would execute, and what of the machine that needs. */
#include <string.h>

#include <envbuild/transfer.h>

#include "dockerfile_base.h"
#include "plan_private.h"
#include "root.h"
#include "step.h"

struct eb_planned_step *eb_plan_add_step(struct eb_planning *p,
					 enum eb_planned_step_kind kind,
					 const char *name)
{
	struct eb_build_plan *out = p->out;
	struct eb_planned_step *s;

	EB_GROW(out->step, out->n_steps, out->steps_alloc);
	s = &out->step[out->n_steps++];
	*s = (struct eb_planned_step){
		.kind = kind,
		.name = eb_strdup(name),
		.package = eb_calloc(p->b.n + 1, sizeof *s->package),
	};
	return s;
}

/* --- wheels from sources ------------------------------------------------ */
static bool was_read(struct eb_planning *p, const struct eb_digest *file)
{
	for (size_t i = 0; i < p->n_read; i++)
		if (eb_digest_equal(&p->read[i], file))
			return true;
	EB_GROW(p->read, p->n_read, p->read_alloc);
	p->read[p->n_read++] = *file;
	return false;
}

/* What it requires: packed, or a file in the store, or fetched. */
static int read_required(struct eb_planning *p, const struct eb_pin *pin,
			 struct eb_error *err)
{
	struct eb_build *b = &p->b;

	for (size_t i = 0; i < pin->build->n_requires; i++) {
		const struct eb_pin *r = &pin->build->requires[i];
		struct eb_digest key;
		struct eb_item item;
		int rc;

		eb_wheel_key(&r->sha256, &b->wheel_target, &key);
		rc = eb_build_find(b, EB_ITEM_PART, &key, &item, err);
		if (rc == 0)
			rc = eb_build_find(b, EB_ITEM_LAYER, &key, &item, err);
		if (rc > 0)
			rc = eb_build_bring(b, &item, 1, err) < 0 ? -1 : 1;
		if (rc == 0)
			rc = eb_store_has(b->store, &r->sha256, err);
		if (rc < 0)
			return -1;
		if (rc == 0 && !was_read(p, &r->sha256))
			eb_plan_read(p, r->url, r->size);
	}
	return 0;
}

static int read_source(struct eb_planning *p, const struct eb_pin *pin,
		       struct eb_error *err)
{
	int here = 0;

	if (pin->source == EB_PIN_VCS)
		p->out->about_fetch = true;
	else if (pin->source == EB_PIN_SDIST)
		here = eb_store_has(p->b.store, &pin->sha256, err);
	if (here == 0)
		eb_plan_read(p, pin->url, pin->size);
	return here < 0 ? -1 : 0;
}

/* The root it is built in: the base, conda's packages, or all of them. */
static int read_root(struct eb_planning *p, const struct eb_pin *pin,
		     struct eb_error *err)
{
	struct eb_build *b = &p->b;

	for (size_t i = 0; i < b->n; i++) {
		const struct eb_work *w = &b->work[i];

		if ((w->package || !pin->build->isolated) &&
		    eb_build_bring(b, &w->payload, 1, err) < 0)
			return -1;
	}
	return 0;
}

/* How it came about: as the lock says, or the store. */
int eb_plan_add_story(struct eb_planning *p, struct eb_planned_step *s,
		      struct eb_error *err)
{
	const struct eb_lock *lock = p->b.lock;
	struct eb_lock_step story = { 0 };

	for (size_t i = 0; i < lock->n_steps; i++) {
		if (!eb_digest_equal(&lock->step[i].result, &s->result))
			continue;
		s->milliseconds = lock->step[i].milliseconds;
		s->log = eb_strdup(lock->step[i].log);
		return 0;
	}
	if (eb_step_story(p->b.store, &s->result, &story, err) < 0)
		return -1;
	s->milliseconds = story.milliseconds;
	s->log = story.log;
	return 0;
}

static int add_wheel(struct eb_planning *p, size_t i, struct eb_error *err)
{
	struct eb_build *b = &p->b;
	const struct eb_work *w = &b->work[i];
	struct eb_planned_step *s =
		eb_plan_add_step(p, EB_PLANNED_WHEEL, w->file);
	uint64_t size;
	int rc = eb_step_look(b, w->pin, &s->key, &s->result, &size, err);

	if (rc < 0)
		return -1;
	s->privilege = EB_PRIVILEGE_RUNTIME;
	s->package[s->n++] = i;
	s->has_key = true;
	s->has_result = rc > 0;
	if (rc > 0 && eb_plan_add_story(p, s, err) < 0)
		return -1;
	s->runs = !rc && !w->have_payload && !eb_plan_is_done(p);
	if (w->have_payload || eb_plan_is_done(p))
		return 0;
	p->out->pull += size;
	if (!s->runs)
		return 0;
	if (read_source(p, w->pin, err) < 0 ||
	    read_required(p, w->pin, err) < 0)
		return -1;
	return read_root(p, w->pin, err);
}

/* Layers of the base that steps run on, where they lie in its registry alone.
 */
int eb_plan_read_base(struct eb_planning *p, const struct eb_base *base,
		      struct eb_error *err)
{
	struct eb_build *b = &p->b;

	for (size_t i = 0; i < base->n_layers; i++) {
		const struct eb_descriptor *d = &base->image.layer[i];
		int here = eb_store_has(b->store, &d->digest, err);

		if (here < 0)
			return -1;
		if (!here)
			p->out->fetch += d->size;
	}
	return 0;
}

static bool apt_runs(const struct eb_planning *p)
{
	for (size_t i = 0; i < p->out->n_steps; i++)
		if (p->out->step[i].kind == EB_PLANNED_APT_STEP)
			return p->out->step[i].runs;
	return false;
}

/* Where system packages are installed the base was counted. */
static int read_root_base(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;

	if (b->lock->has_build_base && eb_open_build_base(b, err) < 0)
		return -1;
	if (!b->build_base && apt_runs(p))
		return 0;
	return eb_plan_read_base(p, eb_root_base(b), err);
}

static int add_wheels(struct eb_planning *p, struct eb_error *err)
{
	bool any = false;

	for (size_t i = 0; i < p->b.n; i++) {
		const struct eb_work *w = &p->b.work[i];

		if (!w->pin || w->pin->source == EB_PIN_WHEEL)
			continue;
		if (add_wheel(p, i, err) < 0)
			return -1;
		any |= p->out->step[p->out->n_steps - 1].runs;
	}
	return any ? read_root_base(p, err) : 0;
}

/* --- the interpreter ---------------------------------------------------- */
static void add_bytecode(struct eb_planning *p)
{
	struct eb_build *b = &p->b;
	struct eb_planned_step *s;

	if (strcmp(b->lock->pyc, "compile") || eb_plan_is_done(p))
		return;
	s = eb_plan_add_step(p, EB_PLANNED_BYTECODE, "python");
	s->privilege = EB_PRIVILEGE_CONFINED;
	for (size_t i = 0; i < b->n; i++) {
		const struct eb_work *w = &b->work[i];

		s->perhaps += !w->looked_at;
		if (w->have_bytecode && !eb_item_is_made(&w->bytecode))
			s->package[s->n++] = i;
	}
	s->runs = s->n || s->perhaps;
	if (s->runs)
		return;
	p->out->n_steps--;
	free(s->name);
	free(s->package);
}

/* --- system packages ---------------------------------------------------- */
static char *apt_list(const struct eb_lock *lock)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);

	for (size_t i = 0; i < lock->apt.n; i++)
		eb_buf_addf(&text, "%s%s", i ? " " : "", lock->apt.v[i]);
	return eb_buf_steal(&text, NULL);
}

/* After the layers, which know what the store has. */
static int add_apt(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;
	eb_autofree char *list = NULL;
	struct eb_planned_step *s;
	uint64_t size = 0;
	int rc = 0;

	if (!b->lock->apt.n)
		return 0;
	list = apt_list(b->lock);
	s = eb_plan_add_step(p, EB_PLANNED_APT_STEP, list);
	s->privilege = EB_PRIVILEGE_RUNTIME;
	s->has_key = true;
	s->key = b->apt.key;
	s->has_result = b->apt.size;
	s->result = b->apt.blob;
	if (!s->has_result && b->team)
		rc = eb_team_step_look(b->team, &s->key, &s->result, &size,
				       err);
	if (rc < 0)
		return -1;
	s->has_result |= rc > 0;
	s->runs = !s->has_result && !eb_plan_is_done(p);
	if (!eb_plan_is_done(p))
		p->out->pull += size;
	if (s->runs)
		p->out->about_fetch = true;
	if (s->runs && eb_plan_read_base(p, b->base, err) < 0)
		return -1;
	return s->has_result ? eb_plan_add_story(p, s, err) : 0;
}

/* Where there is a lock it has been built: the base is there, or brought. */
static int add_dockerfile(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;
	struct eb_planned_step *s;
	int rc;

	if (!b->lock->dockerfile.set)
		return 0;
	s = eb_plan_add_step(p, EB_PLANNED_DOCKERFILE, b->base->reference);
	s->privilege = EB_PRIVILEGE_RUNTIME;
	s->has_key = true;
	eb_lock_dockerfile_key(b->lock, &s->key);
	rc = eb_result_recall(b, &s->key, &s->result, err);
	s->has_result = rc > 0;
	return rc > 0 ? eb_plan_add_story(p, s, err) : rc;
}

int eb_plan_steps(struct eb_planning *p, struct eb_error *err)
{
	if (add_dockerfile(p, err) < 0 || add_apt(p, err) < 0 ||
	    add_wheels(p, err) < 0)
		return -1;
	add_bytecode(p);
	return eb_plan_scripts(p, err);
}
