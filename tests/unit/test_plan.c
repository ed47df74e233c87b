/* SPDX-License-Identifier: Apache-2.0 */
/* The layer plan: own layers, buckets, order, limits. */
#include "store_fixture.h"

#include <envbuild/plan.h>

#define MIB ((uint64_t)1 << 20)

struct set {
	struct eb_plan_member m[400];
	char name[400][32];
	size_t n;
	struct eb_plan plan;
};

static void add(struct set *s, const char *name, uint64_t size)
{
	snprintf(s->name[s->n], sizeof s->name[s->n], "%s", name);
	s->m[s->n] = (struct eb_plan_member){ .name = s->name[s->n],
					      .packed_size = size };
	s->n++;
}

static void make(struct set *s, size_t other)
{
	struct eb_error err = EB_ERROR_INIT;

	eb_plan_release(&s->plan);
	must(eb_plan_make(s->m, s->n, other, &s->plan, &err), &err);
}

/* The last byte of `printf NAME | sha256sum`, modulo 32. */
static void buckets_by_digest(void **state)
{
	static const struct {
		const char *name;
		unsigned bucket;
	} known[] = {
		{ "python", 1 },
		{ "numpy", 28 },
		{ "openssl", 5 },
	};
	struct set s = { .n = 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		add(&s, known[i].name, 10);
	make(&s, 2);
	for (i = 0; i < 3; i++)
		assert_int_equal(s.m[i].bucket, known[i].bucket);
	assert_int_equal(s.plan.n_own, 0);
	assert_int_equal(s.plan.n_buckets, 3);
	for (i = 1; i < s.plan.n_buckets; i++)
		assert_true(s.plan.bucket[i - 1] < s.plan.bucket[i]);
	eb_plan_release(&s.plan);
}

static void own_from_one_mebibyte_on(void **state)
{
	struct set s = { .n = 0 };

	(void)state;
	add(&s, "small", MIB - 1);
	add(&s, "large", MIB);
	add(&s, "none", 0);
	make(&s, 2);
	assert_int_equal(s.plan.n_own, 1);
	assert_false(s.m[0].own);
	assert_true(s.m[1].own);
	assert_false(s.m[2].own);
	eb_plan_release(&s.plan);
}

/* By floor(log2(size)) descending, then by name, whatever the exact size. */
static void order_of_own_layers(void **state)
{
	static const char *const want[] = { "huge", "b", "y", "a", "c" };
	struct set s = { .n = 0 };
	size_t i;

	(void)state;
	add(&s, "c", MIB);
	add(&s, "y", 7 * MIB);
	add(&s, "a", 2 * MIB - 1);
	add(&s, "b", 4 * MIB);
	add(&s, "huge", 3000 * MIB);
	make(&s, 2);
	assert_int_equal(s.plan.n_own, 5);
	for (i = 0; i < 5; i++) {
		assert_string_equal(s.m[s.plan.own[i]].name, want[i]);
		assert_int_equal(s.m[s.plan.own[i]].order, i);
	}
	eb_plan_release(&s.plan);
}

static void add_many(struct set *s, size_t n, uint64_t size)
{
	char name[32];

	while (n--) {
		snprintf(name, sizeof name, "pkg%03zu", n);
		add(s, name, size);
	}
}

static size_t count_own(const struct set *s, const char *least)
{
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += s->m[i].own && strcmp(s->m[i].name, least) < 0;
	return n;
}

/* The 48 largest; of equals those whose names come first. */
static void at_most_48(void **state)
{
	struct set s = { .n = 0 };

	(void)state;
	add_many(&s, 300, 2 * MIB);
	add(&s, "zlarger", 2 * MIB + 1);
	make(&s, 2);
	assert_int_equal(s.plan.n_own, 48);
	assert_int_equal(s.plan.n_buckets, 32);
	assert_true(s.m[300].own);
	assert_int_equal(count_own(&s, "pkg047"), 47);
	eb_plan_release(&s.plan);
}

/* 100 layers in all: the 48 shrinks, to nothing if need be. */
static void at_most_100_layers(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct set s = { .n = 0 };

	(void)state;
	add_many(&s, 300, 2 * MIB);
	make(&s, 20);
	assert_int_equal(s.plan.n_own, 48);
	make(&s, 21);
	assert_int_equal(s.plan.n_own, 47);
	make(&s, 68);
	assert_int_equal(s.plan.n_own, 0);
	eb_plan_release(&s.plan);
	must_fail(eb_plan_make(s.m, s.n, 69, &s.plan, &err), &err, EB_INPUT,
		  "101 layers");
	must_fail(eb_plan_make(s.m, s.n, 5000, &s.plan, &err), &err, EB_INPUT,
		  "layers");
}

/* Another order of the same set gives the same plan. */
static void order_does_not_count(void **state)
{
	struct set a = { .n = 0 }, b = { .n = 0 };
	char name[32];
	size_t i;

	(void)state;
	for (i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "pkg%03zu", i);
		add(&a, name, MIB + i * i * 1000);
	}
	for (i = 200; i--;) {
		snprintf(name, sizeof name, "pkg%03zu", i);
		add(&b, name, MIB + i * i * 1000);
	}
	make(&a, 2);
	make(&b, 2);
	assert_int_equal(a.plan.n_own, b.plan.n_own);
	for (i = 0; i < a.plan.n_own; i++)
		assert_string_equal(a.m[a.plan.own[i]].name,
				    b.m[b.plan.own[i]].name);
	for (i = 0; i < 200; i++)
		assert_int_equal(a.m[i].bucket, b.m[199 - i].bucket);
	eb_plan_release(&a.plan);
	eb_plan_release(&b.plan);
}

static void nothing_at_all(void **state)
{
	struct set s = { .n = 0 };

	(void)state;
	make(&s, 2);
	assert_int_equal(s.plan.n_own, 0);
	assert_int_equal(s.plan.n_buckets, 0);
	eb_plan_release(&s.plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_by_digest),
		cmocka_unit_test(own_from_one_mebibyte_on),
		cmocka_unit_test(order_of_own_layers),
		cmocka_unit_test(at_most_48),
		cmocka_unit_test(at_most_100_layers),
		cmocka_unit_test(order_does_not_count),
		cmocka_unit_test(nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
