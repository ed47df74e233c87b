/* SPDX-License-Identifier: Apache-2.0 */
/* How far two names are apart. */
#include <envbuild/str.h>

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned eb_edit_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[3][EB_EDIT_MAX + 1];
	unsigned *last = row[0], *now = row[1], *before = row[2];

	for (size_t k = 0; k <= m; k++)
		now[k] = (unsigned)k;
	for (size_t i = 1; i <= n; i++) {
		unsigned *free_row = before;

		before = last;
		last = now;
		now = free_row;
		now[0] = (unsigned)i;
		for (size_t k = 1; k <= m; k++) {
			unsigned change = last[k - 1] + (a[i - 1] != b[k - 1]);

			now[k] = least(change, least(last[k], now[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1])
				now[k] = least(now[k], before[k - 2] + 1);
		}
	}
	return now[m];
}
