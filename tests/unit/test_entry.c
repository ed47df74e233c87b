/* SPDX-License-Identifier: Apache-2.0 */
/* Entries: which paths may enter, their order, finding them. */
#include "store_fixture.h"

#include <envbuild/entry.h>

static void good_paths(void **state)
{
	static const char *const good[] = {
		"opt/env/bin/python",
		"a",
		"a/.hidden/..x/...",
		"opt/env/lib/a b\tc\nd",
		"opt/env/share/\xc3\xa4\xe2\x82\xac",
		"x/.w.h.y",
		"x/.wh",
		"a\\b",
	};
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++)
		must(eb_path_check(good[i], "p", &err), &err);
}

static void bad_paths(void **state)
{
	static const struct {
		const char *path, *why;
	} bad[] = {
		{ "", "empty" },
		{ "/etc/passwd", "absolute" },
		{ "a//b", "empty component" },
		{ "a/", "empty component" },
		{ "..", "\"..\"" },
		{ "a/../b", "\"..\"" },
		{ "a/..", "\"..\"" },
		{ "./a", "\".\"" },
		{ "a/.", "\".\"" },
		{ "a/.wh.b", ".wh." },
		{ ".wh..wh..opq", ".wh." },
		{ "a/\xff", "UTF-8" },
		{ "a/\xc0\xaf", "UTF-8" },
		{ "a/\xed\xa0\x80", "UTF-8" },
	};
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		int status = eb_path_check(bad[i].path, "pkg-1.0", &err);

		assert_int_equal(status, -1);
		assert_non_null(strstr(err.message, "\"pkg-1.0\""));
		must_fail(status, &err, EB_INPUT, bad[i].why);
	}
}

static void long_paths(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	char path[5000];

	(void)state;
	memset(path, 'x', sizeof path);
	path[255] = '\0';
	must(eb_path_check(path, "p", &err), &err);
	path[255] = 'x';
	path[256] = '\0';
	must_fail(eb_path_check(path, "p", &err), &err, EB_INPUT, "255");
	for (size_t i = 0; i < sizeof path; i++)
		path[i] = i % 100 == 99 ? '/' : 'x';
	path[4096] = '\0';
	must(eb_path_check(path, "p", &err), &err);
	path[4096] = 'x';
	path[4097] = '\0';
	must_fail(eb_path_check(path, "p", &err), &err, EB_INPUT, "4096");
}

static void add(struct eb_entries *e, const char *path, char type)
{
	struct eb_entry *entry =
		eb_entries_add(e, path, (enum eb_entry_type)type);

	if (type == EB_ENTRY_LINK)
		entry->target = eb_strdup("target");
}

/* By the bytes of the header's name: a directory's has a final slash. */
static void sorted_by_header_name(void **state)
{
	static const char *const want[] = { "a+b", "a-b/x", "a.b", "a/x",
					    "ab",  "b-",    "b",   "\xc3\xa4" };
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	size_t i;

	(void)state;
	add(&e, "\xc3\xa4", 'f');
	add(&e, "ab", 'f');
	add(&e, "a/x", 'l');
	add(&e, "a.b", 'd');
	add(&e, "b-", 'd');
	add(&e, "a-b/x", 'f');
	add(&e, "a+b", 'f');
	add(&e, "b", 'o');
	must(eb_entries_sort(&e, "p", &err), &err);
	assert_int_equal(e.n, 8);
	for (i = 0; i < 8; i++)
		assert_string_equal(e.entry[i].path, want[i]);
}

static void found_when_sorted(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	unsigned i;

	(void)state;
	assert_null(eb_entries_find(&e, "a"));
	for (i = 0; i < 500; i++) {
		eb_autofree char *path = eb_asprintf("d%u/f%u", i % 7, i);

		add(&e, path, 'f');
	}
	add(&e, "d3/empty", 'd');
	add(&e, "d3/empty.py", 'f');
	must(eb_entries_sort(&e, "p", &err), &err);
	for (i = 0; i < e.n; i++)
		assert_ptr_equal(eb_entries_find(&e, e.entry[i].path),
				 &e.entry[i]);
	assert_int_equal(eb_entries_find(&e, "d3/empty")->type, EB_ENTRY_DIR);
	assert_null(eb_entries_find(&e, "d3"));
	assert_null(eb_entries_find(&e, "d3/empty/"));
	assert_null(eb_entries_find(&e, "zzz"));
}

static void no_tree(const char *a, char ta, const char *b, char tb,
		    const char *why)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;

	add(&e, a, ta);
	add(&e, "a+between", 'f');
	add(&e, b, tb);
	must_fail(eb_entries_sort(&e, "some package", &err), &err, EB_INPUT,
		  why);
}

static void what_is_no_tree_is_refused(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	no_tree("a", 'f', "a", 'f',
		"\"some package\", the path \"a\" is there "
		"twice");
	no_tree("a", 'f', "a", 'd', "\"a\" is there twice");
	no_tree("a", 'd', "a", 'd', "\"a\" is there twice");
	no_tree("a", 'l', "a", 'f', "\"a\" is there twice");
	no_tree("a", 'f', "a/b/c", 'f', "\"a/b/c\" lies below \"a\"");
	no_tree("a", 'l', "a/b", 'd', "\"a/b\" lies below \"a\"");
	no_tree("a", 'f', "a", 'o', "\"a\" is there twice");
	add(&e, "a", 'd');
	add(&e, "a", 'o');
	add(&e, "a/b", 'f');
	must(eb_entries_sort(&e, "p", &err), &err);
}

static void content_in_the_own_spool(void **state)
{
	EB_CLEANUP(eb_entries_release) struct eb_entries e = { 0 };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d = digest_of("second");
	char text[10] = "";

	(void)state;
	must(eb_entries_add_file(&e, "x", 0644, 1, "first", 5, &err), &err);
	must(eb_entries_add_file(&e, "a", 0755, 2, "second", 6, &err), &err);
	must(eb_entries_add_file(&e, "b", 0644, 3, "", 0, &err), &err);
	must(eb_entries_sort(&e, "p", &err), &err);
	assert_int_equal(e.n_spools, 1);
	assert_int_equal(e.entry[0].mode, 0755);
	assert_int_equal(e.entry[0].mtime, 2);
	assert_int_equal(e.entry[0].size, 6);
	assert_true(eb_digest_equal(&e.entry[0].sha256, &d));
	must(eb_spool_read(e.entry[0].spool, e.entry[0].offset, text, 6, &err),
	     &err);
	assert_string_equal(text, "second");
	must(eb_spool_read(e.entry[2].spool, e.entry[2].offset, text, 5, &err),
	     &err);
	assert_memory_equal(text, "first", 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_paths),
		cmocka_unit_test(bad_paths),
		cmocka_unit_test(long_paths),
		cmocka_unit_test(sorted_by_header_name),
		cmocka_unit_test(found_when_sorted),
		cmocka_unit_test(what_is_no_tree_is_refused),
		cmocka_unit_test(content_in_the_own_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
