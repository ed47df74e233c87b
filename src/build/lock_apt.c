/* SPDX-License-Identifier: Apache-2.0 */
/* System packages in a lock: what was asked for, when, and the step's key. */
#include <string.h>

#include <envbuild/json.h>

#include "apt.h"
#include "lock_private.h"

/* Raised when the same list is installed in another way. */
#define APT_EPOCH 1

void eb_lock_apt_key(const struct eb_lock *lock, struct eb_digest *out)
{
	struct eb_keyer k;

	eb_key_begin(&k, "envbuild system packages");
	eb_key_u64(&k, APT_EPOCH);
	eb_key_digest(&k, &lock->base);
	eb_key_text(&k, lock->platform);
	eb_key_u64(&k, (uint64_t)lock->source_date_epoch);
	eb_key_text(&k, lock->apt_date);
	eb_key_u64(&k, lock->apt.n);
	for (size_t i = 0; i < lock->apt.n; i++)
		eb_key_text(&k, lock->apt.v[i]);
	eb_key_end(&k, out);
}

json_t *eb_lock_apt_json(const struct eb_lock *lock)
{
	json_t *list = json_array();
	char text[EB_DIGEST_TEXT];
	struct eb_digest key;

	for (size_t i = 0; i < lock->apt.n; i++)
		json_array_append_new(list, json_string(lock->apt.v[i]));
	eb_lock_apt_key(lock, &key);
	return json_pack("{s:s, s:s, s:o}", "date", lock->apt_date, "key",
			 eb_digest_text(&key, text), "packages", list);
}

static int wrong(const char *name, struct eb_error *err)
{
	return eb_err_set(err, EB_INPUT,
			  "lock \"%s\" has no usable list of system packages",
			  name);
}

/* Its key is told by the lock's hash, which is looked at. */
int eb_lock_take_apt(struct eb_lock *lock, const json_t *locked,
		     const char *name, struct eb_error *err)
{
	const json_t *apt = json_object_get(locked, "apt");
	const json_t *list = apt ? eb_json_arr(apt, "packages") : NULL;
	const char *date = apt ? eb_json_str(apt, "date") : NULL;
	json_t *item;
	size_t i;

	if (!apt)
		return 0;
	if (!date || !json_array_size(list) || lock->base_scratch)
		return wrong(name, err);
	json_array_foreach ((json_t *)list, i, item) {
		const char *text = json_string_value(item);

		if (!text || !eb_apt_is_package(text))
			return wrong(name, err);
		eb_strv_add(&lock->apt, text);
	}
	lock->apt_date = eb_strdup(date);
	return 0;
}
