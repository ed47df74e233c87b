/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of conda's, a line a package: explicit ones and specs (CEP 23). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/spec.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTOSPEC(name) EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *name = NULL

#define MD5 "d7c89558ba9fa0495403155b64376d81"
#define SHA "fe51de6107f9edc7aa4f786a70f4a883943bc9d39b3bb7307c04c41410990726"
#define HOST "https://conda.example/forge"

static struct eb_spec *read_as(const char *file, const char *text)
{
	struct eb_spec *s = NULL;
	AUTOERR(err);

	if (eb_spec_parse(text, strlen(text), file, "linux/amd64", NULL, &s,
			  &err) < 0)
		fail_msg("%s:%u:%u: %s", file, err.line, err.column,
			 err.message);
	return s;
}

static char *definition(struct eb_spec *s)
{
	struct eb_request r = { .spec = s,
				.platform = "linux/amd64",
				.prefix = "/opt/env" };
	EB_AUTOBUF(out, EB_MAX_TEXT);
	AUTOERR(err);

	for (size_t i = 0; i < s->channels.n; i++)
		if (eb_channels_add(&r.channels, s->channels.v[i], NULL, &err) <
		    0)
			fail_msg("%s", err.message);
	if (eb_definition_text(&r, &out, &err) < 0)
		fail_msg("%s", err.message);
	eb_request_release(&r);
	return eb_buf_steal(&out, NULL);
}

/* ---- explicit lists -------------------------------------------------------
 */

static const char explicit_text[] =
	"# This file may be used to create an environment using:\n"
	"# $ conda create --name <env> --file <this file>\n"
	"# platform: linux-64\n"
	"@EXPLICIT\n" HOST "/linux-64/x264-1%21164.3095-h166bdaf_2.tar.bz2#" MD5
	"\n\n  " HOST "/noarch/Tz-data-2021e-he74cb21_0.conda#sha256:" SHA
	"\nfile:///srv/files/a_b-0.1-0.conda#" SHA "\n";

static void is_record(const struct eb_exact_package *p, const char *name,
		      const char *version, const char *build,
		      const char *subdir, const char *url)
{
	assert_string_equal(p->record.name, name);
	assert_string_equal(p->record.version, version);
	assert_string_equal(p->record.build, build);
	if (subdir)
		assert_string_equal(p->record.subdir, subdir);
	else
		assert_null(p->record.subdir);
	assert_string_equal(p->record.url, url);
	assert_true(p->requested && p->partial);
}

static void explicit_list(void **state)
{
	AUTOSPEC(s);
	const struct eb_exact_package *p;
	char hex[EB_HEX_SIZE];

	(void)state;
	s = read_as("spec.txt", explicit_text);
	assert_non_null(s->exact);
	assert_int_equal(s->exact->n, 3);
	assert_false(s->exact->installed);
	p = s->exact->package;
	is_record(&p[0], "a_b", "0.1", "0", NULL,
		  "file:///srv/files/a_b-0.1-0.conda");
	is_record(&p[1], "tz-data", "2021e", "he74cb21_0", "noarch",
		  HOST "/noarch/Tz-data-2021e-he74cb21_0.conda");
	is_record(&p[2], "x264", "1!164.3095", "h166bdaf_2", "linux-64",
		  HOST "/linux-64/x264-1%21164.3095-h166bdaf_2.tar.bz2");
	assert_string_equal(p[2].record.fn,
			    "x264-1!164.3095-h166bdaf_2.tar.bz2");
	assert_string_equal(p[2].record.md5, MD5);
	assert_false(p[2].record.has_sha256);
	assert_string_equal(eb_digest_hex(&p[1].record.sha256, hex), SHA);
	assert_string_equal(eb_digest_hex(&p[0].record.sha256, hex), SHA);
	assert_int_equal(p[0].line, 8);
	assert_int_equal(p[1].line, 7);
	assert_int_equal(p[1].column, 3);
	/* each channel once, and a line each */
	assert_int_equal(s->channels.n, 2);
	assert_string_equal(s->channels.v[1], HOST);
	assert_int_equal(s->n_conda, 3);
	assert_string_equal(s->conda_at[1].text,
			    HOST "::tz-data=2021e=he74cb21_0");
	assert_int_equal(s->conda_at[1].line, 7);
	assert_string_equal(s->azure_name, "");
}

/* The order of lines, comments and line ends do not count. */
static void explicit_hash(void **state)
{
	static const char one[] = "@EXPLICIT\n" HOST "/noarch/a-1-0.conda#" MD5
				  "\n" HOST "/noarch/b-1-0.conda#" SHA "\n";
	static const char two[] =
		"# x\r\n" HOST "/noarch/b-1-0.conda#sha256:" SHA
		"\r\n# y\r\n@EXPLICIT\r\n" HOST "/noarch/a-1-0.conda#" MD5;
	static const char other[] =
		"@EXPLICIT\n" HOST "/noarch/a-1-0.conda#" SHA "\n" HOST
		"/noarch/b-1-0.conda#" SHA "\n";
	AUTOSPEC(a);
	AUTOSPEC(b);
	AUTOSPEC(c);
	eb_autofree char *x = NULL, *y = NULL, *z = NULL;

	(void)state;
	a = read_as("a.txt", one);
	b = read_as("-", two);
	c = read_as("a.txt", other);
	x = definition(a);
	y = definition(b);
	z = definition(c);
	assert_string_equal(x, y);
	assert_string_not_equal(x, z);
	assert_non_null(strstr(x, "\nexact a-1-0.conda "));
	assert_null(strstr(x, "#"));
}

/* A login reaches the channel that is fetched from, and nothing else. */
static void explicit_login(void **state)
{
	AUTOSPEC(s);
	eb_autofree char *text = NULL;

	(void)state;
	setenv("EB_TEST_TOKEN", "tk-123", 1);
	s = read_as("a.txt", "@EXPLICIT\n"
			     "https://conda.example/t/$EB_TEST_TOKEN/x/noarch/"
			     "a-1-0.conda#" MD5 "\n");
	unsetenv("EB_TEST_TOKEN");
	assert_string_equal(s->channels.v[0],
			    "https://conda.example/t/tk-123/x");
	assert_string_equal(s->exact->package[0].record.url,
			    "https://conda.example/x/noarch/a-1-0.conda");
	text = definition(s);
	assert_null(strstr(text, "tk-123"));
}

static void explicit_paths(void **state)
{
	AUTOSPEC(s);
	eb_autofree char *cwd = getcwd(NULL, 0);
	eb_autofree char *want =
		eb_asprintf("file://%s/dist/noarch/a-1-0.conda", cwd);

	(void)state;
	s = read_as("/elsewhere/a.txt",
		    "@EXPLICIT\n./dist/noarch/a-1-0.conda#" MD5
		    "\n/srv/noarch/b-1-0.tar.bz2#" MD5 "\n");
	assert_string_equal(s->exact->package[0].record.url, want);
	assert_string_equal(s->exact->package[0].record.subdir, "noarch");
	assert_string_equal(s->exact->package[1].record.url,
			    "file:///srv/noarch/b-1-0.tar.bz2");
}

/* ---- lists of specs --------------------------------------------------------
 */

static const char exported[] =
	"# This file may be used to create an environment using:\n"
	"# $ conda create --name <env> --file <this file>\n"
	"# platform: linux-64\n"
	"_libgcc_mutex=0.1=main\nzlib=1.2.11\n";

static void specs(void **state)
{
	AUTOSPEC(s);

	(void)state;
	s = read_as("requirements.txt", exported);
	assert_null(s->exact);
	assert_false(s->has_pip_section);
	assert_int_equal(s->n_conda, 2);
	assert_string_equal(eb_matchspec_name(s->conda[0]), "_libgcc_mutex");
	assert_string_equal(eb_matchspec_build(s->conda[0]), "main");
	assert_int_equal(s->conda_at[1].line, 5);
	assert_string_equal(s->conda_at[1].text, "zlib=1.2.11");
}

/* The same specs in an environment file are the same definition. */
static void specs_hash(void **state)
{
	AUTOSPEC(a);
	AUTOSPEC(b);
	eb_autofree char *x = NULL, *y = NULL;

	(void)state;
	a = read_as("conda-packages.txt",
		    "# c\n conda-forge::numpy 1.19.* # why\npython>=3.8\n");
	b = read_as("e.yml", "dependencies: [python>=3.8, "
			     "'conda-forge::numpy=1.19']\n");
	x = definition(a);
	y = definition(b);
	assert_string_equal(x, y);
}

/* Which files are lists, and which are requirements of pip. */
static void kinds(void **state)
{
	static const struct {
		const char *file, *text;
		unsigned conda, pip;
	} rows[] = {
		{ "requirements.txt", "numpy\npandas>=1\n", 1, 2 },
		{ "list.txt", "numpy\npandas>=1\n", 1, 2 },
		{ "list.txt", "numpy=1.0\npandas>=1\n", 2, 0 },
		{ "list.txt", "conda-forge::numpy\n", 1, 0 },
		{ "list.txt", "python 3.8.* *_cpython\n", 1, 0 },
		{ "list.txt", "numpy[version='>=1']\n", 1, 0 },
		{ "list.txt", "numpy==1.0 ; python_version > '3'\n", 1, 1 },
		{ "list.txt", "--pre\nnumpy\n", 1, 2 },
		{ "list.txt", "numpy==1.0 \\\n --hash=sha256:" SHA "\n", 1, 1 },
		{ "list.txt", "x @ https://h.example/x-1.zip\n", 1, 1 },
		{ "conda-requirements.txt", "numpy\npandas>=1\n", 2, 0 },
		{ "requirements_conda.txt", "numpy\n", 1, 0 },
		{ "requirements-condaless.txt", "numpy\n", 1, 1 },
		{ "spec-file.txt", "numpy\n", 1, 0 },
		{ "conda/requirements.txt", "numpy\n", 1, 1 },
		{ "conda.txt", "# nothing\n", 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		AUTOSPEC(s);

		s = read_as(rows[i].file, rows[i].text);
		if (s->n_conda != rows[i].conda || s->n_pip != rows[i].pip)
			fail_msg("%s %s: %zu %zu", rows[i].file, rows[i].text,
				 s->n_conda, s->n_pip);
	}
}

/* What a shell of Windows writes behind ">". */
static void utf16(void **state)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);
	AUTOSPEC(s);
	AUTOERR(err);

	(void)state;
	eb_buf_add(&out, "\xff\xfe", 2);
	for (const char *p = explicit_text; *p; p++) {
		eb_buf_add(&out, p, 1);
		eb_buf_add(&out, "", 1);
	}
	assert_int_equal(eb_spec_parse(out.data, out.len, "x.txt",
				       "linux/amd64", NULL, &s, &err),
			 0);
	assert_int_equal(s->exact->n, 3);
}

/* ---- what is refused --------------------------------------------------------
 */

static const struct {
	const char *file, *text;
	unsigned line, column;
	const char *message, *hint;
} refused[] = {
	{ "a.txt", "@EXPLICIT\n" HOST "/noarch/a-1-0.conda\n", 2, 47,
	  "has no hash", "--sha256" },
	{ "a.txt", "@EXPLICIT\n" HOST "/noarch/a-1-0.conda#D7C8\n", 2, 48,
	  "neither an MD5 nor a SHA-256", NULL },
	{ "a.txt", "@EXPLICIT\n" HOST "/noarch/a-1-0.conda#sha256:" MD5, 2, 48,
	  "neither an MD5 nor a SHA-256", NULL },
	{ "a.txt", "# platform: osx-64\n@EXPLICIT\n", 1, 13,
	  "it is for osx-64, not for linux-64", "--platform" },
	{ "a.txt", "@EXPLICIT\n" HOST "/osx-64/a-1-0.conda#" MD5, 2, 1,
	  "a 1 is a package for osx-64, not for linux-64", "--platform" },
	{ "a.txt", "@EXPLICIT\nnumpy=1.0#" MD5, 2, 1, "is no package", NULL },
	{ "a.txt", "@EXPLICIT\n" HOST "/noarch/a-1.conda#" MD5, 2, 1,
	  "NAME-VERSION-BUILD", NULL },
	{ "a.txt", "@EXPLICIT\n" HOST "/noarch/.a-1-0.conda#" MD5, 2, 1,
	  "NAME-VERSION-BUILD", NULL },
	{ "a.txt", "@EXPLICIT\n" HOST "/noarch/a%2fb-1-0.conda#" MD5, 2, 1,
	  "NAME-VERSION-BUILD", NULL },
	{ "a.txt", "@EXPLICIT\nftp://h/noarch/a-1-0.conda#" MD5, 2, 1,
	  "http, https, oci or file", NULL },
	{ "a.txt", "@EXPLICIT\nhttps://h/$EB_NO_SUCH/a-1-0.conda#" MD5, 2, 1,
	  "EB_NO_SUCH", NULL },
	{ "a.txt",
	  "@EXPLICIT\n" HOST "/noarch/a-1-0.conda#" MD5 "\n" HOST
	  "/noarch/a-2-0.conda#" MD5,
	  3, 1, "two packages \"a\": a-1-0.conda and a-2-0.conda", NULL },
	{ "conda.txt", "# platform:  win-64\nnumpy\n", 1, 14,
	  "it is for win-64", NULL },
	{ "conda.txt", "numpy\npillow=8.0=pypi_0\n", 2, 1,
	  "\"pillow\" was installed by pip", "conda env export" },
	{ "requirements.txt",
	  "# $ conda create --name <env> --file <this file>\n a=[\n", 2, 2, "",
	  NULL },
};

static void all_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		AUTOSPEC(s);
		AUTOERR(err);

		assert_int_equal(eb_spec_parse(refused[i].text,
					       strlen(refused[i].text),
					       refused[i].file, "linux/amd64",
					       NULL, &s, &err),
				 -1);
		assert_int_equal(err.code, EB_INPUT);
		if (!strstr(err.message, refused[i].message) ||
		    err.line != refused[i].line ||
		    err.column != refused[i].column ||
		    (refused[i].hint &&
		     (!err.hint || !strstr(err.hint, refused[i].hint))))
			fail_msg("row %zu: %u:%u: %s (%s)", i, err.line,
				 err.column, err.message, err.hint);
		assert_string_equal(err.file, refused[i].file);
	}
}

/* No secret is told of a line that is wrong. */
static void no_secret_is_told(void **state)
{
	AUTOSPEC(s);
	AUTOERR(err);
	static const char text[] =
		"@EXPLICIT\nhttps://me:pw9@h/noarch/a-1.conda#" MD5;

	(void)state;
	assert_int_equal(eb_spec_parse(text, strlen(text), "a.txt",
				       "linux/amd64", NULL, &s, &err),
			 -1);
	assert_null(strstr(err.message, "pw9"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(explicit_list),
		cmocka_unit_test(explicit_hash),
		cmocka_unit_test(explicit_login),
		cmocka_unit_test(explicit_paths),
		cmocka_unit_test(specs),
		cmocka_unit_test(specs_hash),
		cmocka_unit_test(kinds),
		cmocka_unit_test(utf16),
		cmocka_unit_test(all_refused),
		cmocka_unit_test(no_secret_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
