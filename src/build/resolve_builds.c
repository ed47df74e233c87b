/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How each project that has no wheel is built: what its own build system asks
 * for, resolved like a second small pip section, or in the environment itself
 * (--no-build-isolation).
 */
#include <string.h>

#include "resolve_pip.h"
#include "step.h"

static bool is_named(const struct eb_strv *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		eb_autofree char *normal = eb_project_name(names->v[i]);

		if (!strcmp(normal, name))
			return true;
	}
	return false;
}

/* --- what its build asks for ------------------------------------------------
 */
/* In place of an earlier one of that name. */
static void set_variable(struct eb_strv *list, const char *pair)
{
	size_t n = strcspn(pair, "=") + 1;

	for (size_t i = 0; i < list->n; i++)
		if (!strncmp(list->v[i], pair, n)) {
			free(list->v[i]);
			list->v[i] = eb_strdup(pair);
			return;
		}
	eb_strv_add(list, pair);
}

/* Those for all projects, or those for this one, "NAME:" before them. */
static void set_variables(const struct eb_strv *given, bool own,
			  struct eb_pin *pin)
{
	for (size_t i = 0; i < given->n; i++) {
		const char *text = given->v[i];
		size_t n = strcspn(text, ":=");
		eb_autofree char *word = eb_strndup(text, n);
		eb_autofree char *name = eb_project_name(word);

		if ((text[n] == ':') != own)
			continue;
		if (!own)
			set_variable(&pin->build->variable, text);
		else if (!strcmp(name, pin->name))
			set_variable(&pin->build->variable, text + n + 1);
	}
}

static void take_variables(struct eb_pip_side *s, struct eb_pin *pin)
{
	const struct eb_strv *given = &s->r->config->build_env;

	set_variables(given, false, pin);
	if (pin->name)
		set_variables(given, true, pin);
	eb_strv_sort(&pin->build->variable);
}

static int resolve(struct eb_pip_side *s, struct eb_pin *pin,
		   const struct eb_strv *requires, struct eb_error *err)
{
	EB_CLEANUP(eb_pip_result_release) struct eb_pip_result result = { 0 };
	struct eb_pin_build *build = pin->build;

	if (eb_pip_resolve_build(&s->request, requires, pin->file, s->r->events,
				 &result, err) < 0)
		return -1;
	for (size_t i = 0; i < build->n_requires; i++)
		eb_pin_release(&build->requires[i]);
	free(build->requires);
	build->requires = eb_steal(result.pin);
	build->n_requires = result.n;
	result.n = 0;
	return 0;
}

/* First what it declares; with that its backend can be asked for more, where
 * its Python runs. */
static int isolated(struct eb_pip_side *s, struct eb_pin *pin,
		    struct eb_error *err)
{
	EB_CLEANUP(eb_needs_release) struct eb_needs needs = { 0 };
	EB_CLEANUP(eb_strv_release) struct eb_strv more = { 0 };

	if (eb_needs_of(&s->build, pin, &needs, err) < 0 ||
	    resolve(s, pin, &needs.requires, err) < 0)
		return -1;
	if (!pin->metadata && needs.asks &&
	    eb_step_requires(&s->build, pin, &more, err) < 0)
		return -1;
	if (!more.n)
		return 0;
	for (size_t i = 0; i < more.n; i++)
		eb_strv_add(&needs.requires, more.v[i]);
	return resolve(s, pin, &needs.requires, err);
}

int eb_plan_isolated(struct eb_pip_side *s, struct eb_pin *pin,
		     struct eb_error *err)
{
	take_variables(s, pin);
	return isolated(s, pin, err);
}

/* As when it was asked. */
static void take_asked(struct eb_pin *pin, const struct eb_pin_build *build)
{
	const struct eb_pin from = { .build = (struct eb_pin_build *)build };
	struct eb_pin old = { .build = pin->build }, to;

	eb_pin_copy(&to, &from);
	pin->build = to.build;
	eb_pin_release(&old);
}

static int plan(struct eb_pip_side *s, struct eb_pin *pin, struct eb_error *err)
{
	const struct eb_pin_build *asked = eb_asked_before(s, pin);

	pin->build->isolated =
		!is_named(&s->r->config->no_build_isolation, pin->name);
	if (pin->build->isolated && asked) {
		take_asked(pin, asked);
		return 0;
	}
	take_variables(s, pin);
	return pin->build->isolated ? isolated(s, pin, err) : 0;
}

/* Named where something is built alone: wheels depend on none. */
static int take_build_base(struct eb_pip_side *s, struct eb_lock *lock,
			   struct eb_error *err)
{
	const struct eb_base *base;

	if (!eb_lock_builds(lock))
		return 0;
	if (eb_open_build_base(&s->build, err) < 0)
		return -1;
	base = s->build.build_base;
	if (!base)
		return 0;
	lock->has_build_base = true;
	lock->build_base = base->digest;
	lock->build_base_reference = eb_strdup(base->reference);
	return 0;
}

int eb_plan_builds(struct eb_pip_side *s, struct eb_lock *lock,
		   struct eb_error *err)
{
	if (take_build_base(s, lock, err) < 0)
		return -1;
	for (size_t i = 0; i < lock->n_pins; i++)
		if (lock->pin[i].source != EB_PIN_WHEEL &&
		    plan(s, &lock->pin[i], err) < 0)
			return -1;
	return 0;
}
