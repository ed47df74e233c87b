/* SPDX-License-Identifier: Apache-2.0 */
/* Channels: what users write, and the three texts that it becomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/channel.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

static void assert_channel(const struct eb_channels *c, size_t i,
			   const char *name, const char *canonical,
			   const char *url)
{
	assert_true(i < c->n);
	assert_string_equal(c->channel[i].name, name);
	assert_string_equal(c->channel[i].canonical, canonical);
	assert_string_equal(c->channel[i].url, url);
}

struct row {
	const char *in, *name, *canonical, *url; /* url NULL: canonical */
};

static void test_names(void **state)
{
	static const struct row rows[] = {
		{ "conda-forge", "conda-forge",
		  "https://conda.anaconda.org/conda-forge", NULL },
		{ "  bioconda ", "bioconda",
		  "https://conda.anaconda.org/bioconda", NULL },
		{ "pytorch/label/rc", "pytorch/label/rc",
		  "https://conda.anaconda.org/pytorch/label/rc", NULL },
		{ "conda-forge/linux-64", "conda-forge",
		  "https://conda.anaconda.org/conda-forge", NULL },
		{ "conda-forge/noarch/", "conda-forge",
		  "https://conda.anaconda.org/conda-forge", NULL },
		{ "pkgs/main", "pkgs/main",
		  "https://repo.anaconda.com/pkgs/main", NULL },
		{ "https://conda.anaconda.org/conda-forge/", "conda-forge",
		  "https://conda.anaconda.org/conda-forge", NULL },
		{ "https://repo.anaconda.com/pkgs/r/linux-64", "pkgs/r",
		  "https://repo.anaconda.com/pkgs/r", NULL },
		{ "HTTPS://Example.ORG:443//a//b/", "https://example.org/a/b",
		  "https://example.org/a/b", NULL },
		{ "http://localhost:8080/ch", "http://localhost:8080/ch",
		  "http://localhost:8080/ch", NULL },
		{ "https://u:p%40@example.org/c", "https://example.org/c",
		  "https://example.org/c", "https://u:p%40@example.org/c" },
		{ "https://conda.anaconda.org/t/tk-12-3/priv", "priv",
		  "https://conda.anaconda.org/priv",
		  "https://conda.anaconda.org/t/tk-12-3/priv" },
		{ "https://example.org", "https://example.org",
		  "https://example.org", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_channels c = { 0 };
		const struct row *r = &rows[i];

		assert_int_equal(eb_channels_add(&c, r->in, NULL, &err), 0);
		assert_int_equal(c.n, 1);
		assert_channel(&c, 0, r->name, r->canonical,
			       r->url ? r->url : r->canonical);
		eb_channels_release(&c);
	}
}

static void test_defaults(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_channels c = { 0 };

	(void)state;
	assert_int_equal(eb_channels_add(&c, "nodefaults", NULL, &err), 0);
	assert_int_equal(c.n, 0);
	assert_int_equal(eb_channels_add(&c, "x", NULL, &err), 0);
	assert_int_equal(eb_channels_add(&c, "defaults", NULL, &err), 0);
	assert_int_equal(eb_channels_add(&c, "pkgs/r", NULL, &err), 0);
	assert_int_equal(eb_channels_add(&c, "x/", NULL, &err), 0);
	assert_int_equal(eb_channels_add(&c, "https://a:b@conda.anaconda.org/x",
					 NULL, &err),
			 0);
	assert_int_equal(c.n, 3);
	assert_string_equal(c.channel[1].name, "pkgs/main");
	assert_string_equal(c.channel[2].name, "pkgs/r");
	eb_channels_release(&c);
}

static void test_alias(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_channels c = { 0 };

	(void)state;
	assert_int_equal(
		eb_channels_add(&c, "team", "https://u:p@h.example/a/", &err),
		0);
	assert_channel(&c, 0, "team", "https://h.example/a/team",
		       "https://u:p@h.example/a/team");
	eb_channels_release(&c);
}

static void test_variables(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_channels c = { 0 };

	(void)state;
	setenv("TEST_TOKEN", "tk-5", 1);
	setenv("TEST_NAME", "conda-forge", 1);
	unsetenv("TEST_NOTHING");
	assert_int_equal(eb_channels_add(&c, "https://h.org/t/$TEST_TOKEN/c",
					 NULL, &err),
			 0);
	assert_channel(&c, 0, "https://h.org/c", "https://h.org/c",
		       "https://h.org/t/tk-5/c");
	assert_int_equal(eb_channels_add(&c, "${TEST_NAME}", NULL, &err), 0);
	assert_string_equal(c.channel[1].name, "conda-forge");
	assert_int_equal(eb_channels_add(&c, "a/${TEST_NOTHING}", NULL, &err),
			 -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_string_equal(err.message, "\"$TEST_NOTHING\": reading a channel:"
					 " the environment has no such "
					 "variable");
	eb_err_release(&err);
	eb_channels_release(&c);
}

static void test_path(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = eb_make_tempdir("/tmp", "test channel.", &err);
	eb_autofree char *sub = eb_path_join(dir, "noarch");
	eb_autofree char *old = getcwd(NULL, 0);
	struct eb_channels c = { 0 };

	(void)state;
	assert_non_null(dir);
	assert_int_equal(eb_mkdirs(sub, 0700, &err), 0);
	assert_int_equal(eb_channels_add(&c, dir, NULL, &err), 0);
	assert_int_equal(strncmp(c.channel[0].canonical,
				 "file:///tmp/test%20channel.", 27),
			 0);
	assert_int_equal(eb_channels_add(&c, sub, NULL, &err), 0);
	assert_int_equal(chdir(sub), 0);
	assert_int_equal(eb_channels_add(&c, "..", NULL, &err), 0);
	assert_int_equal(eb_channels_add(&c, "./", NULL, &err), 0);
	assert_int_equal(chdir(old), 0);
	assert_int_equal(c.n, 1);
	assert_int_equal(eb_channels_add(&c, "/nonexistent/x", NULL, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_string_equal(err.message, "\"/nonexistent/x\": opening a "
					 "channel's folder: not there");
	eb_err_release(&err);
	eb_channels_release(&c);
	eb_remove_tree(dir, &err);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"a b",
		"https://",
		"https:///x",
		"https://h/x?y=1",
		"https://h/x#y",
		"ftp://h/x",
		"s3://bucket/x",
		"file://host/x",
		"a//b",
		"x/../../y",
		"name[subdir]",
		"a\nb",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct eb_error err = EB_ERROR_INIT;
		struct eb_channels c = { 0 };

		assert_int_equal(eb_channels_add(&c, bad[i], NULL, &err), -1);
		assert_int_equal(err.code, EB_INPUT);
		assert_int_equal(c.n, 0);
		eb_err_release(&err);
		eb_channels_release(&c);
	}
}

static void test_secret_stays(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_channels c = { 0 };

	(void)state;
	assert_int_equal(
		eb_channels_add(&c, "ftp://u:secret@h/t/tk-9/x", NULL, &err),
		-1);
	assert_null(strstr(err.message, "secret"));
	assert_null(strstr(err.message, "tk-9"));
	eb_err_release(&err);
}

static void assert_fetch(const struct eb_channels *c, const char *url,
			 const char *want)
{
	EB_CLEANUP(eb_channel_ways_release) struct eb_channel_ways ways;
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(eb_channel_ways(c, NULL, url, &ways, &err), 0);
	assert_int_equal(ways.n, 1);
	assert_string_equal(ways.way[0].url, want);
	assert_string_equal(ways.way[0].shown, url);
}

static void test_fetch_url(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_channels c = { 0 };

	(void)state;
	eb_channels_add(&c, "https://h.org/t/tk/a", NULL, &err);
	eb_channels_add(&c, "https://me:pw@h.org/b", NULL, &err);
	eb_channels_add(&c, "conda-forge", NULL, &err);
	assert_int_equal(c.n, 3);
	assert_fetch(&c, "https://h.org/a/noarch/x-1-0.conda",
		     "https://h.org/t/tk/a/noarch/x-1-0.conda");
	assert_fetch(&c, "https://h.org/b/noarch/x-1-0.conda",
		     "https://me:pw@h.org/b/noarch/x-1-0.conda");
	assert_fetch(&c, "https://h.org/files/x-1-0.conda",
		     "https://me:pw@h.org/files/x-1-0.conda");
	assert_fetch(&c, "https://h.org.evil.example/x",
		     "https://h.org.evil.example/x");
	assert_fetch(&c, "http://h.org/b2/x", "http://h.org/b2/x");
	assert_fetch(NULL, "https://h.org/a/x", "https://h.org/a/x");
	eb_channels_release(&c);
}

static void test_subdir(void **state)
{
	(void)state;
	assert_string_equal(eb_conda_subdir("linux/amd64"), "linux-64");
	assert_string_equal(eb_conda_subdir("linux/arm64"), "linux-aarch64");
	assert_null(eb_conda_subdir("plan9/amd64"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_alias),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_secret_stays),
		cmocka_unit_test(test_fetch_url),
		cmocka_unit_test(test_subdir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
