/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files, options, limits, policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <envbuild/catalog.h>
#include <envbuild/config.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>

static char *dir; /* HOME and XDG_CONFIG_HOME of these tests */

static int set_up(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	dir = eb_make_tempdir("/tmp", "eb-config-", &err);
	if (!dir)
		return -1;
	setenv("XDG_CONFIG_HOME", dir, 1);
	unsetenv("ENVBUILD_BASE");
	unsetenv("SOURCE_DATE_EPOCH");
	return 0;
}

static int tear_down(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	eb_remove_tree(dir, &err);
	eb_err_release(&err);
	free(dir);
	return 0;
}

static void write_user(const char *text)
{
	eb_autofree char *folder = eb_path_join(dir, "envbuild");
	eb_autofree char *path = eb_path_join(folder, "config.yml");
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(eb_mkdirs(folder, 0700, &err), 0);
	assert_int_equal(eb_write_file(path, text, strlen(text), 0600, &err),
			 0);
}

static void refuse(const char *text, enum eb_code code, const char *words)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_config c;

	write_user(text);
	assert_int_equal(eb_config_load(NULL, NULL, &c, &err), -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.message, words));
	assert_non_null(err.file);
	assert_true(err.line > 0);
	eb_err_release(&err);
}

static void test_defaults(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_config c;

	(void)state;
	write_user("");
	assert_int_equal(eb_config_load(NULL, NULL, &c, &err), 0);
	assert_string_equal(c.pyc, "compile");
	assert_string_equal(c.compression, "gzip");
	assert_null(c.base);
	assert_int_equal(c.max_age, -1);
	assert_int_equal(c.limit[EB_LIMIT_YAML_SIZE], 4 << 20);
	eb_config_release(&c);
}

static void test_file_then_environment(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_config c;

	(void)state;
	write_user("base: scratch\nchannel: [one, two]\njobs: 3\n"
		   "max-age: 7d\nlimit:\n  yaml-size: 1MiB\nrefresh: true\n");
	setenv("ENVBUILD_BASE", "oci:elsewhere", 1);
	assert_int_equal(eb_config_load(NULL, NULL, &c, &err), 0);
	unsetenv("ENVBUILD_BASE");
	assert_string_equal(c.base, "oci:elsewhere");
	assert_int_equal(c.channel.n, 2);
	assert_string_equal(c.channel.v[1], "two");
	assert_int_equal(c.jobs, 3);
	assert_int_equal(c.max_age, 7 * 86400);
	assert_int_equal(c.limit[EB_LIMIT_YAML_SIZE], 1 << 20);
	assert_true(c.refresh);
	eb_config_release(&c);
}

static void test_refusals(void **state)
{
	(void)state;
	refuse("bse: scratch\n", EB_INPUT, "\"bse\"");
	refuse("pyc: maybe\n", EB_INPUT, "\"maybe\"");
	refuse("jobs: many\n", EB_INPUT, "\"many\"");
	refuse("jobs: {a: 1}\n", EB_INPUT, "\"jobs\"");
	refuse("limit: {yaml-sice: 1}\n", EB_INPUT, "yaml-sice");
	refuse("- base\n", EB_INPUT, "map");
	refuse("offline: maybe\n", EB_INPUT, "\"maybe\"");
	refuse("offline: FALSE\n", EB_INPUT, "\"FALSE\"");
	refuse("compression: lzma\n", EB_INPUT, "\"lzma\"");
	refuse("as-of: yesterday\n", EB_INPUT, "\"yesterday\"");
	write_user("");
}

static void test_set(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_config c;

	(void)state;
	assert_int_equal(eb_config_option("refresh"), 1);
	assert_int_equal(eb_config_option("base"), 2);
	assert_int_equal(eb_config_option("bse"), 0);
	assert_int_equal(eb_config_load(NULL, NULL, &c, &err), 0);
	assert_int_equal(eb_config_set(&c, "limit", "member-size=2GiB", &err),
			 0);
	assert_true(c.limit[EB_LIMIT_MEMBER_SIZE] == 2ULL << 30);
	assert_int_equal(eb_config_set(&c, "limit", "member-size", &err), -1);
	assert_int_equal(err.code, EB_USAGE);
	eb_err_release(&err);
	assert_int_equal(eb_config_set(&c, "base", "", &err), -1);
	eb_err_release(&err);
	eb_config_release(&c);
}

static void refuse_set(struct eb_config *c, const char *name, const char *value)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *words = eb_asprintf("\"%s\"", value);

	assert_int_equal(eb_config_set(c, name, value, &err), -1);
	assert_int_equal(err.code, EB_USAGE);
	assert_non_null(strstr(err.message, words));
	eb_err_release(&err);
}

static void test_values(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_config c;

	(void)state;
	assert_int_equal(eb_config_load(NULL, NULL, &c, &err), 0);
	refuse_set(&c, "channel-priority", "strict|flexible");
	refuse_set(&c, "channel-priority", "stric");
	refuse_set(&c, "source-date-epoch", "0");
	refuse_set(&c, "source-date-epoch", "5d");
	refuse_set(&c, "compression", "zstd:20");
	refuse_set(&c, "as-of", "2026-11");
	/* One instant has one text. */
	assert_int_equal(eb_config_set(&c, "as-of", "2026-11-21", &err), 0);
	assert_string_equal(c.as_of, "2026-11-21T00:00:00Z");
	assert_int_equal(
		eb_config_set(&c, "as-of", "2026-11-21T12:00:01Z", &err), 0);
	assert_string_equal(c.as_of, "2026-11-21T12:00:01Z");
	assert_int_equal(eb_config_set(&c, "compression", "zstd:5", &err), 0);
	assert_string_equal(c.compression, "zstd:5");
	/* What doctor prints can be given back. */
	assert_int_equal(
		eb_config_set(&c, "limit", "member-size=17179869184", &err), 0);
	assert_true(c.limit[EB_LIMIT_MEMBER_SIZE] == 17179869184);
	eb_config_release(&c);
}

static void test_amounts(void **state)
{
	uint64_t n = 0;

	(void)state;
	assert_int_equal(eb_config_amount("90s", &n), 0);
	assert_int_equal(n, 90);
	assert_int_equal(eb_config_amount("2h", &n), 0);
	assert_int_equal(n, 7200);
	assert_int_equal(eb_config_amount("3MiB", &n), 0);
	assert_int_equal(n, 3 << 20);
	assert_int_equal(eb_config_amount("MiB", &n), -1);
	assert_int_equal(eb_config_amount("3 MiB", &n), -1);
	assert_int_equal(eb_config_amount("-3", &n), -1);
	assert_int_equal(eb_config_amount("99999999999999999999", &n), -1);
	assert_int_equal(eb_config_amount("18446744073709551615", &n), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(eb_config_amount("18446744073709551615K", &n), -1);
	assert_int_equal(eb_config_amount("17179869184GiB", &n), -1);
}

static void test_policy(void **state)
{
	static const char *const dots[] = {
		"https://x.example/team/../other",
		"https://x.example/team/./other",
		"https://x.example/team/..",
		"https://x.example/team/%2e%2E/other",
		"https://x.example/team/.%2e/other",
	};
	struct eb_policy_list list = { .set = true };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	eb_strv_add(&list.prefix, "ghcr.io/team");
	assert_int_equal(
		eb_policy_check(&list, "bases", "ghcr.io/team/x:1", &err), 0);
	assert_int_equal(
		eb_policy_check(&list, "bases", "ghcr.io/teammate/x", &err),
		-1);
	assert_int_equal(err.code, EB_REFUSED);
	assert_non_null(strstr(err.message, "ghcr.io/teammate/x"));
	assert_non_null(strstr(err.hint, "bases"));
	eb_err_release(&err);
	eb_strv_release(&list.prefix);
	assert_int_equal(eb_policy_check(&list, "bases", "scratch", &err), -1);
	eb_err_release(&err);
	/* Dots lead elsewhere than the prefix says. */
	eb_strv_add(&list.prefix, "https://x.example/team");
	assert_int_equal(eb_policy_check(&list, "channels",
					 "https://x.example/team/a..b/.c",
					 &err),
			 0);
	for (size_t i = 0; i < sizeof dots / sizeof *dots; i++) {
		assert_int_equal(
			eb_policy_check(&list, "channels", dots[i], &err), -1);
		assert_int_equal(err.code, EB_REFUSED);
		eb_err_release(&err);
	}
	eb_strv_release(&list.prefix);
	list.set = false;
	assert_int_equal(eb_policy_check(&list, "bases", "scratch", &err), 0);
}

/* What each option that a definition can bring is given here. */
static const char *value_for(const char *option)
{
	static const char *const values[][2] = {
		{ "activation", "none" },
		{ "arch", "x86_64_v3" },
		{ "as-of", "2026-01-01T00:00:00Z" },
		{ "base-family", "debian" },
		{ "build-arg", "A=1" },
		{ "build-env", "A=1" },
		{ "channel-priority", "flexible" },
		{ "compression", "gzip" },
		{ "cuda", "12.6" },
		{ "driver", "535" },
		{ "gpu-arch", "7.0" },
		{ "naming", "azureml" },
		{ "pip-replace", "never" },
		{ "platform", "linux/arm64" },
		{ "post-link", "skip" },
		{ "pyc", "none" },
		{ "source-date-epoch", "86400" },
	};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (!strcmp(values[i][0], option))
			return values[i][1];
	return "x";
}

static size_t has(const struct eb_config *c, const char *option,
		  const char *value)
{
	struct eb_strv got = { 0 };
	size_t n;

	eb_config_values(c, option, &got);
	n = got.n;
	if (n && strcmp(got.v[n - 1], value) != 0)
		fail_msg("--%s has \"%s\"", option, got.v[n - 1]);
	eb_strv_release(&got);
	return n;
}

/* Every one of them is an option, and is read back, copied and reset. */
static void test_given(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_config c, usual, copy;

	(void)state;
	write_user("");
	assert_int_equal(eb_config_load(NULL, NULL, &c, &err), 0);
	assert_int_equal(eb_config_load(NULL, NULL, &usual, &err), 0);
	for (const char *const *o = eb_named_options; *o; o++) {
		bool flag = eb_config_option(*o) == 1;
		const char *value = flag ? "true" : value_for(*o);

		assert_true(eb_config_option(*o));
		for (int i = 0; i < 2; i++)
			if (eb_config_give(&c, *o, flag ? NULL : value, &err) <
			    0)
				fail_msg("%s", err.message);
		assert_int_equal(has(&c, *o, value),
				 eb_named_repeats(*o) ? 2 : 1);
		assert_true(eb_strv_has(&c.given, *o));
	}
	eb_config_copy(&c, &copy);
	for (const char *const *o = eb_named_options; *o; o++)
		eb_config_reset(&c, *o);
	assert_string_equal(c.pyc, usual.pyc);
	assert_string_equal(c.naming, usual.naming);
	assert_null(c.base);
	assert_false(c.gpu);
	assert_int_equal(c.channel_first.n, 0);
	assert_int_equal(c.source_date_epoch, 0);
	assert_string_equal(copy.pyc, "none");
	assert_string_equal(copy.naming, "azureml");
	assert_int_equal(copy.channel_first.n, 2);
	assert_int_equal(copy.source_date_epoch, 86400);
	assert_int_equal(copy.given.n, c.given.n);
	eb_config_release(&copy);
	eb_config_release(&usual);
	eb_config_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_file_then_environment),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_amounts),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_given),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
