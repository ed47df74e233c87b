/* SPDX-License-Identifier: Apache-2.0 */
/* A sorted set of digests. */
#include <stdlib.h>
#include <string.h>

#include <envbuild/mem.h>

#include "push_int.h"

/* Where it stands, or belongs. */
static size_t place(const struct eb_digests *set, const struct eb_digest *d)
{
	size_t low = 0, high = set->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (eb_digest_compare(&set->v[middle], d) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool eb_digests_add(struct eb_digests *set, const struct eb_digest *d)
{
	size_t i = place(set, d);

	if (i < set->n && eb_digest_equal(&set->v[i], d))
		return false;
	EB_GROW(set->v, set->n, set->alloc);
	memmove(set->v + i + 1, set->v + i, (set->n - i) * sizeof *set->v);
	set->v[i] = *d;
	set->n++;
	return true;
}

bool eb_digests_remove(struct eb_digests *set, const struct eb_digest *d)
{
	size_t i = place(set, d);

	if (i == set->n || !eb_digest_equal(&set->v[i], d))
		return false;
	set->n--;
	memmove(set->v + i, set->v + i + 1, (set->n - i) * sizeof *set->v);
	return true;
}

void eb_digests_release(struct eb_digests *set)
{
	free(set->v);
	memset(set, 0, sizeof *set);
}
