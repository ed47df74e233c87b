/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What makes later builds faster and no image needs: a tag for each own layer
 * that is new, and the place in the list of recent environments. The registry
 * is asked once: where it throttles or refuses, the rest is left for another
 * build. All of it names what stands under lock- and locked-, so it goes while
 * env- is moved.
 */
#include <string.h>

#include "team_work.h"

#define AT_ONCE 6

struct eb_later {
	struct eb_team_work *w;
	struct eb_team team; /* a client that does not wait */
	struct eb_recent_entry entry;
	struct eb_push *push;
	struct eb_error err; /* why there is no client */
};

struct layer {
	struct eb_later *l;
	const struct eb_known_item *item;
};

static int put_layer(void *arg, struct eb_error *err)
{
	struct layer *j = arg;
	struct eb_later *l = j->l;
	const struct eb_recent *seen = eb_team_recent_seen(l->w->t);

	return eb_team_put_layer(&l->team, l->push,
				 seen && eb_recent_is_none(seen), j->item,
				 l->w->map.paths.data + j->item->paths_at, err);
}

/* A package's own layer, and not one that was found by its tag or by the map
 * of an image that had it. */
static bool is_new(const struct eb_later *l, const struct eb_known_item *k,
		   const struct eb_digest *environment)
{
	const struct eb_known *map = &l->w->map;
	const char *list = map->paths.data + k->paths_at;
	struct eb_item head, part;
	long n;

	if (k->item.kind != EB_ITEM_LAYER ||
	    eb_digest_equal(&k->item.key, environment) ||
	    eb_known_is_there(&l->w->known, &k->item.blob) ||
	    eb_known_find(&l->w->known, EB_ITEM_LAYER, &k->item.key,
			  k->item.compressor))
		return false;
	n = eb_store_item_parse(list, k->paths_size, &head);
	return n > 0 && eb_store_part_parse(list + n, k->paths_size - (size_t)n,
					    &part) <= 0;
}

static int put_recent(void *arg, struct eb_error *err)
{
	struct eb_later *l = arg;
	const struct eb_recent *seen = eb_team_recent_seen(l->w->t);

	if (!seen)
		return eb_team_add_recent(&l->team, &l->entry, err);
	return eb_team_add_recent_to(&l->team, seen, &l->entry, l->push, err);
}

static int put_all(struct eb_later *l, struct eb_error *err)
{
	const struct eb_known *map = &l->w->map;
	eb_autofree struct layer *j = eb_calloc(map->n + 1, sizeof *j);
	struct eb_pool *pool = eb_pool_new(AT_ONCE);
	struct eb_digest environment;
	size_t n = 0;
	int rc;

	eb_pool_submit(pool, put_recent, l);
	eb_build_environment_key(&l->entry.lock, &environment);
	for (size_t i = 0; i < map->n; i++) {
		if (!is_new(l, &map->item[i], &environment))
			continue;
		j[n] = (struct layer){ l, &map->item[i] };
		eb_pool_submit(pool, put_layer, &j[n++]);
	}
	rc = eb_pool_wait(pool, err);
	eb_pool_free(pool);
	return rc < 0 ? -1 : eb_push_wait(l->push, err);
}

static int open_client(struct eb_later *l, struct eb_error *err)
{
	static const struct eb_asking once = { .tries = 1 };
	const struct eb_repository *repo = l->w->t->repo;

	l->team = *l->w->t; /* locked- is there, and so is its `{}` */
	l->team.empty_there = true;
	l->team.registry =
		eb_config_registry(l->w->config, &once, l->w->events);
	return eb_repository_open(l->team.registry, eb_repository_host(repo),
				  eb_repository_name(repo), &l->team.repo, err);
}

static void fill_entry(struct eb_later *l)
{
	const struct eb_team_work *w = l->w;
	const struct eb_spec *spec = w->env->spec;
	static char nameless[1];

	l->entry = (struct eb_recent_entry){
		.definition = w->env->definition,
		.lock = w->built->lock,
		.name = spec && spec->name ? spec->name : nameless,
		.time = w->lock->time,
	};
	eb_sketch_of(w->lock, &l->entry.sketch);
}

struct eb_later *eb_later_begin(struct eb_team_work *w)
{
	const struct eb_recent *seen = eb_team_recent_seen(w->t);
	struct eb_later *l = eb_calloc(1, sizeof *l);

	l->w = w;
	fill_entry(l);
	if (open_client(l, &l->err) < 0)
		return l;
	l->push = eb_push_new(l->team.registry, l->team.repo, w->store,
			      w->events);
	if (seen)
		eb_recent_send(seen, &l->entry, l->push);
	return l;
}

void eb_later_end(struct eb_later *l)
{
	if (!l->push || put_all(l, &l->err) < 0)
		eb_detail(l->w->events, "left for later: %s", l->err.message);
}

void eb_later_free(struct eb_later *l)
{
	if (!l)
		return;
	eb_push_free(l->push);
	eb_registry_free(l->team.registry);
	eb_err_release(&l->err);
	free(l);
}
