/* SPDX-License-Identifier: Apache-2.0 */
/* What activation changes of the image's variables: remembered, found in the
 * registry, or made by sourcing the scripts once. */
#include <string.h>

#include <envbuild/image.h>
#include <envbuild/json.h>

#include "step.h"

/* --- into an image ----------------------------------------------------------
 */
void eb_activation_apply(const json_t *result, json_t *config)
{
	const json_t *unset = result ? eb_json_arr(result, "unset") : NULL;
	const char *name;
	json_t *value;
	size_t i;

	if (!result)
		return;
	json_array_foreach ((json_t *)unset, i, value)
		eb_config_unset_env(config, json_string_value(value));
	json_object_foreach ((json_t *)eb_json_obj(result, "set"), name, value)
		eb_config_set_env(config, name, json_string_value(value));
}

static bool are_texts(const json_t *list)
{
	json_t *item;
	size_t i;

	json_array_foreach ((json_t *)list, i, item) {
		if (!json_is_string(item))
			return false;
	}
	return list != NULL;
}

/* A result may come from a registry. */
static bool is_sound(const json_t *result)
{
	const json_t *set = eb_json_obj(result, "set");
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)set, name, value) {
		if (!*name || strchr(name, '=') || !json_is_string(value))
			return false;
	}
	return set && are_texts(eb_json_arr(result, "unset")) &&
	       are_texts(eb_json_arr(result, "warnings"));
}

static int read_result(struct eb_build *b, const struct eb_digest *digest,
		       struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	char what[EB_DIGEST_TEXT];

	eb_digest_text(digest, what);
	if (eb_store_read(b->store, digest, EB_MAX_CONFIG, &text, err) < 0)
		return -1;
	b->activation = eb_json_parse(text.data, text.len, what, err);
	if (!b->activation)
		return -1;
	if (is_sound(b->activation))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", reading what activation changes: it is no "
			  "such object",
			  what);
}

static void tell(struct eb_build *b)
{
	EB_AUTOBUF(names, EB_MAX_TEXT);
	const char *name;
	json_t *text;
	size_t i;

	json_object_foreach (json_object_get(b->activation, "set"), name, text)
		eb_buf_addf(&names, " %s", name);
	json_array_foreach ((json_t *)eb_json_arr(b->activation, "unset"), i,
			    text)
		eb_buf_addf(&names, " %s (unset)", json_string_value(text));
	eb_detail(b->events, "activation changes these variables:%s",
		  names.data);

	json_array_foreach ((json_t *)eb_json_arr(b->activation, "warnings"), i,
			    text)
		eb_warn(b->events, "activation: %s", json_string_value(text));
}

/* --- making it
 * ----------------------------------------------------------------
 */
/* What the image has without it. */
static int variables(struct eb_build *b, struct eb_strv *out,
		     struct eb_error *err)
{
	eb_autojson json_t *config =
		json_pack("{s:o}", "config", json_deep_copy(b->lock->config));
	json_t *pair;
	size_t i;

	if (eb_add_env_vars(b, config, err) < 0)
		return -1;
	json_array_foreach (
		(json_t *)eb_json_arr(eb_json_obj(config, "config"), "Env"), i,
		pair) {
		const char *text = json_string_value(pair);

		if (text)
			eb_strv_add(out, text);
	}
	return 0;
}

static int keep(struct eb_build *b, const json_t *result,
		struct eb_digest *digest, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	eb_json_canonical(result, &text);
	if (text.overflow)
		return eb_err_set(err, EB_STEP,
				  "what activation changes is longer than %zu "
				  "bytes",
				  EB_MAX_CONFIG);
	return eb_store_put(b->store, text.data, text.len, digest, err);
}

static int run(struct eb_build *b, struct eb_digest *digest,
	       struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv env = { 0 };
	eb_autojson json_t *result = NULL;
	eb_autofree char *log = NULL;
	uint64_t begun = eb_now_ns();

	if (variables(b, &env, err) < 0 ||
	    eb_activation_run(b, &env, &result, &log, err) < 0 ||
	    keep(b, result, digest, err) < 0)
		return -1;
	if (log)
		eb_detail(b->events,
			  "the activation scripts were sourced; their log is "
			  "\"%s\"",
			  log);
	return eb_result_tell_story(b, digest, eb_now_ns() - begun, log, err);
}

static int make(struct eb_build *b, const struct eb_digest *key,
		struct eb_digest *digest, struct eb_error *err)
{
	struct eb_event ev = { .type = EB_EV_TASK_BEGIN,
			       .name = "activation scripts",
			       .kind = "build" };
	int rc;

	eb_emit(b->events, &ev);
	rc = run(b, digest, err);
	if (rc == 0 && (eb_result_tell_team(b, key, digest, err) < 0 ||
			eb_result_remember(b, key, digest, err) < 0))
		rc = -1;
	ev.type = EB_EV_TASK_END;
	ev.text = rc < 0 ? "stopped" : "";
	eb_emit(b->events, &ev);
	return rc;
}

int eb_build_activation(struct eb_build *b, struct eb_error *err)
{
	struct eb_digest key, result;
	int rc;

	if (!eb_has_activation(b))
		return 0;
	if (eb_activation_key(b, &key, err) < 0)
		return -1;
	rc = eb_result_recall(b, &key, &result, err);
	if (rc == 0)
		rc = eb_result_ask_team(b, &key, &result, err);
	if (rc == 0)
		rc = make(b, &key, &result, err);
	if (rc < 0 || read_result(b, &result, err) < 0)
		return -1;
	tell(b);
	return 0;
}
