/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sketches of package sets: the smallest hashes of each (bottom-k). Those
 * which are the smallest of both sets together are a fair sample of all
 * packages of both, so the share of them that both sets have is an estimate of
 * the share of all packages (Broder 1997). Sets of fewer packages than a
 * sketch holds are compared exactly.
 */
#include <string.h>

#include "team_private.h"

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void eb_sketch_of(const struct eb_lock *lock, struct eb_sketch *out)
{
	size_t n;
	eb_autofree struct eb_locked_item *item = eb_lock_items(lock, &n);
	eb_autofree uint32_t *all = eb_calloc(n + 1, sizeof *all);

	memset(out, 0, sizeof *out);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *b = item[i].id.byte;

		all[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
			 (uint32_t)b[2] << 8 | b[3];
	}
	qsort(all, n, sizeof *all, by_value);
	for (size_t i = 0; i < n; i++) {
		if (i && all[i] == all[i - 1])
			continue;
		out->packages++;
		if (out->n < EB_SKETCH)
			out->v[out->n++] = all[i];
	}
}

double eb_sketch_shared(const struct eb_sketch *a, const struct eb_sketch *b)
{
	unsigned i = 0, j = 0, both = 0, seen = 0;

	while (seen < EB_SKETCH && (i < a->n || j < b->n)) {
		bool left = j == b->n || (i < a->n && a->v[i] <= b->v[j]);
		bool right = i == a->n || (j < b->n && b->v[j] <= a->v[i]);

		both += left && right;
		i += left;
		j += right;
		seen++;
	}
	return seen ? (double)both / seen : 0;
}
