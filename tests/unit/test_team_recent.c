/* SPDX-License-Identifier: Apache-2.0 */
/* recent: sketches and their estimate, the list, its text. */
#include "team_fixture.h"

#include <math.h>

#include <build/team_recent.h>

/* --- sketches --------------------------------------------------------- */
/* The packages from..to, numbered. */
static struct eb_sketch sketch_of(unsigned from, unsigned to)
{
	struct eb_lock lock = { .n = to - from };
	struct eb_sketch s;

	lock.package = eb_calloc(lock.n + 1, sizeof *lock.package);
	for (unsigned i = from; i < to; i++) {
		struct eb_record *r = &lock.package[i - from].record;

		r->name = eb_asprintf("package %u", i);
		r->sha256 = digest_of(r->name);
	}
	eb_sketch_of(&lock, &s);
	for (size_t i = 0; i < lock.n; i++)
		free(lock.package[i].record.name);
	free(lock.package);
	return s;
}

static void test_sketch(void **state)
{
	struct eb_sketch s = sketch_of(0, 0), t = sketch_of(0, 1);

	(void)state;
	assert_int_equal(s.n, 0);
	assert_int_equal(s.packages, 0);
	/* sha256("package 0") begins with these */
	assert_int_equal(t.v[0], 0x0acf7091u);
	s = sketch_of(0, 40);
	assert_int_equal(s.n, 40);
	assert_int_equal(s.packages, 40);
	s = sketch_of(0, 300);
	assert_int_equal(s.n, EB_SKETCH);
	assert_int_equal(s.packages, 300);
	for (unsigned i = 1; i < s.n; i++)
		assert_true(s.v[i - 1] < s.v[i]);
}

/* Sets as small as the sketch are compared exactly. */
static void test_small_sets(void **state)
{
	struct eb_sketch none = sketch_of(0, 0), a = sketch_of(0, 30),
			 b = sketch_of(10, 40), c = sketch_of(50, 60);

	(void)state;
	assert_true(eb_sketch_shared(&a, &a) == 1);
	assert_true(eb_sketch_shared(&a, &b) == 20.0 / 40);
	assert_true(eb_sketch_shared(&b, &a) == 20.0 / 40);
	assert_true(eb_sketch_shared(&a, &c) == 0);
	assert_true(eb_sketch_shared(&a, &none) == 0);
	assert_true(eb_sketch_shared(&none, &none) == 0);
}

/* Of large ones it is an estimate: over many pairs it is near on the whole,
 * and no single one is far off (four standard deviations). */
static void test_estimate(void **state)
{
	double sum = 0, worst = 0;
	unsigned i;

	(void)state;
	for (i = 0; i < 50; i++) {
		unsigned at = 10000 * i, moved = 4 * i;
		struct eb_sketch a = sketch_of(at, at + 300);
		struct eb_sketch b = sketch_of(at + moved, at + 300 + moved);
		double is = (300.0 - moved) / (300.0 + moved);
		double off = eb_sketch_shared(&a, &b) - is;

		sum += off;
		if (fabs(off) > worst)
			worst = fabs(off);
	}
	print_message("mean error %.4f, largest %.3f\n", sum / i, worst);
	assert_true(fabs(sum / i) < 0.04);
	assert_true(worst < 4 * 0.5 / sqrt(EB_SKETCH));
}

/* --- the list --------------------------------------------------------- */
static struct eb_recent_entry entry(unsigned number, const char *name,
				    unsigned from, unsigned to)
{
	eb_autofree char *text = eb_asprintf("definition %u", number);

	return (struct eb_recent_entry){ .definition = digest_of(text),
					 .lock = digest_of(name),
					 .name = (char *)name,
					 .time = 1000 + number,
					 .sketch = sketch_of(from, to) };
}

static void add(struct eb_recent *r, unsigned number, const char *name,
		unsigned from, unsigned to)
{
	struct eb_recent_entry e = entry(number, name, from, to);

	assert_true(eb_recent_add(r, &e));
}

static void test_add(void **state)
{
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	struct eb_recent_entry e = entry(1, "one", 0, 5);

	(void)state;
	add(&r, 1, "one", 0, 5);
	assert_false(eb_recent_add(&r, &e)); /* as it is */
	add(&r, 2, "two", 0, 5);
	add(&r, 1, "another lock", 0, 6);
	assert_int_equal(r.n, 2);
	assert_string_equal(r.v[0].name, "another lock");
	assert_string_equal(r.v[1].name, "two");
	for (unsigned i = 0; i < 2 * EB_RECENT_MAX; i++)
		add(&r, 100 + i, "many", i, i + 3);
	assert_int_equal(r.n, EB_RECENT_MAX);
	assert_int_equal(r.v[0].time, 1000 + 100 + 2 * EB_RECENT_MAX - 1);
	assert_int_equal(r.v[r.n - 1].time, 1000 + 100 + EB_RECENT_MAX);
	eb_recent_remove(&r, &r.v[0]);
	assert_int_equal(r.n, EB_RECENT_MAX - 1);
	assert_int_equal(r.v[0].time, 1000 + 100 + 2 * EB_RECENT_MAX - 2);
}

/* A long name is cut between characters. */
static void test_names(void **state)
{
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	char name[600];
	struct eb_recent_entry e = entry(1, "x", 0, 1);

	(void)state;
	name[0] = 'x';
	for (size_t i = 1; i + 2 < sizeof name; i += 2)
		memcpy(name + i, "\xc3\xa4", 3);
	e.name = name;
	assert_true(eb_recent_add(&r, &e));
	assert_int_equal(strlen(r.v[0].name), EB_RECENT_NAME - 1);
	assert_true(eb_utf8_valid(r.v[0].name, EB_RECENT_NAME - 1));
	e.name = (char *)"no \xff text";
	assert_true(eb_recent_add(&r, &e));
	assert_string_equal(r.v[0].name, "");
	e.definition = digest_of("without");
	e.name = NULL;
	assert_true(eb_recent_add(&r, &e));
	assert_string_equal(r.v[0].name, "");
	assert_non_null(eb_recent_named(&r, "") ? NULL : &r);
}

static void test_nearest(void **state)
{
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	struct eb_sketch s = sketch_of(0, 20), other = sketch_of(900, 910);

	(void)state;
	assert_null(eb_recent_nearest(&r, &s));
	add(&r, 1, "half", 10, 30);
	add(&r, 2, "near, old", 1, 21);
	add(&r, 3, "near", 1, 21);
	add(&r, 4, "half", 10, 30);
	add(&r, 5, "none", 500, 530);
	assert_string_equal(eb_recent_nearest(&r, &s)->name, "near");
	assert_null(eb_recent_nearest(&r, &other));
	assert_int_equal(eb_recent_named(&r, "half")->time, 1004);
	assert_null(eb_recent_named(&r, "nobody"));
}

/* --- its text --------------------------------------------------------- */
static void test_round_trip(void **state)
{
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	struct eb_recent back EB_CLEANUP(eb_recent_release) = { 0 };
	EB_AUTOBUF(text, EB_MAX_RECENT);
	EB_AUTOBUF(again, EB_MAX_RECENT);

	(void)state;
	for (unsigned i = 0; i < EB_RECENT_MAX; i++)
		add(&r, i, i % 2 ? "n\xc3\xa4me" : "\"quoted\"\\\n", i, 2 * i);
	eb_recent_format(&r, &text);
	assert_false(text.overflow);
	assert_int_equal(eb_recent_parse(text.data, text.len, &back), 0);
	assert_int_equal(back.n, r.n);
	for (size_t i = 0; i < r.n; i++) {
		assert_memory_equal(&back.v[i].sketch, &r.v[i].sketch,
				    sizeof r.v[i].sketch);
		assert_string_equal(back.v[i].name, r.v[i].name);
	}
	eb_recent_format(&back, &again);
	assert_string_equal(again.data, text.data);
}

#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define ENTRY(sketch, n, more)                                            \
	"{\"entries\":[{\"definition\":\"" ZEROS "\",\"lock\":\"" ZEROS   \
	"\",\"name\":\"x\",\"packages\":" n ",\"sketch\":\"" sketch "\"," \
	"\"time\":7" more "}],\"format\":1}"
/* the same as python's base64.b64encode(bytes.fromhex("0000000100000002")) */
#define TWO "AAAAAQAAAAI="

static void test_golden(void **state)
{
	static const char text[] = ENTRY(TWO, "2", "");
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	EB_AUTOBUF(again, EB_MAX_RECENT);

	(void)state;
	assert_int_equal(eb_recent_parse(text, strlen(text), &r), 0);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.v[0].sketch.n, 2);
	assert_int_equal(r.v[0].sketch.v[0], 1);
	assert_int_equal(r.v[0].sketch.v[1], 2);
	assert_int_equal(r.v[0].time, 7);
	eb_recent_format(&r, &again);
	assert_string_equal(again.data, text);
}

static void test_hostile(void **state)
{
	static const char *const texts[] = {
		"",
		"null",
		"[]",
		"{}",
		"{\"format\":1}",
		"{\"entries\":{},\"format\":1}",
		"{\"entries\":[],\"format\":2}",
		"{\"entries\":[],\"format\":\"1\"}",
		"{\"entries\":[null],\"format\":1}",
		"{\"entries\":[{}],\"format\":1}",
		"{\"entries\":[],\"entries\":[],\"format\":1}",
		ENTRY("AAAAAQAAAAE=", "2", ""), /* twice the same */
		ENTRY("AAAAAgAAAAE=", "2", ""), /* not ascending */
		ENTRY("AAAAAQAAAA==", "2", ""), /* seven bytes */
		ENTRY("AAAAAQAAAAI", "2", ""),	/* no padding */
		ENTRY("AAAAA\\u0000QA", "2", ""),
		ENTRY("????????????", "2", ""),
		ENTRY("=", "0", ""),
		ENTRY("====", "0", ""),
		ENTRY(TWO, "1", ""), /* fewer than the sketch has */
		ENTRY(TWO, "3", ""), /* more, yet the sketch is not full */
		ENTRY(TWO, "-1", ""),
		ENTRY(TWO, "2.0", ""),
		ENTRY(TWO, "2", "e30"),
		ENTRY(TWO, "2", "777777777777777777777"),
		ENTRY(TWO, "2", ",\"x\":[") /* no JSON */,
	};
	struct eb_recent r;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (eb_recent_parse(texts[i], strlen(texts[i]), &r) == 0)
			fail_msg("taken: %s", texts[i]);
		assert_int_equal(r.n, 0);
		assert_null(r.v);
	}
}

/* One entry too many, a sketch and a name that are too long. */
static void test_limits(void **state)
{
	struct eb_recent r EB_CLEANUP(eb_recent_release) = { 0 };
	struct eb_recent back;
	EB_AUTOBUF(text, EB_MAX_RECENT);
	EB_AUTOBUF(sketch, 4096);

	(void)state;
	for (unsigned i = 0; i < EB_RECENT_MAX; i++)
		add(&r, i, "x", i, i + 1);
	EB_GROW(r.v, r.n, r.alloc);
	r.v[r.n] = r.v[0];
	r.v[r.n++].name = eb_strdup("one more");
	eb_recent_format(&r, &text);
	assert_int_equal(eb_recent_parse(text.data, text.len, &back), -1);
	while (sketch.len < 4 * 87) /* 65 hashes */
		eb_buf_adds(&sketch, "AAAA");
	eb_buf_reset(&text);
	eb_buf_addf(&text, ENTRY("%s", "65", ""), sketch.data);
	assert_int_equal(eb_recent_parse(text.data, text.len, &back), -1);
	while (r.n > 1)
		eb_recent_remove(&r, &r.v[1]);
	eb_buf_reset(&text);
	eb_recent_format(&r, &text);
	assert_int_equal(eb_recent_parse(text.data, text.len, &back), 0);
	eb_recent_release(&back);
	free(r.v[0].name);
	r.v[0].name = eb_asprintf("%0*d", EB_RECENT_NAME + 1, 1);
	eb_buf_reset(&text);
	eb_recent_format(&r, &text);
	assert_int_equal(eb_recent_parse(text.data, text.len, &back), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sketch),
		cmocka_unit_test(test_small_sets),
		cmocka_unit_test(test_estimate),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
