/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: growth, the maximum, formatted text, JSON strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/buf.h>

static void additions(void **state)
{
	EB_AUTOBUF(b, 1000);
	int i;

	(void)state;
	assert_string_equal(b.data, "");
	assert_int_equal(eb_buf_add(&b, "a\0b", 3), 0);
	assert_int_equal(eb_buf_addch(&b, 'c'), 0);
	assert_int_equal(eb_buf_adds(&b, "de"), 0);
	assert_int_equal(eb_buf_addf(&b, "%03d", 7), 0);
	assert_int_equal(b.len, 9);
	assert_memory_equal(b.data, "a\0bcde007", 10);
	for (i = 0; i < 200; i++)
		assert_int_equal(eb_buf_addch(&b, 'x'), 0);
	assert_int_equal(b.len, 209);
	assert_int_equal(b.data[209], 0);
	eb_buf_reset(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.data, "");
}

static void exactly_full(void **state)
{
	EB_AUTOBUF(b, 4);

	(void)state;
	assert_int_equal(eb_buf_adds(&b, "abcd"), 0);
	assert_false(b.overflow);
	assert_int_equal(eb_buf_add(&b, "", 0), 0);
	assert_int_equal(eb_buf_addch(&b, 'e'), -1);
	assert_true(b.overflow);
	assert_string_equal(b.data, "abcd");
}

/* What does not fit is left out whole, and nothing follows the gap. */
static void overflow_sticks(void **state)
{
	EB_AUTOBUF(b, 8);

	(void)state;
	assert_int_equal(eb_buf_adds(&b, "abc"), 0);
	assert_int_equal(eb_buf_addf(&b, "%s", "defghi"), -1);
	assert_int_equal(eb_buf_addch(&b, 'x'), -1);
	assert_string_equal(b.data, "abc");
	assert_true(b.overflow);
	eb_buf_reset(&b);
	assert_false(b.overflow);
	assert_int_equal(eb_buf_adds(&b, "12345678"), 0);
	assert_string_equal(b.data, "12345678");
}

static void huge_sizes(void **state)
{
	EB_AUTOBUF(b, SIZE_MAX);

	(void)state;
	assert_int_equal(eb_buf_adds(&b, "abc"), 0);
	assert_int_equal(eb_buf_reserve(&b, SIZE_MAX), -1);
	assert_int_equal(eb_buf_reserve(&b, SIZE_MAX - 2), -1);
	assert_string_equal(b.data, "abc");
}

static void reserve(void **state)
{
	EB_AUTOBUF(b, 100000);
	const char *before;
	int i;

	(void)state;
	assert_int_equal(eb_buf_reserve(&b, 5000), 0);
	before = b.data;
	for (i = 0; i < 5000; i++)
		eb_buf_addch(&b, 'y');
	assert_ptr_equal(b.data, before);
}

static void steal(void **state)
{
	EB_AUTOBUF(b, 100);
	size_t n = 9;
	char *p = eb_buf_steal(&b, &n);

	(void)state;
	assert_string_equal(p, "");
	assert_int_equal(n, 0);
	free(p);
	eb_buf_adds(&b, "abc");
	p = eb_buf_steal(&b, &n);
	assert_string_equal(p, "abc");
	assert_int_equal(n, 3);
	assert_string_equal(b.data, "");
	eb_buf_adds(&b, "d");
	assert_string_equal(b.data, "d");
	free(p);
}

static void json(void **state)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{ "", "\"\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\n\t\r\b\f", "\"\\n\\t\\r\\b\\f\"" },
		{ "\x01\x1f", "\"\\u0001\\u001f\"" },
		{ "\xc3\xa9/\xf0\x9f\x98\x80",
		  "\"\xc3\xa9/\xf0\x9f\x98\x80\"" },
		{ "a\xffz", "\"a\xef\xbf\xbdz\"" },
		{ "\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		EB_AUTOBUF(b, 100);

		assert_int_equal(eb_buf_add_json(&b, t[i].in), 0);
		assert_string_equal(b.data, t[i].out);
	}
}

static void json_too_long(void **state)
{
	EB_AUTOBUF(b, 8);

	(void)state;
	eb_buf_adds(&b, "ab");
	assert_int_equal(eb_buf_add_json(&b, "123456"), -1);
	assert_string_equal(b.data, "ab");
	assert_true(b.overflow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(additions),
		cmocka_unit_test(exactly_full),
		cmocka_unit_test(overflow_sticks),
		cmocka_unit_test(huge_sizes),
		cmocka_unit_test(reserve),
		cmocka_unit_test(steal),
		cmocka_unit_test(json),
		cmocka_unit_test(json_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
