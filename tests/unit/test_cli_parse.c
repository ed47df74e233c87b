/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: options in their forms, "--", what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <envbuild/mem.h>

#include "build/options.h"
#include "cli/cli.h"

#define WORDS(...) ((char *[]){ __VA_ARGS__, NULL })

static const struct eb_cli_option own[] = {
	{ "env", "K[=V]" }, { "quick", NULL }, { "place", "[HOST]" }, { 0 }
};
static const struct eb_command command = { .name = "try",
					   .usage = "try THIS",
					   .own = own };

static int parse(struct eb_cli *cli, char **argv, struct eb_error *err)
{
	int argc = 0;

	*cli = (struct eb_cli){ .cmd = &command };
	eb_config_defaults(&cli->config);
	while (argv[argc])
		argc++;
	return eb_cli_parse(cli, argc, argv, err);
}

static void release(struct eb_cli *cli)
{
	eb_config_release(&cli->config);
	eb_strv_release(&cli->args);
	eb_strv_release(&cli->own);
	eb_strv_release(&cli->command);
}

static void accept(struct eb_cli *cli, char **argv)
{
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(parse(cli, argv, &err), 0);
	assert_false(eb_err_is_set(&err));
}

static void refuse(char **argv, const char *words, const char *hint)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_cli cli;

	assert_int_equal(parse(&cli, argv, &err), -1);
	assert_int_equal(err.code, EB_USAGE);
	assert_non_null(strstr(err.message, words));
	if (hint)
		assert_non_null(strstr(err.hint, hint));
	eb_err_release(&err);
	release(&cli);
}

static void test_forms(void **state)
{
	struct eb_cli cli;

	(void)state;
	accept(&cli, WORDS("a", "--base", "scratch", "--jobs=3", "b",
			   "--offline", "--limit=member-size=2KiB", "-"));
	assert_int_equal(cli.args.n, 3);
	assert_string_equal(cli.args.v[0], "a");
	assert_string_equal(cli.args.v[1], "b");
	assert_string_equal(cli.args.v[2], "-");
	assert_string_equal(cli.config.base, "scratch");
	assert_int_equal(cli.config.jobs, 3);
	assert_true(cli.config.offline);
	assert_int_equal(cli.config.limit[EB_LIMIT_MEMBER_SIZE], 2048);
	assert_false(cli.has_command);
	release(&cli);
}

static void test_short(void **state)
{
	struct eb_cli cli;

	(void)state;
	accept(&cli, WORDS("-q"));
	assert_true(cli.config.quiet && !cli.config.verbose);
	release(&cli);
	accept(&cli, WORDS("-qv"));
	assert_true(cli.config.quiet && cli.config.verbose);
	release(&cli);
	accept(&cli, WORDS("--quiet", "--verbose"));
	assert_true(cli.config.quiet && cli.config.verbose);
	release(&cli);
	refuse(WORDS("-x"), "\"-x\"", NULL);
	refuse(WORDS("-qx"), "\"-x\"", NULL);
}

/* The last one of an option counts; lists grow. Channels of the command line
 * stand apart: they come before a file's own. */
static void test_repeated(void **state)
{
	struct eb_cli cli;

	(void)state;
	accept(&cli,
	       WORDS("--base", "a", "--base=b", "--output", "oci:x", "--output",
		     "oci:y", "--channel", "c", "--channel=d"));
	assert_string_equal(cli.config.base, "b");
	assert_int_equal(cli.config.output.n, 2);
	assert_string_equal(cli.config.output.v[1], "oci:y");
	assert_int_equal(cli.config.channel.n, 0);
	assert_int_equal(cli.config.channel_first.n, 2);
	assert_string_equal(cli.config.channel_first.v[0], "c");
	release(&cli);
}

static void test_own(void **state)
{
	struct eb_cli cli;

	(void)state;
	accept(&cli, WORDS("--env", "A=1", "--env=B=2"));
	assert_int_equal(cli.own.n, 4);
	assert_string_equal(cli.own.v[1], "A=1");
	assert_string_equal(eb_cli_own(&cli, "env"), "B=2");
	assert_null(eb_cli_own(&cli, "quick"));
	release(&cli);
	accept(&cli, WORDS("--quick"));
	assert_string_equal(eb_cli_own(&cli, "quick"), "");
	release(&cli);
	/* a value behind "=" alone */
	accept(&cli, WORDS("--place", "word"));
	assert_string_equal(eb_cli_own(&cli, "place"), "");
	assert_string_equal(cli.args.v[0], "word");
	release(&cli);
	accept(&cli, WORDS("--place=word"));
	assert_string_equal(eb_cli_own(&cli, "place"), "word");
	assert_int_equal(cli.args.n, 0);
	release(&cli);
	refuse(WORDS("--quick=yes"), "\"--quick\" takes no value", NULL);
	refuse(WORDS("--env"), "\"--env\" needs a value", NULL);
}

static void test_command(void **state)
{
	struct eb_cli cli;

	(void)state;
	accept(&cli, WORDS("a", "--", "sh", "-c", "--", "--base"));
	assert_true(cli.has_command);
	assert_int_equal(cli.args.n, 1);
	assert_int_equal(cli.command.n, 4);
	assert_string_equal(cli.command.v[1], "-c");
	assert_string_equal(cli.command.v[3], "--base");
	assert_null(cli.config.base);
	release(&cli);
	accept(&cli, WORDS("a", "--"));
	assert_true(cli.has_command);
	assert_int_equal(cli.command.n, 0);
	release(&cli);
}

static void test_refusals(void **state)
{
	(void)state;
	refuse(WORDS("--bas", "x"), "\"--bas\"", "try THIS");
	refuse(WORDS("--=x"), "\"--\"", "try THIS");
	refuse(WORDS("--policy", "x"), "\"--policy\"", "try THIS");
	refuse(WORDS("--base"), "\"--base\" needs a value", NULL);
	refuse(WORDS("--base="), "\"base\" needs a value", NULL);
	refuse(WORDS("--offline=true"), "\"--offline\" takes no value", NULL);
	refuse(WORDS("--config"), "\"--config\" needs a value", NULL);
	refuse(WORDS("--pyc", "maybe"), "\"maybe\"", "compile|none");
	refuse(WORDS("--jobs", "-1"), "\"-1\"", NULL);
	refuse(WORDS("--max-age", "soon"), "\"soon\"", "90s");
	refuse(WORDS("--limit", "x=1"), "\"x=1\"", "doctor");
	/* The value is the next word, whatever it looks like. */
	refuse(WORDS("--progress", "--json"), "\"--json\"", "plain");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
