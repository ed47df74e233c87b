/* SPDX-License-Identifier: Apache-2.0 */
/* Environment markers: their normal text and whether they hold, against tables
 * of the reference; what is refused, limits, what cannot be known. */
#include "python_vectors.h"

#include <time.h>

#include <envbuild/requirement.h>
#include <envbuild/tags.h>

/* ---- the reference's tables
 * ---------------------------------------------------
 */

static json_t *environments;

static void read_env(const json_t *values, struct eb_marker_env *out)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)values, key, value) {
		eb_strv_add(&out->name, key);
		eb_strv_add(&out->value, json_string_value(value));
	}
}

/* marker, environment, extra, 1|0|UNDEFINED|REJECT */
static bool eval_row(const struct eb_strv *row)
{
	struct eb_marker_env env EB_CLEANUP(eb_marker_env_release) = { 0 };
	const char *extra = *row->v[2] ? row->v[2] : NULL;
	eb_autofree char *line = eb_asprintf("x ; %s", row->v[0]);
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
	bool unknown = true;
	AUTOERR(err);
	AUTOERR(parse_err);
	int rc;

	read_env(json_object_get(environments, row->v[1]), &env);
	rc = eb_marker_holds(row->v[0], &env, extra, &unknown, &err);
	if (strcmp(row->v[3], "1") == 0 || strcmp(row->v[3], "0") == 0)
		return rc == atoi(row->v[3]) && !unknown;
	if (rc >= 0 || err.code != EB_INPUT)
		return false;
	/* what has no order is a marker all the same */
	rc = eb_pep508_parse(line, &r, &parse_err);
	return strcmp(row->v[3], "REJECT") == 0 ? rc < 0 : rc == 0;
}

static void evaluated(void **state)
{
	NEED_DATA(path, "python/vectors/marker_envs.json");
	(void)state;
	environments = load_json(path);
	each_vector("marker_eval.tsv", 1400, eval_row);
	json_decref(environments);
}

/* marker, normal text; which is its own normal text */
static bool text_row(const struct eb_strv *row)
{
	for (int i = 0; i < 2; i++) {
		eb_autofree char *line = eb_asprintf("x ; %s", row->v[i]);
		struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
		AUTOERR(err);

		if (eb_pep508_parse(line, &r, &err) < 0 ||
		    !same_text(r.marker, row->v[1]))
			return false;
	}
	return true;
}

static void written(void **state)
{
	(void)state;
	each_vector("marker_str.tsv", 180, text_row);
}

/* ---- of a target
 * ---------------------------------------------------------------
 */

static const struct eb_python_target target = {
	.version = "3.10.4",
	.glibc = "2.31",
	.arch = "aarch64",
};

static int holds(const char *marker, const char *extra, bool *unknown,
		 struct eb_error *err)
{
	struct eb_marker_env env EB_CLEANUP(eb_marker_env_release) = { 0 };

	eb_marker_env_of(&target, &env);
	return eb_marker_holds(marker, &env, extra, unknown, err);
}

static void of_the_target(void **state)
{
	static const struct {
		const char *marker, *extra;
		int holds;
		bool unknown;
	} rows[] = {
		{ "python_version == '3.10'", NULL, 1, false },
		{ "python_version > '3.9'", NULL, 1, false },
		{ "python_full_version == '3.10.4'", NULL, 1, false },
		{ "implementation_version < '3.10.4'", NULL, 0, false },
		{ "platform_machine == 'aarch64'", NULL, 1, false },
		{ "sys_platform == 'win32' or os_name == 'posix'", NULL, 1,
		  false },
		{ "'linux' in sys_platform", NULL, 1, false },
		{ "platform_system == 'Linux'", NULL, 1, false },
		{ "extra == 'A_b'", "a.B", 1, false },
		{ "extra == 'a'", NULL, 0, false },
		{ "extra != 'a'", NULL, 1, false },
		/* not known before the image runs: said where it matters */
		{ "platform_release >= '5'", NULL, 0, true },
		{ "platform_version == ''", NULL, 1, true },
		{ "os_name == 'nt' and platform_release >= '5'", NULL, 0,
		  false },
		{ "os_name == 'nt' or platform_release >= '5'", NULL, 0, true },
		{ "os_name == 'posix' or platform_release >= '5'", NULL, 1,
		  false },
		{ "os_name == 'posix' and (platform_release != '5')", NULL, 0,
		  true },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		bool unknown = !rows[i].unknown;
		AUTOERR(err);
		int rc = holds(rows[i].marker, rows[i].extra, &unknown, &err);

		if (rc != rows[i].holds || unknown != rows[i].unknown)
			fail_msg("%s: %d, %d", rows[i].marker, rc, unknown);
	}
}

static void senseless(void **state)
{
	static const char *const rows[] = {
		"",
		"()",
		"os_name",
		"os_name == 'posix' and",
		"os_name == 'posix' or sys_platform ~= 'linux'",
		"os_name === 'posix'",
		"'a' == 'a'",
		"'a' in extras",
		"os_name == 'posix' 'x'",
		"os_name == \"posix'",
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		AUTOERR(err);

		if (holds(rows[i], NULL, NULL, &err) != -1)
			fail_msg("taken: %s", rows[i]);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, "marker"));
	}
}

/* ---- limits
 * -----------------------------------------------------------------------
 */

static int nested(size_t deep, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	for (size_t i = 0; i < deep; i++)
		eb_buf_addch(&text, '(');
	eb_buf_adds(&text, "os_name == 'posix'");
	for (size_t i = 0; i < deep; i++)
		eb_buf_addch(&text, ')');
	return holds(text.data, NULL, NULL, err);
}

static void depth(void **state)
{
	static const size_t too_deep[] = { 101, 1000, 300000 };
	AUTOERR(none);

	(void)state;
	assert_int_equal(nested(100, &none), 1);
	for (size_t i = 0; i < N(too_deep); i++) {
		AUTOERR(err);

		assert_int_equal(nested(too_deep[i], &err), -1);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, "100 parentheses deep"));
	}
}

/* Many side by side are no depth. */
static void wide(void **state)
{
	EB_AUTOBUF(text, EB_MAX_METADATA);
	clock_t start = clock();
	AUTOERR(err);

	(void)state;
	eb_buf_adds(&text, "os_name == 'nt'");
	for (int i = 0; i < 20000; i++)
		eb_buf_adds(&text, " or (python_version == '3.9')");
	assert_int_equal(holds(text.data, NULL, NULL, &err), 0);
	eb_buf_adds(&text, " or os_name == 'posix'");
	assert_int_equal(holds(text.data, NULL, NULL, &err), 1);
	assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(evaluated),	 cmocka_unit_test(written),
		cmocka_unit_test(of_the_target), cmocka_unit_test(senseless),
		cmocka_unit_test(depth),	 cmocka_unit_test(wide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
