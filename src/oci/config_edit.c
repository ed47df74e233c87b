/* SPDX-License-Identifier: Apache-2.0 */
/* Editing a configuration: variables, labels, layers, history. What is not
 * known here stays as it is. */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/mem.h>

#include "descriptor.h"

/* The member, made when it is not there (or null). */
static json_t *object_in(json_t *parent, const char *key)
{
	json_t *value = json_object_get(parent, key);

	if (!json_is_object(value)) {
		value = json_object();
		json_object_set_new(parent, key, value);
	}
	return value;
}

static json_t *array_in(json_t *parent, const char *key)
{
	json_t *value = json_object_get(parent, key);

	if (!json_is_array(value)) {
		value = json_array();
		json_object_set_new(parent, key, value);
	}
	return value;
}

/* The value when `entry` sets `name`. */
static const char *value_of(const json_t *entry, const char *name)
{
	const char *text = json_string_value(entry);
	size_t n = strlen(name);

	if (!text || strncmp(text, name, n) != 0 || text[n] != '=')
		return NULL;
	return text + n + 1;
}

/* Of two settings of one variable the last one counts, as for the runtimes. */
const char *eb_config_env(const json_t *config, const char *name)
{
	const json_t *env = eb_json_arr(eb_json_obj(config, "config"), "Env");
	size_t i = json_array_size(env);

	while (i-- > 0) {
		const char *value = value_of(json_array_get(env, i), name);

		if (value)
			return value;
	}
	return NULL;
}

void eb_config_set_env(json_t *config, const char *name, const char *value)
{
	json_t *env = array_in(object_in(config, "config"), "Env");
	eb_autofree char *text = eb_asprintf("%s=%s", name, value);
	bool done = false;
	size_t i = 0;

	while (i < json_array_size(env)) {
		if (!value_of(json_array_get(env, i), name)) {
			i++;
		} else if (done) {
			json_array_remove(env, i);
		} else {
			json_array_set_new(env, i++, json_string(text));
			done = true;
		}
	}
	if (!done)
		json_array_append_new(env, json_string(text));
}

void eb_config_unset_env(json_t *config, const char *name)
{
	json_t *env = array_in(object_in(config, "config"), "Env");
	size_t i = json_array_size(env);

	while (i-- > 0)
		if (value_of(json_array_get(env, i), name))
			json_array_remove(env, i);
}

void eb_config_set_label(json_t *config, const char *name, const char *value)
{
	json_t *labels = object_in(object_in(config, "config"), "Labels");

	json_object_set_new(labels, name, json_string(value));
}

static void add_history(json_t *config, const char *created, const char *by)
{
	json_t *entry = json_object();

	json_object_set_new(entry, "created", json_string(created));
	json_object_set_new(entry, "created_by", json_string(by));
	json_array_append_new(array_in(config, "history"), entry);
}

void eb_config_add_layer(json_t *config, const struct eb_digest *diff_id,
			 const char *created, const char *created_by)
{
	char text[EB_DIGEST_TEXT];
	json_t *ids = array_in(object_in(config, "rootfs"), "diff_ids");

	json_array_append_new(ids, json_string(eb_digest_text(diff_id, text)));
	add_history(config, created, created_by);
}

void eb_config_fix_history(json_t *config, const char *created)
{
	size_t layers = json_array_size(
		array_in(object_in(config, "rootfs"), "diff_ids"));
	json_t *history = array_in(config, "history"), *entry;
	size_t i, n = 0;

	json_array_foreach (history, i, entry)
		n += !json_is_true(json_object_get(entry, "empty_layer"));
	if (n > layers) { /* then it says nothing about these layers */
		json_array_clear(history);
		n = 0;
	}
	for (; n < layers; n++)
		add_history(config, created, "layer of the base image");
}
