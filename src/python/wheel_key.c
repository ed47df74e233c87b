/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of what wheels give. */
#include "wheel_int.h"

/* Raised when the same wheel would give another payload or record. */
#define EB_WHEEL_EPOCH 1

/* Of SOURCE_DATE_EPOCH only what it makes of the constant time matters. */
void eb_wheel_key(const struct eb_digest *sha256,
		  const struct eb_wheel_target *t, struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "wheel-payload");
	eb_key_u64(&k, EB_WHEEL_EPOCH);
	eb_key_digest(&k, sha256);
	eb_key_text(&k, t->prefix);
	eb_key_text(&k, t->python_minor);
	eb_key_text(&k, t->site_packages);
	eb_key_u64(&k, (uint64_t)eb_wheel_mtime(t));
	eb_key_end(&k, key);
}

void eb_wheel_record_key(const struct eb_digest *payload_key,
			 const struct eb_digest *bytecode_key, bool requested,
			 const char *direct_url, struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "wheel-record");
	eb_key_u64(&k, EB_WHEEL_EPOCH);
	eb_key_digest(&k, payload_key);
	if (bytecode_key)
		eb_key_digest(&k, bytecode_key);
	else
		eb_key_text(&k, NULL);
	eb_key_u64(&k, requested);
	eb_key_text(&k, direct_url);
	eb_key_end(&k, key);
}
