/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of lint that ask indexes: each finds what it is for, in its line,
 * and leaves alone what is right; what is not here is not asked. */
#include "index_fixture.h"
#include "lint_cases.h"

#include <envbuild/build.h>

static struct index_server server;
static char *channel, *more;

/* ---- channels -------------------------------------------------------------
 */

struct package {
	const char *name, *version, *build, *depends;
};

/* Up to one without a name. */
static void make_subdir(const char *folder, const struct package *p)
{
	eb_autofree char *file = eb_path_join(folder, "repodata.json");
	EB_AUTOBUF(out, 65536);

	eb_buf_adds(&out, "{\"packages\": {}, \"packages.conda\": {");
	for (size_t i = 0; p[i].name; i++)
		eb_buf_addf(&out,
			    "%s\"%s-%s-%s.conda\": {\"name\": \"%s\", "
			    "\"version\": \"%s\", \"build\": \"%s\", "
			    "\"build_number\": 0, \"size\": 1, "
			    "\"depends\": [%s]}",
			    i ? ", " : "", p[i].name, p[i].version, p[i].build,
			    p[i].name, p[i].version, p[i].build,
			    p[i].depends ? p[i].depends : "");
	eb_buf_adds(&out, "}}");
	write_text(scratch, file, out.data);
}

static void make_channels(void)
{
	static const struct package ours[] = {
		{ "python", "3.8.5", "0", NULL },
		{ "python", "3.11.4", "0", NULL },
		{ "python", "3.12.1", "0", NULL },
		{ "numpy", "1.20.0", "py38_0", "\"python >=3.8,<3.9.0a0\"" },
		{ "numpy", "1.26.4", "py311_0", "\"python >=3.11,<3.12.0a0\"" },
		{ 0 },
	};
	static const struct package any[] = { { "both", "1.0", "0", NULL },
					      { 0 } };
	static const struct package mac[] = { { "mac-only", "1.0", "0", NULL },
					      { 0 } };
	static const struct package others[] = {
		{ "else", "1.0", "0", NULL },
		{ "both", "2.0", "0", NULL },
		{ 0 },
	};

	make_subdir("chan/linux-64", ours);
	make_subdir("chan/noarch", any);
	make_subdir("chan/osx-64", mac);
	make_subdir("more/noarch", others);
	channel = eb_asprintf("file://%s/chan", scratch);
	more = eb_asprintf("file://%s/more", scratch);
}

/* ---- indexes --------------------------------------------------------------
 */

static void make_indexes(void)
{
	static const char *const main_lines[] = {
		"plain 1.0",
		"plain 2.0",
		"old 1.0 python=<3.9",
		"old 0.9 python=>=2.7",
		"taken 1.0 yanked=broken",
		"taken 0.9",
		"source 1.0 kind=setup",
		"wheeled 1.0 kind=wheel,setup",
		"mac 1.0 tag=cp311-cp311-macosx_11_0_arm64",
		"shared 1.0",
		NULL
	};
	static const char *const extra_lines[] = { "shared 2.0", "own 1.0",
						   NULL };
	eb_autofree char *at = eb_path_join(scratch, "main");
	eb_autofree char *extra_at = eb_path_join(scratch, "extra");
	eb_autofree char *first = eb_asprintf("main=%s", at);
	eb_autofree char *second = eb_asprintf("extra=%s", extra_at);
	eb_autofree char *third = eb_asprintf("private=%s", extra_at);
	const char *const options[] = { "--index", first,
					"--index", second,
					"--index", third,
					"--login", "private=user:word",
					"--fault", "500=/extra/simple/own/",
					NULL };

	make_wheels(at, main_lines);
	make_wheels(extra_at, extra_lines);
	index_start(&server, options);
}

static int set_up(void **state)
{
	/* The fixtures are found from where this was started. */
	eb_autofree char *start = getcwd(NULL, 0);

	if (scratch_set_up(state) < 0 || chdir(start) < 0)
		return -1;
	index_clean_environment(scratch);
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	make_channels();
	make_indexes();
	return chdir(scratch);
}

static int tear_down(void **state)
{
	index_stop(&server);
	free(channel);
	free(more);
	return scratch_tear_down(state);
}

/* ---- one lint -------------------------------------------------------------
 */

struct asked {
	bool network, offline;
	const char *index; /* "main", of the server; NULL: none is configured */
	const char *base;
};
static const struct asked here = { 0 };
static const struct asked asks = { .network = true, .index = "main" };

/* "%C", "%M": the channels; "%P": the server's port. */
static char *fill(const char *text)
{
	EB_AUTOBUF(out, 65536);

	for (; *text; text++) {
		if (*text != '%') {
			eb_buf_addch(&out, *text);
			continue;
		}
		text++;
		if (*text == 'P')
			eb_buf_addf(&out, "%u", server.port);
		else
			eb_buf_adds(&out, *text == 'C' ? channel : more);
	}
	return eb_buf_steal(&out, NULL);
}

static void lint(const char *template, const struct asked *asked,
		 struct eb_linted *out)
{
	eb_autofree char *text = fill(template);
	eb_autofree char *index = NULL;
	struct eb_config c EB_CLEANUP(eb_config_release) = { 0 };
	AUTOERR(err);

	unsetenv("PIP_INDEX_URL");
	if (asked->index) {
		index = eb_asprintf("http://127.0.0.1:%u/%s/simple/",
				    server.port, asked->index);
		setenv("PIP_INDEX_URL", index, 1);
	}
	if (eb_config_load("/dev/null", NULL, &c, &err) < 0)
		fail_msg("%s", err.message);
	free(c.platform);
	c.platform = eb_strdup("linux/amd64");
	c.base = eb_strdup(asked->base);
	c.offline = asked->offline;
	eb_strv_add(&c.channel, more);
	scratch_put("environment.yml", text);
	if (eb_lint("environment.yml", c.platform, out, &err) < 0 ||
	    eb_lint_index(&c, asked->network, NULL, out, &err) < 0)
		fail_msg("%s", err.message);
}

/* ---- each rule ------------------------------------------------------------
 */

#define CHANNEL "channels: ['%C']\ndependencies:\n"
#define BOTH "channels: ['%C', '%M']\ndependencies:\n"
#define PIP CHANNEL "- python=3.11\n- pip:\n"
#define EXTRA "  - --extra-index-url http://127.0.0.1:%P/extra/simple/\n"

static const struct {
	const char *rule;
	const struct asked *asked;
	const char *wrong;
	unsigned line;
	const char *right;
} all[] = {
	{ "no-such-package", &here, CHANNEL "- python\n- nunpy\n", 4,
	  CHANNEL "- python\n- numpy\n" },
	{ "no-such-package", &asks, PIP "  - nothere\n", 5, PIP "  - plain\n" },
	{ "no-such-channel", &here,
	  "channels: ['%C', '%C/none']\ndependencies: [both]\n", 1,
	  CHANNEL "- both\n" },
	{ "other-channel", &here, CHANNEL "- else\n", 3, BOTH "- else\n" },
	{ "other-channel", &here, BOTH "- '%C::else'\n", 3,
	  BOTH "- '%M::else'\n" },
	{ "other-platform", &here, CHANNEL "- mac-only\n", 3,
	  CHANNEL "- both\n" },
	{ "other-platform", &asks, PIP "  - mac==1.0\n", 5,
	  PIP "  - wheeled==1.0\n" },
	{ "no-such-version", &here, CHANNEL "- numpy=1.21\n", 3,
	  CHANNEL "- numpy>=1.21\n" },
	{ "no-such-version", &here, BOTH "- both=2\n", 3, BOTH "- both=1\n" },
	{ "no-such-version", &asks, PIP "  - plain==3\n", 5,
	  PIP "  - plain==2\n" },
	{ "no-such-version", &asks, PIP "  - taken>0.9\n", 5,
	  PIP "  - taken\n" },
	{ "no-such-build", &here, CHANNEL "- numpy=1.26.4=py312_0\n", 3,
	  CHANNEL "- numpy=1.26.4=py311_0\n" },
	{ "requires-python", &here, CHANNEL "- python=3.12\n- numpy\n", 4,
	  CHANNEL "- python>=3.11\n- numpy\n" },
	{ "requires-python", &here, CHANNEL "- python=3.11\n- numpy=1.20\n", 4,
	  CHANNEL "- python=3.8\n- numpy=1.20\n" },
	{ "requires-python", &asks, PIP "  - old==1.0\n", 5,
	  PIP "  - old==0.9\n" },
	{ "withdrawn", &asks, PIP "  - taken==1.0\n", 5,
	  PIP "  - taken==0.9\n" },
	{ "source-only", &asks, PIP "  - source==1.0\n", 5,
	  PIP "  - wheeled==1.0\n" },
	{ "source-only", &asks, PIP "  - source==1.0\n", 5,
	  CHANNEL "- python=3.11\n- cxx-compiler\n- pip:\n  - source==1.0\n" },
	{ "several-indexes", &asks, PIP EXTRA "  - shared==1.0\n", 6,
	  PIP EXTRA "  - plain==1.0\n" },
	{ "index-login", &asks,
	  PIP "  - --index-url http://127.0.0.1:%P/private/simple/\n"
	      "  - own\n",
	  6,
	  PIP "  - --index-url http://user:word@127.0.0.1:%P/private/simple/\n"
	      "  - own\n" },
	{ "index-silent", &asks, PIP EXTRA "  - own==1.0\n", 6,
	  PIP "  - plain==1.0\n" },
	{ "index-silent", &asks,
	  PIP "  - --index-url http://127.0.0.1:1/simple/\n  - plain\n", 6,
	  PIP "  - --no-index\n  - --find-links main\n  - plain\n" },
};

static void rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
		struct eb_linted fine EB_CLEANUP(eb_linted_release) = { 0 };

		lint(all[i].wrong, all[i].asked, &l);
		must_find(&l, all[i].rule, all[i].line, all[i].wrong);
		lint(all[i].right, all[i].asked, &fine);
		must_leave(&fine, all[i].rule, all[i].right);
	}
}

/* ---- what the findings say ------------------------------------------------
 */

static void says(const char *rule, const struct asked *asked, const char *text,
		 const char *what, const char *fix)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	const struct eb_lint_found *f;

	lint(text, asked, &l);
	f = find(&l, rule);
	if (!f)
		fail_msg("%s does not find it in: %s", rule, text);
	if (!strstr(f->what, what) || !f->fix || !strstr(f->fix, fix))
		fail_msg("%s: %s; %s", rule, f->what, f->fix);
}

static void words(void **state)
{
	static const struct asked scratch_base = { .network = true,
						   .index = "main",
						   .base = "debian:12-slim" };

	(void)state;
	says("no-such-package", &here, CHANNEL "- nunpy\n", "\"nunpy\"",
	     "\"numpy\"");
	says("no-such-version", &here, CHANNEL "- numpy=1.21\n", "numpy=1.21",
	     "1.20.0, 1.26.4");
	says("no-such-version", &here, BOTH "- both=2\n", "strict", "::both");
	says("no-such-build", &here, CHANNEL "- numpy=1.26.4=x\n", "no such",
	     "\"py311_0\"");
	says("requires-python", &here, CHANNEL "- python=3.8\n- numpy=1.26\n",
	     "3.8.5", "1.20.0");
	says("other-platform", &here, CHANNEL "- mac-only\n", "osx-64",
	     "selector");
	says("other-channel", &here, CHANNEL "- else\n", "\"else\"", "/more");
	says("no-such-version", &asks, PIP "  - plain==3\n", "1.0 and 2.0",
	     "one of those");
	says("requires-python", &asks, PIP "  - old==1.0\n", "<3.9",
	     "old 0.9 is the newest");
	says("withdrawn", &asks, PIP "  - taken==1.0\n", "broken", "another");
	says("source-only", &scratch_base, PIP "  - source\n", "debian:12-slim",
	     "--build-base");
	says("no-such-package", &asks, PIP "  - both\n", "both", "ask conda");
}

/* ---- what is asked --------------------------------------------------------
 */

static void counts(const char *text, const struct asked *asked, size_t want)
{
	struct eb_linted l EB_CLEANUP(eb_linted_release) = { 0 };
	size_t n = 0;

	lint(text, asked, &l);
	for (size_t i = 0; i < l.findings.n; i++)
		n += l.findings.v[i].rule->of == EB_RULE_INDEX;
	assert_int_equal(n, want);
}

/* Nobody is asked who was not to be; what cannot be known is no finding. */
static void what_is_not_here(void **state)
{
	static const struct asked wired = { .index = "main" };
	static const struct asked offline = { .offline = true,
					      .index = "main" };
	static const struct asked bare = { .network = true };
	eb_autofree char *log = NULL;

	(void)state;
	free(index_ask(&server, "DELETE", "/_log", NULL));
	counts(PIP "  - nothere\n", &wired, 0);
	counts("channels: [http://127.0.0.1:%P/x]\ndependencies: [x]\n", &wired,
	       0);
	log = index_ask(&server, "GET", "/_log", NULL);
	assert_string_equal(log, "[]");
	/* where it was wanted, it is said once */
	counts(PIP "  - nothere\n  - plain\n", &offline, 1);
	counts(PIP "  - nothere\n  - plain\n", &bare, 1);
	counts(PIP "  - --index-url http://127.0.0.1:1/\n  - a\n  - b\n  - c\n",
	       &asks, 1);
	/* a channel that does not answer may have it */
	counts("channels: [http://127.0.0.1:%P/x, '%C']\ndependencies:\n"
	       "- nothere\n- numpy=9\n",
	       &here, 0);
	counts("channels: ['%C', http://127.0.0.1:%P/x]\ndependencies:\n"
	       "- nothere\n- numpy=9\n",
	       &here, 1);
	/* without a Python its own rules say nothing */
	counts("channels: ['%C']\ndependencies:\n- both\n- pip:\n  - old\n"
	       "  - mac\n  - source\n  - old==7 ; python_version < '3'\n",
	       &asks, 0);
	counts(PIP "  - old==1.0 ; python_version < '3'\n", &asks, 0);
	/* folders and URLs are not looked up */
	counts(PIP "  - http://127.0.0.1:1/x-1.0.tar.gz\n  - x @ "
		   "http://127.0.0.1:1/x-1.0.tar.gz\n",
	       &asks, 0);
}

static void every_rule(void **state)
{
	(void)state;
	every_rule_has_both(EB_RULE_INDEX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(words),
		cmocka_unit_test(what_is_not_here),
		cmocka_unit_test(every_rule),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
