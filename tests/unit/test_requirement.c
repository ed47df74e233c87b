/* SPDX-License-Identifier: Apache-2.0 */
/* Pip lines: normal forms, kinds, what is refused and in which words, and that
 * no credential gets through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/requirement.h>
#include <envbuild/str.h>

#include "python_vectors.h"

#define AUTOREQ(name) \
	struct eb_requirement name EB_CLEANUP(eb_requirement_release) = { 0 }

/* ---- tables that packaging and pip made -----------------------------------
 */

/* input, OK|ERR, name, extras, specifiers, url, marker, ... */
static bool requirement_row(const struct eb_strv *row)
{
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
	AUTOERR(err);
	eb_autofree char *extras = NULL, *specifiers = NULL;
	int rc = eb_pep508_parse(row->v[0], &r, &err);

	if (strcmp(row->v[1], "ERR") == 0)
		return rc < 0 && err.code == EB_INPUT && *err.message;
	if (rc < 0)
		return false;
	extras = joined(&r.extras, ",");
	specifiers = joined(&r.specifiers, ",");
	return same_text(r.name, row->v[2]) && same_text(extras, row->v[3]) &&
	       same_text(specifiers, row->v[4]) &&
	       same_text(r.url, row->v[5]) && same_text(r.marker, row->v[6]);
}

static void requirement_table(void **state)
{
	(void)state;
	each_vector("requirement_parse.tsv", 500, requirement_row);
}

/* Sets that only stand alone: a comma in front, two in a row. */
static bool set_only(const char *s)
{
	return *s == ',' || strstr(s, ",,");
}

static bool specifier_row(const struct eb_strv *row)
{
	eb_autofree char *line = eb_asprintf("x %s", row->v[0]);
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
	AUTOERR(err);
	eb_autofree char *specifiers = NULL;
	int rc = eb_pep508_parse(line, &r, &err);

	if (strcmp(row->v[1], "ERR") == 0 || set_only(row->v[0]))
		return rc < 0;
	specifiers = joined(&r.specifiers, ",");
	return rc == 0 && same_text(specifiers, row->v[3]);
}

static void specifier_table(void **state)
{
	(void)state;
	each_vector("specifier_parse.tsv", 380, specifier_row);
}

static bool marker_row(const struct eb_strv *row)
{
	eb_autofree char *line = eb_asprintf("x ; %s", row->v[0]);
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
	AUTOERR(err);

	return eb_pep508_parse(line, &r, &err) == 0 &&
	       same_text(r.marker, row->v[1]);
}

static void marker_table(void **state)
{
	(void)state;
	each_vector("marker_str.tsv", 180, marker_row);
}

static bool is_version_text(const char *s)
{
	return *s && !strpbrk(s, " \t\n=<>,*~");
}

/* By way of `==`: input, OK|ERR, normalized, canonical, ... */
static bool version_row(const struct eb_strv *row)
{
	eb_autofree char *line = eb_asprintf("x==%s", row->v[0]);
	eb_autofree char *wanted = eb_asprintf("==%s", row->v[3]);
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
	AUTOERR(err);
	int rc;

	if (!is_version_text(row->v[0]))
		return true;
	rc = eb_pep508_parse(line, &r, &err);
	if (strcmp(row->v[1], "ERR") == 0)
		return rc < 0;
	return rc == 0 && same_text(r.specifiers.v[0], wanted);
}

static void version_table(void **state)
{
	(void)state;
	each_vector("pep440_version.tsv", 660, version_row);
}

static bool name_row(const struct eb_strv *row)
{
	eb_autofree char *name = NULL;

	if (strcmp(row->v[1], "OK") != 0)
		return true;
	name = eb_project_name(row->v[0]);
	return same_text(name, row->v[2]);
}

static void name_table(void **state)
{
	(void)state;
	each_vector("names.tsv", 90, name_row);
}

/* Where envbuild differs on purpose: a path's existence is looked at when the
 * file is read; an option behind a requirement is refused. */
static bool differs(const char *name)
{
	static const char *const list[] = { "edit-long", "line-nobin",
					    "line-idx", "home", "dotdot" };

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

/* case, text, OK|ERR, ...; those of one line without byte order mark */
static bool file_row(const struct eb_strv *row)
{
	eb_autofree char *line = eb_strdup(row->v[1]);
	size_t n = strlen(line);
	AUTOREQ(q);
	AUTOERR(err);
	int rc;

	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	if (strchr(line, '\n') || eb_starts(line, "\xef\xbb\xbf"))
		return true;
	rc = eb_requirement_parse(line, &q, &err);
	return ((strcmp(row->v[2], "ERR") == 0) == (rc < 0)) !=
	       differs(row->v[0]);
}

static void file_table(void **state)
{
	(void)state;
	setenv("VER_A", "1.0", 1);
	setenv("TOK", "s3cret", 1);
	each_vector("requirements_file.tsv", 80, file_row);
	unsetenv("VER_A");
	unsetenv("TOK");
}

/* ---- kinds and texts --------------------------------------------------------
 */

static const struct good {
	const char *line;
	enum eb_requirement_kind kind;
	const char *text, *name, *argument;
} good[] = {
	{ "", EB_REQ_OPTION, "", NULL, NULL },
	{ "   # only a comment", EB_REQ_OPTION, "", NULL, NULL },
	{ "Num_Py[B.x, a] >=1.0 , <2  # why", EB_REQ_REQUIREMENT,
	  "num-py[a,b-x]<2,>=1", "num-py", NULL },
	{ "numpy;", EB_REQ_REQUIREMENT, "numpy", "numpy", NULL },
	{ "x ; os.name=='nt'", EB_REQ_REQUIREMENT, "x; os_name == \"nt\"", "x",
	  NULL },
	{ "x @ https://h/a.whl ; os_name=='nt'", EB_REQ_REQUIREMENT,
	  "x @ https://h/a.whl ; os_name == \"nt\"", "x", NULL },
	{ "x @ https://h/a.whl; os_name=='nt'", EB_REQ_REQUIREMENT,
	  "x @ https://h/a.whl ; os_name == \"nt\"", "x", NULL },
	{ "x @ file:///srv/x%20y.whl#sha256=ab", EB_REQ_REQUIREMENT,
	  "x @ file:///srv/x%20y.whl#sha256=ab", "x", "/srv/x y.whl" },
	{ "https://h/My_Pkg-1.0-py3-none-any.whl", EB_REQ_URL,
	  "https://h/My_Pkg-1.0-py3-none-any.whl", "my-pkg", NULL },
	{ "git+https://h/r.git@v1#egg=A_b&subdirectory=s", EB_REQ_URL,
	  "git+https://h/r.git@v1#egg=A_b&subdirectory=s", "a-b", NULL },
	{ "--pre -i https://a/s --extra-index-url=https://b/s", EB_REQ_OPTION,
	  "--pre\n--index-url https://a/s\n--extra-index-url https://b/s", NULL,
	  NULL },
	{ "--no-binary=:all:", EB_REQ_OPTION, "--no-binary :all:", NULL, NULL },
	{ "--only-binary Num_Py,x", EB_REQ_OPTION, "--only-binary num-py,x",
	  NULL, NULL },
	{ "--extra https://a/s", EB_REQ_OPTION, "--extra-index-url https://a/s",
	  NULL, NULL },
	{ "-f './my wheels'", EB_REQ_OPTION, "--find-links ./my wheels", NULL,
	  NULL },
	{ "-r other.txt", EB_REQ_INCLUDE, "-r other.txt", NULL, "other.txt" },
	{ "--constraint=c.txt", EB_REQ_CONSTRAINT, "-c c.txt", NULL, "c.txt" },
	{ "-e .", EB_REQ_EDITABLE, "-e .", NULL, "." },
	{ "-e ./x[B,a]", EB_REQ_EDITABLE, "-e ./x[a,b]", NULL, "./x" },
	{ "-e git://h/r#egg=R", EB_REQ_EDITABLE, "-e git+git://h/r#egg=R", "r",
	  NULL },
	{ ".", EB_REQ_PATH, ".", NULL, "." },
	{ "./x[a] ; os_name == 'nt'", EB_REQ_PATH, "./x[a]; os_name == \"nt\"",
	  NULL, "./x" },
	{ "libs/x", EB_REQ_PATH, "libs/x", NULL, "libs/x" },
	{ "x-1-py3-none-any.whl", EB_REQ_PATH, "x-1-py3-none-any.whl", "x",
	  "x-1-py3-none-any.whl" },
	{ "a==1 --hash=sha256:bb --hash=sha256:aa --hash=sha256:bb",
	  EB_REQ_REQUIREMENT, "a==1 --hash=sha256:aa --hash=sha256:bb", "a",
	  NULL },
};

static void kinds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		AUTOREQ(q);
		AUTOERR(err);

		if (eb_requirement_parse(good[i].line, &q, &err) < 0)
			fail_msg("%s", err.message);
		assert_int_equal(q.kind, good[i].kind);
		assert_string_equal(q.text, good[i].text);
		assert_true(
			same_text(q.name, good[i].name ? good[i].name : ""));
		assert_true(same_text(
			q.argument, good[i].argument ? good[i].argument : ""));
	}
}

/* ---- refusals
 * ------------------------------------------------------------------ */

static const struct {
	const char *line, *message, *hint;
} bad[] = {
	{ "numpy=1.0",
	  "\"numpy=1.0\", reading a pip requirement: \"=\" is no "
	  "operator of pip",
	  "\"numpy==1.0\"" },
	{ "numpy=1.0=py37_0", "\"=\"", "\"numpy==1.0\"" },
	{ "conda-forge::numpy", "expected before \"::numpy\"", "conda's" },
	{ "'numpy'", "does not begin with the name", "leave the quotes out" },
	{ "numpy pandas", "before \"pandas\"", NULL },
	{ "x>1,>", "no version behind \">\"", NULL },
	{ "x>=1.0.*", "\".*\" goes with == and != only", NULL },
	{ "x~=1", "~= takes two numbers", NULL },
	{ "x ; spam == '1'", "\"spam\" is neither a variable", NULL },
	{ "x ; os_name = '1'", "an operator is missing", "not in" },
	{ "x ; (os_name == '1'", "closing parenthesis", NULL },
	{ "x[a", "extras", NULL },
	{ "torch==2.2.1 --extra-index-url https://h/whl",
	  "an option behind a requirement",
	  "\"--extra-index-url https://h/whl\" on a line of its own" },
	{ "--upgrade x", "no option of a requirements file", "pip install" },
	{ "--frob", "\"--frob\" is no option", NULL },
	{ "-e https://h/x.zip", "-e with a URL of a file", "leave out -e" },
	{ "git://h/r.git", "before \"://h/r.git\"", "git+https://" },
	{ "git@h:o/r.git", "no URL that pip takes", "put git+ssh:// in front" },
	{ "x @ ./y", "no URL that pip takes", "file:///" },
	{ "x_==1", "ends in a letter or digit", NULL },
	{ "-r a.txt -r b.txt", "more than one thing", "line of its own" },
	{ "--hash=sha256:aa", "belong to a requirement", NULL },
	{ "x --hash=md5:aa", "no digest", "sha256:" },
	{ "--index-url", "--index-url without a value", NULL },
	{ "--pre=1", "takes no value", NULL },
	{ "-i 'https://h", "closing quote", NULL },
	{ "https://h/x.zip#egg=x[y]", "no name of a project", NULL },
	{ "a\001b", "control character (0x01)", NULL },
};

static void refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		AUTOREQ(q);
		AUTOERR(err);

		if (eb_requirement_parse(bad[i].line, &q, &err) == 0)
			fail_msg("taken: %s", bad[i].line);
		assert_int_equal(err.code, EB_INPUT);
		if (!strstr(err.message, bad[i].message))
			fail_msg("\"%s\": %s", bad[i].line, err.message);
		if (bad[i].hint &&
		    (!err.hint || !strstr(err.hint, bad[i].hint)))
			fail_msg("\"%s\": hint %s", bad[i].line, err.hint);
		assert_null(strchr(err.message, '\n'));
		assert_null(q.text);
	}
}

/* ---- credentials
 * ------------------------------------------------------------------ */

static const char *const secret_lines[] = {
	"-i https://me:hunter2x@h/simple",
	"--extra-index-url=https://hunter2x@h/simple",
	"-f https://me:hunter2x@h/links.html",
	"x @ https://me:hunter2x@h/x.whl",
	"x @ https://h/x.whl?a=1&sig=hunter2x&b=2",
	"git+https://hunter2x:@h/r.git@v1#egg=r",
	"-e git+https://me:hunter2x@h/r.git#egg=r",
	"https://h/t/hunter2x/simple/x.whl",
	"-i https://me:${MY_SECRET}@h/simple",
	"-i https://h/${MY_SECRET}/simple",
	"x @ https://h/${MY_SECRET}/x.whl",
	"-r https://me:hunter2x@h/r.txt",
	"--trusted-host https://me:${MY_SECRET}@h",
	"-i https://me:hunter2x@h/simple --frob",
	"x @ https://me:hunter2x@h/x.whl what",
	"x @ https://me:hunter2x@h/x.whl ; spam == '${MY_SECRET}'",
	"${MY_SECRET}",
	"x=${MY_SECRET}",
	"x == 1 --index-url https://me:${MY_SECRET}@h",
	"https://me:hunter2x/more@h/ x",
	"-e ftp://me:hunter2x@h/x",
	"'https://me:hunter2x@h/x'",
	"a b https://me:hunter2x@h/x https://me:hunter2x@i/y",
};

static void credentials(void **state)
{
	size_t refused = 0;

	(void)state;
	setenv("MY_SECRET", "hunter2x", 1);
	for (size_t i = 0; i < sizeof secret_lines / sizeof *secret_lines;
	     i++) {
		AUTOREQ(q);
		AUTOERR(err);
		int rc = eb_requirement_parse(secret_lines[i], &q, &err);
		bool name = i == 16; /* a name is what was asked for */

		refused += rc < 0;
		if (!name &&
		    ((q.text && strstr(q.text, "hunter2x")) ||
		     (q.behind && strstr(q.behind, "hunter2x")) ||
		     (err.message && strstr(err.message, "hunter2x")) ||
		     (err.hint && strstr(err.hint, "hunter2x"))))
			fail_msg("%s: %s %s", secret_lines[i], q.text,
				 err.message);
	}
	assert_in_range(refused, 8, 12);
	unsetenv("MY_SECRET");
}

static void parsed_text(const char *line, const char *wanted)
{
	AUTOREQ(q);
	AUTOERR(err);

	if (eb_requirement_parse(line, &q, &err) < 0)
		fail_msg("%s", err.message);
	assert_string_equal(q.text, wanted);
}

static void what_stays(void **state)
{
	(void)state;
	setenv("HOST_NAME", "h.example", 1);
	setenv("API_TOKEN", "abcdef", 1);
	parsed_text("-i https://u:p@${HOST_NAME}/s/",
		    "--index-url https://h.example/s/");
	parsed_text("-i https://h/${API_TOKEN}/s",
		    "--index-url https://h/${API_TOKEN}/s");
	parsed_text("x @ https://h/x.whl?a=1&token=2&b=3#sha256=0",
		    "x @ https://h/x.whl?a=1&b=3#sha256=0");
	parsed_text("x @ https://h/x.whl?sig=2", "x @ https://h/x.whl");
	parsed_text("https://h:8080/t/a.whl", "https://h:8080/t/a.whl");
}

/* Which names say that what they hold is secret. */
static void secret_names(void **state)
{
	static const char *const secret[] = {
		"TOK",	     "A_TOKEN",	 "GHTOKEN",    "MY_KEY",
		"KEY_OF_ME", "PASSWORD", "DBPASSWORD", "X_SAS_Y",
	};
	static const char *const open[] = { "HOST",    "TOKENS_AT", "MONKEY",
					    "COMPASS", "A_PATH",    "VER_A" };

	(void)state;
	for (size_t i = 0; i < sizeof secret / sizeof *secret; i++) {
		eb_autofree char *line = eb_asprintf("x -C a=${%s}", secret[i]);
		eb_autofree char *wanted =
			eb_asprintf("x --config-settings=a=${%s}", secret[i]);

		setenv(secret[i], "hunter2x", 1);
		parsed_text(line, wanted);
		unsetenv(secret[i]);
	}
	for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
		eb_autofree char *line = eb_asprintf("x -C a=${%s}", open[i]);

		setenv(open[i], "value", 1);
		parsed_text(line, "x --config-settings=a=value");
		unsetenv(open[i]);
	}
}

static void undefined_stays(void **state)
{
	AUTOREQ(q);
	AUTOERR(err);

	(void)state;
	unsetenv("UNSET_1");
	assert_int_equal(eb_requirement_parse("x==${UNSET_1}", &q, &err), -1);
	assert_non_null(strstr(err.message, "${UNSET_1}"));
	parsed_text("-i https://h/${UNSET_1}/s",
		    "--index-url https://h/${UNSET_1}/s");
	parsed_text("-i https://h/$HOME/${home}/s",
		    "--index-url https://h/$HOME/${home}/s");
}

static void shown_is_short(void **state)
{
	eb_autofree char *line = eb_malloc(5001);
	eb_autofree char *shown = NULL;

	(void)state;
	memset(line, 'a', 5000);
	memcpy(line, "https://u:p@h/", 14);
	line[5000] = '\0';
	shown = eb_requirement_shown(line);
	assert_true(strlen(shown) < 200);
	assert_true(eb_starts(shown, "https://h/aaa"));
}

/* ---- anything
 * ------------------------------------------------------------------------ */

static uint64_t seed = 20261121;

static unsigned chance(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

static void mutate(char *out, size_t size)
{
	static const char bytes[] = "ab1.*+!-_ <>=~,;()[]@'\"$\\{}:/#?%\t\xc3";
	size_t n = strlen(out);

	for (unsigned k = 1 + chance(4); k; k--) {
		size_t i = chance((unsigned)n + 1);
		unsigned how = chance(3);

		if (how == 0 && n + 2 < size) {
			memmove(out + i + 1, out + i, n - i + 1);
			out[i] = bytes[chance(sizeof bytes - 1)];
			n++;
		} else if (how == 1 && i < n) {
			memmove(out + i, out + i + 1, n - i);
			n--;
		} else if (i < n) {
			out[i] = bytes[chance(sizeof bytes - 1)];
		}
	}
}

/* What is taken has a normal text that is its own normal text. */
static void again(const char *line, const struct eb_requirement *q)
{
	AUTOREQ(second);
	AUTOERR(err);

	if (q->kind == EB_REQ_OPTION || q->kind == EB_REQ_INCLUDE ||
	    q->kind == EB_REQ_CONSTRAINT || strpbrk(q->text, "$'\"\\#[") ||
	    q->argument)
		return;
	if (eb_requirement_parse(q->text, &second, &err) < 0)
		fail_msg("%s -> %s: %s", line, q->text, err.message);
	if (strcmp(second.text, q->text) != 0)
		fail_msg("%s -> %s -> %s", line, q->text, second.text);
}

static void any_line(void **state)
{
	clock_t start = clock();
	size_t taken = 0;

	(void)state;
	for (unsigned i = 0; i < 30000; i++) {
		char line[400];
		AUTOREQ(q);
		AUTOERR(err);

		snprintf(line, sizeof line, "%s",
			 good[chance(sizeof good / sizeof *good)].line);
		mutate(line, sizeof line);
		if (eb_requirement_parse(line, &q, &err) == 0) {
			taken++;
			again(line, &q);
		} else {
			assert_int_equal(err.code, EB_INPUT);
		}
	}
	print_message("30000 lines, %zu taken, %.2f s\n", taken,
		      (double)(clock() - start) / CLOCKS_PER_SEC);
	assert_in_range(taken, 5000, 25000);
}

/* Deep and long input ends soon. */
static void large(void **state)
{
	size_t n = 200000;
	eb_autofree char *line = eb_malloc(n + 1);
	AUTOREQ(q);
	AUTOERR(err);

	(void)state;
	memset(line, '(', n);
	memcpy(line, "x ; ", 4);
	line[n] = '\0';
	assert_int_equal(eb_requirement_parse(line, &q, &err), -1);
	assert_non_null(strstr(err.message, "parentheses deep"));
	eb_err_release(&err);
	memset(line, '[', n);
	assert_int_equal(eb_requirement_parse(line, &q, &err), -1);
	eb_err_release(&err);
	memset(line, '9', n);
	memcpy(line, "x==", 3);
	assert_int_equal(eb_requirement_parse(line, &q, &err), 0);
	assert_true(strlen(q.text) == n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requirement_table),
		cmocka_unit_test(specifier_table),
		cmocka_unit_test(marker_table),
		cmocka_unit_test(version_table),
		cmocka_unit_test(name_table),
		cmocka_unit_test(file_table),
		cmocka_unit_test(kinds),
		cmocka_unit_test(refusals),
		cmocka_unit_test(credentials),
		cmocka_unit_test(what_stays),
		cmocka_unit_test(secret_names),
		cmocka_unit_test(undefined_stays),
		cmocka_unit_test(shown_is_short),
		cmocka_unit_test(any_line),
		cmocka_unit_test(large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
