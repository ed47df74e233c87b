/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a definition: given, remembered, or solved anew. */
#include <string.h>

#include <envbuild/decision.h>
#include <envbuild/file.h>

#include "build_private.h"

int eb_lock_keep(struct eb_store *store, const struct eb_lock *lock,
		 int64_t time, struct eb_error *err)
{
	struct eb_lock_row row = { .definition = lock->definition,
				   .time = time > lock->time ? time
							     : lock->time };
	EB_AUTOBUF(text, EB_MAX_LOCK);

	eb_lock_format(lock, &text);
	if (text.overflow)
		return eb_err_set(err, EB_INPUT,
				  "the lock is longer than %zu bytes",
				  EB_MAX_LOCK);
	eb_lock_hash(lock, &row.lock);
	if (eb_store_put(store, text.data, text.len, &row.text, err) < 0)
		return -1;
	return eb_store_put_lock(store, &row, err);
}

int eb_lock_remembered(const struct eb_env *env, const struct eb_config *config,
		       struct eb_store *store, struct eb_events *events,
		       struct eb_lock **out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);
	struct eb_lock_row row;
	int rc;

	if (config->refresh || config->update_lock)
		return 0;
	rc = eb_store_find_definition(store, &env->definition, &row, err);
	if (rc <= 0)
		return rc;
	if (eb_lock_too_old(&row, config))
		return 0;
	if (eb_store_read(store, &row.text, EB_MAX_LOCK, &text, err) < 0)
		return -1;
	if (eb_lock_parse(text.data, text.len, "in the store", out, err) == 0)
		return 1;
	/* One that another version made is solved anew. */
	eb_detail(events, "%s", err->message);
	eb_err_release(err);
	return 0;
}

static int solve_anew(struct eb_env *env, const struct eb_config *config,
		      struct eb_store *store, struct eb_events *events,
		      struct eb_lock **out, struct eb_error *err)
{
	struct eb_http_options options = { .ca_file = config->ca_file,
					   .offline = config->offline };
	EB_CLEANUP(eb_http_free_ptr)
	struct eb_http *http = eb_http_new(&options, events);
	struct eb_resolver r = { .env = env,
				 .config = config,
				 .store = store,
				 .http = http,
				 .events = events };
	int rc = eb_resolve_definition(&r, out, err);

	eb_resolver_release(&r);
	return rc;
}

static int write_file(const struct eb_lock *lock, const char *path,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);

	eb_lock_format(lock, &text);
	return eb_write_file(path, text.data, text.len, 0644, err);
}

/* Hands the given lock out. */
static int take_given(struct eb_env *env, struct eb_store *store,
		      struct eb_lock **out, struct eb_error *err)
{
	*out = eb_steal(env->given);
	return eb_lock_keep(store, *out, 0, err);
}

int eb_env_lock(struct eb_env *env, const struct eb_config *config,
		struct eb_store *store, struct eb_events *events,
		struct eb_lock **out, bool *solved, struct eb_error *err)
{
	int rc;

	*solved = false;
	if (env->given)
		return take_given(env, store, out, err);
	rc = eb_lock_remembered(env, config, store, events, out, err);
	if (rc > 0)
		return eb_policy_lock(config, *out, err);
	if (rc < 0)
		return -1;
	if (solve_anew(env, config, store, events, out, err) < 0)
		return -1;
	*solved = true;
	if (eb_policy_lock(config, *out, err) < 0 ||
	    eb_lock_keep(store, *out, 0, err) < 0)
		return -1;
	if (config->update_lock && config->lock)
		return write_file(*out, config->lock, err);
	return 0;
}
