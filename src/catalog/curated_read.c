/* SPDX-License-Identifier: Apache-2.0 */
/* One document of templates/environments/ into a struct eb_named. */
#include <string.h>

#include <envbuild/catalog.h>
#include <envbuild/yaml.h>

#include "curated.h"

static char *text_of(const struct eb_yaml_node *map, const char *key)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);

	return n && n->type == EB_YAML_SCALAR ? eb_strdup(n->text) : NULL;
}

static bool is_yes(const struct eb_yaml_node *map, const char *key)
{
	eb_autofree char *text = text_of(map, key);

	return text && !strcmp(text, "yes");
}

static void list_of(const struct eb_yaml_node *map, const char *key,
		    struct eb_strv *out)
{
	const struct eb_yaml_node *n = map ? eb_yaml_get(map, key) : NULL;

	for (size_t i = 0; n && n->type == EB_YAML_LIST && i < n->n; i++)
		if (n->item[i]->type == EB_YAML_SCALAR)
			eb_strv_add(out, n->item[i]->text);
}

static void pairs_of(const struct eb_yaml_node *map, const char *key,
		     struct eb_strv *names, struct eb_strv *values)
{
	const struct eb_yaml_node *n = eb_yaml_get(map, key);

	for (size_t i = 0; n && n->type == EB_YAML_MAP && i < n->n; i++) {
		const struct eb_yaml_node *v = n->item[i];

		for (size_t k = 0; k < (v->type == EB_YAML_LIST ? v->n : 1);
		     k++) {
			eb_strv_add(names, n->key[i]->text);
			eb_strv_add(values, v->type == EB_YAML_LIST
						    ? v->item[k]->text
						    : v->text);
		}
	}
}

static enum eb_env_status status_of(const struct eb_yaml_node *root)
{
	eb_autofree char *text = text_of(root, "status");

	for (int s = EB_ENV_CURRENT; s <= EB_ENV_DELETED; s++)
		if (text && !strcmp(text, eb_env_status_name(s)))
			return (enum eb_env_status)s;
	return EB_ENV_CURRENT;
}

static void add_option(struct eb_named *e, const struct eb_yaml_node *root,
		       const char *key)
{
	eb_autofree char *value = text_of(root, key);

	if (value)
		eb_named_add_option(e, key, value);
}

static void fill(struct eb_named *e, const struct eb_yaml_node *root)
{
	const struct eb_yaml_node *claims = eb_yaml_get(root, "claims");

	e->name = text_of(root, "name");
	e->version = text_of(root, "version");
	e->status = status_of(root);
	e->superseded_by = text_of(root, "superseded-by");
	e->source = text_of(root, "source");
	e->python = text_of(root, "python");
	e->base_moves = is_yes(root, "base-moves");
	e->text = text_of(root, "conda");
	e->file = eb_strdup("conda_dependencies.yml");
	list_of(root, "aliases", &e->aliases);
	list_of(root, "known", &e->known);
	list_of(claims, "name", &e->claims_name);
	list_of(claims, "tags", &e->claims_tags);
	add_option(e, root, "as-of");
	add_option(e, root, "base");
	pairs_of(root, "options", &e->option_name, &e->option_value);
	pairs_of(root, "variables", &e->variable_name, &e->variable_value);
}

int eb_curated_get(const char *name, struct eb_named **out,
		   struct eb_error *err)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;
	EB_CLEANUP(eb_named_free_ptr) struct eb_named *e = NULL;
	struct eb_document d;

	if (!eb_document_find(name, &d))
		return 0;
	if (eb_yaml_parse(d.text, d.len, name, &doc, err) < 0)
		return -1;
	e = eb_calloc(1, sizeof *e);
	fill(e, doc->root);
	*out = eb_steal(e);
	return 1;
}
