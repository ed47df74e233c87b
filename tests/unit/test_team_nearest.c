/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between environments, what a build would push, and how tags are
 * called. */
#include "team_fixture.h"

#include <build/team_nearest.h>

/* --- what differs ----------------------------------------------------- */
static void differs(const struct eb_strv *is, const char *const *want)
{
	size_t i;

	for (i = 0; want[i]; i++) {
		if (i == is->n)
			fail_msg("\"%s\" is not said", want[i]);
		assert_string_equal(is->v[i], want[i]);
	}
	if (i < is->n)
		fail_msg("\"%s\" is said, too", is->v[i]);
}

static const char *const was_rows[] = {
	"*numpy 1.18.1 py38_0 5000000", "*python 3.8.1 h_0 20000000",
	"six 1.15.0 py_0 15000",	"tk 8.6.10 h_0 3000000",
	"zlib 1.2.11 h_1 90000",	NULL
};

static void test_packages(void **state)
{
	static const char *const is_rows[] = {
		"*numpy 1.18.1 py38_0 5000000", "*pandas 1.0.1 py38_0 8000000",
		"*python 3.8.1 h_0 20000000",	"six 1.16.0 py_0 16000",
		"zlib 1.2.11 h_2 90001",	NULL
	};
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *was = make_lock(was_rows);
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *is = make_lock(is_rows);
	EB_CLEANUP(eb_strv_release) struct eb_strv out = { 0 };

	(void)state;
	eb_locks_differ(was, is, &out);
	differs(&out, (const char *const[]){
			      "+pandas 1.0.1", "six 1.15.0 -> 1.16.0",
			      "-tk 8.6.10", "zlib 1.2.11 h_1 -> h_2", NULL });
}

static void test_settings(void **state)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *was = make_lock(was_rows);
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *is = make_lock(was_rows);
	EB_CLEANUP(eb_strv_release) struct eb_strv out = { 0 };

	(void)state;
	eb_locks_differ(was, is, &out);
	differs(&out, (const char *const[]){ NULL });
	is->base_scratch = false;
	memset(&is->base, 0xab, sizeof is->base);
	free(is->pyc);
	is->pyc = eb_strdup("compile");
	is->source_date_epoch = 5;
	is->has_build_base = true;
	memset(&is->build_base, 0xcd, sizeof is->build_base);
	json_object_set_new(is->variables, "A", json_string("b"));
	eb_locks_differ(was, is, &out);
	differs(&out, (const char *const[]){
			      "base scratch -> sha256:abababababab",
			      "build-base none -> sha256:cdcdcdcdcdcd",
			      "pyc none -> compile", "SOURCE_DATE_EPOCH 0 -> 5",
			      "variables", NULL });
	eb_strv_release(&out);
	is->package[2].record.sha256 = digest_of("other bytes");
	eb_locks_differ(is, is, &out);
	differs(&out, (const char *const[]){ NULL });
	is->base_scratch = true;
	is->has_build_base = false;
	was->package[0].requested = false;
	free(is->pyc);
	is->pyc = eb_strdup("none");
	is->source_date_epoch = 0;
	json_object_clear(is->variables);
	eb_locks_differ(was, is, &out);
	differs(&out, (const char *const[]){
			      "six 1.15.0: another file of this name", NULL });
	eb_strv_release(&out);
	is->package[2].record.sha256 = was->package[2].record.sha256;
	eb_locks_differ(was, is, &out);
	differs(&out,
		(const char *const[]){
			"fields of records, or the image's settings", NULL });
}

static void test_none(void **state)
{
	static const char *const nothing[] = { NULL };
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *was = make_lock(nothing);
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *is = make_lock(was_rows);
	EB_CLEANUP(eb_strv_release) struct eb_strv out = { 0 };

	(void)state;
	eb_locks_differ(was, is, &out);
	assert_int_equal(out.n, 5);
	assert_string_equal(out.v[0], "+numpy 1.18.1");
	eb_strv_release(&out);
	eb_locks_differ(is, was, &out);
	assert_int_equal(out.n, 5);
	assert_string_equal(out.v[4], "-zlib 1.2.11");
}

static void test_requested(void **state)
{
	static const char text[] = "dependencies:\n"
				   "- numpy =1.18\n"
				   "- six >=1.16\n"
				   "- pandas\n";
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *was = make_lock(was_rows);
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;
	EB_CLEANUP(eb_strv_release) struct eb_strv out = { 0 };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	must(eb_spec_parse(text, strlen(text), "x.yml", "linux/amd64", NULL,
			   &spec, &err),
	     &err);
	eb_spec_differs(was, spec, &out);
	differs(&out,
		(const char *const[]){ "six 1.15.0 -> six[version='>=1.16']",
				       "+pandas", "-python 3.8.1", NULL });
}

/* --- what it would cost ----------------------------------------------- */
static unsigned bucket_of(const char *name)
{
	struct eb_digest d = digest_of(name);

	return d.byte[31] % EB_PLAN_BUCKETS;
}

/* A bucket with the record of each of these, of which it is. */
static void add_bucket(struct eb_known *k, const char *package,
		       const char *stem, uint64_t size)
{
	eb_autofree char *name = eb_asprintf("bucket %u", bucket_of(package));
	eb_autofree char *part = eb_asprintf("record of %s", package);
	eb_autofree char *line = eb_asprintf(
		"f\t644\t1\t9\t%064d\topt/env/conda-meta/%s.json\t\t\n", 0,
		stem);
	struct eb_item layer = add_layer(k, name, GZIP, size);

	add_part(k, &layer, part, 0, 5, line);
}

static uint64_t estimate(const struct eb_lock *was, const char *const *rows,
			 const struct eb_known *map)
{
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *is = make_lock(rows);
	struct eb_error err = EB_ERROR_INIT;
	uint64_t bytes = 1;

	must(eb_push_estimate(was, is, map, &bytes, &err), &err);
	return bytes;
}

static void test_cost(void **state)
{
	static const char *const less[] = { "*numpy 1.18.1 py38_0 5000000",
					    "*python 3.8.1 h_0 20000000",
					    "six 1.15.0 py_0 15000",
					    "zlib 1.2.11 h_1 90000", NULL };
	static const char *const newer[] = {
		"*numpy 1.18.1 py38_0 5000000", "*python 3.8.1 h_0 20000000",
		"six 1.16.0 py_0 16000",	"tk 8.6.10 h_0 3000000",
		"zlib 1.2.11 h_1 90000",	NULL
	};
	static const char *const asked[] = {
		"*numpy 1.18.1 py38_0 5000000", "*python 3.8.1 h_0 20000000",
		"*six 1.15.0 py_0 15000",	"tk 8.6.10 h_0 3000000",
		"zlib 1.2.11 h_1 90000",	NULL
	};
	static const char *const big[] = {
		"*numpy 1.19.0 py38_0 6000000", "*python 3.8.1 h_0 20000000",
		"six 1.15.0 py_0 15000",	"tk 8.6.10 h_0 3000000",
		"zlib 1.2.11 h_1 90000",	NULL
	};
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *was = make_lock(was_rows);
	struct eb_known map EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;
	struct eb_known none EB_CLEANUP(eb_known_release) = EB_KNOWN_INIT;

	(void)state;
	assert_int_not_equal(bucket_of("six"), bucket_of("tk"));
	assert_int_not_equal(bucket_of("numpy"), bucket_of("tk"));
	add_bucket(&map, "six", "six-1.15.0-py_0", 15100);
	add_bucket(&map, "tk", "tk-8.6.10-h_0", 1200);
	add_bucket(&map, "numpy", "numpy-1.18.1-py38_0", 2300);
	eb_known_sort(&map);
	assert_int_equal(estimate(was, was_rows, &map), 0);
	assert_int_equal(estimate(was, less, &map), 1200);
	assert_int_equal(estimate(was, newer, &map), 16000 + 15100);
	assert_int_equal(estimate(was, asked, &map), 15100);
	assert_int_equal(estimate(was, big, &map), 6000000 + 2300);
	/* without a map the packages alone count */
	assert_int_equal(estimate(was, big, &none), 6000000);
}

/* --- tags ------------------------------------------------------------- */
static void tag_is(char *tag, const char *want)
{
	assert_string_equal(tag, want);
	free(tag);
}

static void test_tags(void **state)
{
	struct eb_digest d;
	const char *hex = NULL;

	(void)state;
	memset(&d, 0x5a, sizeof d);
#define X "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	tag_is(eb_team_tag_of(EB_TAG_ENV, &d, "zstd"), "env-" X);
	tag_is(eb_team_tag_of(EB_TAG_LOCK, &d, "gzip"), "lock-" X);
	tag_is(eb_team_tag_of(EB_TAG_LOCK, &d, NULL), "lock-" X);
	tag_is(eb_team_tag_of(EB_TAG_LOCK, &d, "zstd:9"), "lock-" X "-zstd");
	tag_is(eb_team_tag_of(EB_TAG_LOCKED, &d, "zstd"), "locked-" X);
	tag_is(eb_team_tag_of(EB_TAG_LAYER, &d, "zstd"), "layer-" X);
	tag_is(eb_team_tag_of(EB_TAG_STEP, &d, NULL), "step-" X);
	assert_true(eb_team_tag_is("lock-" X "-zstd", EB_TAG_LOCK, &hex));
	assert_true(eb_team_tag_is("locked-" X, EB_TAG_LOCKED, &hex));
	assert_string_equal(hex, X);
	assert_false(eb_team_tag_is("locked-" X, EB_TAG_LOCK, &hex));
	assert_false(eb_team_tag_is("env-" X "-zstd", EB_TAG_ENV, &hex));
	assert_false(eb_team_tag_is("env-" X "0", EB_TAG_ENV, &hex));
	assert_false(eb_team_tag_is("env-5A", EB_TAG_ENV, &hex));
	assert_false(eb_team_tag_is("env-", EB_TAG_ENV, &hex));
}

static void test_name_tags(void **state)
{
	eb_autofree char *a = eb_team_name_tag("a b", "1");
	eb_autofree char *b = eb_team_name_tag("a", " b1");
	char name[200], want[256];

	(void)state;
	tag_is(eb_team_name_tag("AzureML-PyTorch-1.6-GPU", "44"),
	       "n-AzureML-PyTorch-1.6-GPU.v44");
	tag_is(eb_team_name_tag("a", "1.v2"), "n-a.v1.v2");
	/* sha256("a.v1" NUL "2") */
	tag_is(eb_team_name_tag("a.v1", "2"),
	       "n-3bcf718802a4adcaadc253dfbb1b953b");
	assert_int_equal(strlen(a), 34);
	assert_int_equal(strlen(b), 34);
	assert_string_not_equal(a, b);
	/* the longest, and one more */
	snprintf(name, sizeof name, "%0123d", 1);
	snprintf(want, sizeof want, "n-%s.v1", name);
	tag_is(eb_team_name_tag(name, "1"), want);
	snprintf(name, sizeof name, "%0124d", 1);
	free(eb_steal(a));
	a = eb_team_name_tag(name, "1");
	assert_int_equal(strlen(a), 34);
}

static void test_valid_tags(void **state)
{
	char tag[130];

	(void)state;
	memset(tag, 'a', sizeof tag);
	tag[128] = '\0';
	assert_true(eb_team_tag_valid(tag));
	tag[128] = 'a';
	tag[129] = '\0';
	assert_false(eb_team_tag_valid(tag));
	assert_true(eb_team_tag_valid("_1.2-x"));
	assert_false(eb_team_tag_valid(""));
	assert_false(eb_team_tag_valid("-x"));
	assert_false(eb_team_tag_valid(".x"));
	assert_false(eb_team_tag_valid("a/b"));
	assert_false(eb_team_tag_valid("a:b"));
	assert_false(eb_team_tag_valid("\xc3\xa4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packages),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_requested),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_name_tags),
		cmocka_unit_test(test_valid_tags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
