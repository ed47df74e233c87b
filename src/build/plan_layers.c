/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layers of a plan, lowest first. Those that are not there are taken to be
 * as large as the files of their packages; bytecode, where a list tells the
 * modules, half as large as these, else (of packages that are nothing but
 * Python, and of python itself) as large as the file. Measured with Python
 * 3.11: 0.49 and 0.9.
 */
#include <string.h>

#include "plan_private.h"

static struct eb_planned_layer *add(struct eb_planning *p,
				    enum eb_planned_kind kind)
{
	struct eb_planned_layer *l = &p->out->layer[p->out->n_layers++];

	*l = (struct eb_planned_layer){ .kind = kind };
	return l;
}

static void add_package(struct eb_planning *p, struct eb_planned_layer *l,
			size_t i)
{
	if (!l->package)
		l->package = eb_calloc(p->b.n + 1, sizeof *l->package);
	l->package[l->n++] = i;
	l->packed += p->b.work[i].packed_size;
}

/* What is there has its size; `guess` stands for what is not. */
static int take_item(struct eb_planning *p, struct eb_planned_layer *l,
		     const struct eb_item *item, uint64_t guess,
		     struct eb_error *err)
{
	int here = 0;

	l->key = item->key;
	l->has_key = !eb_digest_is_zero(&item->key);
	l->has_blob = eb_item_is_made(item);
	l->estimate = !l->has_blob;
	l->size = l->has_blob ? item->size : guess;
	l->blob = item->blob;
	if (l->has_blob)
		here = eb_build_is_here(&p->b, item, err);
	l->here = here > 0;
	return here < 0 ? -1 : 0;
}

static int add_base(struct eb_planning *p, struct eb_error *err)
{
	const struct eb_base *base = p->b.base;

	for (size_t i = 0; i < base->n_layers; i++) {
		const struct eb_descriptor *d = &base->image.layer[i];
		struct eb_planned_layer *l = add(p, EB_PLANNED_BASE);
		int here = eb_store_has(p->b.store, &d->digest, err);

		if (here < 0)
			return -1;
		l->here = here > 0;
		l->has_blob = true;
		l->blob = d->digest;
		l->size = d->size;
	}
	return 0;
}

static int add_apt(struct eb_planning *p, struct eb_error *err)
{
	const struct eb_lock *lock = p->b.lock;
	struct eb_apt_layer *apt = &p->b.apt;
	struct eb_planned_layer *l;
	int rc;

	if (!lock->apt.n)
		return 0;
	rc = eb_apt_recall(&p->b, apt, err);
	if (rc < 0)
		return -1;
	l = add(p, EB_PLANNED_APT);
	l->has_key = true;
	l->key = apt->key;
	l->here = l->has_blob = rc > 0;
	l->estimate = !l->here;
	l->blob = apt->blob;
	l->size = apt->size;
	return 0;
}

static int add_own(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;

	for (size_t i = 0; i < b->plan.n_own; i++) {
		size_t index = b->plan.own[i];
		struct eb_planned_layer *l = add(p, EB_PLANNED_OWN);

		add_package(p, l, index);
		if (take_item(p, l, &b->work[index].payload, l->packed, err) <
		    0)
			return -1;
	}
	return 0;
}

/* --- what is not there ----------------------------------------------------
 */
static bool is_python(const struct eb_work *w)
{
	if (w->pin)
		return eb_ends(w->file, "-none-any.whl");
	return !strcmp(w->name, "python") ||
	       w->package->record.noarch == EB_NOARCH_PYTHON;
}

static uint64_t modules(const struct eb_work *w)
{
	uint64_t size = 0;

	for (size_t i = 0; i < w->paths.n; i++)
		if (eb_ends(w->paths.entry[i].path, ".py"))
			size += w->paths.entry[i].size;
	return size;
}

static uint64_t guess_bytecode(const struct eb_build *b,
			       const struct eb_work *w)
{
	if (strcmp(b->lock->pyc, "compile"))
		return 0;
	if (!w->looked_at)
		return is_python(w) ? w->packed_size : 0;
	if (!w->have_bytecode)
		return 0;
	return eb_item_is_made(&w->bytecode) ? w->bytecode.size
					     : modules(w) / 2;
}

/* What it gives to its bucket. */
static uint64_t guess(const struct eb_build *b, const struct eb_work *w)
{
	uint64_t size = w->record.size + guess_bytecode(b, w);

	if (w->member->own)
		return size;
	return size +
	       (eb_item_is_made(&w->placed) ? w->placed.size : w->packed_size);
}

/* --- all ------------------------------------------------------------------
 */
static int add_buckets(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;

	for (size_t i = 0; i < b->plan.n_buckets; i++) {
		struct eb_planned_layer *l = add(p, EB_PLANNED_BUCKET);
		uint64_t size = 0;

		l->bucket = b->plan.bucket[i];
		for (size_t j = 0; j < b->n; j++) {
			const struct eb_work *w = &b->work[j];

			if (w->member->bucket != l->bucket)
				continue;
			l->records++;
			size += guess(b, w);
			if (!w->member->own)
				add_package(p, l, j);
		}
		if (take_item(p, l, &b->bucket[i], size, err) < 0)
			return -1;
	}
	return 0;
}

static int add_scripts(struct eb_planning *p, struct eb_error *err)
{
	struct eb_planned_layer layer;
	bool any;

	if (eb_plan_script_layer(p, &layer, &any, err) < 0)
		return -1;
	if (any)
		*add(p, EB_PLANNED_SCRIPTS) = layer;
	return 0;
}

int eb_plan_layers(struct eb_planning *p, struct eb_error *err)
{
	struct eb_build *b = &p->b;
	size_t most = b->base->n_layers + b->plan.n_own + b->plan.n_buckets + 3;

	p->out->layer = eb_calloc(most, sizeof *p->out->layer);
	if (add_base(p, err) < 0 || add_apt(p, err) < 0 ||
	    add_own(p, err) < 0 || add_buckets(p, err) < 0 ||
	    add_scripts(p, err) < 0)
		return -1;
	return take_item(p, add(p, EB_PLANNED_LAST), &b->environment, 0, err);
}
