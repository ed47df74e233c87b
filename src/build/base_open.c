/* SPDX-License-Identifier: Apache-2.0 */
/* The base, and that of builds, from whom the options allow to ask; what is
 * learned by streaming one is shared with the team, as a step's result. */
#include <stdio.h>
#include <string.h>

#include "dockerfile_base.h"
#include "team_private.h"

struct sharing {
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_events *events;
	struct eb_team *team; /* opened when it is needed */
	bool borrowed, tried;
};

/* 1 there is a team, 0, -1. */
static int join(struct sharing *s, struct eb_error *err)
{
	if (!s->team && !s->tried &&
	    eb_team_open(s->config, true, s->events, &s->team, err) < 0)
		return -1;
	s->tried = true;
	return s->team != NULL;
}

static int recall(void *data, const struct eb_digest *key, struct eb_buf *text,
		  struct eb_error *err)
{
	struct sharing *s = data;
	struct eb_digest blob;
	uint64_t size;
	int got = join(s, err);

	if (got > 0)
		got = eb_team_step_find(s->team, key, s->store, &blob, &size,
					err);
	if (got <= 0)
		return got;
	return eb_store_read(s->store, &blob, EB_MAX_CONFIG, text, err) < 0 ? -1
									    : 1;
}

static int keep(void *data, const struct eb_digest *key, const char *text,
		struct eb_error *err)
{
	struct sharing *s = data;
	struct eb_digest blob;
	uint64_t size = strlen(text);
	int got = join(s, err);

	if (got <= 0)
		return got;
	if (eb_store_put(s->store, text, size, &blob, err) < 0)
		return -1;
	return eb_team_step_put(s->team, key, s->store, &blob, &size, err) < 0
		       ? -1
		       : 0;
}

/* As it is now, or (with a digest) the one of a lock. */
static int open_one(struct sharing *s, const char *reference,
		    const struct eb_digest *digest, const char *platform,
		    struct eb_base **out, struct eb_error *err)
{
	struct eb_team *team = s->team;
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *own =
		team ? NULL : eb_base_registry(s->config, reference, s->events);
	const struct eb_base_memory memory = { s, recall, keep };
	const struct eb_base_from from = {
		.store = s->store,
		.registry = team ? eb_team_registry(team) : own,
		.memory = &memory,
		.events = s->events,
	};
	int rc = digest ? eb_base_reopen(reference, digest, platform, &from,
					 out, err)
			: eb_base_resolve(reference, platform, &from, out, err);

	if (!s->borrowed)
		eb_team_free(s->team);
	return rc;
}

int eb_open_base(const struct eb_config *config, const struct eb_lock *lock,
		 struct eb_store *store, struct eb_team *team,
		 struct eb_events *events, struct eb_base **out,
		 struct eb_error *err)
{
	struct sharing s = { config, store, events, team, team != NULL, false };
	bool scratch = lock && lock->base_scratch;
	const char *reference = scratch			? "scratch"
				: config->base || !lock ? config->base
							: lock->base_reference;
	const struct eb_dockerfile_request q = { .config = config,
						 .store = store,
						 .team = team,
						 .events = events,
						 .lock = lock,
						 .look = !lock };

	if (lock ? lock->dockerfile.set : eb_config_has_recipe(config))
		return eb_dockerfile_base(&q, NULL, out, err);
	return open_one(&s, reference, lock && !scratch ? &lock->base : NULL,
			lock ? lock->platform : config->platform, out, err);
}

/* --- what steps run on -------------------------------------------------------
 */
/* What is compiled against a newer C library does not start with an older one.
 */
static int check_glibc(const struct eb_build *b, struct eb_error *err)
{
	const char *of = b->base->glibc;
	const char *build = b->build_base->glibc;
	unsigned a[2] = { 0, 0 }, c[2] = { 0, 0 };

	if (!of || !build || sscanf(of, "%u.%u", &a[0], &a[1]) != 2 ||
	    sscanf(build, "%u.%u", &c[0], &c[1]) != 2 || c[0] < a[0] ||
	    (c[0] == a[0] && c[1] <= a[1]))
		return 0;
	eb_err_set(err, EB_INPUT,
		   "build base \"%s\" has glibc %s, newer than %s of the base: "
		   "what it compiles would not start",
		   b->build_base->reference, build, of);
	return eb_err_hint(err, "name a --build-base with glibc %s or older",
			   of);
}

static int check_build_base(const struct eb_build *b, struct eb_error *err)
{
	if (!b->build_base->scratch)
		return check_glibc(b, err);
	eb_err_set(err, EB_USAGE,
		   "the build base is scratch, where nothing can be built");
	return eb_err_hint(err, "name another --build-base");
}

int eb_open_build_base(struct eb_build *b, struct eb_error *err)
{
	const struct eb_lock *lock = b->lock;
	struct sharing s = { b->config, b->store,	 b->events,
			     b->team,	b->team != NULL, false };
	const char *asked = lock->has_build_base ? b->config->build_base
						 : b->build_base_asked;

	if (b->build_base || (!asked && !lock->has_build_base))
		return 0;
	if (open_one(&s, asked ? asked : lock->build_base_reference,
		     lock->has_build_base ? &lock->build_base : NULL,
		     lock->platform, &b->build_base, err) < 0)
		return eb_err_prefix(err, "--build-base");
	return check_build_base(b, err);
}
