/* SPDX-License-Identifier: Apache-2.0 */
/* What the executed steps of a lock gave, in its commentary. */
#include <string.h>

#include "apt.h"
#include "dockerfile_base.h"
#include "step.h"

static struct eb_lock_step *find(struct eb_lock *lock,
				 const struct eb_digest *key)
{
	for (size_t i = 0; i < lock->n_steps; i++)
		if (eb_digest_equal(&lock->step[i].key, key))
			return &lock->step[i];
	return NULL;
}

/* 1 it was not there or is another one. */
static int take(struct eb_lock *lock, struct eb_store *store, const char *name,
		const struct eb_digest *key, const struct eb_digest *result,
		struct eb_error *err)
{
	struct eb_lock_step *s = find(lock, key);

	if (s && eb_digest_equal(&s->result, result))
		return 0;
	if (!s) {
		lock->step =
			eb_realloc(lock->step, lock->n_steps + 1, sizeof *s);
		s = &lock->step[lock->n_steps++];
		memset(s, 0, sizeof *s);
	}
	eb_lock_step_release(s);
	s->name = eb_strdup(name);
	s->key = *key;
	s->result = *result;
	return eb_step_story(store, result, s, err) < 0 ? -1 : 1;
}

/* 1 it is new, 0, -1. */
static int find_apt(struct eb_build *b, struct eb_lock *lock,
		    struct eb_error *err)
{
	struct eb_apt_layer layer EB_CLEANUP(eb_apt_layer_release) = { 0 };
	struct eb_lock_step *s;
	int rc = lock->apt.n ? eb_apt_recall(b, &layer, err) : 0;

	if (rc <= 0)
		return rc;
	rc = take(lock, b->store, EB_APT_STEP, &layer.key, &layer.blob, err);
	if (rc <= 0)
		return rc;
	s = find(lock, &layer.key);
	eb_strv_release(&s->package);
	eb_strv_copy(&s->package, &layer.package);
	return 1;
}

static int find_dockerfile(struct eb_build *b, struct eb_lock *lock,
			   struct eb_error *err)
{
	struct eb_digest key, result;
	int rc;

	if (!lock->dockerfile.set)
		return 0;
	eb_lock_dockerfile_key(lock, &key);
	rc = eb_result_recall(b, &key, &result, err);
	if (rc <= 0)
		return rc;
	return take(lock, b->store, EB_DOCKERFILE_STEP, &key, &result, err);
}

typedef int key_fn(struct eb_build *b, struct eb_digest *out,
		   struct eb_error *err);

static int find_script(struct eb_build *b, struct eb_lock *lock, key_fn *make,
		       const char *name, struct eb_error *err)
{
	struct eb_digest key, result;
	int rc;

	if (make(b, &key, err) < 0)
		return -1;
	rc = eb_result_recall(b, &key, &result, err);
	return rc > 0 ? take(lock, b->store, name, &key, &result, err) : rc;
}

/* Whether there are any is told by their results alone. */
static int find_scripts(struct eb_build *b, struct eb_lock *lock,
			struct eb_error *err)
{
	int linked, activated;

	if (!eb_script_has_keys(lock))
		return 0;
	linked = find_script(b, lock, eb_post_link_key, EB_POST_LINK_STEP, err);
	if (linked < 0)
		return -1;
	activated = find_script(b, lock, eb_activation_key, EB_ACTIVATION_STEP,
				err);
	return activated < 0 ? -1 : linked > 0 || activated > 0;
}

int eb_lock_find_steps(struct eb_lock *lock, struct eb_store *store,
		       struct eb_error *err)
{
	struct eb_build b = { .lock = lock, .store = store };
	int made = find_dockerfile(&b, lock, err);
	int found = made < 0 ? -1 : find_apt(&b, lock, err);
	int ran = found < 0 ? -1 : find_scripts(&b, lock, err);
	bool any = made > 0 || found > 0 || ran > 0;

	if (ran < 0)
		return -1;
	for (size_t i = 0; i < lock->n_pins; i++) {
		const struct eb_pin *pin = &lock->pin[i];
		struct eb_digest key, result;
		int rc = 0;

		if (pin->source != EB_PIN_WHEEL && pin->version && pin->build &&
		    eb_lock_find(lock, "python"))
			rc = eb_step_recall(&b, pin, &key, &result, err);
		if (rc > 0)
			rc = take(lock, store, pin->file, &key, &result, err);
		if (rc < 0)
			return -1;
		any |= rc > 0;
	}
	return any;
}

/* As young as the store has it. */
static int keep(struct eb_lock *lock, struct eb_store *store,
		struct eb_error *err)
{
	struct eb_lock_row row;
	struct eb_digest hash;
	int rc = eb_store_find_definition(store, &lock->definition, &row, err);

	if (rc < 0)
		return -1;
	eb_lock_hash(lock, &hash);
	if (rc > 0 && !eb_digest_equal(&row.lock, &hash))
		rc = 0;
	return eb_lock_keep(store, lock, rc > 0 ? row.time : 0, err);
}

int eb_lock_note_steps(struct eb_lock *lock, struct eb_store *store,
		       struct eb_error *err)
{
	int rc = eb_lock_find_steps(lock, store, err);

	return rc > 0 ? keep(lock, store, err) : rc;
}
