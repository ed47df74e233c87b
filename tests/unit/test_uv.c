/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of uv: what they write and pass on, and what is read from its words. */
#include "resolve_fixture.h"

#include <sys/stat.h>

#include "python/uv.h"

/* --- machines ------------------------------------------------------------- */

static void is_platform(const char *arch, const char *glibc,
			const char *expected)
{
	struct eb_python_target t = { .version = "3.7.0",
				      .glibc = glibc,
				      .arch = arch };
	eb_autofree char *is = eb_uv_platform(&t);

	if (expected)
		assert_string_equal(is, expected);
	else
		assert_null(is);
}

static void test_platform(void **state)
{
	struct eb_python_target musl = { .version = "3.7.0",
					 .musl = "1.2",
					 .arch = "x86_64" };
	eb_autofree char *is = eb_uv_platform(&musl);

	(void)state;
	is_platform("x86_64", "2.17", "x86_64-manylinux_2_17");
	is_platform("x86_64", "2.27", "x86_64-manylinux_2_17");
	is_platform("x86_64", "2.28", "x86_64-manylinux_2_28");
	is_platform("x86_64", "2.30", "x86_64-manylinux_2_28");
	is_platform("aarch64", "2.31", "aarch64-manylinux_2_31");
	is_platform("x86_64", "2.36", "x86_64-manylinux_2_36");
	is_platform("x86_64", "2.42", "x86_64-manylinux_2_40");
	is_platform("ppc64le", "2.36", NULL);
	is_platform("x86_64", "what", NULL);
	assert_string_equal(is, "x86_64-unknown-linux-musl");
}

/* --- words ------------------------------------------------------------------
 */

static const char said[] =
	"DEBUG Solving with target Python version: >=3.7\n"
	"DEBUG Adding direct dependency: left[more]>=1\n"
	"DEBUG Adding direct dependency: plain>=7, <7+\n"
	"DEBUG Adding direct dependency: other>0.5, <1.3 | >=1.3+\n"
	"DEBUG No cache entry for: http://127.0.0.1:1/simple/left/\n"
	"DEBUG Found stale response for: http://127.0.0.1:1/simple/left/\n"
	"DEBUG No cache entry for: http://127.0.0.1:1/files/left-1.0.whl\n"
	"DEBUG Adding transitive dependency for left==1.0: left==1.0\n"
	"DEBUG Adding transitive dependency for left[more]==1.0: shared>=2\n"
	"DEBUG Adding transitive dependency for left==1.0: shared>=2\n"
	"DEBUG Adding transitive dependency for left==1.0: mid*\n"
	"warning: `gone==1.0` is yanked (reason: \"broken (twice)\")\n"
	"DEBUG Solving with target Python version: >=3.11\n"
	"DEBUG Adding direct dependency: setuptools>=40\n"
	"error: Failed to download and build `old==1.0`\n"
	"  cause: http://me:hidden@127.0.0.1/ did not work\n";

static void is_edge(const struct eb_uv_edge *e, const char *who,
		    const char *name, const char *range)
{
	if (who)
		assert_string_equal(e->who, who);
	else
		assert_null(e->who);
	assert_string_equal(e->name, name);
	assert_string_equal(e->range, range);
}

static void test_log(void **state)
{
	struct eb_indexes x = { .url = (char *)"http://me:hidden@127.0.0.1/" };
	struct eb_uv_log l = { 0 };
	eb_autofree char *stop = NULL;

	(void)state;
	eb_uv_log_read(said, &x, true, &l);
	assert_int_equal(l.n, 5);
	is_edge(&l.edge[0], NULL, "left", ">=1");
	is_edge(&l.edge[1], NULL, "plain", "==7");
	is_edge(&l.edge[2], NULL, "other", ">0.5,!=1.3");
	is_edge(&l.edge[3], "left", "shared", ">=2");
	is_edge(&l.edge[4], "left", "mid", "");
	assert_string_equal(l.edge[4].who_version, "1.0");
	assert_int_equal(l.page.n, 1);
	assert_string_equal(l.page.v[0], "http://127.0.0.1:1/simple/left/");
	assert_string_equal(eb_uv_log_yanked(&l, "gone", "1.0"),
			    "broken (twice)");
	assert_null(eb_uv_log_yanked(&l, "gone", "1"));
	stop = eb_uv_log_stop(&l);
	assert_string_equal(stop, "old==1.0");
	assert_null(strstr(l.text, "hidden"));
	assert_null(strstr(l.text, "DEBUG"));
	eb_uv_log_release(&l);
}

static void test_stop(void **state)
{
	static const struct eb_indexes none = { 0 };
	struct eb_uv_log l = { 0 };
	char *stop;

	(void)state;
	/* a source that cannot be fetched is no question of building */
	eb_uv_log_read("error: Failed to download and build `old==1.0`\n"
		       "  cause: Failed to fetch: http://127.0.0.1/old\n",
		       &none, true, &l);
	assert_null(eb_uv_log_stop(&l));
	eb_uv_log_release(&l);
	/* what was built all the same counts as a stop */
	eb_uv_log_read("   Building old==1.0\n      Built old==1.0\n", &none,
		       true, &l);
	stop = eb_uv_log_stop(&l);
	assert_string_equal(stop, "old==1.0");
	free(stop);
	eb_uv_log_release(&l);
}

/* --- a call ------------------------------------------------------------------
 */

static bool has_text(const char *dir, const char *name, const char *text,
		     mode_t mode)
{
	eb_autofree char *path = eb_path_join(dir, name);
	EB_AUTOBUF(is, 65536);
	struct stat st;

	MUST(eb_read_file(path, 65536, &is, err));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
	return strstr(is.data, text) != NULL;
}

static void none_has(const struct eb_strv *texts, const char *secret)
{
	for (size_t i = 0; i < texts->n; i++)
		assert_null(strstr(texts->v[i], secret));
}

static void test_call(void **state)
{
	char dir[] = "/tmp/eb-uv-XXXXXX";
	struct eb_pip_set set = { 0 };
	struct eb_indexes x = { 0 };
	struct eb_pip_request r = { .set = &set,
				    .target = { .version = "3.7.0",
						.glibc = "2.31",
						.arch = "x86_64" },
				    .indexes = &x,
				    .as_of = "2021-01-01" };
	struct eb_uv_call_plan plan = { .r = &r,
					.python = "/usr/bin/python3",
					.cache = "/tmp/cache" };
	struct eb_uv_call_made made = { 0 };
	size_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	index_clean_environment(dir);
	setenv("PIP_CONFIG_FILE", "/dev/null", 1);
	MUST(eb_pip_set_add(&set, "alpha>=1.0 ; python_version < '3.8'", false,
			    "/", "env.yml", 1, 1, err));
	MUST(eb_pip_set_add(&set,
			    "beta @ https://me:hidden@files.example/beta.zip",
			    false, "/", "env.yml", 2, 1, err));
	MUST(eb_pip_set_add(&set,
			    "--index-url https://me:hidden@index.example/s/",
			    false, "/", "env.yml", 3, 1, err));
	MUST(eb_indexes_read(&set, &x, NULL, err));
	made.dir = eb_strdup(dir);
	MUST(eb_uv_call_make(&plan, &made, err));
	none_has(&made.argv, "hidden");
	none_has(&made.env, "hidden");
	assert_string_equal(made.argv.v[0], "uv");
	assert_true(eb_strv_has(&made.argv, "--python-version=3.7.0"));
	assert_true(eb_strv_has(&made.argv,
				"--python-platform=x86_64-manylinux_2_31"));
	assert_true(eb_strv_has(&made.argv, "--build-constraints=build.txt"));
	assert_true(eb_strv_has(&made.env, "UV_PYTHON_DOWNLOADS=never"));
	assert_true(eb_strv_has(&made.env, "PYTHONHOME=/dev/null"));
	assert_true(has_text(dir, "uv.toml",
			     "index-url = \"https://me:hidden@index.example/",
			     0600));
	assert_true(has_text(dir, "uv.toml", "exclude-newer = \"2021-01-01\"",
			     0600));
	assert_true(has_text(dir, "requirements.in",
			     "beta @ https://me:hidden@", 0600));
	assert_true(has_text(dir, "build.txt", "setuptools==0.0.0\n", 0600));
	for (i = 0; i < made.argv.n; i++)
		assert_null(strstr(made.argv.v[i], "exclude-newer"));
	eb_uv_call_made_release(&made);
	MUST(eb_remove_tree(dir, err));
	eb_pip_set_release(&set);
	eb_indexes_release(&x);
}

/* --- stubs
 * -------------------------------------------------------------------- */

/* A foreign reader takes it. */
static void test_stub(void **state)
{
	static const char text[] = "Metadata-Version: 2.1\r\nName: Foo.Bar\r\n"
				   "Version: 1.0\r\n"
				   "Requires-Dist: beta (>=1)\r\n"
				   "Requires-Dist: this is none\r\n"
				   "Provides-Extra: more\r\n\r\nwords\r\n";
	static const struct eb_installed p = { (char *)"foo-bar", (char *)"1.0",
					       (char *)"foobar", text,
					       sizeof text - 1 };
	static const char program[] =
		"import sys, zipfile\n"
		"z = zipfile.ZipFile(sys.argv[1])\n"
		"assert z.testzip() is None\n"
		"print(z.namelist())\n"
		"print(z.read('foo_bar-1.0.dist-info/METADATA'))\n";
	char dir[] = "/tmp/eb-uv-XXXXXX";
	eb_autofree char *file = NULL;
	const char *argv[] = { "python3", "-c", program, NULL, NULL };
	EB_AUTOBUF(out, 4096);
	int status = 1;

	(void)state;
	assert_non_null(mkdtemp(dir));
	MUST(eb_uv_stub_write(dir, &p, err));
	argv[3] = file = eb_path_join(dir, "foo_bar-1.0-py3-none-any.whl");
	MUST(eb_process_run(argv, NULL, NULL, 0, 4096, 30, &out, &out, &status,
			    err));
	if (status)
		fail_msg("%s", out.data);
	assert_string_equal(
		out.data,
		"['foo_bar-1.0.dist-info/METADATA', "
		"'foo_bar-1.0.dist-info/WHEEL', 'foo_bar-1.0.dist-info/RECORD']"
		"\nb'Metadata-Version: 2.1\\nName: foo-bar\\nVersion: 1.0\\n"
		"Requires-Dist: beta (>=1)\\nProvides-Extra: more\\n'\n");
	MUST(eb_remove_tree(dir, err));
}

/* --- a run
 * ---------------------------------------------------------------------- */

/* It ends in its time, whatever it does, and its status is told. */
static void test_run(void **state)
{
	char dir[] = "/tmp/eb-uv-XXXXXX";
	const char *env[] = { "PATH=/usr/bin:/bin", NULL };
	const char *quick[] = { "/bin/sh", "-c",
				"echo out; echo err >&2; exit 3", NULL };
	const char *slow[] = { "/bin/sleep", "60", NULL };
	const char *outside[] = { "/bin/sh", "-c", NULL, NULL };
	eb_autofree char *script = NULL, *other = NULL;
	EB_AUTOBUF(log, 4096);
	struct eb_uv_job job = { .env = env, .timeout_s = 20, .log = &log };
	struct eb_error e = EB_ERROR_INIT;

	(void)state;
	assert_non_null(mkdtemp(dir));
	job.root = dir;
	job.argv = quick;
	if (eb_uv_run(&job, NULL, &e) < 0 && e.code == EB_MACHINE) {
		print_message("%s: not looked at\n", e.message);
		eb_err_release(&e);
		rmdir(dir);
		skip();
	}
	assert_null(e.message);
	assert_int_equal(job.status, 3);
	assert_non_null(strstr(log.data, "out\n"));
	assert_non_null(strstr(log.data, "err\n"));
	other = eb_asprintf("%s-other", dir);
	script = eb_asprintf("echo x > %s; echo x > %s/in", other, dir);
	outside[2] = script;
	job.argv = outside;
	MUST(eb_uv_run(&job, NULL, err));
	assert_false(eb_path_exists(other));
	assert_int_equal(job.status, 0);
	job.argv = slow;
	job.timeout_s = 1;
	assert_int_equal(eb_uv_run(&job, NULL, &e), -1);
	assert_int_equal(e.code, EB_STEP);
	assert_non_null(strstr(e.message, "not done after 1 s"));
	eb_err_release(&e);
	MUST(eb_remove_tree(dir, err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_platform), cmocka_unit_test(test_log),
		cmocka_unit_test(test_stop),	 cmocka_unit_test(test_call),
		cmocka_unit_test(test_stub),	 cmocka_unit_test(test_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
