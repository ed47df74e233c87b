/* SPDX-License-Identifier: Apache-2.0 */
/* Reading conda environment files: what is taken, warned about, refused and
 * where; selectors; limits; anything at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/spec.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTOSPEC(name) EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *name = NULL

/* Warnings as "line:column: text" lines. */
struct warnings {
	struct eb_strv line;
};

static void keep_warning(void *data, const struct eb_event *ev)
{
	struct warnings *w = data;

	assert_int_equal(ev->type, EB_EV_WARNING);
	assert_non_null(ev->file);
	assert_true(ev->line > 0 && ev->column > 0);
	eb_strv_addf(&w->line, "%u:%u: %s", ev->line, ev->column, ev->text);
}

static void release_warnings(struct warnings *w)
{
	eb_strv_release(&w->line);
}
#define AUTOWARN(name) struct warnings name EB_CLEANUP(release_warnings) = { 0 }

static int parse(const char *text, size_t n, struct warnings *w,
		 struct eb_spec **out, struct eb_error *err)
{
	struct eb_events *events = eb_events_new(keep_warning, w);
	int rc = eb_spec_parse(text, n, "env.yml", "linux/amd64", events, out,
			       err);

	eb_events_free(events);
	return rc;
}

static struct eb_spec *must(const char *text, struct warnings *w)
{
	struct eb_spec *spec = NULL;
	AUTOERR(err);

	if (parse(text, strlen(text), w, &spec, &err) < 0)
		fail_msg("%u:%u: %s", err.line, err.column, err.message);
	return spec;
}

static char *conda_names(const struct eb_spec *spec)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	for (size_t i = 0; i < spec->n_conda; i++)
		eb_buf_addf(&out, "%s%s", i ? " " : "",
			    eb_matchspec_name(spec->conda[i]));
	return eb_buf_steal(&out, NULL);
}

/* ---- what is taken ---------------------------------------------------------
 */

static const char whole[] = "# a comment\n"
			    "name: my-env\n"
			    "prefix: /home/me/envs/my-env\n"
			    "channels:\n"
			    "  - pytorch/label/rc\n"
			    "  - nodefaults\n"
			    "  - https://u:p@h.example/c\n"
			    "dependencies:\n"
			    "  - python=3.9\n"
			    "  - 'numpy >=1.8,<2'\n"
			    "  - pip\n"
			    "  - pip:\n"
			    "    - Num_Py ==1.0\n"
			    "    - --extra-index-url https://h/s\n"
			    "    - |\n"
			    "      # more than one line\n"
			    "      flask \\\n"
			    "        >=1\n"
			    "\n"
			    "      jinja2\n"
			    "variables:\n"
			    "  A: 1.10\n"
			    "  B: yes\n"
			    "  C: 'x y'\n";

static void all_keys(void **state)
{
	AUTOWARN(w);
	AUTOSPEC(s);

	(void)state;
	s = must(whole, &w);
	assert_int_equal(w.line.n, 0);
	assert_string_equal(s->name, "my-env");
	assert_string_equal(s->env_prefix, "/home/me/envs/my-env");
	assert_int_equal(s->channels.n, 2);
	assert_string_equal(s->channels.v[1], "https://u:p@h.example/c");
	assert_int_equal(s->n_conda, 3);
	assert_int_equal(s->conda_at[1].line, 10);
	assert_int_equal(s->conda_at[1].column, 5);
	assert_true(s->has_pip_section);
	assert_int_equal(s->n_pip, 4);
	assert_string_equal(s->pip[0].text, "num-py==1");
	assert_string_equal(s->pip[1].text, "--extra-index-url https://h/s");
	assert_string_equal(s->pip[2].text, "flask>=1");
	assert_int_equal(s->pip_at[2].line, 17);
	assert_string_equal(s->pip[3].text, "jinja2");
	assert_int_equal(s->pip_at[3].line, 20);
	assert_string_equal(s->variable_value.v[0], "1.1");
	assert_string_equal(s->variable_value.v[1], "True");
	assert_string_equal(s->variable_value.v[2], "x y");
}

static void little(void **state)
{
	AUTOWARN(w);
	AUTOSPEC(s);

	(void)state;
	s = must("name:\nchannels:\ndependencies: [python]\nvariables:\n"
		 "prefix:\n",
		 &w);
	assert_null(s->name);
	assert_int_equal(s->channels.n, 0);
	assert_int_equal(s->n_conda, 1);
	assert_false(s->has_pip_section);
	assert_int_equal(w.line.n, 0);
}

static void crlf_and_utf16(void **state)
{
	static const char text[] = "name: \xc3\xa4\r\ndependencies:\r\n- a\r\n";
	char wide[2 * sizeof text] = "\xff\xfe";
	size_t n = 2;
	AUTOWARN(w);
	AUTOSPEC(a);
	AUTOSPEC(b);
	AUTOERR(err);

	(void)state;
	a = must(text, &w);
	for (size_t i = 0; text[i]; i++) {
		if (text[i] == '\xc3')
			continue;
		wide[n++] = text[i] == '\xa4' ? '\xe4' : text[i];
		wide[n++] = 0;
	}
	assert_int_equal(parse(wide, n, &w, &b, &err), 0);
	assert_string_equal(a->name, "\xc3\xa4");
	assert_string_equal(b->name, a->name);
	assert_int_equal(b->n_conda, 1);
}

/* ---- what is warned about
 * ------------------------------------------------------ */

static const struct {
	const char *text, *warning;
} warned[] = {
	{ "name: base\ndependencies: [a]", "1:7: name: \"base\"" },
	{ "dependencies: [a]\nfoo: 1", "2:1: unknown key \"foo\"" },
	{ "platforms: [linux-64]\ndependencies: [a]",
	  "1:1: key \"platforms\" is another tool's" },
	{ "dependencies:\n- a\n-\n- b", "3:2: dependencies: an empty item" },
	{ "dependencies:\n- a\n- pip: [x, '']", "3:12: pip: an empty item" },
	{ "channels: [~]\ndependencies: [a]", "1:12: channels: an empty item" },
	{ "dependencies:\n- pip: [a]\n- pip: [b]",
	  "3:8: pip: a second section" },
	{ "dependencies:\n- conda-forge:pip=23.3.1",
	  "2:3: \"conda-forge:pip=23.3.1\": \"::\" was meant" },
	{ "dependencies: [a]\nvariables: {PATH: /x}",
	  "2:13: variables: PATH is not taken" },
	{ "dependencies: [a]\nvariables: {A: }",
	  "2:16: variables: \"A\" has no" },
	{ "dependencies:", "1:14: dependencies: the list is empty" },
	{ "dependencies:\n- a  # [py3k]", "2:3: the comment looks like a "
					  "selector, but \"py3k\"" },
	{ "dependencies:\n- pip: ['x @ file:///nowhere/x.whl']",
	  "2:9: \"x @ file:///nowhere/x.whl\": there is no" },
};

static void warnings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof warned / sizeof *warned; i++) {
		AUTOWARN(w);
		AUTOSPEC(s);

		s = must(warned[i].text, &w);
		if (w.line.n != 1 || !eb_starts(w.line.v[0], warned[i].warning))
			fail_msg("%s: %zu warnings: %s", warned[i].text,
				 w.line.n, w.line.n ? w.line.v[0] : "");
	}
}

/* Two sections: all lines, in their order. */
static void two_sections(void **state)
{
	AUTOWARN(w);
	AUTOSPEC(s);

	(void)state;
	s = must("dependencies:\n- pip: [b]\n- a\n- pip: [a]", &w);
	assert_int_equal(s->n_pip, 2);
	assert_string_equal(s->pip[0].text, "b");
	assert_string_equal(s->pip[1].text, "a");
}

/* ---- what is refused
 * ------------------------------------------------------------- */

static const struct {
	const char *text;
	unsigned line, column;
	const char *message, *hint;
} refused[] = {
	{ "", 1, 1, "it is empty", "dependencies" },
	{ "# nothing\n", 1, 1, "it is empty", NULL },
	{ "- a\n- b\n", 1, 1, "it is a list", NULL },
	{ "hello", 1, 1, "it is a text", NULL },
	{ "numpy==1.0\npandas>=1\n", 1, 1, "requirements file", "pip:" },
	{ "# x\n@EXPLICIT\nhttps://h/a.conda\n", 3, 18, "has no hash",
	  "--sha256" },
	{ "# packages in environment at /x:\n#\na 1 0\n", 1, 1, "conda list",
	  "export" },
	{ "name: x\nchannels: [a]\n", 1, 1, "no key \"dependencies\"", NULL },
	{ "python: '3.8'\nbuild_dependencies: [pip]\ndependencies:\n"
	  "- -r requirements.txt\n",
	  1, 1, "MLflow", NULL },
	{ "image: x\nconda_file: y\n", 1, 1, "Azure ML", NULL },
	{ "dependencies: python\n", 1, 15, "a list is expected", "- " },
	{ "dependencies: {a: 1}\n", 1, 15, "a list is expected", NULL },
	{ "dependencies:\n- [a]\n", 2, 3, "a list within the list", NULL },
	{ "dependencies:\n- 3.8\n", 2, 3, "a text is expected", "quotes" },
	{ "dependencies:\n- yes\n", 2, 3, "a text is expected", "quotes" },
	{ "dependencies:\n- numpy: 1.0\n", 2, 3, "\"numpy\" is no installer",
	  "\"numpy=1.0\"" },
	{ "dependencies:\n- npm: [left-pad]\n", 2, 3, "\"npm\" is no installer",
	  "pip:" },
	{ "dependencies:\n- pip: numpy\n", 2, 8, "pip: a list is expected",
	  NULL },
	{ "dependencies:\n- pip:\n  - {a: b}\n", 3, 5, "pip: a text",
	  "quotes" },
	{ "dependencies:\n- pip:\n  - 1.0\n", 3, 5, "a text is expected",
	  "quotes" },
	{ "dependencies:\n- pip:\n  - numpy=1.0\n", 3, 5, "no operator of pip",
	  "\"numpy==1.0\"" },
	{ "dependencies:\n- pip:\n  - |\n    a\n    b c\n", 5, 5,
	  "before \"c\"", NULL },
	{ "dependencies:\n- pip:\n  - torch==2 --extra-index-url https://h\n",
	  3, 5, "an option behind a requirement", "line of its own" },
	{ "dependencies:\n- black[jupyter]\n", 2, 3, "black[jupyter]",
	  "pip section" },
	{ "dependencies:\n- pytorch::pytorch[cuda]\n", 2, 3, "pytorch[cuda]",
	  "pip section" },
	{ "dependencies:\n- constructor=>3.1\n", 2, 3, "constructor=>3.1",
	  ">=3.1" },
	{ "dependencies:\n- -r requirements.txt\n", 2, 3, "a line for pip",
	  "pip:" },
	{ "dependencies:\n- git+https://u:pw@h/x\n", 2, 3,
	  "\"git+https://h/x\" is a line for pip", "pip:" },
	{ "dependencies:\n- x={{ v }}\n", 2, 3, "template", NULL },
	{ "dependencies:\n- {{ x }}\n", 2, 0, "reading as YAML", "template" },
	{ "dependencies:\n- pip: ['a=={{v}}']\n", 2, 9, "template", NULL },
	{ "name: {{ x }}\ndependencies: [a]\n", 1, 0, "YAML", "template" },
	{ "name: a b\ndependencies: [a]\n", 1, 7, "has a \" \" in it", NULL },
	{ "name: a/b\ndependencies: [a]\n", 1, 7, "has a \"/\" in it", NULL },
	{ "name: 'C:\\x'\ndependencies: [a]\n", 1, 7, "has a \":\" in it",
	  NULL },
	{ "name: [a]\ndependencies: [a]\n", 1, 7, "name: a text", NULL },
	{ "prefix: {a: b}\ndependencies: [a]\n", 1, 9, "prefix: a text", NULL },
	{ "channels: conda-forge\ndependencies: [a]\n", 1, 11,
	  "channels: a list", "each" },
	{ "channels: [1.0]\ndependencies: [a]\n", 1, 12, "a channel: a text",
	  NULL },
	{ "channels:\n- a: b\ndependencies: [a]\n", 2, 3, "a channel: a text",
	  NULL },
	{ "variables: [a]\ndependencies: [a]\n", 1, 12, "variables: a mapping",
	  NULL },
	{ "variables: {A: [1]}\ndependencies: [a]\n", 1, 16,
	  "the value of \"A\" is a list", NULL },
	{ "variables: {A=B: 1}\ndependencies: [a]\n", 1, 13,
	  "no name of a variable", NULL },
	{ "dependencies:\n- sel(bsd): a\n", 2, 3, "names no platform",
	  "linux, osx" },
	{ "dependencies:\n- sel(linux): [a]\n", 2, 15, "a text", NULL },
	{ "dependencies:\n- !!python/tuple [a]\n", 2, 3, "!!python/tuple",
	  NULL },
	{ "dependencies: [a]\ndependencies: [b]\n", 2, 1,
	  "key \"dependencies\" of line 1 again", NULL },
	{ "dependencies:\n- a\n---\ndependencies: [b]\n", 3, 1,
	  "second document", NULL },
	{ "dependencies:\n\t- a\n", 2, 1, "YAML", "tabs" },
	{ "name: \xff\n", 1, 7, "no UTF-8", "UTF-8" },
	{ "dependencies:\n- pip: [./nowhere]\n", 2, 9, "no file or folder",
	  "relative to" },
	{ "dependencies:\n- pip: [~/x]\n", 2, 9, "no file or folder",
	  "expand \"~\"" },
	{ "dependencies:\n- pip: [-r nowhere.txt]\n", 2, 9, "nowhere.txt",
	  NULL },
	{ "dependencies:\n- pip: [-e /usr/bin]\n", 2, 9,
	  "neither pyproject.toml nor setup.py", NULL },
	{ "dependencies:\n- pip: [-e /bin/sh]\n", 2, 9, "is no folder", NULL },
};

static void refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		const char *text = refused[i].text;
		AUTOWARN(w);
		AUTOSPEC(s);
		AUTOERR(err);

		if (parse(text, strlen(text), &w, &s, &err) == 0)
			fail_msg("taken: %s", text);
		assert_null(s);
		assert_int_equal(err.code, EB_INPUT);
		if (!strstr(err.message, refused[i].message) ||
		    (refused[i].hint &&
		     (!err.hint || !strstr(err.hint, refused[i].hint))))
			fail_msg("%s: \"%s\" (%s)", text, err.message,
				 err.hint);
		assert_string_equal(err.file, "env.yml");
		if (err.line != refused[i].line || err.column == 0 ||
		    (refused[i].column && err.column != refused[i].column))
			fail_msg("%s: %u:%u %s", text, err.line, err.column,
				 err.message);
		assert_null(strchr(err.message, '\n'));
	}
}

/* ---- selectors
 * ------------------------------------------------------------------- */

static const struct {
	const char *text, *amd64, *arm64;
} selectors[] = {
	{ "- a # [linux]\n- b # [osx]\n- c", "a c", "a c" },
	{ "- a #[linux64]\n- b # [aarch64]", "a", "b" },
	{ "- a # [not win]\n- b # [not unix]", "a", "a" },
	{ "- a # [linux and not aarch64]\n- b # [osx or win]", "a", "" },
	{ "- a # [(win or linux) and (x86_64 or s390x)]\n- b", "a b", "b" },
	{ "- a # [win or linux and aarch64]\n- b", "b", "a b" },
	{ "- a # only there [win]\n- b", "b", "b" },
	{ "- a # [win] (not there)\n- b", "a b", "a b" },
	{ "- a # see [the docs]\n- b", "a b", "a b" },
	{ "- a # [win\n- b # win]\n- c # []", "a b c", "a b c" },
	{ "- 'a>1' # [win]\n- \"b\" # [linux]", "b", "b" },
	{ "- sel(linux): a\n- sel(win): b\n- sel(unix): c\n- sel(osx): d",
	  "a c", "a c" },
	{ "- a\n- pip: # [win]\n  - x", "a", "a" },
	{ "- a # [not not linux]\n- b # [((win))]", "a", "a" },
};

static void selected(const char *text, const char *platform, const char *wanted)
{
	eb_autofree char *file = eb_asprintf("dependencies:\n%s\n", text);
	eb_autofree char *got = NULL;
	AUTOSPEC(s);
	AUTOERR(err);

	if (eb_spec_parse(file, strlen(file), "env.yml", platform, NULL, &s,
			  &err) < 0)
		fail_msg("%s: %s", text, err.message);
	got = conda_names(s);
	if (strcmp(got, wanted) != 0)
		fail_msg("%s on %s: \"%s\", not \"%s\"", text, platform, got,
			 wanted);
	assert_int_equal(s->n_pip, 0);
}

static void selector_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
		selected(selectors[i].text, "linux/amd64", selectors[i].amd64);
		selected(selectors[i].text, "linux/arm64", selectors[i].arm64);
	}
}

/* In channels, pip lines and variables, too; a "#" in quotes is none. */
static void selector_places(void **state)
{
	AUTOWARN(w);
	AUTOSPEC(s);

	(void)state;
	s = must("channels:\n- a # [win]\n- b\n"
		 "dependencies:\n- pip:\n  - x # [osx]\n  - y\n"
		 "variables:\n  A: 1 # [win]\n  B: 'x # [win]'\n",
		 &w);
	assert_int_equal(s->channels.n, 1);
	assert_int_equal(s->n_pip, 1);
	assert_string_equal(s->pip[0].text, "y");
	assert_int_equal(s->variable_name.n, 1);
	assert_string_equal(s->variable_value.v[0], "x # [win]");
}

/* ---- credentials
 * --------------------------------------------------------------------- */

static const char *const secret_files[] = {
	"dependencies: ['https://u:hunter2x@h/noarch/x.conda[']",
	"dependencies: ['https://u:hunter2x@h/c::x=>1']",
	"dependencies: ['git+https://u:hunter2x@h/x']",
	"dependencies: [{'https://u:hunter2x@h/x': y}]",
	"dependencies: [{pip: ['x @ https://u:hunter2x@h/x y']}]",
	"dependencies: [a]\n'https://u:hunter2x@h/': 1",
	"dependencies: ['https://u:hunter2x@h/{{x}}']",
	"dependencies: ['conda-forge:x=https://u:hunter2x@h/x']",
};

static void credentials(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof secret_files / sizeof *secret_files;
	     i++) {
		const char *text = secret_files[i];
		AUTOWARN(w);
		AUTOSPEC(s);
		AUTOERR(err);
		int rc = parse(text, strlen(text), &w, &s, &err);

		assert_true(rc < 0 || w.line.n > 0);
		if (rc < 0 && (strstr(err.message, "hunter2x") ||
			       (err.hint && strstr(err.hint, "hunter2x"))))
			fail_msg("%s: %s", text, err.message);
		for (size_t k = 0; k < w.line.n; k++)
			assert_null(strstr(w.line.v[k], "hunter2x"));
	}
}

/* ---- limits
 * -------------------------------------------------------------------------- */

static char *scratch(void)
{
	AUTOERR(err);
	char *dir = eb_make_tempdir("/tmp", "spec.", &err);

	assert_non_null(dir);
	return dir;
}

static void remove_scratch(char **dir)
{
	AUTOERR(err);

	assert_int_equal(eb_remove_tree(*dir, &err), 0);
	free(*dir);
}

static double seconds(clock_t since)
{
	return (double)(clock() - since) / CLOCKS_PER_SEC;
}

static void huge_file(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *path = eb_path_join(dir, "env.yml");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	clock_t start = clock();
	AUTOSPEC(s);
	AUTOERR(err);

	(void)state;
	assert_int_equal(ftruncate(fd, 100 << 20), 0);
	close(fd);
	assert_int_equal(eb_spec_read(path, "linux/amd64", NULL, &s, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "104857600 bytes"));
	assert_non_null(strstr(err.message, path));
	assert_true(seconds(start) < 0.1);
}

static void alias_bomb(void **state)
{
	EB_AUTOBUF(text, EB_MAX_CONFIG);
	clock_t start = clock();
	AUTOWARN(w);
	AUTOSPEC(s);
	AUTOERR(err);

	(void)state;
	eb_buf_adds(&text, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
	for (int i = 1; i < 12; i++) {
		eb_buf_addf(&text, "a%d: &a%d [", i, i);
		for (int k = 0; k < 9; k++)
			eb_buf_addf(&text, "%s*a%d", k ? "," : "", i - 1);
		eb_buf_adds(&text, "]\n");
	}
	eb_buf_adds(&text, "dependencies: *a11\n");
	assert_int_equal(parse(text.data, text.len, &w, &s, &err), -1);
	assert_non_null(strstr(err.message, "nodes"));
	assert_true(err.line > 1);
	assert_true(seconds(start) < 1);
}

/* Very many items in one line, each with a comment behind it to look at. */
static void one_long_line(void **state)
{
	EB_AUTOBUF(text, EB_MAX_YAML);
	clock_t start = clock();
	AUTOWARN(w);
	AUTOSPEC(s);

	(void)state;
	eb_buf_adds(&text, "dependencies: [");
	for (int i = 0; i < 60000; i++)
		eb_buf_addf(&text, "a%d, ", i);
	eb_buf_adds(&text, "{pip: [");
	for (int i = 0; i < 60000; i++)
		eb_buf_addf(&text, "b%d==%d, ", i, i);
	eb_buf_adds(&text, "]}] # [linux]\n");
	assert_false(text.overflow);
	s = must(text.data, &w);
	assert_int_equal(s->n_conda, 60000);
	assert_int_equal(s->n_pip, 60000);
	print_message("120000 items: %.2f s\n", seconds(start));
	assert_true(seconds(start) < 10);
}

/* ---- included files
 * ------------------------------------------------------------------- */

static void write_file(const char *dir, const char *name, const char *text)
{
	eb_autofree char *path = eb_path_join(dir, name);
	AUTOERR(err);

	assert_int_equal(eb_write_file(path, text, strlen(text), 0644, &err),
			 0);
}

static void read_in(const char *dir, struct eb_spec **s, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(dir, "env.yml");

	eb_spec_read(path, "linux/amd64", NULL, s, err);
}

static void included(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *wanted = eb_path_join(dir, "r.txt");
	AUTOSPEC(s);
	AUTOSPEC(again);
	AUTOERR(err);

	(void)state;
	write_file(dir, "env.yml", "dependencies:\n- pip: [-r r.txt]\n");
	write_file(dir, "r.txt",
		   "\xef\xbb\xbf# c\r\na==1 \\\r\n --hash="
		   "sha256:aa\r\n-c c.txt\r\n");
	write_file(dir, "c.txt", "b<2\n");
	read_in(dir, &s, &err);
	assert_non_null(s);
	write_file(dir, "r.txt", "a==1\n\n\nb=1\n");
	read_in(dir, &again, &err);
	assert_null(again);
	assert_string_equal(err.file, wanted);
	assert_int_equal(err.line, 4);
}

static void included_badly(const char *r, const char *c, const char *message)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	AUTOSPEC(s);
	AUTOERR(err);

	write_file(dir, "env.yml", "dependencies:\n- pip: [-r r.txt]\n");
	write_file(dir, "r.txt", r);
	write_file(dir, "c.txt", c);
	read_in(dir, &s, &err);
	assert_null(s);
	if (!strstr(err.message, message) || !err.file || !err.line)
		fail_msg("%s: %s", r, err.message);
}

static void bad_includes(void **state)
{
	(void)state;
	included_badly("-r r.txt\n", "", "include each other");
	included_badly("-r c.txt\n-r c.txt\n", "-r r.txt", "each other");
	included_badly("-c c.txt\n", "a[x]<2", "no extras as a constraint");
	included_badly("-c c.txt\n", "-e .", "nothing editable");
	included_badly("-c c.txt\n", "https://h/x.zip", "without a name");
	included_badly("-r no.txt\n", "", "no.txt");
	included_badly("a\xff\n", "", "no UTF-8");
}

/* ---- anything
 * -------------------------------------------------------------------------- */

static uint64_t seed = 20261121;

static unsigned chance(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

static void try_text(const char *text, size_t n, size_t *taken)
{
	AUTOWARN(w);
	AUTOSPEC(s);
	AUTOERR(err);

	if (parse(text, n, &w, &s, &err) == 0) {
		++*taken;
		return;
	}
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(err.message);
	assert_string_equal(err.file, "env.yml");
}

static void every_prefix(void **state)
{
	size_t taken = 0;

	(void)state;
	for (size_t n = 0; n < sizeof whole; n++) {
		eb_autofree char *text = eb_malloc(n + 1);

		memcpy(text, whole, n); /* a copy, so that the end is exact */
		try_text(text, n, &taken);
	}
	print_message("%zu prefixes, %zu taken\n", sizeof whole, taken);
	assert_in_range(taken, 50, 400);
}

static void mutations(void **state)
{
	static const char bytes[] =
		"\0\t\n -:[]{}#&*!|>'\"%@`,?=<\\$~0aZ\xc3\xff";
	clock_t start = clock();
	size_t taken = 0;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		char text[sizeof whole + 8];
		size_t n = sizeof whole - 1;

		memcpy(text, whole, n);
		for (unsigned k = 1 + chance(6); k; k--) {
			size_t at = chance(n);
			size_t len = 1 + chance(n - at > 30 ? 30 : n - at);

			if (chance(3)) {
				text[at] = bytes[chance(sizeof bytes - 1)];
			} else {
				memmove(text + at, text + at + len,
					n - at - len);
				n -= len;
			}
		}
		try_text(text, n, &taken);
	}
	print_message("2000 mutations, %zu taken, %.2f s\n", taken,
		      seconds(start));
	assert_in_range(taken, 100, 1900);
}

/* ---- real files
 * ----------------------------------------------------------------------------
 */

static void compare(const char *file, const json_t *wanted,
		    const struct eb_strv *got, const char *what)
{
	struct eb_strv list EB_CLEANUP(eb_strv_release) = { 0 };
	size_t i;
	json_t *j;

	json_array_foreach (wanted, i, j)
		if (strcmp(json_string_value(j), "nodefaults") != 0)
			eb_strv_add(&list, json_string_value(j));
	if (list.n != got->n)
		fail_msg("%s: %zu %s, not %zu", file, got->n, what, list.n);
	for (i = 0; i < list.n; i++)
		if (strcmp(list.v[i], got->v[i]) != 0)
			fail_msg("%s: %s \"%s\", not \"%s\"", file, what,
				 got->v[i], list.v[i]);
}

static void compare_variables(const char *file, json_t *wanted,
			      const struct eb_spec *s)
{
	assert_int_equal(json_object_size(wanted), s->variable_name.n);
	for (size_t i = 0; i < s->variable_name.n; i++) {
		const char *value = json_string_value(
			json_object_get(wanted, s->variable_name.v[i]));

		if (!value || strcmp(value, s->variable_value.v[i]) != 0)
			fail_msg("%s: variable %s", file,
				 s->variable_name.v[i]);
	}
}

/* The expected pip lines, read by the same rules: their versions are not
 * shortened. */
static void compare_pip(const char *file, const json_t *wanted,
			const struct eb_spec *s)
{
	size_t i;
	json_t *j;

	assert_int_equal(json_array_size(wanted), s->n_pip);
	json_array_foreach (wanted, i, j) {
		struct eb_requirement q EB_CLEANUP(
			eb_requirement_release) = { 0 };
		AUTOERR(err);

		if (eb_requirement_parse(json_string_value(j), &q, &err) < 0 ||
		    strcmp(q.text, s->pip[i].text) != 0)
			fail_msg("%s: pip \"%s\", not \"%s\"", file,
				 s->pip[i].text, json_string_value(j));
	}
}

static void real_file(const char *data, json_t *e)
{
	const char *file = json_string_value(json_object_get(e, "file"));
	eb_autofree char *path = eb_asprintf("%s/definitions/%s", data, file);
	struct eb_strv conda EB_CLEANUP(eb_strv_release) = { 0 };
	AUTOWARN(w);
	struct eb_events *events = eb_events_new(keep_warning, &w);
	AUTOSPEC(s);
	AUTOERR(err);
	int rc = eb_spec_read(path, "linux/amd64", events, &s, &err);

	eb_events_free(events);
	if (!strcmp(json_string_value(json_object_get(e, "verdict")),
		    "reject")) {
		assert_int_equal(rc, -1);
		assert_int_equal(err.code, EB_INPUT);
		assert_string_equal(err.file, path);
		return;
	}
	if (rc < 0)
		fail_msg("%s: %s", file, err.message);
	for (size_t i = 0; i < s->n_conda; i++)
		eb_strv_add(&conda, eb_matchspec_normal(s->conda[i]));
	if (!json_is_true(json_object_get(e, "selectors")))
		compare(file, json_object_get(e, "conda"), &conda, "conda");
	compare(file, json_object_get(e, "channels"), &s->channels, "channels");
	compare_variables(file, json_object_get(e, "variables"), s);
	if (!strstr(file, "/066-")) /* options in another order of words */
		compare_pip(file, json_object_get(e, "pip"), s);
	assert_int_equal(json_array_size(json_object_get(e, "unknown_keys")),
			 w.line.n);
}

static void real_files(void **state)
{
	const char *data = getenv("ENVBUILD_DATA");
	eb_autofree char *path =
		eb_asprintf("%s/definitions/expected.jsonl", data ? data : ".");
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(text, EB_MAX_METADATA);
	AUTOERR(err);
	size_t n = 0;

	(void)state;
	if (!eb_path_exists(path)) {
		print_message("skipped: there is no %s\n", path);
		skip();
	}
	assert_int_equal(eb_read_file(path, EB_MAX_METADATA, &text, &err), 0);
	eb_strv_split(&lines, text.data, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		json_t *e =
			*lines.v[i] ? json_loads(lines.v[i], 0, NULL) : NULL;
		const char *verdict, *type;

		if (!e)
			continue;
		type = json_string_value(json_object_get(e, "type"));
		verdict = json_string_value(json_object_get(e, "verdict"));
		if (!strcmp(type, "conda") && strcmp(verdict, "unclear")) {
			real_file(data, e);
			n++;
		}
		json_decref(e);
	}
	print_message("%zu real files\n", n);
	assert_true(n >= 81);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_keys),
		cmocka_unit_test(little),
		cmocka_unit_test(crlf_and_utf16),
		cmocka_unit_test(warnings),
		cmocka_unit_test(two_sections),
		cmocka_unit_test(refusals),
		cmocka_unit_test(selector_table),
		cmocka_unit_test(selector_places),
		cmocka_unit_test(credentials),
		cmocka_unit_test(huge_file),
		cmocka_unit_test(alias_bomb),
		cmocka_unit_test(one_long_line),
		cmocka_unit_test(included),
		cmocka_unit_test(bad_includes),
		cmocka_unit_test(every_prefix),
		cmocka_unit_test(mutations),
		cmocka_unit_test(real_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
