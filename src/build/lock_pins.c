/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python side in a lock. What an image depends on is hashed; where a file
 * is to be had from, and what its index says of it, is commentary ("sources":
 * by name; of what a build requires by "NAME <- REQUIRED").
 */
#include <string.h>

#include <envbuild/json.h>

#include "lock_private.h"

static const char *const said[] = { "url",	   "index",  "requires-python",
				    "upload-time", "yanked", "metadata" };

/* In direct_url.json the URL is part of the image. */
static bool is_commentary(const json_t *pin, const char *key)
{
	return strcmp(key, "url") ||
	       !json_is_true(json_object_get(pin, "direct"));
}

static void split(json_t *pin, const char *name, json_t *sources)
{
	json_t *source = json_object();

	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		json_t *value = json_object_get(pin, said[i]);

		if (!value || !is_commentary(pin, said[i]))
			continue;
		json_object_set(source, said[i], value);
		json_object_del(pin, said[i]);
	}
	if (json_object_size(source))
		json_object_set(sources, name, source);
	json_decref(source);
}

static void merge(json_t *pin, const char *name, const json_t *sources)
{
	const json_t *source = eb_json_obj(sources, name);

	for (size_t i = 0; source && i < sizeof said / sizeof *said; i++) {
		json_t *value = json_object_get(source, said[i]);

		if (value && is_commentary(pin, said[i]))
			json_object_set(pin, said[i], value);
	}
}

typedef void each_fn(json_t *pin, const char *name, json_t *sources);

static void merge_one(json_t *pin, const char *name, json_t *sources)
{
	merge(pin, name, sources);
}

/* The pin itself and what its build requires. */
static void each(json_t *pin, json_t *sources, each_fn *fn)
{
	const char *name = eb_json_str(pin, "name");
	const json_t *build = eb_json_obj(pin, "build");
	json_t *list = build ? json_object_get(build, "requires") : NULL, *one;
	size_t i;

	if (!name)
		return;
	fn(pin, name, sources);
	json_array_foreach (list, i, one) {
		const char *required = eb_json_str(one, "name");
		eb_autofree char *both =
			eb_asprintf("%s <- %s", name, required ? required : "");

		fn(one, both, sources);
	}
}

void eb_lock_add_pins(const struct eb_lock *lock, json_t *packages,
		      json_t *sources)
{
	for (size_t i = 0; i < lock->n_pins; i++) {
		json_t *pin = eb_pin_to_json(&lock->pin[i]);

		each(pin, sources, split);
		json_object_set_new(pin, "kind", json_string("pypi"));
		json_array_append_new(packages, pin);
	}
}

bool eb_lock_builds(const struct eb_lock *lock)
{
	for (size_t i = 0; i < lock->n_pins; i++)
		if (lock->pin[i].source != EB_PIN_WHEEL)
			return true;
	return false;
}

bool eb_lock_executes(const struct eb_lock *lock)
{
	return lock->apt.n || lock->dockerfile.set || eb_lock_builds(lock);
}

int eb_lock_take_pin(struct eb_lock *lock, const json_t *j,
		     const json_t *sources, const char *name,
		     struct eb_error *err)
{
	eb_autojson json_t *whole = json_deep_copy(j);
	struct eb_pin *pin = &lock->pin[lock->n_pins];

	each(whole, (json_t *)sources, merge_one);
	if (eb_pin_from_json(whole, name, pin, err) < 0)
		return -1;
	lock->n_pins++;
	if (lock->n_pins < 2 || strcmp(pin[-1].name, pin->name) < 0)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "lock \"%s\": project \"%s\" is there twice or out "
			  "of order",
			  name, pin->name);
}
