/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nearest environment that `recent` knows. No channel is asked: ours is
 * the lock that the store has, or is solved with what it has; else what is
 * asked for has to do.
 */
#include <string.h>

#include <envbuild/decision.h>

#include "team_nearest.h"
#include "team_recent.h"

#define TRIES 3 /* entries of `recent` whose lock may be gone */

void eb_team_nearest_release(struct eb_team_nearest *n)
{
	free(n->name);
	eb_strv_release(&n->differs);
	memset(n, 0, sizeof *n);
}

/* --- our lock --------------------------------------------------------- */
static void forget(struct eb_team *t, struct eb_error *why)
{
	if (eb_err_is_set(why))
		eb_detail(t->events, "%s", why->message);
	eb_err_release(why);
}

/* NULL: the store has none, or an unreadable one. */
static struct eb_lock *from_store(struct eb_team *t, const struct eb_env *env,
				  struct eb_store *store)
{
	struct eb_error why = EB_ERROR_INIT;
	struct eb_lock *lock = NULL;
	struct eb_lock_row row;
	EB_AUTOBUF(text, EB_MAX_LOCK);

	if (eb_store_find_definition(store, &env->definition, &row, &why) > 0 &&
	    eb_store_read(store, &row.text, EB_MAX_LOCK, &text, &why) == 0)
		eb_lock_parse(text.data, text.len, "in the store", &lock, &why);
	forget(t, &why);
	return lock;
}

static struct eb_lock *solved(struct eb_team *t, struct eb_env *env,
			      const struct eb_config *config,
			      struct eb_store *store)
{
	struct eb_error why = EB_ERROR_INIT;
	struct eb_config offline = *config;
	const struct eb_http_options options = { .offline = true };
	EB_CLEANUP(eb_http_free_ptr)
	struct eb_http *http = eb_http_new(&options, NULL);
	struct eb_resolver r = {
		.env = env, .config = &offline, .store = store, .http = http
	};
	struct eb_lock *lock = NULL;

	offline.offline = true;
	offline.refresh = false;
	if (eb_resolve_definition(&r, &lock, &why) < 0)
		lock = NULL;
	eb_resolver_release(&r);
	forget(t, &why);
	return lock;
}

/* *own is what has to be freed of it; NULL: there is none. */
static const struct eb_lock *our_lock(struct eb_team *t, struct eb_env *env,
				      const struct eb_config *config,
				      struct eb_store *store,
				      struct eb_lock **own)
{
	if (env->given || !store)
		return env->given;
	*own = from_store(t, env, store);
	if (!*own)
		*own = solved(t, env, config, store);
	return *own;
}

/* --- the nearest ------------------------------------------------------ */
static const struct eb_recent_entry *choose(const struct eb_recent *r,
					    const struct eb_env *env,
					    const struct eb_lock *ours)
{
	const struct eb_recent_entry *e = NULL;
	struct eb_sketch sketch;

	if (ours) {
		eb_sketch_of(ours, &sketch);
		e = eb_recent_nearest(r, &sketch);
	}
	if (!e && env->spec && env->spec->name)
		e = eb_recent_named(r, env->spec->name);
	return e ? e : r->v;
}

/* Its lock; 1, 0 (said, unless it is simply gone), -1. */
static int read_lock(struct eb_team *t, const struct eb_recent_entry *e,
		     struct eb_lock **out, int64_t *time, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);
	char name[EB_DIGEST_TEXT];
	int rc = eb_team_get_lock(t, &e->lock, &text, time, err);

	if (rc > 0 &&
	    eb_lock_parse(text.data, text.len, eb_digest_text(&e->lock, name),
			  out, err) < 0)
		rc = -1;
	if (rc >= 0 || (err->code != EB_INTEGRITY && err->code != EB_MACHINE &&
			err->code != EB_INPUT))
		return rc;
	forget(t, err);
	return 0;
}

/* The nearest whose lock is still there; the others leave the list. */
static int find(struct eb_team *t, struct eb_recent *r,
		const struct eb_env *env, const struct eb_lock *ours,
		struct eb_team_nearest *out, struct eb_lock **theirs,
		struct eb_error *err)
{
	for (int i = 0; i < TRIES && r->n; i++) {
		const struct eb_recent_entry *e = choose(r, env, ours);
		int rc = read_lock(t, e, theirs, &out->time, err);

		if (rc < 0)
			return -1;
		if (rc == 0) {
			eb_recent_remove(r, e);
			continue;
		}
		out->name = eb_printable(e->name);
		out->definition = e->definition;
		out->lock = e->lock;
		return 1;
	}
	return 0;
}

/* --- comparing -------------------------------------------------------- */
/* Without the map (0, or a damaged one) buckets are not counted. */
static int cost(struct eb_team *t, const struct eb_lock *theirs,
		const struct eb_lock *ours, struct eb_team_nearest *out,
		struct eb_error *err)
{
	EB_CLEANUP(eb_known_release) struct eb_known map = EB_KNOWN_INIT;

	if (eb_team_get_map(t, &out->lock, NULL, NULL, &map, err) < 0) {
		if (err->code == EB_NETWORK || err->code == EB_REFUSED)
			return -1;
		forget(t, err);
	}
	return eb_push_estimate(theirs, ours, &map, &out->push_bytes, err);
}

static int compare(struct eb_team *t, struct eb_env *env,
		   const struct eb_lock *theirs, const struct eb_lock *ours,
		   struct eb_team_nearest *out, struct eb_error *err)
{
	if (!ours) {
		eb_spec_differs(theirs, env->spec, &out->differs);
		return 0;
	}
	out->exact = true;
	eb_locks_differ(theirs, ours, &out->differs);
	return cost(t, theirs, ours, out, err);
}

int eb_team_nearest(struct eb_team *t, struct eb_env *env,
		    const struct eb_config *config, struct eb_store *store,
		    struct eb_team_nearest *out, struct eb_error *err)
{
	EB_CLEANUP(eb_recent_release) struct eb_recent recent = { 0 };
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *own = NULL, *theirs = NULL;
	const struct eb_lock *ours;
	int rc = eb_team_get_recent(t, &recent, err);

	memset(out, 0, sizeof *out);
	if (rc <= 0)
		return rc;
	ours = our_lock(t, env, config, store, &own);
	rc = find(t, &recent, env, ours, out, &theirs, err);
	if (rc > 0 && compare(t, env, theirs, ours, out, err) < 0)
		rc = -1;
	if (rc <= 0)
		eb_team_nearest_release(out);
	return rc;
}
