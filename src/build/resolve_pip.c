/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python side of a lock: its pip section, resolved beside what conda
 * installs. conda's projects are constraints first; those that pip replaces
 * leave the lock.
 */
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/pip_resolve.h>

#include "conda_projects.h"
#include "resolve_pip.h"
#include "root.h"

/* What conda assumes of a target whose C library nothing tells. */
#define TARGET_GLIBC "2.17"

static void release(struct eb_pip_side *s)
{
	eb_pip_set_release(&s->set);
	eb_indexes_release(&s->indexes);
	eb_conda_projects_release(&s->projects);
	eb_asked_release(s);
	eb_commits_release(s);
	free(s->cache);
	eb_build_release(&s->build);
}

/* --- what is asked for -----------------------------------------------------
 */
static const char *target_glibc(const struct eb_resolver *r,
				const struct eb_base *base)
{
	const char *override = getenv("CONDA_OVERRIDE_GLIBC");

	if (override && *override)
		return override;
	if (r->glibc)
		return r->glibc;
	return base->glibc ? base->glibc : TARGET_GLIBC;
}

static void describe_target(struct eb_pip_side *s)
{
	eb_describe_python(&s->build, &s->request.target);
	s->request.target.glibc = target_glibc(s->r, s->build.base);
}

static int check_indexes(const struct eb_pip_side *s, struct eb_error *err)
{
	const struct eb_config *c = s->r->config;

	if (s->indexes.url && eb_policy_index(c, s->indexes.url, err) < 0)
		return -1;
	for (size_t i = 0; i < s->indexes.extra.n; i++)
		if (eb_policy_index(c, s->indexes.extra.v[i], err) < 0)
			return -1;
	return 0;
}

/* Files of other machines may name indexes, too. */
static int fetch_files(struct eb_pip_side *s, struct eb_lock *lock,
		       struct eb_error *err)
{
	if (!s->set.remote.n)
		return 0;
	if (eb_pip_set_fetch(&s->set, s->r->http, &s->indexes, s->r->events,
			     &lock->included, err) < 0)
		return err->file ? -1
				 : eb_err_at(err, s->r->env->spec->file, 0, 0);
	eb_indexes_release(&s->indexes);
	return eb_indexes_read(&s->set, &s->indexes, s->r->events, err);
}

static int fill(struct eb_pip_side *s, struct eb_lock *lock,
		struct eb_error *err)
{
	const struct eb_resolver *r = s->r;
	const struct eb_locked_package *python = eb_lock_find(lock, "python");
	struct eb_stage stage;
	int rc;

	if (!python)
		return eb_spec_no_python(r->env->spec, err);
	if (eb_spec_pip_set(r->env->spec, &s->set, err) < 0 ||
	    eb_indexes_read(&s->set, &s->indexes, r->events, err) < 0 ||
	    fetch_files(s, lock, err) < 0 || check_indexes(s, err) < 0)
		return -1;
	s->build = (struct eb_build){ .lock = lock,
				      .env = r->env,
				      .config = r->config,
				      .store = r->store,
				      .events = r->events,
				      .build_base_asked = r->config->build_base,
				      .built = &s->built };
	if (eb_compressor_init(&s->build.compressor, r->config->compression,
			       err) < 0 ||
	    eb_build_begin(&s->build, err) < 0)
		return -1;
	eb_stage_begin(r->events, &stage, "conda's projects");
	rc = eb_conda_projects(&s->build, &s->projects, err);
	eb_stage_end(r->events, &stage);
	describe_target(s);
	return rc;
}

static void fill_request(struct eb_pip_side *s)
{
	const struct eb_resolver *r = s->r;
	struct eb_pip_request *q = &s->request;

	s->cache = eb_path_join(eb_store_dir(r->store), "uv");
	q->set = &s->set;
	q->indexes = &s->indexes;
	q->installed = s->projects.v;
	q->n_installed = s->projects.n;
	q->replace = strcmp(r->config->pip_replace, "never");
	q->as_of = r->config->as_of;
	q->tmp = eb_store_tmp(r->store);
	q->cache = s->cache;
	q->build_variables = &r->config->build_env;
	q->http = r->http;
	q->offline = r->config->offline;
	q->refresh = r->config->refresh;
	q->time_s = (unsigned)r->config->limit[EB_LIMIT_PIP_TIME];
	q->elsewhere = s->build.base->scratch ? NULL : eb_ask_elsewhere;
	q->ask = s->build.base->scratch ? NULL : eb_ask_project;
	q->checkout = eb_ask_commit;
	q->data = s;
}

/* --- into the lock -----------------------------------------------------------
 */
static bool is_in(const struct eb_strv *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], name))
			return true;
	return false;
}

/* A package whose project another one replaces is left out whole. */
static void drop_replaced(struct eb_pip_side *s, struct eb_lock *lock,
			  const struct eb_strv *replaced)
{
	size_t kept = 0;

	for (size_t i = 0; i < lock->n; i++) {
		struct eb_record *r = &lock->package[i].record;

		if (!is_in(replaced, r->name)) {
			lock->package[kept++] = lock->package[i];
			continue;
		}
		eb_note(s->r->events,
			"conda's %s %s is left out: the pip section needs "
			"another version",
			r->name, r->version);
		eb_strv_add(&lock->replaced, r->name);
		eb_record_release(r);
	}
	lock->n = kept;
}

static int check_pins(const struct eb_pip_side *s, const struct eb_lock *lock,
		      struct eb_error *err)
{
	for (size_t i = 0; i < lock->n_pins; i++)
		if (lock->pin[i].index &&
		    eb_policy_index(s->r->config, lock->pin[i].index, err) < 0)
			return -1;
	return 0;
}

static int pins_of(struct eb_pip_side *s, struct eb_pip_result *out,
		   struct eb_error *err)
{
	const struct eb_pylock *locked = s->r->env->spec->pylock;

	if (!locked)
		return eb_pip_resolve(&s->request, s->r->events, out, err);
	if (eb_check_pylock(s->r->config, locked, err) < 0)
		return -1;
	return eb_pylock_resolve(&s->request, locked, s->r->events, out, err);
}

static int resolve(struct eb_pip_side *s, struct eb_lock *lock,
		   struct eb_strv *replaced, struct eb_error *err)
{
	EB_CLEANUP(eb_pip_result_release) struct eb_pip_result result = { 0 };

	if (pins_of(s, &result, err) < 0)
		return -1;
	lock->pin = eb_steal(result.pin);
	lock->n_pins = result.n;
	result.n = 0;
	lock->resolver = eb_steal(result.resolver);
	*replaced = result.replaced;
	result.replaced = (struct eb_strv){ 0 };
	if (check_pins(s, lock, err) < 0)
		return -1;
	return eb_plan_builds(s, lock, err);
}

int eb_resolve_pip(struct eb_resolver *r, struct eb_lock *lock,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv replaced = { 0 };
	struct eb_pip_side s = { .r = r };
	struct eb_stage stage;
	int rc = fill(&s, lock, err);

	if (rc == 0) {
		fill_request(&s);
		eb_stage_begin(r->events, &stage, "pip");
		rc = resolve(&s, lock, &replaced, err);
		eb_stage_end(r->events, &stage);
	}
	if (rc == 0)
		eb_root_hand_over(&s.build);
	release(&s); /* its work points into the lock's packages */
	if (rc == 0)
		drop_replaced(&s, lock, &replaced);
	return rc;
}
