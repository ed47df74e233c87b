/* SPDX-License-Identifier: Apache-2.0 */
/* Pip lines as a resolver gets them: their texts, options, files from the
 * network; credentials, which stay where they belong and are overwritten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/mem.h>
#include <envbuild/pip_set.h>
#include <envbuild/spec.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTOSET(name) \
	struct eb_pip_set name EB_CLEANUP(eb_pip_set_release) = { 0 }

/* ---- what is freed is looked at
 * ---------------------------------------------------- */

#define SECRET "hunter2x"
#define REMOTE "https://h.example/a/r.txt"

#if defined(__SANITIZE_ADDRESS__)
#define LOOKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOOKS 0
#endif
#endif
#ifndef LOOKS
#define LOOKS 1
#endif

#if LOOKS
static bool looking;
static size_t freed_secrets;

extern void __libc_free(void *p);

void free(void *p)
{
	if (p && looking &&
	    memmem(p, malloc_usable_size(p), SECRET, strlen(SECRET)))
		freed_secrets++;
	if (p) /* or what comes there next would be taken to hold it */
		explicit_bzero(p, malloc_usable_size(p));
	__libc_free(p);
}
#endif

static void add(struct eb_pip_set *s, const char *line)
{
	AUTOERR(err);

	if (eb_pip_set_add(s, line, false, "/src", "r.txt", 3, 1, &err) < 0)
		fail_msg("%s: %s", line, err.message);
}

/* ---- texts
 * --------------------------------------------------------------------- */

static const struct {
	const char *line, *text, *shown, *name, *path, *marker;
} texts[] = {
	{ "NumPy >=1.0,", "NumPy >=1.0,", "NumPy >=1.0,", "numpy", NULL, NULL },
	{ "numpy;", "numpy", "numpy;", "numpy", NULL, NULL },
	{ "a ;os.name=='posix'", "a ; os_name == \"posix\"",
	  "a ;os.name=='posix'", "a", NULL, "os_name == \"posix\"" },
	{ "a (>=1.0) --hash=sha256:aa # c", "a (>=1.0)", "a (>=1.0)", "a", NULL,
	  NULL },
	{ "A_b[X,c] @ https://h/a.whl; os_name=='nt'",
	  "a-b[c,x] @ https://h/a.whl ; os_name == \"nt\"",
	  "A_b[X,c] @ https://h/a.whl; os_name=='nt'", "a-b", NULL,
	  "os_name == \"nt\"" },
	{ "https://u:p@h/a.zip#egg=a ; os_name=='nt'",
	  "https://u:p@h/a.zip#egg=a ; os_name == \"nt\"",
	  "https://h/a.zip#egg=a ; os_name=='nt'", "a", NULL,
	  "os_name == \"nt\"" },
	{ "./x[b,A] ; os_name=='nt'", "/src/x[a,b] ; os_name == \"nt\"",
	  "./x[b,A] ; os_name=='nt'", NULL, "/src/x", "os_name == \"nt\"" },
	{ ".", "/src", ".", NULL, "/src", NULL },
	{ "-e .", "/src", "-e .", NULL, "/src", NULL },
	{ "-e './my x/.'", "/src/my x", "-e ./my x/.", NULL, "/src/my x",
	  NULL },
	{ "-e git://h/r#egg=R", "git+git://h/r#egg=R", "-e git://h/r#egg=R",
	  "r", NULL, NULL },
	{ "git+https://t@h/r.git@v1#egg=R&subdirectory=s",
	  "git+https://t@h/r.git@v1#egg=R&subdirectory=s",
	  "git+https://h/r.git@v1#egg=R&subdirectory=s", "r", NULL, NULL },
	{ "x @ file:w/x%20y.whl#sha256=ab",
	  "x @ file:///src/w/x%20y.whl#sha256=ab",
	  "x @ file:w/x%20y.whl#sha256=ab", "x", "/src/w/x y.whl", NULL },
	{ "file:///srv//a.whl", "file:///srv//a.whl", "file:///srv//a.whl",
	  NULL, "/srv/a.whl", NULL },
	{ "a-1-py3-none-any.whl", "/src/a-1-py3-none-any.whl",
	  "a-1-py3-none-any.whl", "a", "/src/a-1-py3-none-any.whl", NULL },
};

static void same(const char *line, const char *got, const char *wanted)
{
	if (strcmp(got ? got : "-", wanted ? wanted : "-") != 0)
		fail_msg("%s: \"%s\", not \"%s\"", line, got, wanted);
}

static void text_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *line = texts[i].line;
		const struct eb_pip_line *l;
		AUTOSET(s);

		add(&s, line);
		assert_int_equal(s.n, 1);
		l = s.requirement;
		same(line, l->text, texts[i].text);
		same(line, l->shown, texts[i].shown);
		same(line, l->name, texts[i].name);
		same(line, l->path, texts[i].path);
		same(line, l->marker, texts[i].marker);
		assert_int_equal(l->editable, eb_starts(line, "-e"));
		assert_string_equal(l->normal.raw, line);
		assert_string_equal(l->file, "r.txt");
		assert_int_equal(l->line, 3);
	}
}

/* ".." leads where the folders lead, through links. */
static void parents(void **state)
{
	AUTOERR(err);
	eb_autofree char *dir = eb_make_tempdir("/tmp", "pip-set.", &err);
	eb_autofree char *deep = eb_path_join(dir, "a/b");
	eb_autofree char *link = eb_path_join(dir, "l");
	eb_autofree char *wanted = eb_path_join(dir, "a/x");
	AUTOSET(s);

	(void)state;
	assert_int_equal(eb_mkdirs(deep, 0755, &err), 0);
	assert_int_equal(symlink("a/b", link), 0);
	assert_int_equal(
		eb_pip_set_add(&s, "../x", false, link, "r", 1, 1, &err), 0);
	assert_int_equal(
		eb_pip_set_add(&s, "./no/../x", false, dir, "r", 1, 1, &err),
		0);
	assert_int_equal(eb_pip_set_add(&s, "./x", false, ".", "r", 1, 1, &err),
			 0);
	assert_string_equal(s.requirement[0].path, wanted);
	assert_true(eb_ends(s.requirement[1].path, "/no/../x"));
	assert_true(*s.requirement[2].path == '/');
	assert_int_equal(eb_remove_tree(dir, &err), 0);
}

/* ---- options
 * ----------------------------------------------------------------------- */

static void list_is(const struct eb_strv *list, const char *wanted)
{
	EB_AUTOBUF(got, EB_MAX_CONFIG);

	for (size_t i = 0; i < list->n; i++)
		eb_buf_addf(&got, "%s%s", i ? " " : "", list->v[i]);
	assert_string_equal(got.data, wanted);
}

static void indexes(void **state)
{
	AUTOSET(s);

	(void)state;
	add(&s, "--extra-index-url https://u:p@a/s --pre");
	add(&s, "-i https://b/s");
	add(&s, "-i https://t@c/s --extra-index-url=https://d/s");
	add(&s, "-f ./w -f https://h/l.html --find-links=file:w2");
	add(&s, "--no-index --prefer-binary --trusted-host h:80");
	add(&s, "--use-feature fast-deps");
	add(&s, "# nothing");
	assert_string_equal(s.index_url, "https://t@c/s");
	list_is(&s.extra_index, "https://u:p@a/s https://d/s");
	list_is(&s.find_links, "/src/w https://h/l.html file:///src/w2");
	list_is(&s.trusted_host, "h:80");
	assert_true(s.no_index && s.pre && s.prefer_binary);
	assert_false(s.require_hashes);
	assert_int_equal(s.n, 0);
}

static const struct {
	const char *lines[4], *no_binary, *only_binary;
} formats[] = {
	{ { "--no-binary A_b,c" }, "a-b c", "" },
	{ { "--no-binary a", "--only-binary a" }, "", "a" },
	{ { "--no-binary :all:", "--only-binary a" }, ":all:", "a" },
	{ { "--only-binary a,b", "--no-binary :all:" }, ":all:", "" },
	{ { "--only-binary a", "--only-binary :none:" }, "", "" },
	{ { "--only-binary :all:,a,:none:,b" }, "", "b" },
	{ { "--no-binary :all:,a" }, ":all:", "" },
	{ { "--no-binary a", "--no-binary a,b" }, "a b", "" },
};

static void format_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		AUTOSET(s);

		for (size_t k = 0; k < 4 && formats[i].lines[k]; k++)
			add(&s, formats[i].lines[k]);
		list_is(&s.no_binary, formats[i].no_binary);
		list_is(&s.only_binary, formats[i].only_binary);
	}
}

static void releases_and_hashes(void **state)
{
	AUTOSET(s);

	(void)state;
	add(&s, "--all-releases :all:");
	add(&s, "--only-final Num_Py");
	add(&s, "--require-hashes");
	list_is(&s.all_releases, ":all:");
	list_is(&s.only_final, "num-py");
	assert_true(eb_pip_set_hashed(&s));
	add(&s, "--no-require-hashes");
	assert_false(eb_pip_set_hashed(&s));
	add(&s, "a==1 --config-settings \"b=c d\" -C e=f --hash=sha512:AB");
	assert_true(eb_pip_set_hashed(&s));
	list_is(&s.requirement[0].setting, "b=c d e=f");
	list_is(&s.requirement[0].hash, "sha512:ab");
}

/* ---- files from the network
 * -------------------------------------------------------- */

static const struct {
	const char *base, *line, *remote;
	bool constraint;
} remotes[] = {
	{ "/src", "-r https://h/r.txt", "-r https://h/r.txt", false },
	{ "/src", "-c https://h/r.txt", "-c https://h/r.txt", false },
	{ "/src", "-r https://h/r.txt", "-c https://h/r.txt", true },
	{ REMOTE, "-r b/s.txt", "-r https://h.example/a/b/s.txt", false },
	{ REMOTE, "-r ../s.txt", "-r https://h.example/a/../s.txt", false },
	{ REMOTE, "-c /s.txt", "-c https://h.example/s.txt", false },
	{ REMOTE, "-r http://i/s.txt", "-r http://i/s.txt", false },
	{ "https://h", "-r s.txt", "-r https://h/s.txt", false },
	{ "https://u:p@h/a?b=/c", "-r s.txt", "-r https://u:p@h/s.txt", false },
};

static void remote_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof remotes / sizeof *remotes; i++) {
		AUTOSET(s);
		AUTOERR(err);

		if (eb_pip_set_add(&s, remotes[i].line, remotes[i].constraint,
				   remotes[i].base, "r.txt", 1, 1, &err) < 0)
			fail_msg("%s: %s", remotes[i].line, err.message);
		assert_int_equal(s.remote.n, 1);
		same(remotes[i].line, s.remote.v[0], remotes[i].remote);
	}
}

/* Nothing of this machine is read for a file that someone else wrote. */
static const char *const of_this_machine[] = {
	".",
	"./x",
	"-e .",
	"/etc/x.whl",
	"x @ file:///etc/x.whl",
	"file:///etc/x.whl",
	"-f /srv/wheels",
	"-f file:///srv/wheels",
	"-r file:///etc/passwd",
};

static void from_the_network(void **state)
{
	static const char file[] = "\xef\xbb\xbf"
				   "a\\\n==1\n\nb";
	AUTOSET(s);
	AUTOERR(ok);

	(void)state;
	for (size_t i = 0; i < sizeof of_this_machine / sizeof *of_this_machine;
	     i++) {
		const char *line = of_this_machine[i];
		AUTOERR(err);

		if (eb_pip_set_add(&s, line, false, REMOTE, REMOTE, 7, 1,
				   &err) == 0)
			fail_msg("taken: %s", line);
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(strstr(err.message, "from the network"));
		assert_int_equal(err.line, 7);
	}
	assert_int_equal(s.n + s.remote.n + s.find_links.n, 0);
	assert_int_equal(eb_pip_set_add_text(&s, file, sizeof file - 1, true,
					     REMOTE, REMOTE, &ok),
			 0);
	assert_int_equal(s.n_constraints, 2);
	assert_string_equal(s.constraint[0].text, "a==1");
	assert_int_equal(s.constraint[1].line, 4);
}

static void local_file(void **state)
{
	AUTOSET(s);
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_pip_set_add(&s, "-r b.txt", false, "/src", "r.txt",
					2, 4, &err),
			 -1);
	assert_non_null(strstr(err.message, "\"-r b.txt\""));
	assert_int_equal(err.column, 4);
}

/* ---- constraints
 * ------------------------------------------------------------------- */

static void constraint_extras(void **state)
{
	static const char *const bad[] = { "a[b]<2", "-e .", "./x",
					   "git+https://h/r" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		AUTOSET(s);
		AUTOERR(err);

		assert_int_equal(eb_pip_set_add(&s, bad[i], true, "/src",
						"c.txt", 5, 1, &err),
				 0);
		assert_int_equal(eb_pip_set_check(&s, &err), -1);
		assert_non_null(strstr(err.message, "as a constraint"));
		assert_string_equal(err.file, "c.txt");
		assert_int_equal(err.line, 5);
	}
}

/* ---- credentials
 * ------------------------------------------------------------------- */

static const char *const secret_lines[] = {
	"-i https://me:${MY_SECRET}@h/simple",
	"--extra-index-url https://hunter2x@h/simple",
	"--find-links https://me:hunter2x@h/l",
	"x @ https://me:${MY_SECRET}@h/x.whl?sig=hunter2x#sha256=aa",
	"-e git+https://hunter2x@h/r.git#egg=r",
	"https://h/t/hunter2x/simple/x.whl",
	"y==1 --config-settings token=${MY_SECRET}",
	"-r https://me:hunter2x@h/r.txt",
};

static void never_shown(const char *what, const char *text)
{
	if (text && strstr(text, SECRET))
		fail_msg("%s: %s", what, text);
}

static void add_secrets(struct eb_pip_set *s)
{
	for (size_t i = 0; i < sizeof secret_lines / sizeof *secret_lines; i++)
		add(s, secret_lines[i]);
}

static void in_text_alone(void **state)
{
	AUTOSET(s);

	(void)state;
	setenv("MY_SECRET", SECRET, 1);
	add_secrets(&s);
	assert_string_equal(s.index_url, "https://me:" SECRET "@h/simple");
	assert_int_equal(s.n, 4);
	for (size_t i = 0; i < s.n; i++) {
		const struct eb_pip_line *l = &s.requirement[i];

		never_shown("shown", l->shown);
		never_shown("normal", l->normal.text);
		never_shown("before", l->normal.before);
		never_shown("behind", l->normal.behind);
		never_shown("marker", l->marker);
		assert_true(strstr(l->text, SECRET) || l->setting.n);
	}
	list_is(&s.requirement[3].setting, "token=" SECRET);
	list_is(&s.remote, "-r https://me:" SECRET "@h/r.txt");
	unsetenv("MY_SECRET");
}

static void not_in_errors(void **state)
{
	static const char *const bad[] = {
		"x @ https://me:${MY_SECRET}@h/x.whl what",
		"-i https://me:${MY_SECRET}@h --frob",
		"x=${MY_SECRET}",
		"y --config-settings ${MY_SECRET} --nope",
	};

	(void)state;
	setenv("MY_SECRET", SECRET, 1);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		AUTOSET(s);
		AUTOERR(err);

		assert_int_equal(eb_pip_set_add(&s, bad[i], false, "/src", "r",
						1, 1, &err),
				 -1);
		never_shown(bad[i], err.message);
		never_shown(bad[i], err.hint);
	}
	unsetenv("MY_SECRET");
}

#if LOOKS /* under the address sanitizer free() is its own */
/* What is released holds no credential any more. */
static void overwritten(void **state)
{
	struct eb_pip_set s = { 0 };
	char *probe = strdup("the " SECRET);

	(void)state;
	setenv("MY_SECRET", SECRET, 1);
	add_secrets(&s);
	unsetenv("MY_SECRET");
	looking = true;
	free(probe);
	assert_int_equal(freed_secrets, 1); /* it does look */
	eb_pip_set_release(&s);
	looking = false;
	assert_int_equal(freed_secrets, 1);
}

/* The same of a definition that has been read. */
static void overwritten_in_spec(void **state)
{
	static const char text[] =
		"a @ https://me:" SECRET "@h/x.whl\n"
		"-i https://" SECRET "@h/s\n-r https://u:" SECRET "@h/r.txt\n";
	EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *spec = NULL;
	AUTOERR(err);

	(void)state;
	freed_secrets = 0;
	assert_int_equal(eb_spec_parse(text, strlen(text), "r.txt",
				       "linux/amd64", NULL, &spec, &err),
			 0);
	assert_int_equal(spec->n_pip, 3);
	looking = true;
	eb_spec_free(spec);
	looking = false;
	spec = NULL;
	assert_int_equal(freed_secrets, 0);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_table),
		cmocka_unit_test(parents),
		cmocka_unit_test(indexes),
		cmocka_unit_test(format_table),
		cmocka_unit_test(releases_and_hashes),
		cmocka_unit_test(remote_files),
		cmocka_unit_test(from_the_network),
		cmocka_unit_test(local_file),
		cmocka_unit_test(constraint_extras),
		cmocka_unit_test(in_text_alone),
		cmocka_unit_test(not_in_errors),
#if LOOKS
		cmocka_unit_test(overwritten),
		cmocka_unit_test(overwritten_in_spec),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
