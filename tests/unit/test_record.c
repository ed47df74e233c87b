/* SPDX-License-Identifier: Apache-2.0 */
/* Package records: what is read, what is refused, the stable JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/json.h>
#include <envbuild/record.h>

#include "vectors.h"

#define SHA256 \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF"
#define MD5 "0123456789abcdef0123456789ABCDEF"

static int read_record(const char *json, const char *fn, const char *subdir,
		       struct eb_record *r, struct eb_error *err)
{
	json_t *j = json_loads(json, 0, NULL);
	int rc;

	assert_non_null(j);
	rc = eb_record_from_json(j, fn, subdir, r, err);
	json_decref(j);
	return rc;
}

static const char full[] =
	"{\"name\":\"NumPy\",\"version\":\"1.26\",\"build\":\"py3_0\","
	"\"build_number\":3,\"subdir\":\"linux-64\",\"fn\":\"x.conda\","
	"\"channel\":\"https://u:p@h.example/c\","
	"\"url\":\"https://h.example/t/abc-def/c/linux-64/x.conda\","
	"\"depends\":[\"python >=3\",\"libc\"],\"constrains\":[\"a <1\"],"
	"\"track_features\":\"b, a\",\"features\":[\"f\"],"
	"\"noarch\":\"python\",\"timestamp\":1700000000000,"
	"\"sha256\":\"" SHA256 "\",\"md5\":\"" MD5 "\",\"size\":42,"
	"\"license\":\"BSD\",\"license_family\":null,"
	"\"python_site_packages_path\":\"lib/python3.13t/site-packages\","
	"\"unknown\":{\"is\":[\"ignored\"]}}";

static const char written[] =
	"{\"build\":\"py3_0\",\"build_number\":3,"
	"\"channel\":\"https://h.example/c\",\"constrains\":[\"a <1\"],"
	"\"depends\":[\"python >=3\",\"libc\"],\"features\":\"f\","
	"\"fn\":\"numpy-1.26-py3_0.conda\",\"license\":\"BSD\","
	"\"md5\":\"0123456789abcdef0123456789abcdef\",\"name\":\"numpy\","
	"\"noarch\":\"python\","
	"\"python_site_packages_path\":\"lib/python3.13t/site-packages\","
	"\"sha256\":\"0123456789abcdef0123456789abcdef"
	"0123456789abcdef0123456789abcdef\",\"size\":42,"
	"\"subdir\":\"linux-64\",\"timestamp\":1700000000000,"
	"\"track_features\":\"b a\","
	"\"url\":\"https://h.example/c/linux-64/x.conda\","
	"\"version\":\"1.26\"}";

static void json_is(const struct eb_record *r, const char *expected)
{
	eb_autojson json_t *j = eb_record_to_json(r);
	EB_AUTOBUF(text, EB_MAX_METADATA);

	eb_json_canonical(j, &text);
	assert_string_equal(text.data, expected);
}

static void everything(void **state)
{
	struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
	struct eb_record copy EB_CLEANUP(eb_record_release) = { 0 };
	struct eb_record again EB_CLEANUP(eb_record_release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_int_equal(
		read_record(full, "numpy-1.26-py3_0.conda", "noarch", &r, &err),
		0);
	assert_string_equal(r.name, "numpy");
	assert_string_equal(r.subdir, "linux-64");
	assert_int_equal(r.build_number, 3);
	assert_int_equal(r.noarch, EB_NOARCH_PYTHON);
	assert_int_equal(r.depends.n, 2);
	assert_true(r.has_sha256);
	assert_null(r.license_family);
	json_is(&r, written);
	assert_int_equal(read_record(written, NULL, NULL, &again, &err), 0);
	json_is(&again, written);
	eb_record_copy(&copy, &r);
	eb_record_release(&r);
	json_is(&copy, written);
}

static void least(void **state)
{
	struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_int_equal(read_record("{\"name\":\"a\",\"version\":\"1\","
				     "\"build_string\":\"0\"}",
				     "a-1-0.tar.bz2", "noarch", &r, &err),
			 0);
	json_is(&r, "{\"build\":\"0\",\"build_number\":0,\"depends\":[],"
		    "\"fn\":\"a-1-0.tar.bz2\",\"name\":\"a\","
		    "\"subdir\":\"noarch\",\"version\":\"1\"}");
}

#define LEAST "\"name\":\"a\",\"version\":\"1\",\"build\":\"0\""

static void odd_values(void **state)
{
	static const struct {
		const char *members;
		enum eb_noarch noarch;
		int64_t timestamp;
		const char *features;
	} t[] = {
		{ "\"noarch\":true", EB_NOARCH_GENERIC, 0, NULL },
		{ "\"noarch\":false", EB_NOARCH_NONE, 0, NULL },
		{ "\"noarch\":null", EB_NOARCH_NONE, 0, NULL },
		{ "\"noarch\":\"\"", EB_NOARCH_NONE, 0, NULL },
		{ "\"noarch\":\"generic\"", EB_NOARCH_GENERIC, 0, NULL },
		{ "\"timestamp\":1500000000", 0, 1500000000000, NULL },
		{ "\"timestamp\":1500000000.5", 0, 1500000000000, NULL },
		{ "\"timestamp\":1500000000123", 0, 1500000000123, NULL },
		{ "\"timestamp\":0,\"md5\":\"\"", 0, 0, NULL },
		{ "\"track_features\":\" \"", 0, 0, NULL },
		{ "\"track_features\":[]", 0, 0, NULL },
		{ "\"track_features\":[\"x\",\"y\"]", 0, 0, "x y" },
		{ "\"track_features\":null,\"depends\":null", 0, 0, NULL },
	};
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
		struct eb_error err = EB_ERROR_INIT;

		snprintf(text, sizeof text, "{" LEAST ",%s}", t[i].members);
		assert_int_equal(read_record(text, "f", NULL, &r, &err), 0);
		assert_int_equal(r.noarch, t[i].noarch);
		assert_int_equal(r.timestamp, t[i].timestamp);
		if (t[i].features)
			assert_string_equal(r.track_features, t[i].features);
		else
			assert_null(r.track_features);
	}
}

static void refused(const char *json, const char *field)
{
	struct eb_record r = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (read_record(json, "f.conda", "noarch", &r, &err) == 0)
		fail_msg("%s is taken", json);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "\"f.conda\""));
	assert_non_null(strstr(err.message, field));
	assert_null(r.name);
}

static void refusals(void **state)
{
	static const char *const t[][2] = {
		{ "\"build_number\":-1", "build_number" },
		{ "\"build_number\":\"1\"", "build_number" },
		{ "\"depends\":\"x\"", "depends" },
		{ "\"depends\":[1]", "depends" },
		{ "\"constrains\":{}", "constrains" },
		{ "\"noarch\":\"perl\"", "noarch" },
		{ "\"noarch\":1", "noarch" },
		{ "\"timestamp\":\"x\"", "timestamp" },
		{ "\"timestamp\":1e300", "timestamp" },
		{ "\"sha256\":\"00\"", "sha256" },
		{ "\"md5\":\"0123456789abcdef0123456789abcdeg\"", "md5" },
		{ "\"size\":1.5", "size" },
		{ "\"license\":1", "license" },
		{ "\"subdir\":\"../x\"", "subdir" },
		{ "\"subdir\":\"a/b\"", "subdir" },
		{ "\"track_features\":7", "track_features" },
	};
	char text[256];
	size_t i;

	(void)state;
	refused("[]", "object");
	refused("{\"version\":\"1\",\"build\":\"0\"}", "\"name\" is missing");
	refused("{\"name\":\"a\",\"build\":\"0\"}", "\"version\" is missing");
	refused("{\"name\":\"a\",\"version\":\"1\"}", "\"build\" is missing");
	refused("{\"name\":\"\",\"version\":\"1\",\"build\":\"0\"}", "name");
	refused("{\"name\":\"a/b\",\"version\":\"1\",\"build\":\"0\"}", "name");
	refused("{\"name\":\"..\",\"version\":\"1\",\"build\":\"0\"}", "name");
	refused("{\"name\":\"a\",\"version\":\"1\\n\",\"build\":\"0\"}",
		"version");
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		snprintf(text, sizeof text, "{" LEAST ",%s}", t[i][0]);
		refused(text, t[i][1]);
	}
}

/* ---- real records ------------------------------------------------------- */

/* A record, written and read again, is the same. */
static void reads_back(const char *fn, const json_t *j)
{
	struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
	struct eb_record again EB_CLEANUP(eb_record_release) = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autojson json_t *once = NULL, *twice = NULL;

	if (eb_record_from_json(j, fn, "linux-64", &r, &err) < 0)
		fail_msg("%s", err.message);
	once = eb_record_to_json(&r);
	assert_int_equal(eb_record_from_json(once, NULL, NULL, &again, &err),
			 0);
	twice = eb_record_to_json(&again);
	assert_true(json_equal(once, twice));
}

static size_t check_map(json_t *map)
{
	const char *fn;
	json_t *record;

	json_object_foreach (map, fn, record)
		reads_back(fn, record);
	return json_object_size(map);
}

static void check_file(const char *path, size_t least_records)
{
	json_t *j = load_json(path);
	size_t n = check_map(json_object_get(j, "packages")) +
		   check_map(json_object_get(j, "packages.conda"));

	json_decref(j);
	print_message("%s: %zu records\n", path, n);
	assert_true(n >= least_records);
}

static void real_records(void **state)
{
	NEED_DATA(a, "conda/packages/main-2018-py37/linux-64/repodata.json");
	NEED_DATA(b, "conda/packages/conda-forge-2024-py310/linux-64/"
		     "repodata.json");

	(void)state;
	check_file(a, 30);
	check_file(b, 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),	cmocka_unit_test(least),
		cmocka_unit_test(odd_values),	cmocka_unit_test(refusals),
		cmocka_unit_test(real_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
