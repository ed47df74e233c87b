/* SPDX-License-Identifier: Apache-2.0 */
/* What repodata v3 adds to specs and records: conditions (CEP 43), groups of
 * optional dependencies (CEP 44), flags (CEP 45). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/json.h>
#include <envbuild/matchspec.h>

static void text_is(const char *spec, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr) struct eb_matchspec *m = NULL;
	EB_CLEANUP(eb_matchspec_free_ptr) struct eb_matchspec *again = NULL;

	m = eb_matchspec_parse(spec, EB_STRICT, &err);
	if (!m)
		fail_msg("%s", err.message);
	assert_string_equal(eb_matchspec_text(m), text);
	again = eb_matchspec_parse(eb_matchspec_normal(m), EB_STRICT, &err);
	if (!again)
		fail_msg("%s", err.message);
	assert_string_equal(eb_matchspec_normal(again), eb_matchspec_normal(m));
}

static void refused(const char *spec, const char *why)
{
	static const enum eb_strictness how[] = { EB_STRICT, EB_LENIENT };

	for (size_t i = 0; i < 2; i++) {
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

		if (eb_matchspec_parse(spec, how[i], &err))
			fail_msg("\"%s\" is taken", spec);
		assert_int_equal(err.code, EB_INPUT);
		if (!strstr(err.message, why))
			fail_msg("\"%s\" does not say \"%s\"", err.message,
				 why);
	}
}

/* ---- conditions --------------------------------------------------------- */

static void conditions(void **state)
{
	(void)state;
	text_is("x[when=__win]", "x[when=__win]");
	text_is("x [when=\"__win\"]", "x[when=__win]");
	text_is("x 2.* *c*[when=__win]", "x=2[build=*c*,when=__win]");
	text_is("x[when='python<3.10']", "x[when=python<3.10]");
	text_is("x[when='python >=3.9 and __unix or __win']",
		"x[when='python >=3.9 and __unix or __win']");
	text_is("x[when='(a or b) and (c and (d or e))']",
		"x[when='(a or b) and (c and (d or e))']");
	text_is("x[when='(a)or(b)']", "x[when=(a)or(b)]");
	text_is("x[when='android or orange and mandarin']",
		"x[when='android or orange and mandarin']");
	text_is("x[when=\"(__unix and y[version='(>=1,<2)|>3'])\"]",
		"x[when=\"(__unix and y[version='(>=1,<2)|>3'])\"]");
	text_is("x[when='(__unix and y[version=\">=3\"])']",
		"x[when='(__unix and y[version=\">=3\"])']");
	text_is("x[when=y[version='>=2'], extras=[a], flags=[b, c]]",
		"x[when=\"y[version='>=2']\",extras=['a'],flags=['b', 'c']]");
	/* conda 26.7 takes it: as if it were not there */
	text_is("x[when=\"   \"]", "x[when='   ']");
}

static void no_conditions(void **state)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);

	(void)state;
	refused("x[when=]", "a value is missing");
	refused("x[when=\"\"]", "a value is missing");
	refused("x[when='a and']", "a package is missing");
	refused("x[when='or a']", "a package is missing");
	refused("x[when='a and and b']", "a package is missing");
	refused("x[when='()']", "a package is missing");
	refused("x[when='(a']", "a \")\" is missing");
	refused("x[when='a)']", "\"and\" or \"or\" is missing");
	refused("x[when='(a) b']", "\"and\" or \"or\" is missing");
	refused("x[when='a=>1>']", "condition: package spec \"a=>1>\"");
	refused("x[when='y[build=]']", "a value is missing");
	refused("x[when='y[when=z]']", "a condition in a condition");
	refused("x[when=\"y[version='>1', when ='z']\"]",
		"a condition in a condition");
	refused("x[when='y[extras=a]']", "has no extras");
	refused("x[when='py*']", "needs a plain name");
	refused("x[when=y[version='>1',build=\"0\"]]", "both kinds of quotes");
	eb_buf_adds(&text, "x[when='");
	for (int i = 0; i < 17; i++)
		eb_buf_addch(&text, '(');
	eb_buf_adds(&text, "a']");
	refused(text.data, "16 deep");
	eb_buf_reset(&text);
	eb_buf_adds(&text, "x[when='a");
	for (int i = 0; i < 64; i++)
		eb_buf_adds(&text, " or a");
	eb_buf_adds(&text, "']");
	refused(text.data, "more than 64 specs");
}

/* ---- extras and flags --------------------------------------------------- */

static void lists(void **state)
{
	static const char *const same[] = {
		"x[extras=[a,b]]",    "x[extras=[a, b]]",
		"x[extras=[b ,a]]",   "x[extras=[a  , b ]]",
		"x[extras=[a, 'b']]", "x[extras=[\"a\" , 'b']]",
		"x[extras=[a, b,]]",  "x[extras='a,b']",
	};

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		text_is(same[i], "x[extras=['a', 'b']]");
	text_is("x[extras=group1]", "x[extras=['group1']]");
	text_is("x[extras=[a.b-c_d+e]]", "x[extras=['a.b-c_d+e']]");
	text_is("x[flags=[gpu,cpu]]", "x[flags=['cpu', 'gpu']]");
	text_is("x[flags=[cpu, blas:*, *]]", "x[flags=['*', 'blas:*', 'cpu']]");
	text_is("x[extras=[a], flags=[b]]", "x[extras=['a'],flags=['b']]");
	refused("x[extras=]", "a value is missing");
	refused("x[extras=[]]", "no name of one");
	refused("x[extras=[a,,b]]", "no name of one");
	refused("x[extras=[a b]]", "no name of one");
	refused("x[extras=[A]]", "\"A\" is no name of one");
	refused("x[extras=[a/b]]", "no name of one");
	refused("x[extras=[[a]]]", "a list in a list");
	refused("x[extras=0123456789012345678901234567890123456789"
		"0123456789012345678901234]",
		"no name of one");
	refused("x[flags=]", "a value is missing");
	refused("x[flags=a-b]", "no name of one");
	refused("x[flags=a:b:c]", "no name of one");
	refused("x[flags=a:]", "no name of one");
	refused("x[flags=[GPU]]", "no name of one");
}

/* ---- records ------------------------------------------------------------ */

#define RECORD                                                              \
	"{\"name\":\"x\",\"version\":\"1\",\"build\":\"0\",\"depends\":[]," \
	"\"flags\":[\"cpu\",\"gpu:cuda\"],"                                 \
	"\"extra_depends\":{\"a\":[\"p >1\",\"q\"],\"b\":[]}}"

static int read_record(const char *text, struct eb_record *r,
		       struct eb_error *err)
{
	json_t *j = json_loads(text, 0, NULL);
	int rc;

	assert_non_null(j);
	rc = eb_record_from_json(j, NULL, "noarch", r, err);
	json_decref(j);
	return rc;
}

static void records(void **state)
{
	struct eb_record r = { 0 }, copy;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *text = NULL;
	json_t *j;

	(void)state;
	assert_int_equal(read_record(RECORD, &copy, &err), 0);
	eb_record_copy(&r, &copy);
	eb_record_release(&copy);
	assert_int_equal(r.flags.n, 2);
	assert_string_equal(r.flags.v[1], "gpu:cuda");
	assert_int_equal(r.n_extras, 2);
	assert_int_equal(eb_record_extra(&r, "a")->depends.n, 2);
	assert_string_equal(eb_record_extra(&r, "a")->depends.v[1], "q");
	assert_int_equal(eb_record_extra(&r, "b")->depends.n, 0);
	assert_null(eb_record_extra(&r, "c"));
	j = eb_record_to_json(&r);
	text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(j);
	assert_non_null(strstr(text, "\"extra_depends\":{\"a\":[\"p >1\","
				     "\"q\"],\"b\":[]},"
				     "\"flags\":[\"cpu\",\"gpu:cuda\"]"));
	eb_record_release(&r);
}

static void spellings(void **state)
{
	static const char *const key[] = { "extra_depends", "extra-depends",
					   "extras-depends" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		eb_autofree char *text = eb_asprintf(
			"{\"name\":\"x\",\"version\":\"1\",\"build\":\"0\","
			"\"%s\":{\"a\":[\"y\"]}}",
			key[i]);
		struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
		struct eb_error err = EB_ERROR_INIT;

		assert_int_equal(read_record(text, &r, &err), 0);
		assert_non_null(eb_record_extra(&r, "a"));
	}
}

static void bad_records(void **state)
{
	static const char *const rows[][2] = {
		{ "\"flags\":\"a\"", "\"flags\" is no list" },
		{ "\"flags\":[1]", "\"flags\" holds" },
		{ "\"flags\":[\"A\"]", "\"flags\" holds what is no flag" },
		{ "\"flags\":[\"a*\"]", "\"flags\" holds what is no flag" },
		{ "\"flags\":[\"\"]", "\"flags\" holds what is no flag" },
		{ "\"extra_depends\":[]", "\"extra_depends\" is no object" },
		{ "\"extra_depends\":{\"A\":[]}", "no group" },
		{ "\"extra_depends\":{\"a\":{}}", "no group" },
		{ "\"extra_depends\":{\"a\":[1]}", "something else than" },
		{ "\"extra_depends\":{\"a\":[]},\"extra-depends\":{\"a\":[]}",
		  "a group twice" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		eb_autofree char *text =
			eb_asprintf("{\"name\":\"x\",\"version\":\"1\","
				    "\"build\":\"0\",%s}",
				    rows[i][0]);
		struct eb_record r;
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

		assert_int_equal(read_record(text, &r, &err), -1);
		assert_int_equal(err.code, EB_INPUT);
		if (!strstr(err.message, rows[i][1]))
			fail_msg("\"%s\" does not say \"%s\"", err.message,
				 rows[i][1]);
	}
}

static void matching(void **state)
{
	static const struct {
		const char *spec;
		bool matches, extras;
	} rows[] = {
		{ "x[flags=cpu]", true, true },
		{ "x[flags=[cpu, gpu:cuda]]", true, true },
		{ "x[flags=gpu:*]", true, true },
		{ "x[flags=*pu]", true, true },
		{ "x[flags=*]", true, true },
		{ "x[flags=gpu]", false, true },
		{ "x[flags=[cpu, gpu:cuda12]]", false, true },
		{ "x[extras=a]", true, true },
		{ "x[extras=[a, b]]", true, true },
		{ "x[extras=[a, b, c]]", true, false },
		{ "x[extras=c]", true, false },
		{ "x[when='nothing']", true, true },
	};
	struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *v = eb_version_parse("1", &err);

	(void)state;
	assert_int_equal(read_record(RECORD, &r, &err), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		EB_CLEANUP(eb_matchspec_free_ptr)
		struct eb_matchspec *m =
			eb_matchspec_parse(rows[i].spec, EB_LENIENT, &err);

		assert_non_null(m);
		if (eb_matchspec_match(m, &r, v) != rows[i].matches ||
		    eb_matchspec_has_extras(m, &r) != rows[i].extras)
			fail_msg("\"%s\"", rows[i].spec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions), cmocka_unit_test(no_conditions),
		cmocka_unit_test(lists),      cmocka_unit_test(records),
		cmocka_unit_test(spellings),  cmocka_unit_test(bad_records),
		cmocka_unit_test(matching),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
