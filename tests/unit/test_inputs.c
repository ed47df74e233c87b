/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that stand in no file: packages of options, the text that stands
 * for a definition, and what an environment that is there says of itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/installed.h>
#include <envbuild/json.h>
#include <envbuild/link.h>
#include <envbuild/spec.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTOSPEC(name) EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *name = NULL

/* ---- packages of options --------------------------------------------------
 */

/* Words with "|" between them: "python 3.8|conda numpy=1.19|pip torch". */
static int add(struct eb_spec *spec, const char *words, struct eb_error *err)
{
	struct eb_strv python EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv conda EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv pip EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv word EB_CLEANUP(eb_strv_release) = { 0 };
	const struct eb_spec_options o = { &python, &conda, &pip };

	eb_strv_split(&word, words, "|");
	for (size_t i = 0; i < word.n; i++) {
		const char *s = word.v[i], *text = strchr(s, ' ') + 1;

		eb_strv_add(s[0] == 'c'	  ? &conda
			    : s[1] == 'y' ? &python
					  : &pip,
			    text);
	}
	return eb_spec_add_options(spec, &o, NULL, err);
}

static struct eb_spec *parse(const char *text)
{
	struct eb_spec *spec = NULL;
	AUTOERR(err);

	if (eb_spec_parse(text, strlen(text), "env.yml", "linux/amd64", NULL,
			  &spec, &err) < 0)
		fail_msg("%s", err.message);
	return spec;
}

static char *definition(const struct eb_spec *spec)
{
	const struct eb_request r = { .spec = spec,
				      .platform = "linux/amd64",
				      .prefix = "/opt/env" };
	EB_AUTOBUF(text, EB_MAX_TEXT);
	AUTOERR(err);

	assert_int_equal(eb_definition_text(&r, &text, &err), 0);
	return eb_buf_steal(&text, NULL);
}

static void same(const struct eb_spec *a, const struct eb_spec *b)
{
	eb_autofree char *x = definition(a), *y = definition(b);

	assert_string_equal(x, y);
}

/* The options alone are the file; so is their text, read again. */
static void test_options_are_lines(void **state)
{
	static const struct {
		const char *words, *file;
	} cases[] = {
		{ "python 3", "dependencies: [python=3]" },
		{ "python 3.8|conda numpy=1.19|conda python>=3.8|"
		  "pip torch==1.6.0|pip Num_Py <2 # old",
		  "dependencies: [python=3.8, numpy=1.19, 'python>=3.8', "
		  "{pip: [torch==1.6.0, num-py<2]}]" },
		{ "conda conda-forge::pip|pip --index-url https://h.example/s",
		  "dependencies: ['conda-forge::pip', "
		  "{pip: ['--index-url https://h.example/s']}]" },
		{ "conda numpy=1.19|conda numpy=1.19|pip a|pip a",
		  "dependencies: [numpy=1.19, {pip: [a]}]" },
		{ "conda x[version='>=1,<2',build=*_0]",
		  "dependencies: [\"x[version='>=1,<2',build=*_0]\"]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTOSPEC(ours);
		AUTOSPEC(theirs);
		AUTOSPEC(again);
		EB_AUTOBUF(text, EB_MAX_YAML);
		AUTOERR(err);

		ours = eb_spec_new("command line");
		assert_int_equal(add(ours, cases[i].words, &err), 0);
		theirs = parse(cases[i].file);
		same(ours, theirs);
		eb_spec_yaml(ours, NULL, &text);
		again = parse(text.data);
		same(ours, again);
		assert_string_equal(again->azure_name, ours->azure_name);
	}
}

static void test_added_to_a_file(void **state)
{
	AUTOSPEC(ours);
	AUTOSPEC(theirs);
	AUTOSPEC(again);
	EB_AUTOBUF(text, EB_MAX_YAML);
	AUTOERR(err);
	unsigned at[4] = { 0 };

	(void)state;
	ours = parse("channels: [c]\n"
		     "dependencies:\n"
		     "- Python =3.8\n"
		     "- pip:\n"
		     "  - 'a>=1'\n"
		     "variables: {X: 1.0, Y: 'a: b'}\n");
	assert_int_equal(add(ours, "conda b|pip c==1", &err), 0);
	theirs = parse("channels: [c]\n"
		       "dependencies: [b, python=3.8, {pip: [c==1, a>=1]}]\n"
		       "variables: {Y: 'a: b', X: '1.0'}\n");
	same(ours, theirs);
	eb_spec_yaml(ours, at, &text);
	again = parse(text.data);
	same(ours, again);
	/* What a person wrote is what is written. */
	assert_non_null(strstr(text.data, "- Python =3.8\n"));
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(at[i], again->conda_at[i].line);
		assert_int_equal(at[2 + i], again->pip_at[i].line);
	}
	assert_string_equal(eb_spec_place(ours, &ours->conda_at[1]),
			    "--conda-package");
	assert_string_equal(eb_spec_place(ours, &ours->conda_at[0]), "env.yml");
}

static void test_refused(void **state)
{
	static const struct {
		const char *words, *place, *said;
	} cases[] = {
		{ "conda numpy=>1", "--conda-package", "\"=>\"" },
		{ "conda ", "--conda-package", "" },
		{ "pip torch=1", "--pip-package", "\"=\"" },
		{ "pip ", "--pip-package", "no requirement" },
		{ "pip # nothing", "--pip-package", "no requirement" },
		{ "pip a\nb", "--pip-package", "more than one" },
		{ "pip -r /nowhere/r.txt", "--pip-package", "/nowhere" },
		{ "python >=3", NULL, "cannot be \">=3\"" },
		{ "python 3.8.1.2", NULL, "cannot be" },
		{ "python 3.", NULL, "cannot be" },
		{ "python ", NULL, "cannot be" },
		/* against the file's numpy=1.19, python=3.8, a==1.0, b>2 */
		{ "conda numpy=1.18", "--conda-package", "env.yml:1:28" },
		{ "conda numpy==1.18.1", "--conda-package", "numpy=1.19" },
		{ "python 3.9", "--python", "python=3.8" },
		{ "python 3|conda python=2", "--conda-package", "python=3.8" },
		{ "conda x=1|conda x=2", "--conda-package",
		  "(--conda-package)" },
		{ "conda y==1.5|conda y>2", "--conda-package", "\"y==1.5\"" },
		{ "pip a==1.1", "--pip-package", "a==1" },
		{ "pip A>1.0", "--pip-package", "(env.yml:" },
		{ "pip b==2", "--pip-package", "b>2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTOSPEC(spec);
		AUTOERR(err);

		spec = parse("dependencies: [python=3.8, numpy=1.19, "
			     "{pip: [a==1.0, b>2]}]");
		if (add(spec, cases[i].words, &err) == 0)
			fail_msg("taken: %s", cases[i].words);
		if (!strstr(err.message, cases[i].said))
			fail_msg("%s: %s", cases[i].words, err.message);
		if (cases[i].place)
			assert_string_equal(err.file, cases[i].place);
		else
			assert_int_equal(err.code, EB_USAGE);
		assert_int_equal(err.line, 0);
	}
}

/* What only a solver can tell is left to it. */
static void test_not_refused(void **state)
{
	AUTOSPEC(spec);
	AUTOERR(err);

	(void)state;
	spec = parse("dependencies: [python=3.8, numpy=1.19, "
		     "{pip: [a==1.0, b>2, \"c==1; sys_platform == 'x'\"]}]");
	assert_int_equal(add(spec,
			     "conda numpy>=1.19.2|conda numpy=1.19.3|"
			     "conda numpy=1|conda numpy<1.18|python 3|"
			     "pip a>=1|pip b<1|pip c==2|pip a[x]==1.0",
			     &err),
			 0);
	assert_int_equal(spec->n_conda, 7);
}

/* ---- the history ----------------------------------------------------------
 */

static void test_history(void **state)
{
	static const struct {
		const char *text, *names;
		int known;
	} cases[] = {
		{ "", "", 0 },
		{ "==> 2020-01-01 00:00:00 <==\n# cmd: conda create x\n"
		  "+defaults/linux-64::x-1-0\n",
		  "", 0 },
		{ "# update specs: ['numpy', \"python=3.8\"]\n", "numpy python",
		  1 },
		{ "# update specs: [\"b\", \"a\"]", "a b", 1 },
		{ "# update specs: []\n", "", 1 },
		{ "# create specs: ['a', 'b']\n# remove specs: ['a']\n", "b",
		  1 },
		{ "# install specs: a\n# uninstall specs: ['a']\n"
		  "# update specs: ['a=2']\n",
		  "a", 1 },
		/* conda before 4.4 */
		{ "# update specs: numpy 1.8*,scipy,python 2.7*,>2\n",
		  "numpy python scipy", 1 },
		{ "# update specs: ['conda-forge::x[version=\">=1\"]']\n", "x",
		  1 },
		{ "# neutered specs: ['a']\n", "", 0 },
		{ "# update specs: ['unclosed\n", "", 1 },
		{ "# update specs: ['*', '=>', '']\n", "", 1 },
		{ "# thiswordisfartoolong specs: ['a']\n", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };
		EB_AUTOBUF(all, EB_MAX_TEXT);

		assert_int_equal(eb_history_requested(cases[i].text,
						      strlen(cases[i].text),
						      &names),
				 cases[i].known);
		eb_buf_adds(&all, "");
		for (size_t k = 0; k < names.n; k++)
			eb_buf_addf(&all, "%s%s", k ? " " : "", names.v[k]);
		assert_string_equal(all.data ? all.data : "", cases[i].names);
	}
}

/* What is written is what is read. */
static void test_history_of_ours(void **state)
{
	struct eb_strv asked EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv names EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(text, EB_MAX_TEXT);

	(void)state;
	eb_strv_add(&asked, "python");
	eb_strv_add(&asked, "numpy");
	eb_link_history(NULL, 0, &asked, &text);
	assert_int_equal(eb_history_requested(text.data, text.len, &names), 1);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "numpy");
}

/* ---- records --------------------------------------------------------------
 */

#define USUAL \
	"'name': 'x', 'version': '1.0', 'build': 'py_0', 'subdir': 'noarch'"

static int record(const char *text, struct eb_record *out, struct eb_error *err)
{
	eb_autofree char *json = eb_strdup(text);
	eb_autojson json_t *j = NULL;

	for (char *p = json; (p = strchr(p, '\'')); p++)
		*p = '"';
	j = eb_json_parse(json, strlen(json), "x.json", err);
	assert_non_null(j);
	return eb_record_installed(j, "conda-meta/x.json", out, err);
}

static void test_records(void **state)
{
	static const struct {
		const char *text, *channel, *fn;
	} cases[] = {
		{ "{" USUAL ", 'channel': 'conda-forge', 'fn': 'x-1.0-py_0', "
		  "'url': 'https://u:p@h.example/t/to-ken/c/noarch/"
		  "x-1.0-py_0.conda'}",
		  "https://h.example/c", "x-1.0-py_0.conda" },
		{ "{" USUAL ", 'url': 'file:///srv/c/noarch/y.tar.bz2'}",
		  "file:///srv/c", "y.tar.bz2" },
		{ "{" USUAL ", 'url': 'file:///srv/pkgs/y.tar.bz2'}",
		  "file:///srv/pkgs", "y.tar.bz2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
		AUTOERR(err);

		if (record(cases[i].text, &r, &err) < 0)
			fail_msg("%s", err.message);
		assert_string_equal(r.channel, cases[i].channel);
		assert_string_equal(r.fn, cases[i].fn);
	}
}

static void test_records_refused(void **state)
{
	static const char *const cases[][2] = {
		{ "[]", "no object" },
		{ "{'name': 1}", "\"name\"" },
		{ "{" USUAL "}", "says no URL" },
		{ "{" USUAL ", 'url': '<unknown>'}", "says no URL" },
		{ "{" USUAL ", 'url': null}", "says no URL" },
		{ "{" USUAL ", 'url': 7}", "\"url\"" },
		{ "{" USUAL ", 'url': 'https://h.example/c/noarch/'}",
		  "no package" },
		{ "{" USUAL ", 'url': 'https://h.example/c/x.conda?a=b.conda'}",
		  "no package" },
		{ "{" USUAL ", 'url': 'https://h.example/a\\nb/x.conda'}",
		  "blanks" },
		{ "{'name': '../x', 'version': '1', 'build': '0'}",
		  "\"name\"" },
		{ "{" USUAL ", 'depends': 'a', 'url': "
		  "'https://h.example/c/x.conda'}",
		  "\"depends\"" },
		{ "{" USUAL ", 'sha256': 'zz', 'url': "
		  "'https://h.example/c/x.conda'}",
		  "digest" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct eb_record r = { 0 };
		AUTOERR(err);

		if (record(cases[i][0], &r, &err) == 0)
			fail_msg("taken: %s", cases[i][0]);
		assert_int_equal(err.code, EB_INPUT);
		if (!strstr(err.message, cases[i][1]) ||
		    !strstr(err.message, "x.json"))
			fail_msg("%s: %s", cases[i][0], err.message);
	}
}

static void test_long_records(void **state)
{
	eb_autofree char *name = eb_malloc(1 << 20), *text = NULL;
	struct eb_record r = { 0 };
	AUTOERR(err);

	(void)state;
	memset(name, 'x', (1 << 20) - 1);
	name[(1 << 20) - 1] = '\0';
	text = eb_asprintf("{'name': '%s', 'version': '1', 'build': '0'}",
			   name);
	assert_int_equal(record(text, &r, &err), -1);
	assert_true(strlen(err.message) < 500);
	eb_err_release(&err);
	free(text);
	text = eb_asprintf("{" USUAL ", 'url': 'https://h.example/%s/x.conda'}",
			   name);
	assert_int_equal(record(text, &r, &err), -1);
	assert_true(strlen(err.message) < 500);
}

/* Those that conda itself wrote. */
static void test_records_of_conda(void **state)
{
	const char *data = getenv("ENVBUILD_DATA");
	eb_autofree char *folder =
		eb_path_join(data ? data : "../shared/data",
			     "conda/fixtures/rattler/test-data/conda-meta");
	DIR *dir = opendir(folder);
	unsigned n = 0, requested = 0;
	struct dirent *e;

	(void)state;
	if (!dir) {
		print_message("no \"%s\"\n", folder);
		skip();
	}
	while ((e = readdir(dir))) {
		struct eb_record r EB_CLEANUP(eb_record_release) = { 0 };
		eb_autofree char *path = eb_path_join(folder, e->d_name);
		EB_AUTOBUF(text, EB_MAX_METADATA);
		eb_autojson json_t *j = NULL;
		AUTOERR(err);

		if (!eb_ends(e->d_name, ".json"))
			continue;
		assert_int_equal(
			eb_read_file(path, EB_MAX_METADATA, &text, &err), 0);
		j = eb_json_parse(text.data, text.len, path, &err);
		if (!j || eb_record_installed(j, path, &r, &err) < 0)
			fail_msg("%s", err.message);
		assert_string_equal(r.channel,
				    "https://conda.anaconda.org/conda-forge");
		requested += eb_record_was_requested(j);
		n++;
	}
	closedir(dir);
	assert_true(n > 20);
	assert_true(requested > 0 && requested < n);
}

/* ---- where a project came from --------------------------------------------
 */

static void test_origins(void **state)
{
	static const struct {
		const char *text, *line;
	} cases[] = {
		{ "{'url': 'https://u:p@h.example/r.git', 'vcs_info': {'vcs': "
		  "'git', 'commit_id': 'abc', 'requested_revision': 'main'}}",
		  "x @ git+https://h.example/r.git@abc" },
		{ "{'url': 'ssh://git@h.example/r', 'subdirectory': 'a/b', "
		  "'vcs_info': {'vcs': 'git', 'commit_id': 'abc'}}",
		  "x @ git+ssh://git@h.example/r@abc#subdirectory=a/b" },
		{ "{'url': 'ssh://git:pw@h.example/r', 'vcs_info': {'vcs': "
		  "'git', 'commit_id': 'abc'}}",
		  "x @ git+ssh://h.example/r@abc" },
		{ "{'url': 'https://h.example/x-1.whl', 'archive_info': "
		  "{'hashes': {'sha256': 'ff'}}}",
		  "x @ https://h.example/x-1.whl#sha256=ff" },
		{ "{'url': 'https://h.example/x.tar.gz', 'archive_info': "
		  "{'hash': 'sha256=ee'}, 'subdirectory': 'd'}",
		  "x @ https://h.example/x.tar.gz#sha256=ee&subdirectory=d" },
		{ "{'url': 'https://h.example/x.whl', 'archive_info': {}}",
		  "x @ https://h.example/x.whl" },
		{ "{'url': 'file:///home/me/x', 'dir_info': "
		  "{'editable': true}}",
		  NULL },
		{ "{'url': 'file:///home/me/x.whl', 'archive_info': {}}",
		  NULL },
		{ "{'url': 'file:///home/me/r', 'vcs_info': {'vcs': 'git', "
		  "'commit_id': 'abc'}}",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		eb_autofree char *json = eb_strdup(cases[i].text), *line = NULL;
		AUTOERR(err);

		for (char *p = json; (p = strchr(p, '\'')); p++)
			*p = '"';
		if (eb_installed_origin("x", json, strlen(json), "d.json",
					&line, &err) < 0)
			fail_msg("%s: %s", cases[i].text, err.message);
		if (!cases[i].line)
			assert_null(line);
		else
			assert_string_equal(line, cases[i].line);
	}
}

static void test_origins_refused(void **state)
{
	static const char *const cases[] = {
		"",
		"[]",
		"{\"url\": 1}",
		"{\"url\": \"https://h.example/r\", \"vcs_info\": {}}",
		"{\"url\": \"https://h.example/r\", \"vcs_info\": {\"vcs\": "
		"\"git\", \"commit_id\": \"a@b\"}}",
		"{\"url\": \"https://h.example/a ; b\", \"archive_info\": {}}",
		"{\"url\": \"https://h.example/a\\n--pre\", "
		"\"archive_info\": {}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *line = NULL;
		AUTOERR(err);

		if (eb_installed_origin("x", cases[i], strlen(cases[i]),
					"d.json", &line, &err) == 0)
			fail_msg("taken: %s", cases[i]);
		assert_int_equal(err.code, EB_INPUT);
		assert_null(line);
	}
}

/* ---- Azure's default ------------------------------------------------------
 */

static void test_azure_python(void **state)
{
	static const struct {
		const char *text;
		int added;
	} cases[] = {
		{ "dependencies: [numpy]", 1 },
		{ "dependencies: [{pip: [a]}]", 1 },
		{ "dependencies: [python]", 0 },
		{ "dependencies: ['conda-forge::python>=3']", 0 },
		{ "dependencies: []", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		AUTOSPEC(spec);
		AUTOERR(err);
		size_t was;

		spec = parse(cases[i].text);
		was = spec->n_conda;
		assert_int_equal(eb_azure_default_python(spec, NULL, &err),
				 cases[i].added);
		assert_int_equal(spec->n_conda, was + (size_t)cases[i].added);
		if (cases[i].added)
			assert_string_equal(eb_matchspec_text(spec->conda[was]),
					    EB_AZURE_PYTHON);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_are_lines),
		cmocka_unit_test(test_added_to_a_file),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_refused),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_history_of_ours),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_records_refused),
		cmocka_unit_test(test_long_records),
		cmocka_unit_test(test_records_of_conda),
		cmocka_unit_test(test_origins),
		cmocka_unit_test(test_origins_refused),
		cmocka_unit_test(test_azure_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
