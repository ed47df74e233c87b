/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that name a commit, in their parts; and what METADATA tells a
 * resolver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "python/uv.h"
#include "python/vcs_line.h"

static void is_text(const char *a, const char *b)
{
	if (!b)
		assert_null(a);
	else if (!a || strcmp(a, b))
		fail_msg("\"%s\" is not \"%s\"", a ? a : "(none)", b);
}

/* --- lines --------------------------------------------------------------- */

static const struct {
	const char *text, *url, *revision, *subdirectory, *extras;
} lines[] = {
	{ "git+https://h.example/a/b.git", "https://h.example/a/b.git", NULL,
	  NULL, NULL },
	{ "x @ git+ssh://git@h.example/a@v1.0", "ssh://git@h.example/a", "v1.0",
	  NULL, NULL },
	{ "x[a,b]@git+file:///r@refs/pull/1/head ; python_version > '3'",
	  "file:///r", "refs/pull/1/head", NULL, "[a,b]" },
	{ "git+https://u:p@h.example/a@main#egg=x[m]&subdirectory=c%20d ; os",
	  "https://u:p@h.example/a", "main", "c d", "[m]" },
	{ "git+https://h.example/a@#subdirectory=s", "https://h.example/a",
	  NULL, "s", NULL },
	{ "git+https://u@h.example", "https://u@h.example", NULL, NULL, NULL },
	{ "x @ git+git://h.example/a#subdirectory=%00", "git://h.example/a",
	  NULL, NULL, NULL },
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct eb_vcs_line v;

		assert_true(eb_vcs_line_parse(lines[i].text, &v));
		is_text(v.url, lines[i].url);
		is_text(v.revision, lines[i].revision);
		is_text(v.subdirectory, lines[i].subdirectory);
		is_text(v.extras, lines[i].extras);
		eb_vcs_line_release(&v);
	}
}

static void test_others(void **state)
{
	static const char *const none[] = {
		"numpy>=1",
		"x @ https://h.example/git+x.zip",
		"hg+https://h.example/a",
		"x @ https://h.example/a.zip#egg=git+https://b",
		"",
	};
	struct eb_vcs_line v;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_false(eb_vcs_line_parse(none[i], &v));
}

static void test_shown(void **state)
{
	static const char *const row[][2] = {
		{ "ssh://git@h.example/a", "ssh://git@h.example/a" },
		{ "ssh://me:pw@h.example:22/a", "ssh://me@h.example:22/a" },
		{ "ssh://:pw@h.example/a", "ssh://h.example/a" },
		{ "ssh://h.example/a@b", "ssh://h.example/a@b" },
		{ "https://me:pw@h.example/a", "https://h.example/a" },
		{ "https://token@h.example/a", "https://h.example/a" },
		{ "file:///a", "file:///a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *shown = eb_vcs_shown(row[i][0]);

		is_text(shown, row[i][1]);
	}
}

/* --- METADATA ------------------------------------------------------------- */

static int told(const char *text, struct eb_told *t, struct eb_error *err)
{
	return eb_told_read(text, strlen(text), "x", t, err);
}

static void test_told(void **state)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_told_release) struct eb_told t = { 0 };

	(void)state;
	assert_int_equal(told("Name: A_b\r\nVersion: 1.00\r\n"
			      "Requires-Python: >=3.6\r\nrequires-dist: c\r\n"
			      " >1;\r\n\textra == 'd'\r\nProvides-Extra: d\r\n"
			      "Description: e\r\n  Requires-Dist: f\r\n\r\n"
			      "Requires-Dist: g\r\n",
			      &t, &err),
			 0);
	is_text(t.name, "a-b");
	is_text(t.version, "1.0");
	is_text(t.requires_python, ">=3.6");
	assert_int_equal(t.depends.n, 1);
	is_text(t.depends.v[0], "c >1;\textra == 'd'");
	assert_int_equal(t.extras.n, 1);
	is_text(t.extras.v[0], "d");
}

static void test_told_badly(void **state)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_told t = { 0 };

	(void)state;
	assert_int_equal(told("Version: 1\n", &t, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
	assert_int_equal(
		told("Name: a\nVersion: 1\nRequires-Dist: b c\n", &t, &err),
		-1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "\"x\" has a Requires-Dist"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_told_badly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
