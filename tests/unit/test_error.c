/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: filling, adding, moving; the list of codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include <envbuild/error.h>

static void fill_and_release(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_false(eb_err_is_set(&err));
	assert_int_equal(eb_err_set(&err, EB_NETWORK, "\"%s\", %d", "a", 7),
			 -1);
	assert_true(eb_err_is_set(&err));
	assert_int_equal(err.code, EB_NETWORK);
	assert_string_equal(err.message, "\"a\", 7");
	assert_null(err.hint);
	eb_err_release(&err);
	assert_false(eb_err_is_set(&err));
	assert_null(err.message);
}

static void add_to_it(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	eb_err_set(&err, EB_INPUT, "inner");
	assert_int_equal(eb_err_prefix(&err, "outer %d", 1), -1);
	assert_int_equal(eb_err_prefix(&err, "outermost"), -1);
	assert_string_equal(err.message, "outermost: outer 1: inner");
	assert_int_equal(eb_err_hint(&err, "try %s", "a"), -1);
	assert_int_equal(eb_err_hint(&err, "try %s", "b"), -1);
	assert_string_equal(err.hint, "try b");
	assert_int_equal(eb_err_at(&err, "f.yml", 3, 4), -1);
	assert_int_equal(eb_err_at(&err, err.file, 5, 6), -1);
	assert_string_equal(err.file, "f.yml");
	assert_int_equal(err.line, 5);
	assert_int_equal(err.column, 6);
	eb_err_release(&err);
	assert_null(err.file);
	assert_int_equal(err.line, 0);
}

static void codes_of_errno(void **state)
{
	static const struct {
		int errnum;
		enum eb_code code;
	} t[] = { { ENOENT, EB_INPUT },	  { ENOTDIR, EB_INPUT },
		  { ELOOP, EB_INPUT },	  { EISDIR, EB_INPUT },
		  { EINVAL, EB_INPUT },	  { EACCES, EB_MACHINE },
		  { ENOSPC, EB_MACHINE }, { EIO, EB_MACHINE } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		struct eb_error err = EB_ERROR_INIT;

		eb_err_errno(&err, EB_OK, t[i].errnum, "\"f\", opening");
		assert_int_equal(err.code, t[i].code);
		eb_err_release(&err);
	}
}

static void errno_text(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_int_equal(eb_err_errno(&err, EB_REFUSED, ENOENT, "\"%s\"", "f"),
			 -1);
	assert_int_equal(err.code, EB_REFUSED);
	assert_string_equal(err.message, "\"f\": No such file or directory");
	eb_err_release(&err);
}

static void move_it(void **state)
{
	struct eb_error from = EB_ERROR_INIT, to = EB_ERROR_INIT;

	(void)state;
	eb_err_set(&from, EB_STEP, "x");
	eb_err_move(&to, &from);
	assert_false(eb_err_is_set(&from));
	assert_null(from.message);
	assert_int_equal(to.code, EB_STEP);
	assert_string_equal(to.message, "x");
	eb_err_release(&to);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(eb_code_name(EB_OK), "ok");
	assert_string_equal(eb_code_name(EB_NO), "no");
	assert_string_equal(eb_code_name(EB_STEP), "step");
	assert_string_equal(eb_code_name(EB_TERMINATED), "terminated");
	assert_int_equal(EB_MACHINE, 7);
	assert_int_equal(EB_INTERRUPTED, 130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fill_and_release),
		cmocka_unit_test(add_to_it),
		cmocka_unit_test(codes_of_errno),
		cmocka_unit_test(errno_text),
		cmocka_unit_test(move_it),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
