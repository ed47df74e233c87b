/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What several files of conda's settings say together. A list: what is marked
 * as top, then the items of the last file, of the one before it and so on, each
 * once; what is marked as bottom behind them.
 */
#include <string.h>

#include <envbuild/mem.h>

#include "condarc_int.h"

int eb_rc_text(const struct eb_rc_layers *l, const struct eb_rc_key *key,
	       struct eb_rc_item *out, struct eb_error *err)
{
	EB_CLEANUP(eb_rc_items_release) struct eb_rc_items found = { 0 };
	int got = eb_rc_find(l, key, &found, err);

	if (got < 0 || !found.n)
		return got;
	*out = found.v[found.n - 1];
	if (!out->text)
		return eb_rc_err(out, err, "\"%s\" must be text", key->name);
	found.v[found.n - 1].text = NULL;
	return 1;
}

/* --- the order of a list --------------------------------------------- */

struct order {
	const struct eb_rc_item **v;
	size_t n;
};

static bool has(const struct order *o, const char *text)
{
	for (size_t i = 0; i < o->n; i++)
		if (!strcmp(o->v[i]->text, text))
			return true;
	return false;
}

static void add(struct order *o, const struct eb_rc_item *item)
{
	if (!has(o, item->text))
		o->v[o->n++] = item;
}

/* Those with a mark, the files in their order or the last first. */
static void add_all(struct order *o, const struct eb_rc_items *in,
		    enum eb_rc_flag flag, bool last_first)
{
	size_t layers = in->n ? in->v[in->n - 1].at + 1 : 0;

	for (size_t k = 0; k < layers; k++)
		for (size_t i = 0; i < in->n; i++)
			if (in->v[i].at == (last_first ? layers - 1 - k : k) &&
			    (flag == EB_RC_PLAIN || in->v[i].flag == flag))
				add(o, &in->v[i]);
}

/* From behind, so that an item that is marked as bottom is there alone. */
static void add_back(struct order *o, const struct order *from)
{
	for (size_t i = from->n; i-- > 0;)
		add(o, from->v[i]);
}

/* `in`, the layers in ascending order, becomes the list. */
static void arrange(struct eb_rc_items *in)
{
	eb_autofree const struct eb_rc_item **room =
		eb_calloc(3 * in->n + 1, sizeof *room);
	struct order front = { room, 0 }, last = { room + in->n, 0 };
	struct order all = { room + 2 * in->n, 0 };
	struct eb_rc_items out = { .v = eb_calloc(in->n + 1, sizeof *out.v),
				   .alloc = in->n + 1 };

	add_all(&front, in, EB_RC_TOP, false);
	add_all(&front, in, EB_RC_PLAIN, true);
	add_all(&last, in, EB_RC_BOTTOM, true);
	add_back(&all, &last);
	add_back(&all, &front);
	for (size_t i = all.n; i-- > 0;) {
		out.v[out.n] = *all.v[i];
		out.v[out.n++].text = eb_strdup(all.v[i]->text);
	}
	eb_rc_items_release(in);
	*in = out;
}

static int items_of(const struct eb_rc_items *lists, const char *what,
		    struct eb_rc_items *out, struct eb_error *err)
{
	for (size_t i = 0; i < lists->n; i++) {
		const struct eb_rc_item *one = &lists->v[i];

		if (one->node) {
			if (eb_rc_list_items(one, what, out, err) < 0)
				return -1;
			continue;
		}
		EB_GROW(out->v, out->n, out->alloc);
		out->v[out->n] = *one;
		out->v[out->n++].text = eb_strdup(one->text);
	}
	arrange(out);
	return 0;
}

int eb_rc_list(const struct eb_rc_layers *l, const struct eb_rc_key *key,
	       struct eb_rc_items *out, struct eb_error *err)
{
	EB_CLEANUP(eb_rc_items_release) struct eb_rc_items found = { 0 };

	if (eb_rc_find(l, key, &found, err) < 0)
		return -1;
	return items_of(&found, key->name, out, err);
}

/* --- maps ------------------------------------------------------------ */

static struct eb_condarc_name *name_of(struct eb_condarc_names *names,
				       const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i].name, name))
			return &names->v[i];
	EB_GROW(names->v, names->n, names->alloc);
	names->v[names->n] = (struct eb_condarc_name){ eb_strdup(name), { 0 } };
	return &names->v[names->n++];
}

/* What the maps say of one name: of its first final one alone, where there is
 * one. */
static void values_of(const struct eb_rc_items *maps, const char *name,
		      struct eb_rc_items *out)
{
	for (size_t i = 0; i < maps->n; i++) {
		struct eb_rc_item value;

		if (!eb_rc_member(&maps->v[i], name, &value))
			continue;
		if (value.flag == EB_RC_FINAL)
			eb_rc_items_release(out);
		EB_GROW(out->v, out->n, out->alloc);
		out->v[out->n++] = value;
		if (value.flag == EB_RC_FINAL)
			return;
	}
}

static int set_list(const struct eb_rc_items *values,
		    struct eb_condarc_name *out, struct eb_error *err)
{
	EB_CLEANUP(eb_rc_items_release) struct eb_rc_items items = { 0 };

	if (items_of(values, out->name, &items, err) < 0)
		return -1;
	for (size_t i = 0; i < items.n; i++)
		eb_strv_add(&out->url, items.v[i].text);
	return 0;
}

static int set_text(const struct eb_rc_items *values,
		    struct eb_condarc_name *out, struct eb_error *err)
{
	const struct eb_rc_item *last = &values->v[values->n - 1];

	if (!last->text)
		return eb_rc_err(last, err, "\"%s\" must be text", out->name);
	eb_strv_add(&out->url, last->text);
	return 0;
}

static int add_names(const struct eb_rc_items *maps, const char *what,
		     struct eb_condarc_names *out, struct eb_error *err)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct eb_yaml_node *map = maps->v[i].node;

		if (!map || map->type != EB_YAML_MAP)
			return eb_rc_err(&maps->v[i], err,
					 "\"%s\" must be a map", what);
		if (out->n + map->n > EB_RC_MAX_ITEMS)
			return eb_rc_err(&maps->v[i], err, "more than %d items",
					 EB_RC_MAX_ITEMS);
		for (size_t k = 0; k < map->n; k++)
			if (!eb_yaml_is_null(map->item[k]))
				name_of(out, map->key[k]->text);
	}
	return 0;
}

int eb_rc_map(const struct eb_rc_layers *l, const struct eb_rc_key *key,
	      bool lists, struct eb_condarc_names *out, struct eb_error *err)
{
	EB_CLEANUP(eb_rc_items_release) struct eb_rc_items maps = { 0 };

	if (eb_rc_find(l, key, &maps, err) < 0 ||
	    add_names(&maps, key->name, out, err) < 0)
		return -1;
	for (size_t i = 0; i < out->n; i++) {
		EB_CLEANUP(eb_rc_items_release)
		struct eb_rc_items values = { 0 };

		values_of(&maps, out->v[i].name, &values);
		if ((lists ? set_list(&values, &out->v[i], err)
			   : set_text(&values, &out->v[i], err)) < 0)
			return -1;
	}
	return 0;
}
