/* SPDX-License-Identifier: Apache-2.0 */
/* What the results of scripts depend on, as digests: all that is installed, and
 * how, for a script may look at all of it. */
#include <string.h>

#include <envbuild/json.h>

#include "step.h"

/* Raised when the same scripts are run, or sourced, in another way. */
#define POST_LINK_EPOCH 1
#define ACTIVATION_EPOCH 1

bool eb_script_has_keys(const struct eb_lock *lock)
{
	for (size_t i = 0; i < lock->n_pins; i++)
		if (lock->pin[i].source != EB_PIN_WHEEL &&
		    (!lock->pin[i].version || !lock->pin[i].build ||
		     !eb_lock_find(lock, "python")))
			return false;
	return true;
}

static void add_packages(const struct eb_lock *lock, struct eb_keyer *k)
{
	eb_key_u64(k, lock->n);
	for (size_t i = 0; i < lock->n; i++) {
		const struct eb_record *r = &lock->package[i].record;

		eb_key_text(k, r->name);
		eb_key_text(k, r->version);
		eb_key_u64(k, r->build_number);
		eb_key_digest(k, &r->sha256);
	}
}

static int add_project(struct eb_build *b, const struct eb_pin *pin,
		       struct eb_keyer *k, struct eb_error *err)
{
	struct eb_digest id = pin->sha256;

	if (pin->source != EB_PIN_WHEEL) {
		if (!pin->version || !pin->build)
			return eb_err_set(err, EB_INPUT,
					  "the lock does not say what \"%s\" "
					  "becomes",
					  pin->file);
		if (eb_step_key(b, pin, &id, err) < 0)
			return -1;
	}
	eb_key_text(k, pin->name);
	eb_key_digest(k, &id);
	return 0;
}

static int add_projects(struct eb_build *b, struct eb_keyer *k,
			struct eb_error *err)
{
	eb_key_u64(k, b->lock->n_pins);
	for (size_t i = 0; i < b->lock->n_pins; i++)
		if (add_project(b, &b->lock->pin[i], k, err) < 0)
			return -1;
	return 0;
}

static void add_base(const struct eb_lock *lock, struct eb_keyer *k)
{
	struct eb_digest apt;

	eb_key_u64(k, EB_BUILD_EPOCH);
	eb_key_u64(k, (uint64_t)lock->source_date_epoch);
	eb_key_text(k, lock->platform);
	eb_key_text(k, lock->prefix);
	eb_key_digest(k, &lock->base);
	eb_key_u64(k, lock->apt.n > 0);
	if (!lock->apt.n)
		return;
	eb_lock_apt_key(lock, &apt);
	eb_key_digest(k, &apt);
}

static int add_image(struct eb_build *b, struct eb_keyer *k,
		     struct eb_error *err)
{
	add_base(b->lock, k);
	eb_key_text(k, b->lock->pyc);
	eb_key_text(k, b->lock->post_link);
	add_packages(b->lock, k);
	return add_projects(b, k, err);
}

/* What began is always ended. */
static int end(struct eb_keyer *k, int rc, struct eb_digest *out)
{
	eb_key_end(k, out);
	return rc;
}

int eb_post_link_key(struct eb_build *b, struct eb_digest *out,
		     struct eb_error *err)
{
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild post-link");
	eb_key_u64(&k, POST_LINK_EPOCH);
	return end(&k, add_image(b, &k, err), out);
}

static void add_variables(const struct eb_lock *lock, struct eb_keyer *k)
{
	const json_t *list = eb_json_arr(lock->config, "Env");
	json_t *pair;
	size_t i;

	eb_key_u64(k, json_array_size(list));
	json_array_foreach ((json_t *)list, i, pair)
		eb_key_text(k, json_string_value(pair));
}

int eb_activation_key(struct eb_build *b, struct eb_digest *out,
		      struct eb_error *err)
{
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild activation");
	eb_key_u64(&k, ACTIVATION_EPOCH);
	add_variables(b->lock, &k);
	return end(&k, add_image(b, &k, err), out);
}
