/* SPDX-License-Identifier: Apache-2.0 */
/* Resolving: a definition becomes a lock. */
#include <string.h>
#include <time.h>

#include <envbuild/base.h>
#include <envbuild/build.h>

#include "build_private.h"
#include "resolve_base.h"
#include "resolve_packages.h"
#include "resolve_pip.h"

static void add_evidence(json_t *list, const char *text,
			 const struct eb_spec *spec,
			 const struct eb_spec_line *at)
{
	const char *file = eb_spec_place(spec, at);
	json_t *e = json_object();

	json_object_set_new(e, "spec", json_string(text));
	json_object_set_new(e, "file", json_string(file));
	json_object_set_new(e, "line", json_integer(at->line));
	json_array_append_new(list, e);
}

static json_t *evidence(const struct eb_spec *spec)
{
	json_t *list = json_array();

	for (size_t i = 0; i < spec->n_conda; i++)
		add_evidence(list, eb_matchspec_text(spec->conda[i]), spec,
			     &spec->conda_at[i]);
	for (size_t i = 0; i < spec->n_pip; i++)
		add_evidence(list, spec->pip[i].text, spec, &spec->pip_at[i]);
	return list;
}

static json_t *variables(const struct eb_spec *spec)
{
	json_t *obj = json_object();

	for (size_t i = 0; i < spec->variable_name.n; i++)
		json_object_set_new(obj, spec->variable_name.v[i],
				    json_string(spec->variable_value.v[i]));
	return obj;
}

/* The .pyc policy that will hold; where it differs from what was asked for,
 * that is said. */
static const char *pyc_policy(struct eb_resolver *r, const struct eb_lock *lock)
{
	const struct eb_locked_package *python = eb_lock_find(lock, "python");

	if (!strcmp(r->config->pyc, "none") || !python)
		return "none";
	if (lock->base_scratch) {
		eb_note(r->explains ? NULL : r->events,
			"no bytecode is compiled: the base is "
			"scratch");
		return "none";
	}
	if (strcmp(lock->platform, eb_machine_platform())) {
		eb_note(r->events,
			"no bytecode is compiled: a Python for %s cannot run "
			"here",
			lock->platform);
		return "none";
	}
	return "compile";
}

/* Of the day that the environment is of. */
static void take_apt(const struct eb_resolver *r, struct eb_lock *lock)
{
	const char *as_of = r->config->as_of;
	char now[32];

	if (!r->env->apt.n)
		return;
	eb_strv_copy(&lock->apt, &r->env->apt);
	if (!as_of)
		as_of = eb_rfc3339(lock->time, now);
	lock->apt_date = eb_strndup(as_of, strlen("2026-11-22"));
}

static int refuse_apt(const struct eb_resolver *r, const struct eb_base *base,
		      struct eb_error *err)
{
	if (!r->env->apt.n || !base->scratch)
		return 0;
	eb_err_set(err, EB_INPUT,
		   "--apt: the base is scratch, which has no "
		   "apt");
	return eb_err_hint(err, "name a Debian or Ubuntu image by --base");
}

static void fill(struct eb_resolver *r, const struct eb_base *base,
		 struct eb_lock *lock)
{
	const struct eb_config *c = r->config;

	lock->platform = eb_strdup(c->platform);
	lock->prefix = eb_strdup(EB_PREFIX);
	lock->base_scratch = base->scratch;
	lock->base = base->digest;
	lock->base_reference = eb_strdup(base->reference);
	if (r->dockerfile.set)
		eb_locked_dockerfile_copy(&lock->dockerfile, &r->dockerfile);
	lock->pyc = eb_strdup(pyc_policy(r, lock));
	lock->post_link = eb_strdup(c->post_link);
	lock->activation = eb_strdup(c->activation);
	if (eb_naming_is_azureml(c->naming))
		lock->naming = eb_strdup(c->naming);
	lock->source_date_epoch = c->source_date_epoch;
	lock->epoch = EB_BUILD_EPOCH;
	lock->definition = r->env->definition;
	lock->time = time(NULL);
	lock->tool = eb_strdup("envbuild " EB_VERSION);
	lock->variables = variables(r->env->spec);
	lock->evidence = evidence(r->env->spec);
	take_apt(r, lock);
	lock->config = eb_image_settings(base->config, lock);
}

/* Who asked for what pip installed is known of the environment. */
static void take_requested(const struct eb_exact *x, struct eb_lock *lock)
{
	for (size_t i = 0; x && x->pip_requested.n && i < lock->n_pins; i++)
		lock->pin[i].requested =
			eb_strv_has(&x->pip_requested, lock->pin[i].name);
}

static int complete(struct eb_resolver *r, struct eb_lock *lock,
		    struct eb_error *err)
{
	bool pip =
		!r->conda_only && (r->env->spec->n_pip || r->env->spec->pylock);

	/* Who explains needs no package's bytes but for its pip section. */
	if ((!r->explains || pip) && eb_complete_hashes(r, lock, err) < 0)
		return -1;
	if (pip && eb_resolve_pip(r, lock, err) < 0)
		return -1;
	take_requested(r->env->spec->exact, lock);
	return 0;
}

int eb_resolve_with_base(struct eb_resolver *r, const struct eb_base *base,
			 struct eb_lock **out, bool *solved,
			 struct eb_error *err)
{
	EB_CLEANUP(eb_lock_free_ptr)
	struct eb_lock *lock = eb_calloc(1, sizeof *lock);

	*solved = false;
	if (refuse_apt(r, base, err) < 0)
		return -1;
	if (eb_choose_packages(r, base, lock, err) < 0)
		return -1;
	*solved = true;
	fill(r, base, lock);
	if (complete(r, lock, err) < 0)
		return -1;
	*out = eb_steal(lock);
	return 0;
}
