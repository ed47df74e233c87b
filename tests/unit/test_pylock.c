/* SPDX-License-Identifier: Apache-2.0 */
/* pylock.toml of others as pins (PEP 751). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <envbuild/pip_resolve.h>

#include "python/pylock_int.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define FILE_OF(name)                                                        \
	"{ name = \"" name "\", url = \"https://me:pw@files.example/x/" name \
	"\", size = 100, hashes = { sha256 = \"" HASH "\" } }"
#define TOP "lock-version = \"1.0\"\ncreated-by = \"someone\"\n"

static const struct eb_python_target target = { .version = "3.11.2",
						.glibc = "2.36",
						.arch = "x86_64" };

static int read_lock(const char *text, struct eb_pip_result *out,
		     struct eb_error *err)
{
	EB_CLEANUP(eb_pylock_free_ptr) struct eb_pylock *l = NULL;

	*out = (struct eb_pip_result){ 0 };
	if (eb_pylock_parse(text, strlen(text), "dir/pylock.toml", NULL, &l,
			    err) < 0)
		return -1;
	return eb_pylock_pins(l, &target, out, err);
}

static void refuses(const char *text, enum eb_code code, const char *words)
{
	struct eb_pip_result out;
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(read_lock(text, &out, &err), -1);
	if (!strstr(err.message, words))
		fail_msg("\"%s\" has no \"%s\"", err.message, words);
	assert_int_equal(err.code, code);
	eb_err_release(&err);
}

/* Names of the pins. */
static void gives(const char *text, const char *expected)
{
	struct eb_pip_result out;
	struct eb_error err = EB_ERROR_INIT;
	char names[256] = "";

	if (read_lock(text, &out, &err) < 0)
		fail_msg("%s", err.message);
	for (size_t i = 0; i < out.n; i++) {
		strcat(names, i ? " " : "");
		strcat(names, out.pin[i].name);
	}
	assert_string_equal(names, expected);
	eb_pip_result_release(&out);
}

/* clang-format off */
static const char whole[] = TOP
	"requires-python = \">=3.9\"\n"
	"environments = [\"sys_platform == 'win32'\","
	" \"sys_platform == 'linux'\"]\n"
	"[[packages]]\n"
	"name = \"Num_Py\"\nversion = \"1.21.0\"\n"
	"index = \"https://me:pw@index.example/simple/\"\n"
	"requires-python = \">=3.8\"\n"
	"sdist = " FILE_OF("num_py-1.21.0.tar.gz") "\n"
	"wheels = ["
	FILE_OF("num_py-1.21.0-cp310-cp310-manylinux2014_x86_64.whl") ",\n"
	FILE_OF("num_py-1.21.0-cp311-cp311-manylinux2014_x86_64.whl") ",\n"
	FILE_OF("num_py-1.21.0-py3-none-any.whl") "]\n"
	"[[packages]]\n"
	"name = \"src\"\nversion = \"1.0\"\n"
	"sdist = " FILE_OF("src-1.0.tar.gz") "\n"
	"[[packages]]\n"
	"name = \"direct\"\n"
	"archive = " FILE_OF("direct-2.0-py3-none-any.whl") "\n"
	"[[packages]]\n"
	"name = \"repo\"\nversion = \"0.1\"\n"
	"vcs = { type = \"git\", url = \"https://me:pw@git.example/repo\", "
	"requested-revision = \"main\", commit-id = \"abc\", "
	"subdirectory = \"sub\" }\n";
/* clang-format on */

static const struct eb_pin *pin_of(const struct eb_pip_result *r,
				   const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->pin[i].name, name) == 0)
			return &r->pin[i];
	fail_msg("no %s", name);
	return NULL;
}

static void test_whole(void **state)
{
	struct eb_pip_result out;
	struct eb_error err = EB_ERROR_INIT;
	const struct eb_pin *p;
	char hex[EB_HEX_SIZE];

	(void)state;
	if (read_lock(whole, &out, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(out.n, 4);
	assert_string_equal(out.resolver, "someone");
	p = pin_of(&out, "num-py");
	assert_int_equal(p->source, EB_PIN_WHEEL);
	assert_string_equal(
		p->file, "num_py-1.21.0-cp311-cp311-manylinux2014_x86_64.whl");
	assert_string_equal(p->url,
			    "https://files.example/x/num_py-1.21.0-cp311-cp311-"
			    "manylinux2014_x86_64.whl");
	assert_string_equal(p->index, "https://index.example/simple/");
	assert_string_equal(eb_digest_hex(&p->sha256, hex), HASH);
	assert_int_equal(p->size, 100);
	assert_string_equal(p->requires_python, ">=3.8");
	p = pin_of(&out, "src");
	assert_int_equal(p->source, EB_PIN_SDIST);
	assert_true(p->build && p->build->isolated && !p->direct);
	p = pin_of(&out, "direct");
	assert_string_equal(p->version, "2.0");
	assert_true(p->direct && p->source == EB_PIN_WHEEL);
	p = pin_of(&out, "repo");
	assert_int_equal(p->source, EB_PIN_VCS);
	assert_string_equal(p->url, "https://git.example/repo");
	assert_string_equal(p->vcs, "git");
	assert_string_equal(p->commit, "abc");
	assert_string_equal(p->revision, "main");
	assert_string_equal(p->subdirectory, "sub");
	assert_string_equal(p->file, "repo-0.1");
	eb_pip_result_release(&out);
}

#define ONE(name, more)                                                    \
	"[[packages]]\nname = \"" name "\"\nversion = \"1.0\"\n" more "\n" \
	"wheels = [" FILE_OF(name "-1.0-py3-none-any.whl") "]\n"

static void test_markers(void **state)
{
	(void)state;
	gives(TOP ONE("a", "marker = \"python_version < '3'\"")
		      ONE("b", "marker = \"sys_platform == 'linux'\""),
	      "b");
	gives(TOP
	      "extras = [\"x\"]\ndependency-groups = [\"dev\", \"run\"]\n"
	      "default-groups = [\"run\"]\n" ONE("a",
						 "marker = \"'x' in extras\"")
		      ONE("b", "marker = \"'x' not in extras\"") ONE(
			      "c", "marker = \"'dev' in dependency_groups\"")
			      ONE("d",
				  "marker = \"'run' in dependency_groups and "
				  "python_version > '3'\"")
				      ONE("e", "marker = \"'dev' not in "
					       "dependency_groups or "
					       "python_version < '3'\""),
	      "b d e");
	/* one of two */
	gives(TOP ONE("a", "marker = \"python_version < '3'\"") ONE("a", ""),
	      "a");
	refuses(TOP ONE("a", "") ONE("a", ""), EB_INPUT, "twice");
	refuses(TOP ONE("a", "marker = \"what\""), EB_INPUT, "marker what");
}

static void test_refused(void **state)
{
	(void)state;
	refuses("lock-version = \"2.0\"\npackages = []\n", EB_MACHINE,
		"versions 1.x");
	refuses("packages = []\n", EB_INPUT, "no lock-version");
	refuses(TOP, EB_INPUT, "no list of packages");
	refuses("numpy==1.0 --hash=sha256:abc\n", EB_INPUT, "pylock.toml");
	refuses(TOP "requires-python = \">=3.12\"\npackages = []\n", EB_NO,
		"is for Python >=3.12; this one is 3.11.2");
	refuses(TOP "environments = [\"sys_platform == 'win32'\"]\n"
		    "packages = []\n",
		EB_NO, "other environments");
	refuses(TOP ONE("a", "requires-python = \"<3\""), EB_NO, "package a");
	refuses(TOP "[[packages]]\nname = \"a\"\nversion = \"1.0\"\n"
		    "wheels = [" FILE_OF("a-1.0-cp37-cp37m-win32.whl") "]\n",
		EB_NO, "no file of it fits Python 3.11.2, glibc 2.36, x86_64");
	refuses(TOP "[[packages]]\nname = \"a\"\nversion = \"1.0\"\n", EB_INPUT,
		"one of these");
	refuses(TOP "[[packages]]\nname = \"a\"\nversion = \"1.0\"\n"
		    "wheels = [{ url = \"https://files.example/"
		    "a-1.0-py3-none-any.whl\", hashes = { md5 = \"0\" } }]\n",
		EB_INPUT, "no sha256");
	refuses(TOP "[[packages]]\nname = \"a\"\nversion = \"1.0\"\n"
		    "wheels = [{ name = \"a-1.0-py3-none-any.whl\", "
		    "hashes = { sha256 = \"" HASH "\" } }]\n",
		EB_INPUT, "neither url nor path");
	refuses(TOP
		"[[packages]]\nname = \"a\"\nversion = \"1.0\"\n"
		"sdist = { url = \"https://files.example/..%2Fa-1.tar.gz\", "
		"hashes = { sha256 = \"" HASH "\" } }\n",
		EB_INPUT, "no name of a file");
	refuses(TOP "[[packages]]\nversion = \"1.0\"\n", EB_INPUT, "no name");
	refuses(TOP "[[packages]]\nname = \"a\"\nversion = \"1.1\"\n"
		    "wheels = [" FILE_OF("a-1.0-py3-none-any.whl") "]\n",
		EB_INPUT, "is another one's");
	refuses(TOP "[[packages]]\nname = \"a\"\nversion = \"1.0\"\n"
		    "wheels = [" FILE_OF("b-1.0-py3-none-any.whl") "]\n",
		EB_INPUT, "is another one's");
	refuses(TOP "[[packages]]\nname = \"a\"\nversion = \"what\"\n"
		    "wheels = []\n",
		EB_INPUT, "its version is none");
}

/* Every error has a place in the lock. */
static void test_places(void **state)
{
	static const struct {
		const char *text;
		unsigned line;
	} table[] = {
		{ "# x\nlock-version = \"2.0\"\npackages = []\n", 2 },
		{ "lock-version = \"1.0\"\npackages = [1]\n", 1 },
		{ "lock-version = 1\npackages = []\n", 1 },
		{ TOP "[[packages]]\nname = \"a\"\n\n [[packages]]\n", 3 },
		{ TOP ONE("a", "") ONE("b", "requires-python = \"<3\""), 8 },
		{ TOP "environments = [\"what\"]\npackages = []\n", 1 },
		{ TOP "x = [\n", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		struct eb_pip_result out;

		assert_int_equal(read_lock(table[i].text, &out, &err), -1);
		assert_string_equal(err.file, "dir/pylock.toml");
		assert_int_equal(err.line, table[i].line);
	}
}

/* --- what counts of it ------------------------------------------------------
 */

/* The normal lines, sorted, one a line; "file:LINE: MESSAGE" when there are
 * none. */
static char *normal_of(const char *text, eb_pylock_content_fn *content)
{
	EB_CLEANUP(eb_pylock_free_ptr) struct eb_pylock *l = NULL;
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(out, EB_MAX_TEXT);

	if (eb_pylock_parse(text, strlen(text), "dir/pylock.toml", NULL, &l,
			    &err) < 0 ||
	    eb_pylock_normal(l, content, NULL, &lines, &err) < 0)
		return eb_asprintf("%s:%u: %s", err.file, err.line,
				   err.message);
	eb_strv_sort(&lines);
	for (size_t i = 0; i < lines.n; i++)
		eb_buf_addf(&out, "%s\n", lines.v[i]);
	return eb_buf_steal(&out, NULL);
}

/* A digest of the path in place of what lies there. */
static int content(void *data, const char *path, struct eb_digest *out,
		   struct eb_error *err)
{
	(void)data;
	if (strstr(path, "missing"))
		return eb_err_set(err, EB_INPUT, "\"%s\" is missing", path);
	eb_sha256(path, strlen(path), out);
	return 0;
}

/* clang-format off */
static const char golden[] =
	"{\"environments\":[\"sys_platform == \\\"linux\\\"\","
	"\"sys_platform == \\\"win32\\\"\"]}\n"
	"{\"commit\":\"abc\",\"name\":\"repo\",\"revision\":\"main\","
	"\"subdirectory\":\"sub\",\"type\":\"git\","
	"\"url\":\"https://git.example/repo\",\"version\":\"0.1\"}\n"
	"{\"files\":["
	"\"num_py-1.21.0-cp310-cp310-manylinux2014_x86_64.whl sha256:" HASH "\","
	"\"num_py-1.21.0-cp311-cp311-manylinux2014_x86_64.whl sha256:" HASH "\","
	"\"num_py-1.21.0-py3-none-any.whl sha256:" HASH "\","
	"\"num_py-1.21.0.tar.gz sha256:" HASH "\"],"
	"\"name\":\"num-py\",\"requires-python\":[\">=3.8\"],"
	"\"version\":\"1.21.0\"}\n"
	"{\"files\":[\"src-1.0.tar.gz sha256:" HASH "\"],\"name\":\"src\","
	"\"version\":\"1.0\"}\n"
	"{\"hash\":\"sha256:" HASH "\",\"name\":\"direct\","
	"\"url\":\"https://files.example/x/direct-2.0-py3-none-any.whl\"}\n";
/* clang-format on */

static void test_normal(void **state)
{
	eb_autofree char *is = normal_of(whole, content);
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };

	(void)state;
	eb_strv_split(&line, golden, "\n");
	eb_strv_sort(&line);
	for (size_t i = 0; i < line.n; i++)
		if (!strstr(is, line.v[i]))
			fail_msg("no %s in\n%s", line.v[i], is);
	assert_int_equal(strlen(is), strlen(golden));
}

static bool same(const char *a, const char *b)
{
	eb_autofree char *x = normal_of(a, content), *y = normal_of(b, content);

	return strcmp(x, y) == 0;
}

#define FOLDER(path)                                                         \
	TOP "[[packages]]\nname = \"f\"\ndirectory = { path = \"" path "\" " \
	    "}\n"

static void test_what_counts(void **state)
{
	static const char a[] = TOP ONE("a", "") ONE("b", "");

	(void)state;
	/* order, spelling, who made it, sizes, times, tools, attestations */
	assert_true(same(a, TOP ONE("b", "") ONE("a", "")));
	assert_true(same(
		a,
		"created-by = \"other\"\nlock-version = \"1.0\"\n"
		"[[packages]]\nname = \"a\"\nversion = \"1.0\"\n"
		"dependencies = [{ name = \"b\" }]\n"
		"attestation-identities = [{ kind = \"K\", x = 1 }]\n"
		"wheels = [{ url = \"https://mirror.example/"
		"a-1.0-py3-none-any.whl\", upload-time = 2020-01-01T00:00:00Z, "
		"hashes = { sha256 = \"" HASH "\", md5 = \"0\" } }]\n"
		"[packages.tool.x]\ny = 1\n" ONE("b", "")));
	assert_false(same(a, TOP ONE("a", "")));
	assert_false(same(a, TOP ONE("a", "")
				     ONE("b", "marker = \"os_name == 'x'\"")));
	assert_true(same(FOLDER("x"), FOLDER("./x")));
	assert_false(same(FOLDER("x"), FOLDER("y")));
}

static void test_not_normal(void **state)
{
	static const struct {
		const char *text, *words;
	} table[] = {
		{ TOP ONE("a b", ""), "toml:3: \"dir/pylock.toml\", package "
				      "\"a b\": that is no name" },
		{ TOP "[[packages]]\nversion = \"1\"\n", ":3: " },
		{ TOP ONE("a", "marker = \"what\""), "marker what" },
		{ TOP ONE("a", "requires-python = \"3\""), "package \"a\"" },
		{ FOLDER("missing"), "is missing" },
		{ TOP "environments = [\"x y\"]\npackages = []\n", ":1: " },
		{ TOP "[[packages]]\nname = \"a\"\nwheels = [{}]\n",
		  "neither name, url nor path" },
		{ TOP "[[packages]]\nname = \"a\"\nversion = \"v\"\n",
		  "its version is none" },
		{ TOP "[[packages]]\nname = \"a\"\nsdist = { name = \"a\" }\n",
		  "no sha256, sha384 or sha512" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		eb_autofree char *is = normal_of(table[i].text, content);

		if (!strstr(is, table[i].words))
			fail_msg("no \"%s\" in %s", table[i].words, is);
	}
}

/* What its Python is asked to be. */
static void test_python(void **state)
{
	static const struct {
		const char *text, *python;
	} table[] = {
		{ TOP "packages = []\n", "" },
		{ TOP "requires-python = \">=3.9, <3.13\"\npackages = []\n",
		  "<3.13 >=3.9" },
		{ TOP "requires-python = \"3.9\"\npackages = []\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		EB_CLEANUP(eb_pylock_free_ptr) struct eb_pylock *l = NULL;
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		struct eb_strv is EB_CLEANUP(eb_strv_release) = { 0 };
		const char *text = table[i].text;

		assert_int_equal(eb_pylock_parse(text, strlen(text), "p", NULL,
						 &l, &err),
				 0);
		assert_int_equal(eb_pylock_python(l, &is, &err),
				 table[i].python ? 0 : -1);
		if (!table[i].python)
			assert_non_null(strstr(err.message, "requires-python"));
		else if (!is.n)
			assert_string_equal(table[i].python, "");
		else
			assert_non_null(strstr(table[i].python, is.v[0]));
	}
}

/* Another kind of hash waits for the bytes. */
static void test_other_hashes(void **state)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_pip_result out;

	(void)state;
	assert_int_equal(
		read_lock(TOP "[[packages]]\nname = \"a\"\nversion = \"1\"\n"
			      "wheels = [{ path = \"a-1-py3-none-any.whl\", "
			      "hashes = { sha512 = \"" HASH HASH "\" } }]\n",
			  &out, &err),
		0);
	assert_true(eb_digest_is_zero(&out.pin[0].sha256));
	assert_string_equal(out.pin[0].hash.v[0], "sha512:" HASH HASH);
	eb_pip_result_release(&out);
}

static void test_marker_text(void **state)
{
	static const struct {
		const char *marker, *plain;
	} table[] = {
		{ "'a' in extras", "os_name == ''" },
		{ "(\"a\" not in extras) or x == 'in extras'",
		  "(os_name == 'posix') or x == 'in extras'" },
		{ "'a' in python_version", "'a' in python_version" },
		{ "'a' in extras_more", "'a' in extras_more" },
		{ "'broken", "'broken" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		eb_autofree char *is = eb_pylock_marker(table[i].marker, NULL);

		assert_string_equal(is, table[i].plain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_markers),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_marker_text),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_normal),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_not_normal),
		cmocka_unit_test(test_python),
		cmocka_unit_test(test_other_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
