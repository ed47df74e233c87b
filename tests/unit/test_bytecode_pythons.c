/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytecode for every Python that conda ships: where it lies, by the rules of
 * each; and by the real interpreters that this machine has (in /usr/bin or
 * where pyenv keeps them): the same bytes on two runs, what the interpreter
 * itself would make of the source, and taken by it on import.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/bytecode.h>
#include <envbuild/file.h>
#include <envbuild/process.h>

#include "python/interpreter.h"

#define PREFIX "/opt/env"
#define MTIME 1234567890
#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void must(int result, struct eb_error *err)
{
	if (result < 0)
		fail_msg("%s (%s)", err->message, err->hint ? err->hint : "-");
}

/* ---- where it lies ------------------------------------------------------ */

static const struct {
	const char *minor, *place; /* of a/b.py */
} rule[] = {
	{ "2.7", "a/b.pyc" },
	{ "3.5", "a/__pycache__/b.cpython-35.pyc" },
	{ "3.6", "a/__pycache__/b.cpython-36.pyc" },
	{ "3.7", "a/__pycache__/b.cpython-37.pyc" },
	{ "3.8", "a/__pycache__/b.cpython-38.pyc" },
	{ "3.9", "a/__pycache__/b.cpython-39.pyc" },
	{ "3.10", "a/__pycache__/b.cpython-310.pyc" },
	{ "3.11", "a/__pycache__/b.cpython-311.pyc" },
	{ "3.12", "a/__pycache__/b.cpython-312.pyc" },
	{ "3.13", "a/__pycache__/b.cpython-313.pyc" },
	{ "3.14", "a/__pycache__/b.cpython-314.pyc" },
};
#define N_RULES (sizeof rule / sizeof *rule)

static bool wanted(const char *minor, const char *const *path)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_entries e EB_CLEANUP(eb_entries_release) = { 0 };

	for (; *path; path++)
		eb_entries_add(&e, *path, EB_ENTRY_FILE);
	must(eb_entries_sort(&e, "test", &err), &err);
	return eb_bytecode_wanted(&e, PREFIX, minor);
}

static void places(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_RULES; i++) {
		const char *minor = rule[i].minor;
		eb_autofree char *place = eb_bytecode_place("a/b.py", minor);
		eb_autofree char *py = eb_asprintf(
			"opt/env/lib/python%s/site-packages/a/b.py", minor);
		eb_autofree char *pyc =
			eb_asprintf("opt/env/lib/python%s/site-packages/%s",
				    minor, rule[i].place);

		assert_string_equal(place, rule[i].place);
		assert_true(wanted(minor, ARGV(py)));
		assert_false(wanted(minor, ARGV(py, pyc)));
	}
}

/* A build without the lock has a library of its own, and the same tag. */
static void free_threaded(void **state)
{
#define T "opt/env/lib/python3.13t/"
	(void)state;
	assert_true(wanted("3.13", ARGV(T "site-packages/a/b.py")));
	assert_true(wanted("3.13", ARGV(T "json/decoder.py")));
	assert_false(wanted(
		"3.13", ARGV(T "site-packages/a/b.py", T
			     "site-packages/a/__pycache__/b.cpython-313.pyc")));
	assert_true(
		wanted("3.13",
		       ARGV(T "site-packages/a/b.py", T
			    "site-packages/a/__pycache__/b.cpython-313t.pyc")));
	assert_false(wanted("3.13", ARGV("opt/env/lib/python3.13test/a.py")));
	assert_false(wanted("3.1", ARGV(T "a.py")));
	assert_false(wanted("3.13", ARGV("opt/env/lib/python3.13tt/a.py")));
}

/* ---- interpreters of this machine --------------------------------------- */

struct place {
	char *dir, *tmp;
	struct eb_store *store;
	struct eb_compressor gzip;
	const char *minor;
	char *home; /* the interpreter's prefix */
	unsigned n_items;
};

/* PREFIX/bin/pythonX.Y with a library in PREFIX/lib. */
static char *home_of(const char *pattern, const char *minor)
{
	eb_autofree char *home = NULL;
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0)
		home = eb_strdup(found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	if (home) {
		eb_autofree char *library =
			eb_asprintf("%s/lib/python%s/os.py", home, minor);
		eb_autofree char *program =
			eb_asprintf("%s/bin/python%s", home, minor);

		if (!eb_path_exists(library) || !eb_path_exists(program))
			return NULL;
	}
	return eb_steal(home);
}

static char *find_home(const char *minor)
{
	const char *root = getenv("PYENV_ROOT"), *user = getenv("HOME");
	eb_autofree char *pyenv = eb_asprintf("%s%s/versions/%s.*",
					      root   ? root
					      : user ? user
						     : "",
					      root ? "" : "/.pyenv", minor);
	char *home = home_of(pyenv, minor);

	return home ? home : home_of("/usr", minor);
}

static int open_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = eb_calloc(1, sizeof *p);
	eb_autofree char *store = NULL;

	p->minor = *state;
	p->home = find_home(p->minor);
	p->dir = eb_make_tempdir("/tmp", "eb-pythons-", &err);
	assert_non_null(p->dir);
	p->tmp = eb_path_join(p->dir, "tmp");
	store = eb_path_join(p->dir, "store");
	must(eb_mkdirs(p->tmp, 0755, &err), &err);
	must(eb_store_open(store, 0, &p->store, &err), &err);
	must(eb_compressor_init(&p->gzip, "gzip", &err), &err);
	*state = p;
	return 0;
}

static int close_place(void **state)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct place *p = *state;
	int result;

	eb_store_close(p->store);
	result = eb_remove_tree(p->dir, &err);
	free(p->dir);
	free(p->tmp);
	free(p->home);
	free(p);
	return result;
}

/* ---- payloads ----------------------------------------------------------- */

static struct eb_item pack(struct place *p, struct eb_entries *e)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item item;
	struct eb_keyer k;
	struct eb_digest key;

	eb_key_begin(&k, "test");
	eb_key_u64(&k, p->n_items++);
	eb_key_end(&k, &key);
	must(eb_part_write(p->store, &p->gzip, EB_ITEM_PART, &key, e, "test",
			   &item, &err),
	     &err);
	eb_entries_release(e);
	return item;
}

static void add_file(struct eb_entries *out, const char *from, const char *to)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *full = eb_asprintf("opt/env/%s", to);
	struct stat st;
	EB_AUTOBUF(text, 64 << 20);

	must(eb_read_file(from, text.max, &text, &err), &err);
	assert_int_equal(stat(from, &st), 0);
	must(eb_entries_add_file(out, full, st.st_mode & 0111 ? 0755 : 0644,
				 st.st_mtime, text.data, text.len, &err),
	     &err);
}

/* nftw gives no pointer to its callback */
static struct {
	struct eb_entries *out;
	size_t skip;
	int depth;
} walk;

static int add_found(const char *path, const struct stat *st, int type,
		     struct FTW *at)
{
	(void)st;
	if (type == FTW_F && at->level <= walk.depth && eb_ends(path, ".py"))
		add_file(walk.out, path, path + walk.skip);
	return 0;
}

/* The sources in a folder of the library. */
static void add_folder(struct place *p, struct eb_entries *out,
		       const char *name, int depth)
{
	eb_autofree char *from =
		eb_asprintf("%s/lib/python%s%s", p->home, p->minor, name);

	walk.out = out;
	walk.skip = strlen(p->home) + 1;
	walk.depth = depth;
	if (eb_path_exists(from))
		assert_int_equal(nftw(from, add_found, 16, FTW_PHYS), 0);
}

/* Python 2.7 and 3.6 want their shared library, where it is one. */
static void add_libraries(struct place *p, struct eb_entries *out)
{
	eb_autofree char *pattern =
		eb_asprintf("%s/lib/libpython*.so.1.0", p->home);
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			add_file(out, found.gl_pathv[i],
				 found.gl_pathv[i] + strlen(p->home) + 1);
	globfree(&found);
}

static struct eb_item interpreter(struct place *p)
{
	struct eb_entries e = { 0 };
	eb_autofree char *inside = eb_asprintf("bin/python%s", p->minor);
	eb_autofree char *program = eb_path_join(p->home, inside);

	add_file(&e, program, inside);
	add_libraries(p, &e);
	add_folder(p, &e, "", 1);
	add_folder(p, &e, "/encodings", 1);
	add_folder(p, &e, "/collections", 1);
	return pack(p, &e);
}

static void add_text(struct place *p, struct eb_entries *e, const char *name,
		     const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *full = eb_asprintf(
		"opt/env/lib/python%s/site-packages/%s", p->minor, name);

	must(eb_entries_add_file(e, full, 0644, MTIME, text, strlen(text),
				 &err),
	     &err);
}

#define SOURCE "where = 'bytecode'\n"
#define SETS \
	"def f(x):\n    return x in {None, 'a', 1, 2.5, b'c', (1, 2), 1j}\n"
#define CHANGED "where = 'source..'\n" /* as long */

/* So that a server has done something else first. */
static struct eb_item other_package(struct place *p)
{
	struct eb_entries e = { 0 };

	add_text(p, &e, "before.py", "x = {'a', 'b', None}\nwhere = 'here'\n");
	add_folder(p, &e, "/logging", 1);
	return pack(p, &e);
}

/* What Python 2 alone takes, and what needs more than a glance. */
static struct eb_item package(struct place *p)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entries e = { 0 };
	eb_autofree char *threaded = NULL;

	add_text(p, &e, "told.py", SOURCE);
	add_text(p, &e, "sets.py", SETS);
	add_text(p, &e, "latin.py", "# coding: latin-1\nx = u'\xe9'\n");
	add_text(p, &e, "dos.py", "# coding: utf-8\r\nx = u'''\xc3\xa9\r\n'''");
	add_text(p, &e, "two.py", "print 'two'\n");
	add_text(p, &e, "three.py", "def f(*, a: int = 1): pass\n");
	add_text(p, &e, "bad.py", "def\n");
	add_text(p, &e, "empty.py", "");
	threaded = eb_asprintf("opt/env/lib/python%st/site-packages/a/b.py",
			       p->minor);
	must(eb_entries_add_file(&e, threaded, 0644, MTIME, "x = 1\n", 6, &err),
	     &err);
	add_folder(p, &e, "/json", 1);
	add_folder(p, &e, "/email", 1);
	return pack(p, &e);
}

/* ---- compiling ---------------------------------------------------------- */

struct order {
	struct eb_bytecode_job job;
	struct eb_entries *out;
};

static int take_over(struct eb_bytecode_job *job, bool ok, struct eb_error *err)
{
	struct order *o = job->data;

	(void)err;
	if (ok) {
		*o->out = job->out;
		memset(&job->out, 0, sizeof job->out);
	}
	return 0;
}

/* In a server of its own; `before`: something else first. False: no
 * interpreter runs confined here. */
static bool compile(struct place *p, const struct eb_item *python,
		    const struct eb_item *before, const struct eb_item *item,
		    struct eb_entries *out, unsigned *n_failed)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_interpreter *i;
	const struct eb_interpreter_options o = { .prefix = PREFIX,
						  .python_minor = p->minor,
						  .payload = python,
						  .n = 1,
						  .tmp = p->tmp,
						  .workers = before ? 2 : 1 };
	struct order order = {
		.job = { .store = p->store, .what = "test", .done = take_over },
		.out = out
	};

	if (eb_interpreter_new(p->store, &o, NULL, &i, &err) < 0) {
		print_message("%s\n", err.message);
		assert_int_equal(err.code, EB_MACHINE);
		assert_null(strstr(err.message, "/bin/python"));
		return false;
	}
	order.job.interpreter = i;
	order.job.data = &order;
	for (int k = !before; k < 2; k++) {
		eb_entries_release(out);
		order.job.payload = k ? item : before;
		must(eb_bytecode_run(&order.job, &err), &err);
	}
	*n_failed = order.job.n_failed;
	eb_interpreter_free(i);
	return true;
}

static void same(const struct eb_entries *a, const struct eb_entries *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_string_equal(a->entry[i].path, b->entry[i].path);
		if (!eb_digest_equal(&a->entry[i].sha256, &b->entry[i].sha256))
			fail_msg("\"%s\" differs", a->entry[i].path);
	}
}

/* Where it lies in the test's folder, content and time as in an image. */
static char *write_out(struct place *p, const char *path, const void *content,
		       size_t n, int64_t mtime)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *full = eb_asprintf("%s/root/%s", p->dir, path);
	eb_autofree char *folder = eb_strdup(full);
	struct timespec times[2] = { { .tv_sec = mtime }, { .tv_sec = mtime } };

	*strrchr(folder, '/') = '\0';
	must(eb_mkdirs(folder, 0755, &err), &err);
	must(eb_write_file(full, content, n, 0644, &err), &err);
	assert_int_equal(utimensat(AT_FDCWD, full, times, 0), 0);
	return eb_steal(full);
}

static void run(struct place *p, const char *const *argument,
		struct eb_buf *said)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *program =
		eb_asprintf("%s/bin/python%s", p->home, p->minor);
	const char *argv[12] = { program, "-S", "-B", "-c" };
	int status;
	EB_AUTOBUF(complaint, 64 << 10);

	for (size_t i = 4; *argument; i++)
		argv[i] = *argument++;
	must(eb_process_run(argv, NULL, NULL, 0, 64 << 10, 60, said, &complaint,
			    &status, &err),
	     &err);
	if (status)
		fail_msg("%s: %s", program, complaint.data);
}

/* As long as its source is as old as it was, its bytecode is taken, whatever
 * stands in the source: of an image, where no time is ever another. */
static void is_imported(struct place *p, const struct eb_entries *out)
{
	static const char script[] = "import sys\n"
				     "sys.path.insert(0, sys.argv[1])\n"
				     "import told\n"
				     "print(told.where)\n";
	eb_autofree char *py = eb_asprintf(
		"opt/env/lib/python%s/site-packages/told.py", p->minor);
	eb_autofree char *pyc = eb_bytecode_place(py, p->minor);
	const struct eb_entry *e = eb_entries_find(out, pyc);
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *text = NULL, *source = NULL, *code = NULL;
	eb_autofree char *folder = NULL;
	EB_AUTOBUF(said, 4096);

	assert_non_null(e);
	text = eb_malloc(e->size + 1);
	must(eb_spool_read(e->spool, e->offset, text, e->size, &err), &err);
	source = write_out(p, py, CHANGED, strlen(CHANGED), MTIME);
	code = write_out(p, pyc, text, e->size, e->mtime);
	folder = eb_strndup(source, (size_t)(strrchr(source, '/') - source));
	run(p, ARGV(script, folder), &said);
	assert_string_equal(said.data, "bytecode\n");
	eb_buf_reset(&said);
	assert_int_equal(unlink(code), 0);
	run(p, ARGV(script, folder), &said);
	assert_string_equal(said.data, "source..\n");
}

/* The head, and the code that the interpreter makes of the source. */
static void means_the_same(struct place *p, const struct eb_entries *out)
{
	static const char script[] =
		"import marshal, sys\n"
		"own, source, final = sys.argv[1:4]\n"
		"text = open(source, 'rb').read()\n"
		"pyc = open(own, 'rb').read()\n"
		"if sys.version_info < (3,):\n"
		"    import imp\n"
		"    magic, n = imp.get_magic(), 8\n"
		"else:\n"
		"    import _imp, _frozen_importlib_external as i\n"
		"    magic = i.MAGIC_NUMBER\n"
		"    n = 16 if sys.version_info >= (3, 7) else 12\n"
		"assert pyc[:4] == magic\n"
		"if n == 16:\n"
		"    word = int.from_bytes(magic, 'little')\n"
		"    assert pyc[4:8] == b'\\1\\0\\0\\0', pyc[:16]\n"
		"    assert pyc[8:16] == _imp.source_hash(word, text)\n"
		"else:\n"
		"    head = bytearray(pyc[4:12])\n"
		"    stamp = sum(head[k] << 8 * k for k in range(4))\n"
		"    size = sum(head[4 + k] << 8 * k for k in range(4))\n"
		"    assert stamp == 1234567890, stamp\n"
		"    assert n == 8 or size == len(text), size\n"
		"theirs = compile(text, final, 'exec', 0, True)\n"
		"ours = marshal.loads(pyc[n:])\n"
		"assert ours == theirs and ours.co_filename == final\n";
	static const char *const name[] = { "told", "sets", "latin", "dos",
					    "empty" };
	static const char *const text[] = {
		SOURCE,
		SETS,
		"# coding: latin-1\nx = u'\xe9'\n",
		"# coding: utf-8\r\nx = u'''\xc3\xa9\r\n'''",
		"",
	};
	struct eb_error err = EB_ERROR_INIT;

	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		eb_autofree char *py =
			eb_asprintf("opt/env/lib/python%s/site-packages/%s.py",
				    p->minor, name[i]);
		eb_autofree char *final = eb_asprintf("/%s", py);
		eb_autofree char *pyc = eb_bytecode_place(py, p->minor);
		const struct eb_entry *e = eb_entries_find(out, pyc);
		eb_autofree char *code = NULL, *own = NULL, *source = NULL;
		EB_AUTOBUF(said, 4096);

		if (!e)
			fail_msg("no \"%s\"", pyc);
		code = eb_malloc(e->size + 1);
		must(eb_spool_read(e->spool, e->offset, code, e->size, &err),
		     &err);
		own = write_out(p, "own.pyc", code, e->size, MTIME);
		source =
			write_out(p, "own.py", text[i], strlen(text[i]), MTIME);
		run(p, ARGV(script, own, source, final), &said);
	}
}

/* Compiled where a build without the lock has its library. */
static void has_threaded(const struct place *p, const struct eb_entries *out)
{
	eb_autofree char *py = eb_asprintf(
		"opt/env/lib/python%st/site-packages/a/b.py", p->minor);
	eb_autofree char *pyc = eb_bytecode_place(py, p->minor);

	assert_non_null(eb_entries_find(out, pyc));
}

static void real_interpreter(void **state)
{
	struct place *p = *state;
	struct eb_entries out[3] = { { 0 } };
	struct eb_item python, item, other;
	unsigned n[3];

	python = interpreter(p);
	item = package(p);
	other = other_package(p);
	for (int k = 0; k < 3; k++) {
		if (!compile(p, &python, k == 1 ? &other : NULL, &item, &out[k],
			     &n[k]))
			skip();
		assert_int_equal(n[k], 2);
		same(&out[0], &out[k]);
	}
	assert_true(out[0].n > 15);
	has_threaded(p, &out[0]);
	means_the_same(p, &out[0]);
	is_imported(p, &out[0]);
	print_message("%s: %zu files\n", p->home, out[0].n);
	for (int k = 0; k < 3; k++)
		eb_entries_release(&out[k]);
}

int main(void)
{
	struct CMUnitTest tests[2 + N_RULES] = {
		cmocka_unit_test(places),
		cmocka_unit_test(free_threaded),
	};
	char name[N_RULES][32];
	size_t n = 2;

	for (size_t i = 0; i < N_RULES; i++) {
		eb_autofree char *home = find_home(rule[i].minor);

		if (!home) {
			printf("no Python %s in /usr or among pyenv's\n",
			       rule[i].minor);
			continue;
		}
		snprintf(name[i], sizeof name[i], "python_%s", rule[i].minor);
		tests[n++] = (struct CMUnitTest){ name[i], real_interpreter,
						  open_place, close_place,
						  (void *)rule[i].minor };
	}
	unsetenv("ENVBUILD_RUNTIME");
	unsetenv("ENVBUILD_CONFINE");
	return _cmocka_run_group_tests("pythons", tests, n, NULL, NULL);
}
