/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What makes later builds faster and no image needs: a tag for each own layer
 * that is new, and the place in the list of recent environments. The registry
 * is asked once: where it throttles or refuses, the rest is left for another
 * build.
 */
#include <string.h>

#include "team_work.h"

#define AT_ONCE 6

struct later {
	struct eb_team_work *w;
	struct eb_team team; /* a client that does not wait */
};

struct layer {
	struct later *l;
	const struct eb_known_item *item;
};

static int put_layer(void *arg, struct eb_error *err)
{
	struct layer *j = arg;
	const struct eb_known *map = &j->l->w->map;

	return eb_team_put_layer(&j->l->team, j->item,
				 map->paths.data + j->item->paths_at, err);
}

/* A package's own layer, and not one that was found by its tag or by the map
 * of an image that had it. */
static bool is_new(const struct later *l, const struct eb_known_item *k,
		   const struct eb_digest *environment)
{
	const struct eb_known *map = &l->w->map;
	const char *list = map->paths.data + k->paths_at;
	struct eb_item head, part;
	long n;

	if (k->item.kind != EB_ITEM_LAYER ||
	    eb_digest_equal(&k->item.key, environment) ||
	    eb_known_find(&l->w->known, EB_ITEM_LAYER, &k->item.key,
			  k->item.compressor))
		return false;
	n = eb_store_item_parse(list, k->paths_size, &head);
	return n > 0 && eb_store_part_parse(list + n, k->paths_size - (size_t)n,
					    &part) <= 0;
}

static int put_layers(struct later *l, struct eb_error *err)
{
	const struct eb_known *map = &l->w->map;
	eb_autofree struct layer *j = eb_calloc(map->n + 1, sizeof *j);
	struct eb_pool *pool = eb_pool_new(AT_ONCE);
	struct eb_digest environment;
	size_t n = 0;
	int rc;

	eb_build_environment_key(&l->w->built->lock, &environment);
	for (size_t i = 0; i < map->n; i++) {
		if (!is_new(l, &map->item[i], &environment))
			continue;
		j[n] = (struct layer){ l, &map->item[i] };
		eb_pool_submit(pool, put_layer, &j[n++]);
	}
	rc = eb_pool_wait(pool, err);
	eb_pool_free(pool);
	return rc;
}

static int put_recent(struct later *l, struct eb_error *err)
{
	const struct eb_team_work *w = l->w;
	const struct eb_spec *spec = w->env->spec;
	struct eb_recent_entry e = {
		.definition = w->env->definition,
		.lock = w->built->lock,
		.name = spec && spec->name ? spec->name : (char[]){ "" },
		.time = w->lock->time,
	};

	eb_sketch_of(w->lock, &e.sketch);
	return eb_team_add_recent(&l->team, &e, err);
}

static int open_client(struct later *l, struct eb_error *err)
{
	static const struct eb_asking once = { .tries = 1 };
	const struct eb_repository *repo = l->w->t->repo;

	l->team = *l->w->t;
	l->team.registry =
		eb_config_registry(l->w->config, &once, l->w->events);
	return eb_repository_open(l->team.registry, eb_repository_host(repo),
				  eb_repository_name(repo), &l->team.repo, err);
}

void eb_team_later(struct eb_team_work *w)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct later l = { .w = w };

	if (open_client(&l, &err) < 0 || put_recent(&l, &err) < 0 ||
	    put_layers(&l, &err) < 0)
		eb_detail(w->events, "left for later: %s", err.message);
	eb_registry_free(l.team.registry);
}
