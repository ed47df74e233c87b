/* SPDX-License-Identifier: Apache-2.0 */
/* A lock as conda's "@EXPLICIT" list (CEP 23). */
#include <envbuild/build.h>
#include <envbuild/channel.h>
#include <envbuild/solve.h>

#include "lock_forms.h"

const struct eb_record **eb_lock_in_link_order(const struct eb_lock *lock,
					       struct eb_error *err)
{
	eb_autofree const struct eb_record **record =
		eb_calloc(lock->n + 1, sizeof(struct eb_record *));
	eb_autofree size_t *order = eb_calloc(lock->n + 1, sizeof *order);
	const struct eb_record **out;

	for (size_t i = 0; i < lock->n; i++)
		record[i] = &lock->package[i].record;
	if (eb_link_order(record, lock->n, order, err) < 0)
		return NULL;
	out = eb_calloc(lock->n + 1, sizeof(struct eb_record *));
	for (size_t i = 0; i < lock->n; i++)
		out[i] = record[order[i]];
	return out;
}

int eb_lock_explicit(const struct eb_lock *lock, struct eb_buf *out,
		     struct eb_error *err)
{
	eb_autofree const struct eb_record **record =
		eb_lock_in_link_order(lock, err);
	char hex[EB_HEX_SIZE];

	if (!record)
		return -1;
	eb_buf_addf(out, "# platform: %s\n@EXPLICIT\n",
		    eb_conda_subdir(lock->platform));
	for (size_t i = 0; i < lock->n; i++) {
		const struct eb_record *r = record[i];

		if (*r->md5)
			eb_buf_addf(out, "%s#%s\n", r->url, r->md5);
		else
			eb_buf_addf(out, "%s#sha256:%s\n", r->url,
				    eb_digest_hex(&r->sha256, hex));
	}
	return 0;
}
