/* SPDX-License-Identifier: Apache-2.0 */
/* The layer plan: which payloads are layers of their own, which buckets there
 * are. */
#include <inttypes.h>
#include <string.h>

#include "layer_priv.h"
#include <envbuild/plan.h>

/* Member numbers are sorted by looking at the members. */
static int by_size(const void *pa, const void *pb, void *members)
{
	const struct eb_plan_member *m = members;
	const struct eb_plan_member *a = m + *(const size_t *)pa;
	const struct eb_plan_member *b = m + *(const size_t *)pb;

	if (a->packed_size != b->packed_size)
		return a->packed_size > b->packed_size ? -1 : 1;
	return strcmp(a->name, b->name);
}

static unsigned log2_floor(uint64_t size)
{
	return 63 - (unsigned)__builtin_clzll(size);
}

static int by_order(const void *pa, const void *pb, void *members)
{
	const struct eb_plan_member *m = members;
	const struct eb_plan_member *a = m + *(const size_t *)pa;
	const struct eb_plan_member *b = m + *(const size_t *)pb;
	unsigned la = log2_floor(a->packed_size);
	unsigned lb = log2_floor(b->packed_size);

	if (la != lb)
		return la > lb ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The digest as a big-endian number, modulo a power of two: its last byte. */
static unsigned bucket_of(const char *name)
{
	struct eb_digest d;

	eb_sha256(name, strlen(name), &d);
	return d.byte[31] % EB_PLAN_BUCKETS;
}

/* Records are in buckets whatever the payload is in, so every member's bucket
 * is in use. */
static void find_buckets(struct eb_plan_member *m, size_t n,
			 struct eb_plan *out)
{
	bool used[EB_PLAN_BUCKETS] = { false };
	size_t i;

	out->bucket = eb_calloc(EB_PLAN_BUCKETS, sizeof *out->bucket);
	for (i = 0; i < n; i++) {
		m[i].bucket = bucket_of(m[i].name);
		used[m[i].bucket] = true;
	}
	for (i = 0; i < EB_PLAN_BUCKETS; i++)
		if (used[i])
			out->bucket[out->n_buckets++] = (unsigned)i;
}

static void choose_own(struct eb_plan_member *m, size_t n, size_t max,
		       struct eb_plan *out)
{
	size_t i;

	out->own = eb_calloc(n + 1, sizeof *out->own);
	for (i = 0; i < n; i++) {
		m[i].own = false;
		m[i].order = 0;
		if (m[i].packed_size >= EB_PLAN_OWN_SIZE)
			out->own[out->n_own++] = i;
	}
	qsort_r(out->own, out->n_own, sizeof *out->own, by_size, m);
	if (out->n_own > max)
		out->n_own = max;
	qsort_r(out->own, out->n_own, sizeof *out->own, by_order, m);
	for (i = 0; i < out->n_own; i++) {
		m[out->own[i]].own = true;
		m[out->own[i]].order = i;
	}
}

int eb_plan_make(struct eb_plan_member *m, size_t n, size_t other,
		 struct eb_plan *out, struct eb_error *err)
{
	size_t room;

	memset(out, 0, sizeof *out);
	find_buckets(m, n, out);
	if (other > EB_PLAN_LAYERS || out->n_buckets > EB_PLAN_LAYERS - other) {
		eb_err_set(err, EB_INPUT,
			   "the image would have %zu layers before its large "
			   "packages, where %d are allowed",
			   other + out->n_buckets, EB_PLAN_LAYERS);
		eb_plan_release(out);
		return eb_err_hint(err, "use a base with fewer layers");
	}
	room = EB_PLAN_LAYERS - other - out->n_buckets;
	choose_own(m, n, room < EB_PLAN_OWN_MAX ? room : EB_PLAN_OWN_MAX, out);
	return 0;
}

void eb_plan_release(struct eb_plan *plan)
{
	free(plan->own);
	free(plan->bucket);
	memset(plan, 0, sizeof *plan);
}
