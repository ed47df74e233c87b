/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: vectors, numbers, UTF-8, texts for people, redaction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

static void release(struct eb_strv *s)
{
	eb_strv_release(s);
}
#define AUTOSTRV(name) struct eb_strv name EB_CLEANUP(release) = { 0 }

static void vectors(void **state)
{
	AUTOSTRV(s);
	AUTOSTRV(copy);
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		eb_strv_addf(&s, "%c", "zebra"[i % 5]);
	assert_int_equal(s.n, 40);
	assert_null(s.v[40]);
	eb_strv_sort(&s);
	eb_strv_unique(&s);
	assert_int_equal(s.n, 5);
	assert_null(s.v[5]);
	assert_string_equal(s.v[0], "a");
	assert_string_equal(s.v[4], "z");
	assert_true(eb_strv_has(&s, "r"));
	assert_false(eb_strv_has(&s, "x"));
	eb_strv_copy(&copy, &s);
	assert_int_equal(copy.n, 5);
	assert_string_equal(copy.v[1], "b");
}

static void empty_vector(void **state)
{
	AUTOSTRV(s);

	(void)state;
	eb_strv_sort(&s);
	eb_strv_unique(&s);
	assert_false(eb_strv_has(&s, ""));
	assert_int_equal(s.n, 0);
}

static void sorted_by_bytes(void **state)
{
	AUTOSTRV(s);

	(void)state;
	eb_strv_add(&s, "\xc3\xa9");
	eb_strv_add(&s, "a");
	eb_strv_add(&s, "Z");
	eb_strv_sort(&s);
	assert_string_equal(s.v[0], "Z");
	assert_string_equal(s.v[2], "\xc3\xa9");
}

static void split(void **state)
{
	AUTOSTRV(s);

	(void)state;
	eb_strv_split(&s, "a,b;;c,", ",;");
	assert_int_equal(s.n, 5);
	assert_string_equal(s.v[0], "a");
	assert_string_equal(s.v[2], "");
	assert_string_equal(s.v[4], "");
	eb_strv_split(&s, "", ",");
	assert_int_equal(s.n, 6);
}

static void ends(void **state)
{
	char text[] = " \t a b\n ", blank[] = " \n", upper[] = "aB\xc3\x89Z";

	(void)state;
	assert_true(eb_starts("abc", "ab"));
	assert_true(eb_starts("abc", ""));
	assert_false(eb_starts("a", "ab"));
	assert_true(eb_ends("abc", "bc"));
	assert_false(eb_ends("c", "bc"));
	assert_string_equal(eb_strip(text), "a b");
	assert_string_equal(eb_strip(blank), "");
	eb_lower(upper);
	assert_string_equal(upper, "ab\xc3\x89z");
}

static void numbers(void **state)
{
	static const char *const bad[] = { "",
					   "-1",
					   "+1",
					   " 1",
					   "1 ",
					   "0x1",
					   "1.0",
					   "18446744073709551616",
					   "99999999999999999999" };
	uint64_t v = 5;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(eb_parse_u64(bad[i], UINT64_MAX, &v), -1);
	assert_int_equal(v, 5);
	assert_int_equal(eb_parse_u64("18446744073709551615", UINT64_MAX, &v),
			 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(eb_parse_u64("101", 100, &v), -1);
	assert_int_equal(eb_parse_u64("0100", 100, &v), 0);
	assert_int_equal(v, 100);
}

static void utf8(void **state)
{
	static const char *const good[] = { "",
					    "abc",
					    "\xc2\x80",
					    "\xed\x9f\xbf",
					    "\xee\x80\x80",
					    "\xf4\x8f\xbf\xbf" };
	static const char *const bad[] = {
		"\x80",
		"\xc0\x80",
		"\xc1\xbf",
		"\xe0\x9f\xbf",
		"\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf5\x80",
		"\xc3",
		"\xe2\x82",
		"a\xff",
		"\xc3(",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(eb_utf8_valid(good[i], strlen(good[i])));
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(eb_utf8_valid(bad[i], strlen(bad[i])));
}

static void printable(void **state)
{
	eb_autofree char *p =
		eb_printable("a\x1b[1m\n\t\x7f\xc3\xa9\xc2\x9b\xff");

	eb_autofree char *line = eb_printable_line("a\nb\t\xc3\xa9\x7f");
	eb_autofree char *none = eb_printable_line("");

	(void)state;
	assert_string_equal(p, "a\\x1b[1m\n\t\\x7f\xc3\xa9\\xc2\\x9b\\xff");
	assert_string_equal(line, "a\\x0ab\\x09\xc3\xa9\\x7f");
	assert_string_equal(none, "");
}

static void sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} t[] = {
		{ 0, "0 B" },
		{ 999, "999 B" },
		{ 1000, "1.00 kB" },
		{ 9994, "9.99 kB" },
		{ 9995, "10.0 kB" },
		{ 18500000, "18.5 MB" },
		{ 99950, "100 kB" },
		{ 999499, "999 kB" },
		{ 999500, "1.00 MB" },
		{ 1200000000, "1.20 GB" },
		{ UINT64_MAX, "18.4 EB" },
	};
	char out[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++)
		assert_string_equal(eb_human_size(t[i].bytes, out), t[i].text);
}

static void times(void **state)
{
	char out[32];

	(void)state;
	assert_string_equal(eb_rfc3339(0, out), "1970-01-01T00:00:00Z");
	assert_string_equal(eb_rfc3339(1795287600, out),
			    "2026-11-21T19:00:00Z");
	assert_string_equal(eb_rfc3339(-1, out), "1969-12-31T23:59:59Z");
	assert_string_equal(eb_rfc3339(INT64_MAX, out), "9999-12-31T23:59:59Z");
	assert_string_equal(eb_rfc3339(INT64_MIN, out), "0000-01-01T00:00:00Z");
}

static void redaction(void **state)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{ "https://u:p@h.org/x", "https://h.org/x" },
		{ "https://u@h/x@y", "https://h/x@y" },
		{ "https://u:p@q@h?a@b", "https://h?a@b" },
		{ "https://h/t/TOKEN/chan/noarch", "https://h/chan/noarch" },
		{ "https://u:p@h/conda/t/TOKEN", "https://h/conda" },
		{ "https://h/t/TOKEN?x=/t/y", "https://h?x=/t/y" },
		{ "https://h/a?x=/t/y", "https://h/a?x=/t/y" },
		{ "https://h/t/a/b/t/c/d", "https://h/b/d" },
		{ "https://h/t/", "https://h/t/" },
		{ "https://h/art/x", "https://h/art/x" },
		{ "git+ssh://git:s@h/r.git@v1", "git+ssh://h/r.git@v1" },
		{ "/t/plain@path", "/t/plain@path" },
		{ "file:///home/t/me/x", "file:///home/t/me/x" },
		{ "conda-forge", "conda-forge" },
		{ "", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		eb_autofree char *out = eb_url_redact(t[i].in);

		assert_string_equal(out, t[i].out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(empty_vector),
		cmocka_unit_test(sorted_by_bytes),
		cmocka_unit_test(split),
		cmocka_unit_test(ends),
		cmocka_unit_test(numbers),
		cmocka_unit_test(utf8),
		cmocka_unit_test(printable),
		cmocka_unit_test(sizes),
		cmocka_unit_test(times),
		cmocka_unit_test(redaction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
