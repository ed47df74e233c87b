/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of other tools as definitions: conda-lock.yml and pixi.lock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/mem.h>
#include <envbuild/spec.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTOSPEC(name) EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *name = NULL

#define MD5 "d7c89558ba9fa0495403155b64376d81"
#define SHA "fe51de6107f9edc7aa4f786a70f4a883943bc9d39b3bb7307c04c41410990726"
#define HOST "https://conda.example/forge"
#define FILES "https://files.example/p"
#define COMMIT "0106aced5faa299e6ede89d1230bd6784f2c3660"

static struct eb_spec *read_part(const char *text, const char *environment,
				 const char *category)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv list = { 0 };
	struct eb_spec_part part = { environment, &list };
	struct eb_spec *s = NULL;
	AUTOERR(err);

	if (category)
		eb_strv_split(&list, category, ",");
	if (eb_spec_parse_part(text, strlen(text), "x.lock", "linux/amd64",
			       &part, NULL, &s, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.message);
	return s;
}

/* "NAME NAME": all of conda's, by name. */
static void has_conda(const struct eb_spec *s, const char *want)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	assert_non_null(s->exact);
	for (size_t i = 0; i < s->exact->n; i++)
		eb_buf_addf(&out, "%s%s", i ? " " : "",
			    s->exact->package[i].record.name);
	assert_string_equal(out.data, want);
	assert_int_equal(s->n_conda, s->exact->n);
}

static const json_t *pip_at(const struct eb_spec *s, size_t i)
{
	assert_non_null(s->pylock);
	assert_true(s->has_pip_section && s->pylock->of_lock);
	return json_array_get(s->pylock->packages, i);
}

/* ---- conda-lock.yml ---------------------------------------------------------
 */

#define PACKAGE(name, platform, subdir, category, more)                    \
	"- {name: " name ", version: '1.0', manager: conda, "              \
	"platform: " platform ", url: '" HOST "/" subdir "/" name          \
	"-1.0-h1_0.conda', hash: {md5: " MD5 more "}, category: " category \
	"}\n"
#define LOCK                                                      \
	"version: 1\nmetadata: {platforms: [linux-64, osx-64]}\n" \
	"package:\n"

static const char conda_lock[] = LOCK PACKAGE("zlib", "linux-64", "linux-64",
					      "main", ", sha256: " SHA)
	PACKAGE("zlib", "linux-64", "linux-64", "dev",
		", sha256: " SHA) PACKAGE("zlib", "osx-64", "osx-64", "main",
					  "") PACKAGE("Six", "linux-64",
						      "noarch", "main", "")
		PACKAGE("pytest", "linux-64", "noarch", "dev",
			"") "- {name: alpha, version: 1.10, manager: pip, "
			    "platform: linux-64,\n"
			    "   url: '" FILES
			    "/alpha-1.10-py3-none-any.whl', dependencies: {},\n"
			    "   hash: {sha256: " SHA
			    "}, source: null, category: main}\n"
			    "- {name: beta, version: '2', manager: pip, "
			    "platform: linux-64,\n"
			    "   url: 'git+https://git.example/b.git@" COMMIT
			    "#subdirectory=x',\n   hash: {sha256: " SHA
			    "}, categories: [dev, docs]}\n";

static void categories(void **state)
{
	AUTOSPEC(s);
	AUTOSPEC(dev);
	const struct eb_exact_package *p;

	(void)state;
	s = read_part(conda_lock, NULL, NULL);
	has_conda(s, "six zlib");
	p = &s->exact->package[1];
	assert_string_equal(p->record.url,
			    HOST "/linux-64/zlib-1.0-h1_0.conda");
	assert_true(p->record.has_sha256 && p->partial && p->requested);
	assert_string_equal(p->record.md5, MD5);
	assert_int_equal(p->line, 4);
	assert_false(s->exact->package[0].record.has_sha256);
	assert_int_equal(json_array_size(s->pylock->packages), 1);
	assert_string_equal(eb_json_str(pip_at(s, 0), "name"), "alpha");
	assert_string_equal(eb_json_str(pip_at(s, 0), "version"), "1.10");
	assert_int_equal(s->pylock->line[0], 9);
	/* one that two categories have is there once */
	dev = read_part(conda_lock, NULL, "main,dev");
	has_conda(dev, "pytest six zlib");
	assert_int_equal(json_array_size(dev->pylock->packages), 2);
}

static void commits(void **state)
{
	AUTOSPEC(s);
	const json_t *vcs;

	(void)state;
	s = read_part(conda_lock, NULL, "docs");
	has_conda(s, "");
	vcs = eb_json_obj(pip_at(s, 0), "vcs");
	assert_string_equal(eb_json_str(vcs, "type"), "git");
	assert_string_equal(eb_json_str(vcs, "url"),
			    "https://git.example/b.git");
	assert_string_equal(eb_json_str(vcs, "commit-id"), COMMIT);
	assert_string_equal(eb_json_str(vcs, "subdirectory"), "x");
}

/* ---- pixi.lock --------------------------------------------------------------
 */

static const char pixi4[] =
	"version: 4\nenvironments:\n  default:\n    channels:\n"
	"    - url: " HOST "/\n    packages:\n      linux-64:\n"
	"      - conda: " HOST "/linux-64/a-1.0-h1_3.conda\n"
	"      - conda: " HOST "/noarch/py-2.0-pyh0_0.conda\n"
	"      - pypi: " FILES "/alpha-1.0.tar.gz\n"
	"      - pypi: git+https://git.example/b?rev=v1&subdirectory=y#" COMMIT
	"\n"
	"      osx-64:\n      - pypi: ./here\n"
	"packages:\n"
	"- kind: conda\n  name: a\n  version: '1.0'\n  build: h1_3\n"
	"  subdir: linux-64\n  url: " HOST "/linux-64/a-1.0-h1_3.conda\n"
	"  sha256: " SHA "\n  depends:\n  - py >=1\n  - __glibc\n"
	"  constrains: [z <3]\n  size: 12\n  timestamp: 1600000000000\n"
	"  license: MIT\n  build_number: 3\n"
	"- kind: conda\n  name: py\n  version: '2.0'\n  build: pyh0_0\n"
	"  subdir: noarch\n  url: " HOST "/noarch/py-2.0-pyh0_0.conda\n"
	"  md5: " MD5 "\n  noarch: generic\n"
	"- kind: pypi\n  name: alpha\n  version: '1.0'\n  url: " FILES
	"/alpha-1.0.tar.gz\n  sha256: " SHA "\n  requires_python: '>=3'\n"
	"- kind: pypi\n  name: beta\n  version: '2.0'\n"
	"  url: git+https://git.example/b?rev=v1&subdirectory=y#" COMMIT "\n";

static void pixi_of_kinds(void **state)
{
	AUTOSPEC(s);
	const struct eb_record *r;

	(void)state;
	s = read_part(pixi4, NULL, NULL);
	has_conda(s, "a py");
	r = &s->exact->package[0].record;
	assert_int_equal(r->build_number, 3);
	assert_int_equal(r->depends.n, 2);
	assert_string_equal(r->depends.v[1], "__glibc");
	assert_string_equal(r->constrains.v[0], "z <3");
	assert_int_equal(r->size, 12);
	assert_int_equal(r->timestamp, 1600000000000);
	assert_string_equal(r->license, "MIT");
	assert_string_equal(r->channel, HOST);
	assert_false(s->exact->package[0].partial);
	assert_int_equal(s->exact->package[1].record.noarch, EB_NOARCH_GENERIC);
	/* without its size a record is none */
	assert_true(s->exact->package[1].partial);
	assert_non_null(eb_json_obj(pip_at(s, 0), "sdist"));
	assert_string_equal(eb_json_str(pip_at(s, 0), "requires-python"),
			    ">=3");
	assert_string_equal(eb_json_str(eb_json_obj(pip_at(s, 1), "vcs"),
					"requested-revision"),
			    "v1");
}

#define PIXI7(platforms, name)                                             \
	"version: 7\nplatforms:\n" platforms "environments:\n  default:\n" \
	"    channels: []\n    packages:\n      " name ":\n"               \
	"      - conda: " HOST "/noarch/py-2.0-pyh0_12.conda\n"            \
	"  test:\n    channels: []\n    packages:\n      linux-64:\n"      \
	"      - pypi: " FILES "/alpha-1.0-py3-none-any.whl\n"             \
	"packages:\n- conda: " HOST "/noarch/py-2.0-pyh0_12.conda\n"       \
	"  sha256: " SHA "\n  size: 1\n"                                   \
	"- pypi: " FILES "/alpha-1.0-py3-none-any.whl\n  name: alpha\n"    \
	"  version: '1.0'\n  index: https://index.example/simple\n"        \
	"  sha256: " SHA "\n"

/* What follows from the URL may be left out; a platform may have a name. */
static void pixi_of_places(void **state)
{
	AUTOSPEC(s);
	AUTOSPEC(test);
	AUTOSPEC(named);
	const struct eb_record *r;

	(void)state;
	s = read_part(PIXI7("- name: linux-64\n", "linux-64"), NULL, NULL);
	has_conda(s, "py");
	r = &s->exact->package[0].record;
	assert_string_equal(r->version, "2.0");
	assert_string_equal(r->build, "pyh0_12");
	assert_int_equal(r->build_number, 12);
	assert_int_equal(r->noarch, EB_NOARCH_PYTHON);
	assert_false(s->exact->package[0].partial);
	assert_null(s->pylock);
	test = read_part(PIXI7("- name: linux-64\n", "linux-64"), "test", NULL);
	has_conda(test, "");
	assert_string_equal(eb_json_str(pip_at(test, 0), "index"),
			    "https://index.example/simple");
	named = read_part(PIXI7("- {name: big, subdir: linux-64}\n", "big"),
			  "default", NULL);
	has_conda(named, "py");
}

/* ---- real ones
 * ---------------------------------------------------------------- */

static void real_ones(void **state)
{
	static const struct {
		const char *file;
		size_t conda, pip;
	} rows[] = {
		{ "v0/numpy-conda-lock.yml", 254, 0 },
		{ "v0/python-conda-lock.yml", 22, 0 },
		{ "v0/pypi-matplotlib-conda-lock.yml", 24, 12 },
		{ "v4/turtlesim-lock.yml", 593, 0 },
		{ "v4/pypi-matplotlib-lock.yml", 24, 12 },
	};
	const char *data = getenv("ENVBUILD_DATA");

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		eb_autofree char *path = eb_asprintf(
			"%s/conda/fixtures/rattler/test-data/conda-lock/%s",
			data ? data : ".", rows[i].file);
		AUTOSPEC(s);
		AUTOERR(err);

		if (!data || !eb_path_exists(path))
			skip();
		if (eb_spec_read(path, "linux/amd64", NULL, &s, &err) < 0)
			fail_msg("%s: %s", path, err.message);
		assert_int_equal(s->exact->n, rows[i].conda);
		assert_int_equal(
			s->pylock ? json_array_size(s->pylock->packages) : 0,
			rows[i].pip);
	}
}

/* ---- what is refused
 * ------------------------------------------------------------ */

#define ONE(fields)                                                   \
	LOCK "- {name: a, version: '1.0', manager: conda, platform: " \
	     "linux-64, " fields "}\n"
#define URL_OF_A "url: '" HOST "/linux-64/a-1.0-0.conda'"
#define PIXI(version, entry, packages)                      \
	"version: " version "\nenvironments:\n  default:\n" \
	"    packages:\n      linux-64:\n      - " entry    \
	"\npackages:\n" packages
#define LOCAL "lies on the machine that made the lock"

static const struct {
	const char *text, *environment, *category;
	int code;
	unsigned line, column;
	const char *message, *hint;
} refused[] = {
	{ "version: 2\nmetadata: {}\npackage: []\n", NULL, NULL, EB_INPUT, 1,
	  10, "pixi.lock of version 2; versions 4 to 7", "newer pixi" },
	{ "version: 9\nmetadata: {}\npackage: []\n", NULL, NULL, EB_MACHINE, 1,
	  10, "conda-lock.yml of version 9; version 1 can", "newer envbuild" },
	{ "version: x\nmetadata: {}\npackage: []\n", NULL, NULL, EB_INPUT, 1,
	  10, "is no number", NULL },
	{ "version: 8\nenvironments: {}\n", NULL, NULL, EB_MACHINE, 1, 10,
	  "pixi.lock of version 8", "newer envbuild" },
	{ "version: 3\nenvironments: {}\n", NULL, NULL, EB_INPUT, 1, 10,
	  "pixi.lock of version 3", "newer pixi" },
	{ "version: 1\nmetadata: {platforms: [osx-64, win-64]}\npackage: []\n",
	  NULL, NULL, EB_INPUT, 2, 23, "for osx-64, win-64, not for linux-64",
	  "--platform" },
	{ "version: 1\nmetadata: {}\npackage: {}\n", NULL, NULL, EB_INPUT, 3,
	  10, "package: a list is expected", NULL },
	{ LOCK "- a\n", NULL, NULL, EB_INPUT, 4, 3, "a package is a mapping",
	  NULL },
	{ LOCK "- {name: a}\n", NULL, NULL, EB_INPUT, 4, 3,
	  "a package has no \"platform\"", NULL },
	{ ONE("hash: {md5: " MD5 "}"), NULL, NULL, EB_INPUT, 4, 3,
	  "a package has no \"url\"", NULL },
	{ ONE(URL_OF_A), NULL, NULL, EB_INPUT, 4, 3,
	  "package \"a\" has neither sha256 nor md5", NULL },
	{ ONE(URL_OF_A ", hash: {}"), NULL, NULL, EB_INPUT, 4, 3,
	  "package \"a\" has neither sha256 nor md5", NULL },
	{ ONE(URL_OF_A ", hash: {md5: " SHA "}"), NULL, NULL, EB_INPUT, 4, 136,
	  "md5: it is none in lower case", NULL },
	{ ONE("url: '" HOST "/linux-64/a-1.1-0.conda', hash: {md5: " MD5 "}"),
	  NULL, NULL, EB_INPUT, 4, 3, "the URL of \"a\" is that of a 1.1",
	  NULL },
	{ ONE("url: '" HOST "/osx-64/a-1.0-0.conda', hash: {md5: " MD5 "}"),
	  NULL, NULL, EB_INPUT, 4, 3, "a package for osx-64", "--platform" },
	{ ONE("url: ./a-1.0-0.conda, hash: {md5: " MD5 "}"), NULL, NULL,
	  EB_INPUT, 4, 3, LOCAL, "- pip:" },
	{ LOCK "- {name: a, version: '1', manager: cargo, platform: linux-64, "
	       "url: x}\n",
	  NULL, NULL, EB_INPUT, 4, 36, "neither conda nor pip", NULL },
	{ LOCK "- {name: a, version: '1', manager: pip, platform: linux-64, "
	       "url: '" FILES "/a-1.tar.gz'}\n",
	  NULL, NULL, EB_INPUT, 4, 3, "project \"a\" has no sha256", NULL },
	{ LOCK "- {name: a, version: '1', manager: pip, platform: linux-64, "
	       "url: 'file:///a', hash: {sha256: " SHA "}}\n",
	  NULL, NULL, EB_INPUT, 4, 3, LOCAL, NULL },
	{ LOCK "- {name: a, version: '1', manager: pip, platform: linux-64, "
	       "url: 'git+https://h.example/a@main'}\n",
	  NULL, NULL, EB_INPUT, 4, 3, "no commit", NULL },
	{ conda_lock, NULL, "main,nope", EB_INPUT, 0, 0,
	  "no package of category \"nope\"", "main, dev, docs" },
	{ conda_lock, "test", NULL, EB_USAGE, 0, 0,
	  "option \"environment\": \"x.lock\" is no pixi.lock", NULL },
	{ pixi4, NULL, "dev", EB_USAGE, 0, 0,
	  "option \"category\": \"x.lock\" is no conda-lock.yml", NULL },
	{ "dependencies: [a]\n", "test", NULL, EB_USAGE, 0, 0,
	  "is no pixi.lock", NULL },
	{ pixi4, "test", NULL, EB_INPUT, 3, 3,
	  "no environment \"test\"; there is default", "--environment" },
	{ PIXI("6", "conda: " HOST "/noarch/a-1-0.conda", " []\n"), NULL, NULL,
	  EB_INPUT, 6, 9, "\"packages\" has not this package", NULL },
	{ PIXI("6", "conda: ./a", " []\n"), NULL, NULL, EB_INPUT, 6, 9,
	  "built from its source by pixi", "channel" },
	{ PIXI("7", "conda_source: 'a[0] @ a'", " []\n"), NULL, NULL, EB_INPUT,
	  6, 9, "built from its source by pixi", "channel" },
	{ PIXI("7", "what: x", " []\n"), NULL, NULL, EB_INPUT, 6, 9,
	  "neither \"conda\" nor \"pypi\"", NULL },
	{ PIXI("6", "pypi: .", "- pypi: .\n  name: a\n  version: '1'\n"), NULL,
	  NULL, EB_INPUT, 8, 3, LOCAL, NULL },
	{ PIXI("6", "pypi: .", "- {pypi: ., name: a, editable: true}\n"), NULL,
	  NULL, EB_INPUT, 8, 3, "editable", "- pip:" },
	{ PIXI("6", "conda: " HOST "/noarch/a-1-0.conda",
	       "- conda: " HOST "/noarch/a-1-0.conda\n"),
	  NULL, NULL, EB_INPUT, 8, 3, "neither sha256 nor md5", NULL },
	{ PIXI("6", "conda: " HOST "/noarch/a-1-0.conda",
	       "- conda: " HOST "/noarch/a-1-0.conda\n  version: '2'\n"
	       "  md5: " MD5 "\n"),
	  NULL, NULL, EB_INPUT, 8, 3,
	  "the URL is that of a 1, the package is "
	  "a 2",
	  NULL },
	{ PIXI("6", "conda: " HOST "/noarch/a-1-0.conda",
	       "- conda: " HOST "/noarch/a-1-0.conda\n  depends: {}\n"
	       "  md5: " MD5 "\n"),
	  NULL, NULL, EB_INPUT, 8, 3, "\"depends\" is no list", NULL },
	{ PIXI("6", "conda: " HOST "/noarch/a-1-0.conda",
	       "- conda: " HOST "/noarch/a-1-0.conda\n  size: -1\n"
	       "  md5: " MD5 "\n"),
	  NULL, NULL, EB_INPUT, 8, 3, "\"size\" is no number", NULL },
	{ "version: 7\nplatforms:\n- {name: a, subdir: linux-64}\n"
	  "- {name: b, subdir: linux-64}\nenvironments:\n  default:\n"
	  "    packages:\n      a: []\n      b: []\npackages: []\n",
	  NULL, NULL, EB_INPUT, 8, 7, "2 platforms of the environment", NULL },
	{ "version: 6\nenvironments: [a]\n", NULL, NULL, EB_INPUT, 2, 15,
	  "environments: a mapping is expected", NULL },
	{ "version: 6\nenvironments:\n  default:\n    packages: {linux-64: "
	  "1}\n",
	  NULL, NULL, EB_INPUT, 4, 26, "a list of packages is expected", NULL },
};

static void all_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		EB_CLEANUP(eb_strv_release) struct eb_strv list = { 0 };
		struct eb_spec_part part = { refused[i].environment, &list };
		const char *text = refused[i].text;
		AUTOSPEC(s);
		AUTOERR(err);

		if (refused[i].category)
			eb_strv_split(&list, refused[i].category, ",");
		assert_int_equal(eb_spec_parse_part(text, strlen(text),
						    "x.lock", "linux/amd64",
						    &part, NULL, &s, &err),
				 -1);
		if (!strstr(err.message, refused[i].message) ||
		    (int)err.code != refused[i].code ||
		    err.line != refused[i].line ||
		    err.column != refused[i].column ||
		    (refused[i].hint &&
		     (!err.hint || !strstr(err.hint, refused[i].hint))))
			fail_msg("row %zu: %d %u:%u: %s (%s)", i, err.code,
				 err.line, err.column, err.message, err.hint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(categories),
		cmocka_unit_test(commits),
		cmocka_unit_test(pixi_of_kinds),
		cmocka_unit_test(pixi_of_places),
		cmocka_unit_test(real_ones),
		cmocka_unit_test(all_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
