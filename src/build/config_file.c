/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files, environment variables and the policy. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/config.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/yaml.h>

#include "conda_settings.h"
#include "options.h"

static int read_strings(const struct eb_yaml *doc,
			const struct eb_yaml_node *node, const char *key,
			struct eb_strv *out, struct eb_error *err)
{
	if (node->type != EB_YAML_LIST)
		return eb_yaml_err(doc, node, err, "\"%s\" must be a list",
				   key);
	for (size_t i = 0; i < node->n; i++) {
		if (node->item[i]->type != EB_YAML_SCALAR)
			return eb_yaml_err(doc, node->item[i], err,
					   "an item of \"%s\" must be text",
					   key);
		eb_strv_add(out, node->item[i]->text);
	}
	return 0;
}

static struct eb_policy_list *policy_list(struct eb_config *c, const char *key)
{
	if (!strcmp(key, "channels"))
		return &c->policy.channels;
	if (!strcmp(key, "indexes"))
		return &c->policy.indexes;
	if (!strcmp(key, "bases"))
		return &c->policy.bases;
	if (!strcmp(key, "registries"))
		return &c->policy.registries;
	return NULL;
}

static int read_policy(struct eb_config *c, const struct eb_yaml *doc,
		       const struct eb_yaml_node *node, struct eb_error *err)
{
	if (node->type != EB_YAML_MAP)
		return eb_yaml_err(doc, node, err, "\"policy\" must be a map");
	for (size_t i = 0; i < node->n; i++) {
		const char *key = node->key[i]->text;
		struct eb_policy_list *list = policy_list(c, key);

		if (!list) {
			eb_yaml_err(doc, node->key[i], err,
				    "\"policy\" has no list \"%s\"", key);
			return eb_err_hint(err, "channels, indexes, bases, "
						"registries");
		}
		list->set = true;
		if (read_strings(doc, node->item[i], key, &list->prefix, err) <
		    0)
			return -1;
	}
	return 0;
}

/* Limits may be written as a map: limit: {yaml-size: 8MiB}. */
static int read_limits(struct eb_config *c, const struct eb_yaml *doc,
		       const struct eb_yaml_node *node, struct eb_error *err)
{
	for (size_t i = 0; i < node->n; i++) {
		eb_autofree char *pair =
			eb_asprintf("%s=%s", node->key[i]->text,
				    node->item[i]->type == EB_YAML_SCALAR
					    ? node->item[i]->text
					    : "");

		if (eb_config_set(c, "limit", pair, err) < 0) {
			err->code = EB_INPUT;
			return eb_err_at(err, doc->name, node->key[i]->line,
					 node->key[i]->column);
		}
	}
	return 0;
}

/* What is to be built is no setting. */
static bool is_of_one_call(const char *name)
{
	static const char *const names[] = { "conda-package", "pip-package",
					     "python",	      "environment",
					     "category",      "from-prefix" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static int set_option(struct eb_config *c, const struct eb_yaml *doc,
		      const struct eb_yaml_node *key,
		      const struct eb_yaml_node *value, const char *text,
		      struct eb_error *err)
{
	const struct eb_yaml_node *at =
		eb_config_option(key->text) ? value : key;

	if (is_of_one_call(key->text))
		return eb_yaml_err(doc, key, err,
				   "\"%s\" belongs to the command line: it "
				   "says what to build",
				   key->text);
	if (eb_config_set(c, key->text, text, err) == 0)
		return 0;
	err->code = EB_INPUT;
	return eb_err_at(err, doc->name, at->line, at->column);
}

static int read_option(struct eb_config *c, const struct eb_yaml *doc,
		       const struct eb_yaml_node *key,
		       const struct eb_yaml_node *value, struct eb_error *err)
{
	if (!strcmp(key->text, "limit") && value->type == EB_YAML_MAP)
		return read_limits(c, doc, value, err);
	/* It replaces what an earlier file said. */
	if (!strcmp(key->text, "channel"))
		eb_strv_release(&c->channel);
	if (value->type == EB_YAML_SCALAR)
		return set_option(c, doc, key, value, value->text, err);
	if (value->type == EB_YAML_MAP)
		return eb_yaml_err(doc, value, err, "\"%s\" must be text",
				   key->text);
	for (size_t i = 0; i < value->n; i++) {
		if (value->item[i]->type != EB_YAML_SCALAR)
			return eb_yaml_err(doc, value->item[i], err,
					   "an item of \"%s\" must be text",
					   key->text);
		if (set_option(c, doc, key, value->item[i],
			       value->item[i]->text, err) < 0)
			return -1;
	}
	return 0;
}

static int read_map(struct eb_config *c, const struct eb_yaml *doc, bool system,
		    struct eb_events *events, struct eb_error *err)
{
	const struct eb_yaml_node *root = doc->root;

	if (eb_yaml_is_null(root))
		return 0;
	if (root->type != EB_YAML_MAP)
		return eb_yaml_err(doc, root, err,
				   "a configuration file is a map of options");
	for (size_t i = 0; i < root->n; i++) {
		if (strcmp(root->key[i]->text, "policy")) {
			if (read_option(c, doc, root->key[i], root->item[i],
					err) < 0)
				return -1;
		} else if (system) {
			if (read_policy(c, doc, root->item[i], err) < 0)
				return -1;
		} else {
			eb_warn_at(events, doc->name, root->key[i]->line,
				   root->key[i]->column,
				   "\"policy\" counts in %s alone and is "
				   "ignored here",
				   EB_SYSTEM_CONFIG);
		}
	}
	return 0;
}

static int read_config(struct eb_config *c, const char *path, bool required,
		       bool system, struct eb_events *events,
		       struct eb_error *err)
{
	EB_CLEANUP(eb_yaml_free_ptr) struct eb_yaml *doc = NULL;

	if (!required && access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	if (eb_yaml_read(path, &doc, err) < 0)
		return -1;
	return read_map(c, doc, system, events, err);
}

static int read_environment(struct eb_config *c, struct eb_error *err)
{
	static const char *const names[][2] = {
		{ "ENVBUILD_BASE", "base" },
		{ "ENVBUILD_CACHE_DIR", "cache-dir" },
		{ "ENVBUILD_PLATFORM", "platform" },
		{ "ENVBUILD_PROGRESS", "progress" },
		{ "ENVBUILD_REGISTRY", "registry" },
		{ "SOURCE_DATE_EPOCH", "source-date-epoch" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i][0]);

		if (value && *value &&
		    eb_config_set(c, names[i][1], value, err) < 0)
			return eb_err_prefix(err, "variable \"%s\"",
					     names[i][0]);
	}
	return 0;
}

int eb_config_load(const char *file, struct eb_events *events,
		   struct eb_config *out, struct eb_error *err)
{
	eb_autofree char *dir = eb_xdg_dir("CONFIG");
	eb_autofree char *user = dir ? eb_path_join(dir, "config.yml") : NULL;
	int rc;

	eb_config_defaults(out);
	eb_config_take_condarc(out);
	/* The policy counts whatever --config says. */
	rc = read_config(out, EB_SYSTEM_CONFIG, false, true, events, err);
	if (rc == 0 && file)
		rc = read_config(out, file, true, false, events, err);
	else if (rc == 0 && user)
		rc = read_config(out, user, false, false, events, err);
	if (rc == 0)
		rc = read_environment(out, err);
	if (rc < 0)
		eb_config_release(out);
	return rc;
}
