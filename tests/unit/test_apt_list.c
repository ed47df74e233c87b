/* SPDX-License-Identifier: Apache-2.0 */
/* What --apt names: the grammar of packages, lists, files. */
#include "store_fixture.h"

#include <envbuild/file.h>
#include <envbuild/str.h>

#include <build/apt.h>

static void grammar(void **state)
{
	static const char *const good[] = { "git",	    "g++",
					    "libgl1",	    "libglib2.0-0",
					    "git=1:2.39.5", "7zip",
					    "a0=1~rc1+b-2", "0ad=0" };
	static const char *const bad[] = {
		"",	    "a",     "Git",    "-y",	   "git-",  "git_x",
		"git=",	    "git=x", "gi t",   "+git",	   "git/x", "git=1 2",
		"git:i386", "../x",  "git=1;", "g\xc3\xa9"
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_true(eb_apt_is_package(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(eb_apt_is_package(bad[i]));
}

/* What `value` gives, joined by blanks; or the code of the error. */
static void read_one(const char *value, enum eb_code code, const char *joined)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv given = { 0 }, out = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, 1000);

	eb_strv_add(&given, value);
	assert_int_equal(eb_apt_read(&given, &out, &err), code ? -1 : 0);
	assert_int_equal(err.code, code);
	if (code)
		return;
	for (size_t i = 0; i < out.n; i++)
		eb_buf_addf(&text, "%s%s", i ? " " : "", out.v[i]);
	eb_buf_adds(&text, "");
	assert_string_equal(text.data, joined);
}

static void lists(void **state)
{
	(void)state;
	read_one("git,libgl1 git", EB_OK, "git libgl1");
	read_one(" , git,\tgit=1", EB_INPUT, NULL);
	read_one("git git-lfs git=1", EB_INPUT, NULL);
	read_one("git git-lfs=1", EB_OK, "git git-lfs=1");
	read_one("git,--purge", EB_USAGE, NULL);
	read_one("no such.txt", EB_INPUT, NULL);
}

static void files(void **state)
{
	static const char text[] = "# all\n\nlibgl1 # GL\r\n git\ngit curl";
	struct eb_error err = EB_ERROR_INIT;
	char dir[] = "/tmp/test_apt_list.XXXXXX";
	eb_autofree char *path = NULL;

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = eb_path_join(dir, "list");
	must(eb_write_file(path, text, sizeof text - 1, 0644, &err), &err);
	read_one(path, EB_OK, "curl git libgl1");
	must(eb_write_file(path, "git\0x", 5, 0644, &err), &err);
	read_one(path, EB_INPUT, NULL);
	must(eb_write_file(path, "git\nGit\n", 8, 0644, &err), &err);
	read_one(path, EB_INPUT, NULL);
	must(eb_remove_tree(dir, &err), &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grammar),
		cmocka_unit_test(lists),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
