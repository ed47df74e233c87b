/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of making an item where nothing is made: its key, and what would
 * be read for it. */
#include "build_private.h"

int eb_foresee(struct eb_build *b, enum eb_item_kind kind,
	       const struct eb_digest *key, const struct eb_item *from,
	       size_t n, struct eb_item *out, struct eb_error *err)
{
	*out = (struct eb_item){ .kind = kind, .key = *key };
	return eb_build_bring(b, from, n, err);
}

/* What is empty has a blob, too. */
bool eb_item_is_made(const struct eb_item *item)
{
	return !eb_digest_is_zero(&item->blob);
}
