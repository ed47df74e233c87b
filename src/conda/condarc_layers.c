/* SPDX-License-Identifier: Apache-2.0 */
/* Files and variables of conda's settings: a key's values with their places,
 * and the marks behind them. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "condarc_int.h"

#define VARIABLE "CONDA_"

int eb_rc_err(const struct eb_rc_item *item, struct eb_error *err,
	      const char *fmt, ...)
{
	eb_autofree char *what = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		eb_oom();
	va_end(ap);
	if (item->node)
		return eb_yaml_err(item->layer->doc, item->node, err, "%s",
				   what);
	return eb_err_set(err, EB_INPUT,
			  "the environment, reading conda's "
			  "settings: %s",
			  what);
}

void eb_rc_items_release(struct eb_rc_items *items)
{
	for (size_t i = 0; i < items->n; i++)
		free(items->v[i].text);
	free(items->v);
	*items = (struct eb_rc_items){ 0 };
}

/* --- the layers ------------------------------------------------------ */

static void add_layer(struct eb_rc_layers *l, const char *name,
		      struct eb_yaml *doc)
{
	EB_GROW(l->layer, l->n, l->alloc);
	l->layer[l->n++] = (struct eb_rc_layer){ eb_strdup(name), doc };
}

int eb_rc_layers_read(const struct eb_strv *file, struct eb_rc_layers *out,
		      struct eb_error *err)
{
	for (size_t i = 0; i < file->n; i++) {
		struct eb_yaml *doc = NULL;

		if (eb_yaml_read(file->v[i], &doc, err) < 0)
			return -1;
		add_layer(out, file->v[i], doc);
		if (!eb_yaml_is_null(doc->root) &&
		    doc->root->type != EB_YAML_MAP)
			return eb_yaml_err(doc, doc->root, err,
					   "conda's settings are a map of "
					   "keys");
	}
	add_layer(out, "", NULL);
	return 0;
}

void eb_rc_layers_release(struct eb_rc_layers *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->layer[i].name);
		eb_yaml_free(l->layer[i].doc);
	}
	free(l->layer);
	*l = (struct eb_rc_layers){ 0 };
}

/* --- texts ----------------------------------------------------------- */

static size_t name_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* $VAR and ${VAR}; those that are not set stay as they are. */
static char *expand(const char *text)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	while (*text) {
		bool braces = text[0] == '$' && text[1] == '{';
		const char *name = text + 1 + braces;
		size_t n = *text == '$' ? name_length(name) : 0;
		eb_autofree char *key = eb_strndup(name, n);
		const char *value = n ? getenv(key) : NULL;

		if (!value || (braces && name[n] != '}')) {
			eb_buf_addch(&out, *text++);
			continue;
		}
		eb_buf_adds(&out, value);
		text = name + n + braces;
	}
	return eb_buf_steal(&out, NULL);
}

/* The mark in the comment at the end of a line: "#!top". */
static enum eb_rc_flag flag_of(const struct eb_yaml *doc, unsigned line)
{
	static const char *const marks[] = { [EB_RC_TOP] = "top",
					     [EB_RC_BOTTOM] = "bottom",
					     [EB_RC_FINAL] = "final" };
	size_t len = 0;
	const char *text = eb_yaml_line(doc, line, &len);
	eb_autofree char *copy = text ? eb_strndup(text, len) : eb_strdup("");
	char *mark = strrchr(copy, '#');

	if (!mark || (mark > copy && !strchr(" \t", mark[-1])))
		return EB_RC_PLAIN;
	mark = eb_strip(mark);
	mark += strspn(mark, "!#");
	for (size_t n = strlen(mark); n && strchr("!#", mark[n - 1]);)
		mark[--n] = '\0';
	for (int i = EB_RC_TOP; i <= EB_RC_FINAL; i++)
		if (!strcmp(mark, marks[i]))
			return (enum eb_rc_flag)i;
	return EB_RC_PLAIN;
}

static int add(struct eb_rc_items *out, struct eb_rc_item item,
	       const char *text, struct eb_error *err)
{
	if (out->n == EB_RC_MAX_ITEMS)
		return eb_rc_err(&item, err, "more than %d items",
				 EB_RC_MAX_ITEMS);
	item.text = text ? expand(text) : NULL;
	EB_GROW(out->v, out->n, out->alloc);
	out->v[out->n++] = item;
	return 0;
}

/* --- variables ------------------------------------------------------- */

static char *variable_name(const char *key)
{
	char *name = eb_asprintf(VARIABLE "%s", key);

	for (char *p = name; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return name;
}

static const char *variable_of(const struct eb_rc_key *key)
{
	eb_autofree char *name = variable_name(key->name);
	eb_autofree char *other = key->other ? variable_name(key->other) : NULL;
	const char *value = getenv(name);

	return value || !other ? value : getenv(other);
}

static int split(const char *value, struct eb_rc_item item, char delimiter,
		 struct eb_rc_items *out, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv part = { 0 };

	eb_strv_split(&part, value, (char[]){ delimiter, '\0' });
	for (size_t i = 0; i < part.n; i++)
		if (*eb_strip(part.v[i]) && add(out, item, part.v[i], err) < 0)
			return -1;
	return 0;
}

/* As good as a list: an empty one is none. */
static int add_variable(const struct eb_rc_layers *l,
			const struct eb_rc_key *key, struct eb_rc_items *out,
			struct eb_error *err)
{
	struct eb_rc_item item = { .layer = &l->layer[l->n - 1],
				   .at = l->n - 1 };
	const char *value = variable_of(key);
	eb_autofree char *text = eb_strdup(value);
	char *mark = text ? strstr(text, "!important") : NULL;

	if (mark)
		*mark = '\0';
	if (!text || !*eb_strip(text))
		return 0;
	if (key->delimiter)
		return split(text, item, key->delimiter, out, err);
	return add(out, item, text, err);
}

/* --- a key ----------------------------------------------------------- */

static size_t place_of(const struct eb_yaml_node *map, const char *key)
{
	size_t i = 0;

	while (key && i < map->n && strcmp(map->key[i]->text, key))
		i++;
	return key ? i : map->n;
}

/* 1, 0 it is not there or null, -1. */
static int in_file(const struct eb_rc_layer *layer, const struct eb_rc_key *key,
		   struct eb_rc_item *out, struct eb_error *err)
{
	const struct eb_yaml_node *root = layer->doc->root;
	size_t n = root->type == EB_YAML_MAP ? root->n : 0;
	size_t i = n ? place_of(root, key->name) : 0;
	size_t other = n ? place_of(root, key->other) : 0;

	out->layer = layer;
	if (i < n && other < n) {
		out->node = root->key[other];
		return eb_rc_err(out, err,
				 "\"%s\" beside \"%s\": one of them "
				 "is enough",
				 key->other, key->name);
	}
	if (i == n)
		i = other;
	if (i >= n || eb_yaml_is_null(root->item[i]))
		return 0;
	out->node = root->item[i];
	out->flag = flag_of(layer->doc, root->key[i]->line);
	return 1;
}

int eb_rc_find(const struct eb_rc_layers *l, const struct eb_rc_key *key,
	       struct eb_rc_items *out, struct eb_error *err)
{
	for (size_t i = 0; i + 1 < l->n; i++) {
		struct eb_rc_item item = { .at = i };
		int got = in_file(&l->layer[i], key, &item, err);
		bool text = got > 0 && item.node->type == EB_YAML_SCALAR;

		if (got < 0 ||
		    (got &&
		     add(out, item, text ? item.node->text : NULL, err) < 0))
			return -1;
		if (item.flag == EB_RC_FINAL)
			return 0;
	}
	return add_variable(l, key, out, err);
}

/* "[a, b]": what stands behind it is the key's. */
static bool is_flow(const struct eb_rc_item *list)
{
	size_t len = 0;
	const char *line =
		eb_yaml_line(list->layer->doc, list->node->line, &len);

	return line && list->node->column <= len &&
	       line[list->node->column - 1] == '[';
}

int eb_rc_list_items(const struct eb_rc_item *list, const char *what,
		     struct eb_rc_items *out, struct eb_error *err)
{
	const struct eb_yaml_node *node = list->node;

	if (node->type != EB_YAML_LIST)
		return eb_rc_err(list, err, "\"%s\" must be a list", what);
	for (size_t i = 0; i < node->n; i++) {
		struct eb_rc_item item = *list;

		item.node = node->item[i];
		item.flag = is_flow(list) ? EB_RC_PLAIN
					  : flag_of(list->layer->doc,
						    item.node->line);
		if (item.node->type != EB_YAML_SCALAR)
			return eb_rc_err(&item, err,
					 "an item of \"%s\" must be text",
					 what);
		if (!eb_yaml_is_null(item.node) &&
		    add(out, item, item.node->text, err) < 0)
			return -1;
	}
	return 0;
}

bool eb_rc_member(const struct eb_rc_item *map, const char *name,
		  struct eb_rc_item *out)
{
	size_t i = place_of(map->node, name);
	const struct eb_yaml_node *node;

	if (i == map->node->n || eb_yaml_is_null(map->node->item[i]))
		return false;
	*out = *map;
	out->node = node = map->node->item[i];
	out->flag = flag_of(map->layer->doc, map->node->key[i]->line);
	out->text = node->type == EB_YAML_SCALAR ? expand(node->text) : NULL;
	return true;
}
