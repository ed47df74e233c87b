/* SPDX-License-Identifier: Apache-2.0 */
/* Pip sections that cannot be resolved: one kind of failure, one explanation,
 * at the line that asked. And indexes that misbehave: an end, in bounded time,
 * without a secret in it. */
#include "resolve_fixture.h"

#include <sys/stat.h>

static const char *const wheels[] = {
	"plain 1.0",
	"plain 1.1 time=2021-06-01T00:00:00Z",
	"plain 2.0 time=2022-01-01T00:00:00Z",
	"plain 3.0b1 time=2022-01-01T00:00:00Z",
	"newer 2.0 python=>=3.9",
	"newer 1.0 python=>=3.6",
	"wants 1.0 requires=newer>=2",
	"windows 1.0 tag=cp37-cp37m-win_amd64",
	"libc 1.0 tag=cp37-cp37m-manylinux_2_38_x86_64",
	"abi 1.0 tag=cp38-cp38-manylinux2014_x86_64",
	"gone 1.0 yanked='broken build'",
	"left 1.0 requires=shared>=2",
	"right 1.0 requires=mid",
	"mid 1.0 requires=shared<2",
	"shared 1.0",
	"shared 2.0",
	"lost 1.0 requires=nothere>=1",
	"sources 1.0 kind=setup",
	"confused 1.0",
	"late 1.0 requires=plain>=9",
	"url 1.0 requires='plain @ http://files.example/plain-1.0.zip'",
	NULL,
};

static struct section section;

static int open_all(void **state)
{
	section_open(&section, wheels, NULL);
	*state = &section;
	return 0;
}

static int close_all(void **state)
{
	section_close(*state);
	return 0;
}

static void has_hint(const struct section *s, const char *words)
{
	if (!s->err.hint || !strstr(s->err.hint, words))
		fail_msg("hint \"%s\" has no \"%s\"",
			 s->err.hint ? s->err.hint : "", words);
}

static void is_at(const struct section *s, unsigned line)
{
	assert_non_null(s->err.file);
	assert_string_equal(s->err.file, "env.yml");
	assert_int_equal(s->err.line, line);
	assert_int_equal(s->err.column, 7);
}

/* --- kinds -------------------------------------------------------------------
 */

static void test_no_project(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	REFUSES(s, section_resolve(s, "plain", "no_such", NULL), EB_NO,
		"\"no_such\": there is no such project (asked: "
		"\"http://127.0.0.1:");
	is_at(s, 11);
	REFUSES(s, section_resolve(s, "plain", "lost", NULL), EB_NO,
		"\"nothere>=1\", which \"lost\" 1.0 requires: there is no such "
		"project");
	is_at(s, 11);
}

static void test_no_version(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	REFUSES(s, section_resolve(s, "plain==1.5", NULL), EB_NO,
		"\"plain==1.5\": there is no such version");
	assert_non_null(
		strstr(s->err.message, "nearest: 1.0, 1.1, 2.0 and 3.0b1"));
	is_at(s, 10);
	REFUSES(s, section_resolve(s, "late", NULL), EB_NO,
		"\"plain>=9\", which \"late\" 1.0 requires: there is no such "
		"version");
	REFUSES(s,
		section_resolve(s, "plain>2.0,<4", "--only-final plain", NULL),
		EB_NO, "there are pre-releases alone, as 3.0b1");
	has_hint(s, "--only-final");
	s->r.as_of = "2019-01-01";
	REFUSES(s, section_resolve(s, "plain>1.0", NULL), EB_NO,
		"no version that fits was there on 2019-01-01");
	s->r.as_of = NULL;
}

static void test_yanked(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	REFUSES(s, section_resolve(s, "gone", NULL), EB_NO,
		"\"gone\": every version that fits was withdrawn (yanked), as "
		"1.0: broken build");
	has_hint(s, "gone==1.0");
}

static void test_python(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	REFUSES(s, section_resolve(s, "newer==2.0", NULL), EB_NO,
		"\"newer==2.0\": no version that fits is for Python 3.7.0; 2.0 "
		"needs Python >=3.9");
	has_hint(s, "newer 1.0 is the newest for Python 3.7.0");
	REFUSES(s, section_resolve(s, "plain", "wants", NULL), EB_NO,
		"\"newer>=2\", which \"wants\" 1.0 requires");
	is_at(s, 11);
	REFUSES(s, section_resolve(s, "abi", NULL), EB_NO,
		"1.0 has a wheel for cp38-cp38-manylinux2014_x86_64 and no "
		"source");
	has_hint(s, "no version of abi is for Python 3.7.0");
}

static void test_platform(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	REFUSES(s, section_resolve(s, "libc", NULL), EB_NO,
		"no file that fits is for glibc 2.36 on x86_64");
	assert_non_null(strstr(s->err.message, "manylinux_2_38_x86_64"));
	REFUSES(s, section_resolve(s, "windows", NULL), EB_NO, "win_amd64");
}

static void test_conflict(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	REFUSES(s, section_resolve(s, "left", "right", NULL), EB_NO,
		"no version of \"shared\" is for both: left 1.0 requires "
		"shared>=2; but right 1.0 requires mid, mid 1.0 requires "
		"shared<2");
	is_at(s, 10);
	has_hint(s, "env.yml:11 (right)");
	REFUSES(s, section_resolve(s, "plain==1.0", "plain==1.1", NULL), EB_NO,
		"the pip section asks for plain==1.0; but the pip section asks "
		"for plain==1.1");
	REFUSES(s, section_resolve(s, "left", "shared==1.0", NULL), EB_NO,
		"\"shared\" is for both");
}

static void test_kinds(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	REFUSES(s, section_resolve(s, "sources", NULL), EB_NO,
		"\"sources==1.0\" has no wheel");
	REFUSES(s, section_resolve(s, "sources", "--only-binary :all:", NULL),
		EB_NO, "1.0 has a source alone, and wheels are what");
	has_hint(s, "--only-binary");
	REFUSES(s, section_resolve(s, "plain<2", "--no-binary plain", NULL),
		EB_NO, "has wheels alone, and a source is what");
	has_hint(s, "--no-binary");
	REFUSES(s, section_resolve(s, "url", NULL), EB_NO, "URL dependencies");
}

/* --- several indexes
 * ---------------------------------------------------------- */

static const char *const others[] = { "confused 9.0", "private 1.0", NULL };

static void test_confusion(void **state)
{
	static struct section two;
	struct section *s = *state;
	eb_autofree char *first = NULL, *second = NULL, *index = NULL;

	NEED_UV(s);
	section_open(&two, others, NULL);
	first = eb_asprintf("--extra-index-url http://127.0.0.1:%u/one/simple/",
			    two.server.port);
	index = eb_asprintf("http://127.0.0.1:%u/one/simple", two.server.port);
	PINS(s,
	     section_resolve(s, "confused", "plain==1.0", first,
			     "--index-url http://127.0.0.1:%P/one/simple/",
			     NULL),
	     "confused==9.0 plain==1.0");
	assert_string_equal(section_pin(s, "confused")->index, index);
	assert_string_not_equal(section_pin(s, "plain")->index, index);
	/* the first that has it decides, whatever the other one has */
	REFUSES(s,
		section_resolve(s, "confused<9", first,
				"--index-url http://127.0.0.1:%P/one/simple/",
				NULL),
		EB_NO, "has the project but no such version; \"http://");
	has_hint(s, "the first that has a project decides");
	second = eb_asprintf("--index-url http://127.0.0.1:%u/one/simple/",
			     two.server.port);
	PINS(s,
	     section_resolve(s, "confused",
			     "--extra-index-url "
			     "http://127.0.0.1:%P/one/simple/",
			     second, NULL),
	     "confused==1.0");
	section_close(&two);
}

/* --- bad servers
 * --------------------------------------------------------------- */

static void set_faults(struct section *s, const char *faults)
{
	free(index_ask(&s->server, "PUT", "/_faults", faults));
}

static void test_faults(void **state)
{
	struct section *s = *state;
	static const struct {
		const char *fault;
		enum eb_code code;
	} faults[] = {
		{ "circle=/one/simple/plain/", EB_NETWORK },
		{ "500=/one/simple/plain/", EB_NETWORK },
		{ "hang=/one/simple/plain/", EB_NETWORK },
		{ "403=/one/simple/plain/", EB_REFUSED },
	};
	uint64_t begin = eb_now_ns();

	NEED_UV(s);
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	setenv("PIP_TIMEOUT", "1", 1);
	setenv("PIP_RETRIES", "1", 1);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		set_faults(s, faults[i].fault);
		assert_int_equal(section_resolve(s, "plain", NULL), -1);
		if (s->err.code != faults[i].code)
			fail_msg("%s: %s: %s", faults[i].fault,
				 eb_code_name(s->err.code), s->err.message);
		assert_non_null(strstr(s->err.message, "127.0.0.1"));
	}
	set_faults(s, "");
	unsetenv("PIP_TIMEOUT");
	unsetenv("PIP_RETRIES");
	assert_true(eb_now_ns() - begin < 60000000000u);
}

static void test_no_uv(void **state)
{
	struct section *s = *state;
	eb_autofree char *uv = eb_strdup(getenv("ENVBUILD_UV"));

	NEED_UV(s);
	setenv("ENVBUILD_UV", "/bin/true", 1);
	REFUSES(s, section_resolve(s, "plain", NULL), EB_MACHINE,
		"asking for its version");
	has_hint(s, "make deps");
	setenv("ENVBUILD_UV", "/nowhere/uv", 1);
	REFUSES(s, section_resolve(s, "plain", NULL), EB_MACHINE,
		"/nowhere/uv");
	if (uv)
		setenv("ENVBUILD_UV", uv, 1);
	else
		unsetenv("ENVBUILD_UV");
}

/* --- secrets
 * --------------------------------------------------------------------- */

static void has_none(const struct section *s, const char *text)
{
	(void)s;
	if (text && strstr(text, "hidden"))
		fail_msg("the secret is in: %s", text);
}

static void test_secrets(void **state)
{
	static const char *const login[] = { "--login", "me:hidden", NULL };
	static struct section closed;
	static const char line[] =
		"--index-url http://me:hidden@127.0.0.1:%P/one/simple/";
	struct section *s = &closed;
	const char *grep[] = { "grep", "-rlF", "hidden", NULL, NULL };
	EB_AUTOBUF(found, 4096);
	eb_autofree char *cache = NULL;
	int status = 0;

	NEED_UV((struct section *)*state);
	section_open(s, wheels, login);
	REFUSES(s, section_resolve(s, "plain", NULL), EB_REFUSED, "127.0.0.1");
	PINS(s, section_resolve(s, "left", line, NULL),
	     "left==1.0 shared==2.0");
	for (size_t i = 0; i < s->result.n; i++) {
		has_none(s, s->result.pin[i].url);
		has_none(s, s->result.pin[i].index);
		assert_true(s->result.pin[i].size > 100);
	}
	REFUSES(s, section_resolve(s, "left", "right", line, NULL), EB_NO,
		"shared");
	has_none(s, s->err.message);
	has_none(s, s->err.hint);
	REFUSES(s, section_resolve(s, "no_such", line, NULL), EB_NO, "no_such");
	has_none(s, s->err.message);
	/* nor on the disk afterwards */
	grep[3] = cache = eb_path_join(s->dir, "cache");
	MUST(eb_process_run(grep, NULL, NULL, 0, 4096, 30, &found, NULL,
			    &status, err));
	assert_string_equal(found.data, "");
	assert_int_equal(status, 1);
	section_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_project),
		cmocka_unit_test(test_no_version),
		cmocka_unit_test(test_yanked),
		cmocka_unit_test(test_python),
		cmocka_unit_test(test_platform),
		cmocka_unit_test(test_conflict),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_confusion),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_no_uv),
		cmocka_unit_test(test_secrets),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
