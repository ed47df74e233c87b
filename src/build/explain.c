/* SPDX-License-Identifier: Apache-2.0 */
/* Why this base and this CUDA: the decision of a lock, of what can be resolved
 * without a network, or of the lines. */
#include <string.h>

#include <envbuild/json.h>

#include "resolve_base.h"

void eb_explained_release(struct eb_explained *x)
{
	eb_decision_free(x->decision);
	free(x->why_not);
	free(x->file);
	free(x->advice);
	json_decref(x->problems);
	json_decref(x->held);
	*x = (struct eb_explained){ 0 };
}

/* Neither the network nor what is newer than the store. */
static struct eb_config here(const struct eb_config *config)
{
	struct eb_config c = *config;

	c.offline = true;
	c.refresh = c.update_lock = false;
	return c;
}

/* ---- a lock ---------------------------------------------------------------*/

/* Its base, where that can be had without asking; NULL is no failure. */
static struct eb_base *base_of(const struct eb_lock *lock,
			       const struct eb_config *config,
			       struct eb_store *store)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_base *base = NULL;

	if (eb_open_base(config, lock, store, NULL, NULL, &base, &ignored) < 0)
		return NULL;
	return base;
}

/* A lock alone does not tell who named its base: it counts as named. */
static int from_lock(const struct eb_env *env, const struct eb_lock *lock,
		     const struct eb_config *config, struct eb_store *store,
		     struct eb_explained *out, struct eb_error *err)
{
	struct eb_config c = *config;
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *base = NULL;
	struct eb_deciding from = { .lock = lock };

	if (!env->spec && !c.base)
		c.base = lock->base_scratch ? (char *)"scratch"
					    : lock->base_reference;
	if (c.base)
		base = base_of(lock, &c, store);
	from.base = base;
	out->from = EB_EXPLAINED_LOCK;
	return eb_decide_base(env, &c, &from, &out->decision, err);
}

/* ---- what can be resolved -------------------------------------------------*/

static void take_failure(struct eb_resolver *r, struct eb_error *err,
			 struct eb_explained *out)
{
	out->why_not = eb_strdup(err->message);
	out->unsatisfiable = err->code == EB_NO;
	out->file = eb_steal(err->file);
	out->line = err->line;
	out->column = err->column;
	out->problems = eb_steal(r->problems);
	out->advice = eb_steal(err->hint);
}

/* A refusal is an answer; other failures are told beside the lines', that there
 * is no solution among them. */
static int from_solving(struct eb_env *env, const struct eb_config *config,
			struct eb_store *store, struct eb_events *events,
			struct eb_explained *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const struct eb_http_options options = { .offline = true };
	EB_CLEANUP(eb_http_free_ptr)
	struct eb_http *http = eb_http_new(&options, events);
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = NULL;
	struct eb_resolver r = { .env = env,
				 .config = config,
				 .store = store,
				 .http = http,
				 .events = events,
				 .explains = true };
	int rc = eb_resolve_definition(&r, &lock, &err);
	bool told = rc == 0 || (r.decision && r.decision->refused);

	if (!told) {
		take_failure(&r, &err, out);
		eb_resolver_release(&r);
		return 0;
	}
	out->from =
		r.decision->solved ? EB_EXPLAINED_SOLVED : EB_EXPLAINED_LINES;
	out->decision = eb_steal(r.decision);
	out->held = eb_steal(r.held);
	eb_resolver_release(&r);
	return 1;
}

/* ---- a lock that is known, and its definition ----------------------------*/

static bool is_locked(const struct eb_lock *lock, const json_t *held)
{
	const struct eb_locked_package *p =
		eb_lock_find(lock, eb_json_str(held, "name"));

	return p && !strcmp(p->record.version, eb_json_str(held, "version"));
}

/* Why the lock's packages are not newer, where solving with what is here gives
 * them again. */
static void add_held(struct eb_env *env, const struct eb_config *config,
		     struct eb_store *store, const struct eb_lock *known,
		     struct eb_explained *out)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const struct eb_http_options options = { .offline = true };
	EB_CLEANUP(eb_http_free_ptr)
	struct eb_http *http = eb_http_new(&options, NULL);
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = NULL;
	struct eb_resolver r EB_CLEANUP(eb_resolver_release) = {
		.env = env,
		.config = config,
		.store = store,
		.http = http,
		.explains = true,
		.conda_only = true,
	};

	if (eb_resolve_definition(&r, &lock, &err) < 0 || !r.held)
		return;
	for (size_t i = json_array_size(r.held); i--;)
		if (!is_locked(known, json_array_get(r.held, i)))
			json_array_remove(r.held, i);
	out->held = eb_steal(r.held);
}

/* ---- the lines ------------------------------------------------------------*/

static int from_lines(struct eb_env *env, const struct eb_config *config,
		      struct eb_store *store, struct eb_explained *out,
		      struct eb_error *err)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_base_free_ptr) struct eb_base *base = NULL;
	struct eb_deciding from = { 0 };

	if (config->base &&
	    eb_open_base(config, NULL, store, NULL, NULL, &base, &ignored) == 0)
		from.base = base;
	out->from = EB_EXPLAINED_LINES;
	return eb_decide_base(env, config, &from, &out->decision, err);
}

int eb_explain(struct eb_env *env, const struct eb_config *config,
	       struct eb_store *store, bool solve, struct eb_events *events,
	       struct eb_explained *out, struct eb_error *err)
{
	const struct eb_config c = here(config);
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *known = NULL;

	if (env->given)
		return from_lock(env, env->given, &c, store, out, err);
	if (solve) {
		int rc = eb_lock_remembered(env, config, store, events, &known,
					    err);

		if (rc < 0)
			return -1;
		if (rc > 0) {
			add_held(env, &c, store, known, out);
			return from_lock(env, known, &c, store, out, err);
		}
		if (from_solving(env, &c, store, events, out) > 0)
			return 0;
	}
	return from_lines(env, &c, store, out, err);
}
