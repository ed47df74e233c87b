/* SPDX-License-Identifier: Apache-2.0 */
/* The base, from whom the options allow to ask; what is learned by streaming
 * one is shared with the team, as a step's result. */
#include <string.h>

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

int eb_open_base(const struct eb_config *config, const struct eb_lock *lock,
		 struct eb_store *store, struct eb_team *team,
		 struct eb_events *events, struct eb_base **out,
		 struct eb_error *err)
{
	const char *reference =
		config->base || !lock ? config->base : lock->base_reference;
	EB_CLEANUP(eb_registry_free_ptr)
	struct eb_registry *own =
		team ? NULL : eb_base_registry(config, reference, events);
	struct sharing s = { config, store, events, team, team != NULL, false };
	const struct eb_base_memory memory = { &s, recall, keep };
	const struct eb_base_from from = { store,
					   team ? eb_team_registry(team) : own,
					   &memory, events };
	int rc;

	if (!lock)
		rc = eb_base_resolve(reference, config->platform, &from, out,
				     err);
	else if (lock->base_scratch)
		rc = eb_base_resolve("scratch", lock->platform, &from, out,
				     err);
	else
		rc = eb_base_reopen(reference, &lock->base, lock->platform,
				    &from, out, err);
	if (!s.borrowed)
		eb_team_free(s.team);
	return rc;
}
