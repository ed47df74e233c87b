/* SPDX-License-Identifier: Apache-2.0 */
/* The lock as text: hashed part, commentary, hash (envbuild-lock(5)). */
#include <string.h>

#include <envbuild/json.h>
#include <envbuild/lock.h>
#include <envbuild/str.h>

#include "lock_private.h"

static void set_text(json_t *obj, const char *key, const char *value)
{
	if (value)
		json_object_set_new(obj, key, json_string(value));
}

static void set_digest(json_t *obj, const char *key, const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	json_object_set_new(obj, key, json_string(eb_digest_text(d, text)));
}

static json_t *packages(const struct eb_lock *lock)
{
	eb_autojson json_t *sources = json_object();
	json_t *list = json_array();

	for (size_t i = 0; i < lock->n; i++) {
		json_t *p = eb_record_to_json(&lock->package[i].record);

		json_object_set_new(p, "kind", json_string("conda"));
		json_object_set_new(p, "requested",
				    json_boolean(lock->package[i].requested));
		json_array_append_new(list, p);
	}
	eb_lock_add_pins(lock, list, sources);
	return list;
}

static json_t *policies(const struct eb_lock *lock)
{
	json_t *p = json_object();

	set_text(p, "pyc", lock->pyc);
	set_text(p, "post-link", lock->post_link);
	set_text(p, "activation", lock->activation);
	return p;
}

static json_t *hashed(const struct eb_lock *lock)
{
	json_t *j = json_object();

	json_object_set_new(j, "epoch", json_integer(lock->epoch));
	set_text(j, "platform", lock->platform);
	set_text(j, "prefix", lock->prefix);
	if (lock->base_scratch)
		set_text(j, "base", "scratch");
	else
		set_digest(j, "base", &lock->base);
	if (lock->dockerfile.set)
		json_object_set_new(j, "dockerfile",
				    eb_lock_dockerfile_json(lock));
	if (lock->has_build_base)
		set_digest(j, "build-base", &lock->build_base);
	if (lock->apt.n)
		json_object_set_new(j, "apt", eb_lock_apt_json(lock));
	json_object_set_new(j, "packages", packages(lock));
	if (eb_lock_executes(lock))
		json_object_set_new(j, "executed", json_true());
	json_object_set(j, "config", lock->config);
	json_object_set_new(j, "policy", policies(lock));
	json_object_set(j, "variables", lock->variables);
	set_text(j, "naming", lock->naming);
	if (lock->source_date_epoch)
		json_object_set_new(j, "source-date-epoch",
				    json_integer(lock->source_date_epoch));
	return j;
}

static json_t *sources(const struct eb_lock *lock)
{
	eb_autojson json_t *list = json_array();
	json_t *j = json_object();

	eb_lock_add_pins(lock, list, j);
	return j;
}

static json_t *names(const struct eb_strv *list)
{
	json_t *j = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(j, json_string(list->v[i]));
	return j;
}

static json_t *steps(const struct eb_lock *lock)
{
	json_t *list = json_array();

	for (size_t i = 0; i < lock->n_steps; i++) {
		json_t *j = json_object();

		set_text(j, "name", lock->step[i].name);
		set_digest(j, "key", &lock->step[i].key);
		set_digest(j, "result", &lock->step[i].result);
		if (lock->step[i].milliseconds)
			json_object_set_new(
				j, "milliseconds",
				json_integer((json_int_t)lock->step[i]
						     .milliseconds));
		set_text(j, "log", lock->step[i].log);
		if (lock->step[i].package.n)
			json_object_set_new(j, "packages",
					    names(&lock->step[i].package));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *included(const struct eb_lock *lock)
{
	json_t *list = json_array();

	for (size_t i = 0; i < lock->included.n; i++) {
		json_t *j = json_object();

		set_text(j, "url", lock->included.v[i].url);
		set_digest(j, "sha256", &lock->included.v[i].sha256);
		json_array_append_new(list, j);
	}
	return list;
}

/* Of the Python side. */
static void add_python(const struct eb_lock *lock, json_t *j)
{
	json_object_set_new(j, "sources", sources(lock));
	set_text(j, "resolver", lock->resolver);
	if (lock->replaced.n)
		json_object_set_new(j, "replaced", names(&lock->replaced));
	if (lock->included.n)
		json_object_set_new(j, "included", included(lock));
}

static json_t *commentary(const struct eb_lock *lock)
{
	json_t *j = json_object();
	char time[32];

	set_digest(j, "definition", &lock->definition);
	set_text(j, "time", eb_rfc3339(lock->time, time));
	set_text(j, "tool", lock->tool);
	set_text(j, "base", lock->base_reference);
	if (lock->dockerfile.set)
		json_object_set_new(j, "dockerfile",
				    eb_lock_dockerfile_comment(lock));
	set_text(j, "build-base", lock->build_base_reference);
	json_object_set(j, "evidence", lock->evidence);
	if (lock->decision)
		json_object_set(j, "decision", lock->decision);
	if (lock->solved)
		json_object_set(j, "solved", lock->solved);
	if (lock->n_pins)
		add_python(lock, j);
	if (lock->n_steps) {
		json_object_set_new(j, "executed", json_true());
		json_object_set_new(j, "steps", steps(lock));
	}
	return j;
}

void eb_lock_hashed(const struct eb_lock *lock, struct eb_buf *out)
{
	eb_autojson json_t *j = hashed(lock);

	eb_json_canonical(j, out);
}

void eb_lock_hash(const struct eb_lock *lock, struct eb_digest *out)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);

	eb_lock_hashed(lock, &text);
	eb_sha256(text.data, text.len, out);
}

void eb_lock_format(const struct eb_lock *lock, struct eb_buf *out)
{
	eb_autojson json_t *j = json_object();
	struct eb_digest hash;

	eb_lock_hash(lock, &hash);
	json_object_set_new(j, EB_LOCK_MAGIC, json_integer(EB_LOCK_FORMAT));
	json_object_set_new(j, "locked", hashed(lock));
	json_object_set_new(j, "commentary", commentary(lock));
	set_digest(j, "lock-hash", &hash);
	eb_json_pretty(j, out);
}
