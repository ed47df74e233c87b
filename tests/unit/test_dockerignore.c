/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of a .dockerignore, and what a build context is keyed by. */
#include "store_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/dockerfile.h>
#include <envbuild/file.h>
#include <envbuild/str.h>

/* --- rules -----------------------------------------------------------------
 */

struct vector {
	const char *rules, *path;
	bool left_out;
};

/* The rules of the Dockerfile reference, and of Go's Match and Clean. */
static const struct vector vectors[] = {
	{ "", "a", false },
	{ "a", "a", true },
	{ "a", "b/a", false },
	{ "/a", "a", true },
	{ "a/", "a", true },
	{ "a", "a/b/c", true },
	{ "a/b", "a/b", true },
	{ "a/b", "a", false },
	{ "./a//b/../c", "a/c", true },
	{ "../a", "a", false },
	{ "/../a", "a", true },
	{ ".", "a", false },
	{ "*", "a", true },
	{ "*", ".git", true },
	{ "*/temp*", "somedir/temporary.txt", true },
	{ "*/temp*", "somedir/subdir/temporary.txt", false },
	{ "*/*/temp*", "somedir/subdir/temporary.txt", true },
	{ "temp?", "tempa", true },
	{ "temp?", "temp", false },
	{ "temp?", "temp/", false },
	{ "?", "\xc3\xa9", true },
	{ "*.md", "README.md", true },
	{ "*.md", "docs/README.md", false },
	{ "**/*.go", "x.go", true },
	{ "**/*.go", "a/b/x.go", true },
	{ "**/*.go", "a/b/x.gox", false },
	{ "**", "a/b", true },
	{ "a/**", "a/b/c", true },
	{ "a/**", "a", false },
	{ "a/**/z", "a/z", true },
	{ "a/**/z", "a/b/c/z", true },
	{ "a/**/z", "a/bz", false },
	{ "**foo", "foo", true },
	{ "**foo", "a/foo", true },
	{ "**/foo", "a/foo/bar", true },
	{ "dir/**/*.txt", "dir/a/b.txt", true },
	{ "*\n!a", "a", false },
	{ "*\n!a", "b", true },
	{ "!a\n*", "a", true },
	{ "*.md\n!README*.md\nREADME-secret.md", "README-secret.md", true },
	{ "*.md\n!README*.md\nREADME-secret.md", "README-all.md", false },
	{ "*.md\nREADME-secret.md\n!README*.md", "README-secret.md", false },
	{ "dir\n!dir/keep", "dir/keep", false },
	{ "dir\n!dir/keep", "dir/other", true },
	{ "dir\n!dir/keep", "dir/keep/deep", false },
	{ "a\n! a", "a", false },
	{ "# a\na#", "a#", true },
	{ "# a", "# a", false },
	{ " # a", "# a", true },
	{ "  a \r\n", "a", true },
	{ "\xef\xbb\xbf"
	  "a",
	  "a", true },
	{ "[a-c]x", "bx", true },
	{ "[a-c]x", "dx", false },
	{ "[^a-c]x", "dx", true },
	{ "[^a-c]x", "ax", false },
	{ "[!a]x", "!x", true },
	{ "[\\]]x", "]x", true },
	{ "a\\*b", "a*b", true },
	{ "a\\*b", "axb", false },
	{ "[\xc3\xa0-\xc3\xbf]", "\xc3\xa9", true },
	{ "a.b", "axb", false },
	{ "a+(b)", "a+(b)", true },
	{ "A", "a", false },
};

static void rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		const struct vector *v = &vectors[i];
		struct eb_error err = EB_ERROR_INIT;
		struct eb_dockerignore ig;

		assert_int_equal(eb_dockerignore_parse(v->rules,
						       strlen(v->rules), "ig",
						       &ig, &err),
				 0);
		if (eb_dockerignore_matches(&ig, v->path) != v->left_out)
			fail_msg("\"%s\" and \"%s\"", v->rules, v->path);
		eb_dockerignore_release(&ig);
	}
}

static void wrong_rules(void **state)
{
	static const char *const bad[] = { "[",	  "a[", "[a-]", "[]",
					   "a\\", "!",	"! ",	"[^]" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		eb_autofree char *text = eb_asprintf("good\n%s\n", bad[i]);
		struct eb_dockerignore ig;

		if (eb_dockerignore_parse(text, strlen(text), "ig", &ig,
					  &err) == 0)
			fail_msg("\"%s\" is taken", bad[i]);
		assert_int_equal(err.code, EB_INPUT);
		assert_int_equal(err.line, 2);
	}
}

/* No rule takes for ever, whatever it says. */
static void hostile_rules(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_dockerignore ig;
	char rule[400] = "", path[4000];

	(void)state;
	for (unsigned i = 0; i < 60; i++)
		strcat(rule, i % 2 ? "*a" : "**/");
	memset(path, 'a', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	for (size_t i = 3; i < sizeof path - 1; i += 4)
		path[i] = '/';
	assert_int_equal(
		eb_dockerignore_parse(rule, strlen(rule), "ig", &ig, &err), 0);
	eb_dockerignore_matches(&ig, path);
	eb_dockerignore_release(&ig);
}

/* --- the context -----------------------------------------------------------
 */

struct tree {
	char *dir, *top;
};

static void put(const struct tree *t, const char *name, const char *text,
		unsigned mode)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = eb_path_join(t->top, name);

	assert_int_equal(eb_write_file(path, text, strlen(text), mode, &err),
			 0);
}

static void folder(const struct tree *t, const char *name)
{
	eb_autofree char *path = eb_path_join(t->top, name);

	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static int make_tree(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct tree *t = eb_calloc(1, sizeof *t);
	eb_autofree char *link = NULL;

	t->dir = eb_make_tempdir("/tmp", "test-context-", &err);
	t->top = eb_path_join(t->dir, "context");
	assert_int_equal(mkdir(t->top, 0755), 0);
	put(t, "a", "one", 0644);
	folder(t, "d");
	folder(t, "d/empty");
	put(t, "d/run", "#!/bin/sh\n", 0755);
	put(t, "d/log", "text", 0644);
	link = eb_path_join(t->top, "d/link");
	assert_int_equal(symlink("run", link), 0);
	*state = t;
	return 0;
}

static int drop_tree(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct tree *t = *state;

	assert_int_equal(eb_remove_tree(t->dir, &err), 0);
	free(t->dir);
	free(t->top);
	free(t);
	return 0;
}

static struct eb_digest key_of(const struct tree *t, const char *dockerfile,
			       const char *to)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest key;

	assert_int_equal(eb_context_key(t->top, dockerfile, to, &key, &err), 0);
	return key;
}

/* Has it the key that was, or another? */
static bool differs(const struct tree *t, struct eb_digest *key)
{
	struct eb_digest now = key_of(t, NULL, NULL);
	bool other = !eb_digest_equal(&now, key);

	*key = now;
	return other;
}

static void what_counts(void **state)
{
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	const struct tree *t = *state;
	struct eb_digest key = key_of(t, NULL, NULL);
	eb_autofree char *a = eb_path_join(t->top, "a");
	eb_autofree char *empty = eb_path_join(t->top, "d/empty");
	eb_autofree char *link = eb_path_join(t->top, "d/link");

	assert_int_equal(utimensat(AT_FDCWD, a, times, 0), 0);
	assert_false(differs(t, &key));
	put(t, "a", "one", 0644); /* another inode */
	assert_false(differs(t, &key));
	put(t, "a", "two", 0644);
	assert_true(differs(t, &key));
	assert_int_equal(chmod(a, 0755), 0);
	assert_true(differs(t, &key));
	assert_int_equal(unlink(link), 0);
	assert_true(differs(t, &key));
	assert_int_equal(symlink("log", link), 0);
	assert_true(differs(t, &key));
	assert_int_equal(rmdir(empty), 0);
	assert_true(differs(t, &key));
}

static void what_is_left_out(void **state)
{
	const struct tree *t = *state;
	struct eb_digest key;

	put(t, ".dockerignore", "**/*.tmp\nd\n!d/run\n", 0644);
	key = key_of(t, NULL, NULL);
	put(t, "x.tmp", "1", 0644);
	put(t, "d/log", "changed", 0644);
	assert_false(differs(t, &key));
	put(t, "d/run", "#!/bin/sh\nexit 1\n", 0755);
	assert_true(differs(t, &key));
}

/* FILE.dockerignore instead of .dockerignore. */
static void own_rules(void **state)
{
	const struct tree *t = *state;
	eb_autofree char *dockerfile = eb_path_join(t->dir, "Own");
	eb_autofree char *rules = eb_path_join(t->dir, "Own.dockerignore");
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest before, after;

	put(t, ".dockerignore", "d\n", 0644);
	assert_int_equal(eb_write_file(rules, "a\n", 2, 0644, &err), 0);
	before = key_of(t, dockerfile, NULL);
	put(t, "a", "changed", 0644);
	after = key_of(t, dockerfile, NULL);
	assert_true(eb_digest_equal(&before, &after));
	put(t, "d/log", "changed", 0644);
	after = key_of(t, dockerfile, NULL);
	assert_false(eb_digest_equal(&before, &after));
}

/* The copy is what counts and nothing else, and has the same key. */
static void copies(void **state)
{
	const struct tree *t = *state;
	struct tree copy = { .top = eb_path_join(t->dir, "copy") };
	eb_autofree char *log = eb_path_join(copy.top, "d/log");
	eb_autofree char *run = eb_path_join(copy.top, "d/run");
	eb_autofree char *rules = eb_path_join(copy.top, ".dockerignore");
	struct eb_digest key;
	struct stat st;

	put(t, ".dockerignore", "d/log\n", 0644);
	assert_int_equal(mkdir(copy.top, 0700), 0);
	key = key_of(t, NULL, copy.top);
	assert_false(differs(t, &key));
	assert_false(eb_path_exists(log));
	assert_int_equal(stat(run, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_true(eb_path_exists(rules));
	assert_false(differs(&copy, &key));
	free(copy.top);
}

static void refused(void **state)
{
	const struct tree *t = *state;
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *fifo = eb_path_join(t->top, "fifo");
	eb_autofree char *file = eb_path_join(t->top, "a");
	struct eb_digest key;

	assert_int_equal(mkfifo(fifo, 0644), 0);
	assert_int_equal(eb_context_key(t->top, NULL, NULL, &key, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "fifo"));
	eb_err_release(&err);
	assert_int_equal(eb_context_key(file, NULL, NULL, &key, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
	put(t, ".dockerignore", "fifo\n[\n", 0644);
	assert_int_equal(eb_context_key(t->top, NULL, NULL, &key, &err), -1);
	assert_int_equal(err.line, 2);
	eb_err_release(&err);
	put(t, ".dockerignore", "fifo\n", 0644);
	assert_int_equal(eb_context_key(t->top, NULL, NULL, &key, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(wrong_rules),
		cmocka_unit_test(hostile_rules),
		cmocka_unit_test_setup_teardown(what_counts, make_tree,
						drop_tree),
		cmocka_unit_test_setup_teardown(what_is_left_out, make_tree,
						drop_tree),
		cmocka_unit_test_setup_teardown(own_rules, make_tree,
						drop_tree),
		cmocka_unit_test_setup_teardown(copies, make_tree, drop_tree),
		cmocka_unit_test_setup_teardown(refused, make_tree, drop_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
