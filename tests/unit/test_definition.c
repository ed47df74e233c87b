/* SPDX-License-Identifier: Apache-2.0 */
/* The definition hash: the exact text, what counts and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/spec.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT

/* ---- helpers
 * ----------------------------------------------------------------- */

static char *request_text(struct eb_spec *spec, struct eb_request *r)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);
	AUTOERR(err);

	r->spec = spec;
	for (size_t i = 0; i < spec->channels.n; i++)
		if (eb_channels_add(&r->channels, spec->channels.v[i], NULL,
				    &err) < 0)
			fail_msg("%s", err.message);
	if (eb_definition_text(r, &out, &err) < 0)
		fail_msg("%s", err.message);
	eb_request_release(r);
	eb_spec_free(spec);
	return eb_buf_steal(&out, NULL);
}

#define REQUEST                                                 \
	{                                                       \
		.platform = "linux/amd64", .prefix = "/opt/env" \
	}

static char *text_of(const char *yaml)
{
	struct eb_request r = REQUEST;
	struct eb_spec *spec = NULL;
	AUTOERR(err);

	if (eb_spec_parse(yaml, strlen(yaml), "env.yml", r.platform, NULL,
			  &spec, &err) < 0)
		fail_msg("%s: %s", yaml, err.message);
	return request_text(spec, &r);
}

static char *text_in(const char *dir, const char *name)
{
	eb_autofree char *path = eb_path_join(dir, name);
	struct eb_request r = REQUEST;
	struct eb_spec *spec = NULL;
	AUTOERR(err);

	if (eb_spec_read(path, r.platform, NULL, &spec, &err) < 0)
		fail_msg("%s", err.message);
	return request_text(spec, &r);
}

static bool same(const char *a, const char *b)
{
	eb_autofree char *x = text_of(a), *y = text_of(b);

	return strcmp(x, y) == 0;
}

/* ---- the text
 * ------------------------------------------------------------------ */

static const char yaml[] = "name: x\n"
			   "channels: [conda-forge, "
			   "'https://u:p@h.example/t/abc/c/', nodefaults]\n"
			   "dependencies:\n"
			   "  - python=3.9\n"
			   "  - NumPy >=1.8,<2\n"
			   "  - conda-forge::zlib\n"
			   "  - python=3.9\n"
			   "  - pip\n"
			   "  - pip:\n"
			   "    - Flask==1.0\n"
			   "    - -i https://u:p@h.example/simple\n"
			   "    - a_b ; os.name=='posix'\n"
			   "    - --extra-index-url https://b.example/s\n"
			   "variables: {B: \"x\\ny\", A: 1}\n";

static const char golden[] =
	"definition-format 1\n"
	"platform linux/amd64\n"
	"prefix /opt/env\n"
	"base debian:12\n"
	"channel https://conda.anaconda.org/conda-forge\n"
	"channel https://h.example/c\n"
	"conda conda-forge::zlib\n"
	"conda numpy[version='<2,>=1.8']\n"
	"conda python[version='3.9.*']\n"
	"pip a-b; os_name == \"posix\"\n"
	"pip flask==1\n"
	"pip-option --index-url https://h.example/simple\n"
	"pip-option --extra-index-url https://b.example/s\n"
	"variable \"A=1\"\n"
	"variable \"B=x\\ny\"\n"
	"option compression=zstd:3\n"
	"option pyc=none\n";

static void golden_text(void **state)
{
	struct eb_request r = REQUEST;
	struct eb_spec *spec = NULL;
	eb_autofree char *text = NULL;
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_spec_parse(yaml, strlen(yaml), "env.yml",
				       r.platform, NULL, &spec, &err),
			 0);
	r.base = eb_strdup("debian:12");
	eb_strv_add(&r.options, "pyc=none");
	eb_strv_add(&r.options, "compression=zstd:3");
	text = request_text(spec, &r);
	assert_string_equal(text, golden);
}

static void golden_hash(void **state)
{
	struct eb_request r = REQUEST;
	struct eb_digest got, wanted;
	struct eb_spec *spec = NULL;
	char hex[EB_HEX_SIZE];
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_spec_parse("dependencies: [a]", 17, "env.yml",
				       r.platform, NULL, &spec, &err),
			 0);
	r.spec = spec;
	assert_int_equal(eb_definition_hash(&r, &got, &err), 0);
	eb_sha256("definition-format 1\nplatform linux/amd64\n"
		  "prefix /opt/env\nbase -\nconda a\n",
		  72, &wanted);
	assert_true(eb_digest_equal(&got, &wanted));
	assert_string_equal(eb_digest_hex(&got, hex),
			    "0d59a1dfd2beaaa5f9b9c943cb88690bf05c47b575b1960974"
			    "c21c1a0f51ac33");
	eb_request_release(&r);
	eb_spec_free(spec);
}

/* ---- what does not count, what counts
 * ---------------------------------------------- */

static const char *const equal[][2] = {
	{ "dependencies: [a, b]", "name: x\nprefix: /y\n# c\ndependencies:\n"
				  "- b # d\n- a\n" },
	{ "dependencies: [a=1]", "dependencies: ['a 1.*']" },
	{ "dependencies: [a==1]", "dependencies: ['A == 1', a==1]" },
	{ "dependencies: [a, {pip: [x]}]",
	  "dependencies: [a, pip, {pip: [x]}]" },
	{ "dependencies: [{pip: [x, y]}]",
	  "dependencies: [{pip: [y]}, {pip: [X, x]}]" },
	{ "dependencies: [{pip: ['x_y>=1.0,<2']}]",
	  "dependencies: [{pip: ['X.Y < 2.0, >= 1  # c']}]" },
	{ "dependencies: [{pip: [-i https://h/s]}]",
	  "dependencies: [{pip: ['--index-url=https://a:b@h/s']}]" },
	{ "dependencies: [{pip: [--pre, -i https://h/s]}]",
	  "dependencies: [{pip: [--pre -i https://h/s]}]" },
	{ "dependencies: [{pip: ['x @ https://a:b@h/x.whl']}]",
	  "dependencies: [{pip: ['x@https://h/x.whl']}]" },
	{ "channels: [a, nodefaults]\ndependencies: [x]",
	  "channels: ['https://u:p@conda.anaconda.org/a/']\n"
	  "dependencies: [x]" },
	{ "dependencies: [a]\nvariables: {X: 1, Y: 2}",
	  "variables: {Y: '2', X: '1'}\ndependencies: [a]" },
	{ "dependencies: [a]", "dependencies: [a]\nplatforms: [osx-64]\n" },
	{ "dependencies: [a, {pip: }]", "dependencies: [a, {pip: []}]" },
	{ "dependencies: [{pip: ['x==1 --hash=sha256:aa --hash=sha256:bb']}]",
	  "dependencies: [{pip: ['x == 1.0 --hash=sha256:bb "
	  "--hash=sha256:aa']}]" },
	{ "dependencies: [{pip: ['git+https://a:b@h/r@v1#egg=x']}]",
	  "dependencies: [{pip: ['git+https://h/r@v1#egg=x # c']}]" },
	{ "dependencies: [{pip: ['-r https://a:b@h/r.txt?token=z']}]",
	  "dependencies: [{pip: ['-r https://h/r.txt']}]" },
	{ "dependencies: [{pip: ['x -C a=b']}]",
	  "dependencies: [{pip: ['X --config-settings \"a=b\"']}]" },
	{ "dependencies: [{pip: [--only-binary a_B]}]",
	  "dependencies: [{pip: [--only-binary=A.b]}]" },
};

static const char *const different[][2] = {
	{ "dependencies: [a]", "dependencies: [b]" },
	{ "dependencies: [a=1]", "dependencies: [a==1]" },
	{ "dependencies: [a]", "dependencies: [c::a]" },
	{ "dependencies: [pip]", "dependencies: []" },
	{ "dependencies: [pip=20, {pip: [x]}]",
	  "dependencies: [pip, {pip: [x]}]" },
	{ "dependencies: [a]", "dependencies: [{pip: [a]}]" },
	{ "channels: [a, b]\ndependencies: [x]",
	  "channels: [b, a]\ndependencies: [x]" },
	{ "channels: [defaults, pkgs/main]\ndependencies: [x]",
	  "channels: [pkgs/main, defaults]\ndependencies: [x]" },
	{ "dependencies: [{pip: [x, -i https://a, -i https://b]}]",
	  "dependencies: [{pip: [x, -i https://b, -i https://a]}]" },
	{ "dependencies: [{pip: [x==1]}]",
	  "dependencies: [{pip: [x==1 --hash=sha256:aa]}]" },
	{ "dependencies: [{pip: [x==1 --hash=sha256:aa]}]",
	  "dependencies: [{pip: [x==1 --hash=sha256:ab]}]" },
	{ "dependencies: [{pip: [x -C a=b]}]",
	  "dependencies: [{pip: [x -C a=c]}]" },
	{ "dependencies: [{pip: ['git+https://h/r@v1']}]",
	  "dependencies: [{pip: ['git+https://h/r@v2']}]" },
	{ "dependencies: [{pip: ['git+https://h/r#egg=x']}]",
	  "dependencies: [{pip: ['git+https://h/r#egg=x&subdirectory=s']}]" },
	{ "dependencies: [{pip: ['-r https://h/r.txt']}]",
	  "dependencies: [{pip: ['-c https://h/r.txt']}]" },
	{ "dependencies: [{pip: [x]}]", "dependencies: [{pip: [x, --pre]}]" },
	{ "dependencies: [{pip: [x]}]",
	  "dependencies: [{pip: [x, --require-hashes]}]" },
	{ "dependencies: [{pip: [x, -i https://a]}]",
	  "dependencies: [{pip: [x, --extra-index-url https://a]}]" },
	{ "dependencies: [{pip: [x]}]", "dependencies: [{pip: [x, --no-binary "
					"x]}]" },
	{ "dependencies: [{pip: [x]}]",
	  "dependencies: [{pip: ['x; os_name == \"nt\"']}]" },
	{ "dependencies: [a]\nvariables: {X: 1}",
	  "dependencies: [a]\nvariables: {X: 2}" },
	{ "dependencies: [a]\nvariables: {X: '1\nvariable \"Y=2\"'}",
	  "dependencies: [a]\nvariables: {X: 1, Y: 2}" },
	{ "dependencies: [a]\nvariables: {X: \"1\\noption pyc=none\"}",
	  "dependencies: [a]\nvariables: {X: 1}" },
};

static void what_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
		if (!same(equal[i][0], equal[i][1]))
			fail_msg("not one: %s | %s", equal[i][0], equal[i][1]);
	for (size_t i = 0; i < sizeof different / sizeof *different; i++)
		if (same(different[i][0], different[i][1]))
			fail_msg("one: %s | %s", different[i][0],
				 different[i][1]);
}

/* The request's own parts, each by itself. */
static void request_counts(void **state)
{
	struct eb_strv texts EB_CLEANUP(eb_strv_release) = { 0 };

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct eb_request r = REQUEST;
		struct eb_spec *spec = NULL;
		AUTOERR(err);

		assert_int_equal(eb_spec_parse("dependencies: [a]", 17, "e",
					       r.platform, NULL, &spec, &err),
				 0);
		if (i == 1)
			r.platform = "linux/arm64";
		if (i == 2)
			r.prefix = "/opt/other";
		if (i == 3)
			r.base = eb_strdup("scratch");
		if (i == 4)
			eb_strv_add(&r.options, "pyc=none");
		if (i == 5)
			eb_channels_add(&r.channels, "c", NULL, &err);
		eb_strv_take(&texts, request_text(spec, &r));
	}
	eb_strv_sort(&texts);
	eb_strv_unique(&texts);
	assert_int_equal(texts.n, 6);
}

/* No value makes a line of its own. */
static void forged(void **state)
{
	struct eb_request r = REQUEST;
	struct eb_spec *spec = NULL;
	eb_autofree char *text = NULL;
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_spec_parse("dependencies: [a]", 17, "e", r.platform,
				       NULL, &spec, &err),
			 0);
	r.base = eb_strdup("x\nconda evil\\");
	eb_strv_add(&r.options, "as-of=\r\nconda evil");
	text = request_text(spec, &r);
	assert_null(strstr(text, "\nconda evil"));
	assert_non_null(strstr(text, "base x\\x0aconda evil\\\\\n"));
	assert_non_null(strstr(text, "option as-of=\\x0d\\x0aconda evil\n"));
}

static void no_credentials(void **state)
{
	eb_autofree char *text = NULL;

	(void)state;
	setenv("MY_TOKEN", "hunter2x", 1);
	text = text_of("channels: ['https://u:hunter2x@h/c', "
		       "'https://h/t/hunter2x/d', 'https://u:$MY_TOKEN@h/e']\n"
		       "dependencies:\n"
		       "- https://u:hunter2x@h/noarch/x-1-0.conda\n"
		       "- https://u:hunter2x@h/f::y\n"
		       "- pip:\n"
		       "  - -i https://u:${MY_TOKEN}@h/s\n"
		       "  - --extra-index-url https://h/${MY_TOKEN}/s\n"
		       "  - x @ https://hunter2x@h/x.whl?sig=hunter2x\n"
		       "  - -e git+https://hunter2x@h/r#egg=r\n"
		       "  - -r https://u:hunter2x@h/r.txt\n");
	assert_null(strstr(text, "hunter2x"));
	assert_non_null(strstr(text, "pip -r https://h/r.txt\n"));
	assert_non_null(
		strstr(text, "--extra-index-url https://h/${MY_TOKEN}"));
	unsetenv("MY_TOKEN");
}

/* What a secret variable holds is neither seen nor counts; another one's
 * value does. */
static void variables_in_lines(void **state)
{
	static const char file[] =
		"dependencies:\n- pip:\n"
		"  - -i https://${MY_TOKEN}@h/s\n"
		"  - --extra-index-url https://u:${MY_TOKEN}@h/${MY_TOKEN}/s\n"
		"  - --trusted-host u:${MY_TOKEN}@h\n"
		"  - -f https://h/w?sig=${MY_TOKEN}\n"
		"  - -r https://${MY_TOKEN}@h/${MY_TOKEN}/r.txt\n"
		"  - x @ https://h/${MY_TOKEN}/x.whl\n"
		"  - git+https://${MY_TOKEN}@h/r#egg=r\n"
		"  - -e git+https://h/${MY_TOKEN}/r2#egg=r2\n"
		"  - y==1 --config-settings token=${MY_TOKEN}\n"
		"  - z==${Z_VERSION}\n";
	eb_autofree char *a = NULL, *b = NULL, *c = NULL;

	(void)state;
	setenv("MY_TOKEN", "hunter2x", 1);
	setenv("Z_VERSION", "1.0", 1);
	a = text_of(file);
	setenv("MY_TOKEN", "another3y", 1);
	b = text_of(file);
	setenv("Z_VERSION", "1.1", 1);
	c = text_of(file);
	unsetenv("MY_TOKEN");
	unsetenv("Z_VERSION");
	assert_null(strstr(a, "hunter2x"));
	assert_string_equal(a, b);
	assert_non_null(strstr(a, "pip z==1\n"));
	assert_non_null(strstr(c, "pip z==1.1\n"));
	assert_non_null(
		strstr(a, "pip y==1 --config-settings=token=${MY_TOKEN}\n"));
}

/* ---- files and folders by content
 * ------------------------------------------------------ */

static char *scratch(void)
{
	AUTOERR(err);
	char *dir = eb_make_tempdir("/tmp", "definition.", &err);

	assert_non_null(dir);
	return dir;
}

static void remove_scratch(char **dir)
{
	AUTOERR(err);

	assert_int_equal(eb_remove_tree(*dir, &err), 0);
	free(*dir);
}

/* Writes DIR/NAME, with the folders that it needs. */
static void put(const char *dir, const char *name, const char *text)
{
	eb_autofree char *path = eb_path_join(dir, name);
	eb_autofree char *folder =
		eb_strndup(path, (size_t)(strrchr(path, '/') - path));
	AUTOERR(err);

	assert_int_equal(eb_mkdirs(folder, 0755, &err), 0);
	assert_int_equal(eb_write_file(path, text, strlen(text), 0644, &err),
			 0);
}

static void put_project(const char *dir)
{
	put(dir, "env.yml", "dependencies: [{pip: [-e ./p]}]\n");
	put(dir, "p/pyproject.toml", "[project]\n");
	put(dir, "p/src/m.py", "a = 1\n");
	put(dir, "p/.gitignore", "*.log\n/data/\n!keep.log\ntmp\n");
}

/* Does the text of env.yml change when this is written? */
static bool changes(const char *dir, const char *name, const char *text)
{
	eb_autofree char *before = text_in(dir, "env.yml");
	eb_autofree char *after = NULL;

	put(dir, name, text);
	after = text_in(dir, "env.yml");
	return strcmp(before, after) != 0;
}

static void folder_content(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *text = NULL, *link = NULL, *again = NULL;

	(void)state;
	put_project(dir);
	text = text_in(dir, "env.yml");
	assert_non_null(strstr(text, "\npip -e sha256:"));
	assert_null(strstr(text, dir));
	assert_false(changes(dir, "p/src/m.py", "a = 1\n"));
	assert_true(changes(dir, "p/src/m.py", "a = 2\n"));
	assert_true(changes(dir, "p/src/n.py", ""));
	assert_true(changes(dir, "p/src/build/x.py", ""));
	assert_true(changes(dir, "p/keep.log", ""));
	assert_true(changes(dir, "p/src/data/x", ""));
	assert_false(changes(dir, "p/a.log", "x"));
	assert_false(changes(dir, "p/src/b.log", "x"));
	assert_false(changes(dir, "p/data/x", "x"));
	assert_false(changes(dir, "p/src/tmp/x", "x"));
	assert_false(changes(dir, "p/.git/HEAD", "x"));
	assert_false(changes(dir, "p/src/__pycache__/m.pyc", "x"));
	assert_false(changes(dir, "p/build/x", "x"));
	assert_false(changes(dir, "p/dist/x", "x"));
	assert_false(changes(dir, "p/src/p.egg-info/PKG-INFO", "x"));
	assert_false(changes(dir, "p/e.lock", "{\n \"commentary\": {}}"));
	free(text);
	text = text_in(dir, "env.yml");
	link = eb_path_join(dir, "p/link");
	assert_int_equal(symlink("nowhere", link), 0);
	again = text_in(dir, "env.yml");
	assert_string_not_equal(text, again);
}

static void modes_and_places(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	char *other EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *a = NULL, *b = NULL, *c = NULL, *path = NULL;

	(void)state;
	put_project(dir);
	put_project(other);
	put(other, "env.yml", "name: z\ndependencies: [{pip: [-e p/.]}]\n");
	a = text_in(dir, "env.yml");
	b = text_in(other, "env.yml");
	assert_string_equal(a, b);
	path = eb_path_join(other, "p/src/m.py");
	assert_int_equal(chmod(path, 0600), 0);
	free(b);
	b = text_in(other, "env.yml");
	assert_string_equal(a, b);
	assert_int_equal(chmod(path, 0755), 0);
	c = text_in(other, "env.yml");
	assert_string_not_equal(a, c);
}

/* The definition itself lies in the folder: what it says counts by its
 * meaning, not by its bytes. */
static void itself_inside(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();

	(void)state;
	put(dir, "setup.py", "");
	put(dir, "env.yml", "dependencies: [{pip: [.]}]\n");
	assert_false(changes(dir, "env.yml",
			     "# c\nname: x\ndependencies: [{pip: [./.]}]\n"));
	assert_true(changes(dir, "env.yml", "dependencies: [{pip: [-e .]}]"));
	assert_true(changes(dir, "setup.py", "x"));
}

static void included_files(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *in_file = NULL, *written_out = NULL;

	(void)state;
	put(dir, "env.yml", "dependencies: [{pip: [-r r/r.txt]}]\n");
	put(dir, "r/r.txt", "b\n-c c.txt\na==1.0\n-i https://h/s\n");
	put(dir, "r/c.txt", "numpy<2\n");
	in_file = text_in(dir, "env.yml");
	assert_non_null(strstr(in_file,
			       "pip a==1\npip b\n"
			       "pip-constraint numpy<2\n"
			       "pip-option --index-url https://h/s\n"));
	put(dir, "env2.yml",
	    "dependencies: [{pip: [-c r/c.txt, a==1, "
	    "-i https://h/s, B]}]\n");
	written_out = text_in(dir, "env2.yml");
	assert_string_equal(in_file, written_out);
	assert_false(changes(dir, "r/r.txt",
			     "# c\na == 1\nb\n-c c.txt\n-i https://h/s"));
	assert_true(changes(dir, "r/c.txt", "numpy<3\n"));
	assert_true(changes(dir, "r/r.txt", "b\n"));
}

static void archives(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *file = eb_asprintf(
		"dependencies: [{pip: ['x @ file://%s/w/x-1-py3-none-any.whl', "
		"./w/x-1-py3-none-any.whl, -f w]}]\n",
		dir);
	eb_autofree char *text = NULL;

	(void)state;
	put(dir, "w/x-1-py3-none-any.whl", "PK");
	put(dir, "env.yml", file);
	text = text_in(dir, "env.yml");
	assert_non_null(strstr(text, "\npip x @ sha256:"));
	assert_non_null(strstr(text, "\npip sha256:"));
	assert_non_null(strstr(text, "\npip-option --find-links sha256:"));
	assert_null(strstr(text, dir));
	assert_true(changes(dir, "w/x-1-py3-none-any.whl", "PK2"));
}

/* ---- .gitignore
 * ------------------------------------------------------------------------- */

static const struct {
	const char *rules, *path;
	bool ignored;
} rules[] = {
	{ "*.o", "p/src/a.o", true },
	{ "*.o", "p/src/a.oo", false },
	{ "/a", "p/a", true },
	{ "/a", "p/src/a", false },
	{ "src/*.o", "p/src/a.o", true },
	{ "src/*.o", "p/src/b/a.o", false },
	{ "src/**/a", "p/src/b/c/a", true },
	{ "**/a", "p/b/a", true },
	{ "b/", "p/b/a", true },
	{ "a/", "p/src/a", false },
	{ "[ab].x", "p/b.x", true },
	{ "[!ab].x", "p/b.x", false },
	{ "[a-c]?.x", "p/b1.x", true },
	{ "\\#a", "p/#a", true },
	{ "#a", "p/#a", false },
	{ "a \r", "p/a", true },
	{ "*.x\n!k.x", "p/k.x", false },
	{ "b\n!b/a", "p/b/a", true },
	{ "*a*a*a*a*a*a*a*a*b", "p/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	  false },
};

static void ignore_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		char *dir EB_CLEANUP(remove_scratch) = scratch();

		put_project(dir);
		put(dir, "p/.gitignore", rules[i].rules);
		if (changes(dir, rules[i].path, "new") == rules[i].ignored)
			fail_msg("\"%s\" and %s", rules[i].rules,
				 rules[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_text),
		cmocka_unit_test(golden_hash),
		cmocka_unit_test(what_counts),
		cmocka_unit_test(request_counts),
		cmocka_unit_test(forged),
		cmocka_unit_test(no_credentials),
		cmocka_unit_test(variables_in_lines),
		cmocka_unit_test(folder_content),
		cmocka_unit_test(modes_and_places),
		cmocka_unit_test(itself_inside),
		cmocka_unit_test(included_files),
		cmocka_unit_test(archives),
		cmocka_unit_test(ignore_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
