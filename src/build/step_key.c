/* SPDX-License-Identifier: Apache-2.0 */
/* What a step's result depends on (facts 9), as one digest. */
#include <string.h>

#include "sdist_build.h"
#include "step_source.h"

/* Raised when the same inputs are built in another way. */
#define STEP_EPOCH 1

/* --- the environment it is built in ------------------------------------------
 */
/* Their files lie where an isolated build does not look. */
static bool is_project(const struct eb_record *r)
{
	if (r->noarch == EB_NOARCH_PYTHON)
		return true;
	for (size_t i = 0; i < r->depends.n; i++)
		if (eb_starts(r->depends.v[i], "python") &&
		    strchr(" =<>!~", r->depends.v[i][strlen("python")]))
			return true;
	return false;
}

static int add_python(struct eb_build *b, struct eb_keyer *k,
		      struct eb_error *err)
{
	const struct eb_locked_package *p = eb_lock_find(b->lock, "python");

	if (!p)
		return eb_err_set(err, EB_INPUT,
				  "the lock has no python, which could build "
				  "anything");
	eb_key_text(k, p->record.version);
	eb_key_text(k, p->record.build);
	eb_key_digest(k, &p->record.sha256);
	eb_key_text(k, b->lock->prefix);
	return 0;
}

static void add_conda(struct eb_build *b, bool all, struct eb_keyer *k)
{
	for (size_t i = 0; i < b->lock->n; i++) {
		const struct eb_record *r = &b->lock->package[i].record;

		if (!strcmp(r->name, "python") || (!all && is_project(r)))
			continue;
		eb_key_text(k, r->name);
		eb_key_digest(k, &r->sha256);
	}
}

static int add_projects(struct eb_build *b, const struct eb_pin *pin,
			struct eb_keyer *k, struct eb_error *err)
{
	for (size_t i = 0; i < b->lock->n_pins; i++) {
		const struct eb_pin *p = &b->lock->pin[i];
		struct eb_digest id = p->sha256;

		if (p == pin || (p->source != EB_PIN_WHEEL &&
				 (!p->build || !p->build->isolated)))
			continue;
		if (p->source != EB_PIN_WHEEL &&
		    eb_step_key(b, p, &id, err) < 0)
			return -1;
		eb_key_text(k, p->name);
		eb_key_digest(k, &id);
	}
	return 0;
}

/* --- the step itself
 * ----------------------------------------------------------
 */
static void add_source(const struct eb_pin *pin, struct eb_keyer *k)
{
	eb_key_text(k, pin->name);
	eb_key_text(k, pin->version);
	eb_key_u64(k, pin->source);
	eb_key_digest(k, &pin->sha256);
	eb_key_text(k, pin->vcs);
	eb_key_text(k, pin->commit);
	eb_key_text(k, pin->subdirectory);
}

static void add_sorted(const struct eb_strv *list, struct eb_keyer *k)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv sorted = { 0 };

	eb_strv_copy(&sorted, list);
	eb_strv_sort(&sorted);
	eb_key_u64(k, sorted.n);
	for (size_t i = 0; i < sorted.n; i++)
		eb_key_text(k, sorted.v[i]);
}

/* How many build at once changes no result. */
static void add_variables(const struct eb_pin_build *build, struct eb_keyer *k)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv counting = { 0 };

	for (size_t i = 0; i < build->variable.n; i++)
		if (!eb_starts(build->variable.v[i], "MAX_JOBS="))
			eb_strv_add(&counting, build->variable.v[i]);
	add_sorted(&counting, k);
}

static void add_build(const struct eb_pin_build *build, struct eb_keyer *k)
{
	eb_key_u64(k, build->isolated);
	eb_key_u64(k, build->n_requires);
	for (size_t i = 0; i < build->n_requires; i++) {
		eb_key_text(k, build->requires[i].name);
		eb_key_digest(k, &build->requires[i].sha256);
	}
	eb_key_u64(k, build->setting.n); /* their order counts */
	for (size_t i = 0; i < build->setting.n; i++)
		eb_key_text(k, build->setting.v[i]);
	add_variables(build, k);
}

/* They are there where it runs, unless that is on another base. */
static void add_apt(const struct eb_lock *lock, struct eb_keyer *k)
{
	struct eb_digest apt;

	if (!lock->apt.n || lock->has_build_base)
		return;
	eb_lock_apt_key(lock, &apt);
	eb_key_digest(k, &apt);
}

static int key(struct eb_build *b, const struct eb_pin *pin, bool anywhere,
	       struct eb_digest *out, struct eb_error *err)
{
	const struct eb_lock *lock = b->lock;
	bool isolated = pin->build->isolated;
	struct eb_keyer k;

	eb_key_begin(&k,
		     anywhere ? "envbuild step of any base" : "envbuild step");
	eb_key_u64(&k, STEP_EPOCH);
	eb_key_u64(&k, EB_BUILD_EPOCH);
	eb_key_u64(&k, (uint64_t)lock->source_date_epoch);
	add_source(pin, &k);
	add_build(pin->build, &k);
	eb_key_text(&k, lock->platform);
	if (add_python(b, &k, err) < 0)
		return -1;
	if (!anywhere) {
		eb_key_digest(&k, lock->has_build_base ? &lock->build_base
						       : &lock->base);
		add_apt(lock, &k);
		add_conda(b, !isolated, &k);
		if (!isolated && add_projects(b, pin, &k, err) < 0)
			return -1;
	}
	eb_key_end(&k, out);
	return 0;
}

int eb_step_key(struct eb_build *b, const struct eb_pin *pin,
		struct eb_digest *out, struct eb_error *err)
{
	return key(b, pin, false, out, err);
}

int eb_step_shared_key(struct eb_build *b, const struct eb_pin *pin,
		       struct eb_digest *out, struct eb_error *err)
{
	return key(b, pin, true, out, err);
}
