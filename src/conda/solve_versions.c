/* SPDX-License-Identifier: Apache-2.0 */
/* A name's versions in their order: afterwards numbers are compared. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

struct seen {
	const struct eb_version *version;
	uint32_t cand, order;
};

/* Equal texts are one version; builds of it stand together, mostly. */
static uint32_t collect(const struct eb_sv *sv, const struct eb_sv_name *name,
			struct seen *list)
{
	uint32_t n = 0;

	for (uint32_t i = name->first; i < name->first + name->n; i++)
		if (!n || list[n - 1].version != sv->cand[i].version)
			list[n++] = (struct seen){ sv->cand[i].version, i, 0 };
	return n;
}

static int by_version(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return x->version == y->version
		       ? 0
		       : eb_version_compare(x->version, y->version);
}

static int by_cand(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return x->cand < y->cand ? -1 : x->cand > y->cand;
}

static void number(struct eb_sv_name *name, struct seen *list, uint32_t n)
{
	qsort(list, n, sizeof *list, by_version);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || by_version(&list[i - 1], &list[i]))
			name->version[name->n_versions++] = list[i].version;
		list[i].order = name->n_versions;
	}
	qsort(list, n, sizeof *list, by_cand);
}

void eb_sv_order_versions(struct eb_sv *sv, struct eb_sv_name *name)
{
	eb_autofree struct seen *list = eb_calloc(name->n + 1, sizeof *list);
	uint32_t n = collect(sv, name, list), at = 0;

	name->version = eb_calloc(n + 1, sizeof *name->version);
	number(name, list, n);
	for (uint32_t i = name->first; i < name->first + name->n; i++) {
		if (at + 1 < n && list[at + 1].cand == i)
			at++;
		sv->cand[i].version_order = list[at].order;
	}
}
