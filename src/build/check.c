/* SPDX-License-Identifier: Apache-2.0 */
/* Is the image there? From the store alone. */
#include <string.h>
#include <time.h>

#include "build_private.h"

/* Which blobs this machine's compressor writes costs a millisecond to find
 * out; nearly always it writes the usual ones. */
static int find_image(struct eb_store *store, const struct eb_digest *lock,
		      const struct eb_config *config, struct eb_image_row *row,
		      struct eb_error *err)
{
	struct eb_compressor c;
	int rc = 0;

	if (!strcmp(config->compression, "gzip"))
		rc = eb_store_find_image(store, lock, EB_COMPRESSOR_USUAL, row,
					 err);
	if (rc)
		return rc;
	if (eb_compressor_init(&c, config->compression, err) < 0)
		return -1;
	return eb_store_find_image(store, lock, c.id, row, err);
}

static int image_of(struct eb_store *store, const struct eb_digest *lock,
		    const struct eb_config *config, struct eb_image_row *row,
		    char **why, struct eb_error *err)
{
	char hex[EB_HEX_SIZE];
	int rc = find_image(store, lock, config, row, err);

	if (rc == 0)
		*why = eb_asprintf("lock %.12s is known, its image is not in "
				   "the store",
				   eb_digest_hex(lock, hex));
	return rc;
}

bool eb_lock_too_old(const struct eb_lock_row *row,
		     const struct eb_config *config)
{
	return config->max_age >= 0 &&
	       (int64_t)time(NULL) - row->time >= config->max_age;
}

int eb_check_local(const struct eb_env *env, const struct eb_config *config,
		   struct eb_store *store, struct eb_image_row *row, char **why,
		   struct eb_error *err)
{
	struct eb_lock_row lock;
	char hex[EB_HEX_SIZE];
	int rc;

	if (env->given) {
		eb_lock_hash(env->given, &lock.lock);
		return image_of(store, &lock.lock, config, row, why, err);
	}
	rc = eb_store_find_definition(store, &env->definition, &lock, err);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		*why = eb_asprintf("definition %.12s was not built here",
				   eb_digest_hex(&env->definition, hex));
		return 0;
	}
	if (eb_lock_too_old(&lock, config)) {
		*why = eb_asprintf("its lock is older than --max-age");
		return 0;
	}
	return image_of(store, &lock.lock, config, row, why, err);
}
