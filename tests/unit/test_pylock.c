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

#include "python/pylock.h"

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
	return eb_pylock_read(text, strlen(text), "dir/pylock.toml", &target,
			      out, err);
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

static const char whole[] = TOP
	"requires-python = \">=3.9\"\n"
	"environments = [\"sys_platform == 'win32'\", "
	"\"sys_platform == 'linux'\"]\n"
	"[[packages]]\n"
	"name = \"Num_Py\"\nversion = \"1.21.0\"\n"
	"index = \"https://me:pw@index.example/simple/\"\n"
	"requires-python = \">=3.8\"\n"
	"sdist = " FILE_OF(
		"num_py-1.21.0.tar.gz") "\n"
					"wheels = [" FILE_OF(
						"num_py-1.21."
						"0-cp310-"
						"cp310-"
						"manylinux2014"
						"_x86_64.whl") ",\n" FILE_OF("n"
									     "u"
									     "m"
									     "_"
									     "p"
									     "y"
									     "-"
									     "1"
									     "."
									     "2"
									     "1"
									     "."
									     "0"
									     "-"
									     "c"
									     "p"
									     "3"
									     "1"
									     "1"
									     "-"
									     "c"
									     "p"
									     "3"
									     "1"
									     "1"
									     "-"
									     "m"
									     "a"
									     "n"
									     "y"
									     "l"
									     "i"
									     "n"
									     "u"
									     "x"
									     "2"
									     "0"
									     "1"
									     "4"
									     "_"
									     "x"
									     "8"
									     "6"
									     "_"
									     "6"
									     "4"
									     "."
									     "w"
									     "h"
									     "l") ",\n" FILE_OF("num_py-1.21.0-py3-none-"
												"any.whl") "]\n"
													   "[[packages]]\n"
													   "name = "
													   "\"src\"\nversio"
													   "n = \"1.0\"\n"
													   "sdist "
													   "= " FILE_OF(
														   "src-1."
														   "0.tar."
														   "gz") "\n"
															 "["
															 "["
															 "p"
															 "a"
															 "c"
															 "k"
															 "a"
															 "g"
															 "e"
															 "s"
															 "]"
															 "]"
															 "\n"
															 "n"
															 "a"
															 "m"
															 "e"
															 " "
															 "="
															 " "
															 "\"direct\"\n"
															 "a"
															 "r"
															 "c"
															 "h"
															 "i"
															 "v"
															 "e"
															 " "
															 "="
															 " " FILE_OF(
																 "direct-2.0-py3-none-any.whl") "\n"
																				"[[packages]]\n"
																				"name = \"repo\"\nversion = \"0.1\"\n"
																				"vcs = { type = \"git\", url = \"https://me:pw@git.example/repo\", "
																				"requested-revision = \"main\", commit-id = \"abc\", "
																				"subdirectory = \"sub\" }\n";

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
	refuses(TOP, EB_INPUT, "no packages");
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
	refuses(TOP "[[packages]]\nname = \"a\"\nversion = \"what\"\n"
		    "wheels = []\n",
		EB_INPUT, "its version is none");
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
