/* SPDX-License-Identifier: Apache-2.0 */
/* Bytecode: names and keys; a real interpreter compiling real files, the same
 * bytes every time and every way; what goes wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/bytecode.h>
#include <envbuild/file.h>
#include <envbuild/pool.h>
#include <envbuild/process.h>
#include <envbuild/stream.h>

#include "python/interpreter.h"
#include "sandbox/confine_state.h"

#define PREFIX "/opt/env"
#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

struct place {
	char *dir, *tmp;
	struct eb_store *store;
	struct eb_compressor gzip;
	char minor[16]; /* of the machine's Python; "" = none */
	unsigned n_items;
};

static void must(int result, struct eb_error *err)
{
	if (result < 0)
		fail_msg("%s (%s)", err->message, err->hint ? err->hint : "-");
}

/* /usr/bin/python3 -> python3.11, with its library below /usr/lib */
static void find_python(struct place *p)
{
	char target[64], library[128];
	ssize_t n = readlink("/usr/bin/python3", target, sizeof target - 1);

	if (n < 0)
		return;
	target[n] = '\0';
	snprintf(library, sizeof library, "/usr/lib/%s/encodings", target);
	if (eb_starts(target, "python3.") && n < 16 && eb_path_exists(library))
		memcpy(p->minor, target + 6, (size_t)n - 5);
}

static int open_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = eb_calloc(1, sizeof *p);
	eb_autofree char *store = NULL;

	p->dir = eb_make_tempdir("/tmp", "eb-bytecode-", &err);
	assert_non_null(p->dir);
	p->tmp = eb_path_join(p->dir, "tmp");
	store = eb_path_join(p->dir, "store");
	must(eb_mkdirs(p->tmp, 0755, &err), &err);
	must(eb_store_open(store, 0, &p->store, &err), &err);
	must(eb_compressor_init(&p->gzip, "gzip", &err), &err);
	find_python(p);
	*state = p;
	return 0;
}

static int close_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = *state;
	int result;

	unsetenv("ENVBUILD_CONFINE");
	eb_store_close(p->store);
	result = eb_remove_tree(p->dir, &err);
	free(p->dir);
	free(p->tmp);
	free(p);
	return result;
}

static void assert_nothing_left(const struct place *p)
{
	DIR *dir = opendir(p->tmp);
	struct dirent *e;

	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			fail_msg("\"%s\" was left", e->d_name);
	closedir(dir);
}

/* --- payloads ------------------------------------------------------------ */

static void add_text(struct eb_entries *e, const char *path, const char *text,
		     size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *full = eb_asprintf("opt/env/%s", path);

	must(eb_entries_add_file(e, full, 0644, 1500000000, text, n, &err),
	     &err);
}

/* Parts are found by their key, so each gets its own. */
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

/* nftw gives no pointer to its callback */
static struct {
	struct eb_entries *out;
	size_t skip;
	const char *below;
	unsigned every, seen;
} walk;

static int add_found(const char *path, const struct stat *st, int type,
		     struct FTW *at)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *full = NULL;
	EB_AUTOBUF(text, 64 << 20);

	(void)at;
	if (type != FTW_F || eb_ends(path, ".pyc") || eb_ends(path, ".a"))
		return 0;
	if (eb_ends(path, ".py") && walk.seen++ % walk.every)
		return 0;
	full = eb_asprintf("opt/env/%s%s", walk.below, path + walk.skip);
	must(eb_read_file(path, text.max, &text, &err), &err);
	must(eb_entries_add_file(walk.out, full,
				 st->st_mode & 0111 ? 0755 : 0644, st->st_mtime,
				 text.data, text.len, &err),
	     &err);
	return 0;
}

/* The files of `from` at `below` ("lib/python3.11"), of .py one in `every`. */
static void add_folder(struct eb_entries *out, const char *from,
		       const char *below, unsigned every)
{
	walk.out = out;
	walk.skip = strlen(from);
	walk.below = below;
	walk.every = every;
	walk.seen = 0;
	assert_int_equal(nftw(from, add_found, 16, FTW_PHYS), 0);
}

static struct eb_item host_interpreter(struct place *p)
{
	struct eb_entries e = { 0 };
	static const char *const folder[] = { "encodings", "lib-dynload",
					      "collections", "importlib" };
	eb_autofree char *program = eb_asprintf("/usr/bin/python%s", p->minor);
	eb_autofree char *inside = eb_asprintf("bin/python%s", p->minor);
	struct eb_entry *link;
	size_t i;

	add_folder(&e, program, inside, 1);
	for (i = 0; i < 4; i++) {
		eb_autofree char *from = eb_asprintf("/usr/lib/python%s/%s",
						     p->minor, folder[i]);
		eb_autofree char *to =
			eb_asprintf("lib/python%s/%s", p->minor, folder[i]);

		add_folder(&e, from, to, 1);
	}
	for (i = 0; i < 4; i++) {
		static const char *const module[] = { "abc", "codecs", "io",
						      "warnings" };
		eb_autofree char *from = eb_asprintf("/usr/lib/python%s/%s.py",
						     p->minor, module[i]);
		eb_autofree char *to =
			eb_asprintf("lib/python%s/%s.py", p->minor, module[i]);

		add_folder(&e, from, to, 1);
	}
	link = eb_entries_add(&e, "opt/env/bin/python3", EB_ENTRY_LINK);
	link->mode = 0755;
	link->target = eb_asprintf("python%s", p->minor);
	return pack(p, &e);
}

/* A package of each kind of trouble, and some real files. */
static struct eb_item odd_package(struct place *p)
{
	struct eb_entries e = { 0 };
	eb_autofree char *site =
		eb_asprintf("lib/python%s/site-packages", p->minor);
	static const struct {
		const char *name, *text;
		size_t n;
	} file[] = {
#define FILE(name, text) { name, text, sizeof(text) - 1 }
		FILE("good.py", "x = {None, 'a', 1}\nprint('\\d')\n"),
		FILE("empty.py", ""),
		FILE("latin.py", "# -*- coding: latin-1 -*-\nx = '\xe9'\n"),
		FILE("name.py", "\xce\xb1 = 1\n"), /* needs unicodedata */
		FILE("bad.py", "def\n"),
		FILE("nul.py", "x = 1\0\n"),
		FILE("wrong_utf8.py", "x = '\xe9'\n"),
		FILE("no_codec.py", "# coding: no-such-codec\n"),
		FILE("deep.py",
		     "x = ((((((((((((((((((((1))))))))))))))))))))"),
		FILE("shipped.py", "y = 1\n"),
		FILE("data.txt", "text"),
		FILE(".py", "hidden = 1\n"),
#undef FILE
	};
	eb_autofree char *shipped = NULL;
	size_t i;

	for (i = 0; i < sizeof file / sizeof *file; i++) {
		eb_autofree char *path = eb_path_join(site, file[i].name);

		add_text(&e, path, file[i].text, file[i].n);
	}
	shipped = eb_asprintf("%s/__pycache__/shipped.cpython-3%s.pyc", site,
			      p->minor + 2);
	add_text(&e, shipped, "own", 3);
	add_text(&e, "share/script.py", "z = 1\n", 6);
	return pack(p, &e);
}

static struct eb_item folder_package(struct place *p, const char *name,
				     unsigned every)
{
	struct eb_entries e = { 0 };
	eb_autofree char *from =
		eb_asprintf("/usr/lib/python%s/%s", p->minor, name);
	eb_autofree char *to = eb_asprintf("lib/python%s/%s", p->minor, name);

	add_folder(&e, from, to, every);
	return pack(p, &e);
}

/* --- compiling ----------------------------------------------------------- */

static struct eb_interpreter *new_interpreter(struct place *p,
					      const char *minor,
					      const struct eb_item *payload,
					      unsigned workers, const char *way)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_interpreter *i;
	struct eb_interpreter_options o = { .prefix = PREFIX,
					    .python_minor = minor,
					    .payload = payload,
					    .n = 1,
					    .tmp = p->tmp,
					    .workers = workers };

	if (way)
		setenv("ENVBUILD_CONFINE", way, 1);
	if (eb_interpreter_new(p->store, &o, NULL, &i, &err) < 0) {
		bool here = err.code == EB_MACHINE;

		print_message("%s: %s\n", here ? "skipped" : "failed",
			      err.message);
		eb_err_release(&err);
		assert_true(here);
		return NULL;
	}
	unsetenv("ENVBUILD_CONFINE");
	return i;
}

static void need_python(const struct place *p)
{
	if (*p->minor)
		return;
	print_message("skipped: no /usr/bin/python3 with a library in "
		      "/usr/lib\n");
	skip();
}

struct ordered {
	struct eb_bytecode_job job;
	struct eb_entries *out;
	unsigned n_done;
	bool ok;
};

static int take_over(struct eb_bytecode_job *job, bool ok, struct eb_error *err)
{
	struct ordered *o = job->data;

	(void)err;
	o->n_done++;
	o->ok = ok;
	if (ok) {
		*o->out = job->out;
		memset(&job->out, 0, sizeof job->out);
	}
	return 0;
}

static void order(struct ordered *o, struct place *p, struct eb_interpreter *i,
		  const struct eb_item *item, const char *what,
		  struct eb_entries *out)
{
	*o = (struct ordered){ .job = { .interpreter = i,
					.store = p->store,
					.payload = item,
					.what = what,
					.done = take_over,
					.data = o },
			       .out = out };
}

static int try_compile(struct place *p, struct eb_interpreter *i,
		       const struct eb_item *item, const char *what,
		       struct eb_entries *out, unsigned *n_failed,
		       struct eb_error *err)
{
	struct ordered o;
	int rc;

	order(&o, p, i, item, what, out);
	rc = eb_bytecode_run(&o.job, err);
	assert_int_equal(o.n_done, 1);
	assert_int_equal(o.ok, rc == 0);
	*n_failed = o.job.n_failed;
	return rc;
}

static void compile(struct place *p, struct eb_interpreter *i,
		    const struct eb_item *item, struct eb_entries *out,
		    unsigned *n_failed)
{
	struct eb_error err = EB_ERROR_INIT;

	must(try_compile(p, i, item, "test-1.0", out, n_failed, &err), &err);
}

static void read_entry(const struct eb_entry *e, struct eb_buf *out)
{
	struct eb_error err = EB_ERROR_INIT;

	eb_buf_reset(out);
	assert_int_equal(eb_buf_reserve(out, e->size), 0);
	must(eb_spool_read(e->spool, e->offset, out->data, e->size, &err),
	     &err);
	out->len = e->size;
}

/* Not one byte differs. */
static void same(const struct eb_entries *a, const struct eb_entries *b)
{
	size_t i;

	assert_int_equal(a->n, b->n);
	for (i = 0; i < a->n; i++) {
		assert_string_equal(a->entry[i].path, b->entry[i].path);
		if (!eb_digest_equal(&a->entry[i].sha256, &b->entry[i].sha256))
			fail_msg("\"%s\" differs", a->entry[i].path);
	}
}

static const struct eb_entry *pyc(const struct place *p,
				  const struct eb_entries *e, const char *stem)
{
	eb_autofree char *path =
		eb_asprintf("opt/env/lib/python%s/site-packages/__pycache__/"
			    "%s.cpython-3%s.pyc",
			    p->minor, stem, p->minor + 2);

	return eb_entries_find(e, path);
}

static void odd(struct place *p, struct eb_interpreter *i,
		const struct eb_item *item, struct eb_entries *out)
{
	static const char *const there[] = { "good", "empty", "latin", "name",
					     "deep" };
	static const char *const absent[] = { "bad",	    "nul",
					      "wrong_utf8", "no_codec",
					      "shipped",    "" };
	unsigned n_failed = 99;
	size_t k;
	EB_AUTOBUF(text, 1 << 20);

	compile(p, i, item, out, &n_failed);
	assert_int_equal(n_failed, 4);
	assert_int_equal(out->n, 5);
	for (k = 0; k < 5; k++) {
		const struct eb_entry *e = pyc(p, out, there[k]);

		assert_non_null(e);
		assert_int_equal(e->mode, 0644);
		assert_int_equal(e->mtime, EB_FIXED_MTIME);
		read_entry(e, &text);
		assert_true(text.len > 16);
		/* unchecked hash: flags 1 */
		assert_memory_equal(text.data + 4, "\1\0\0\0", 4);
	}
	for (k = 0; k < 6; k++)
		assert_null(pyc(p, out, absent[k]));
	read_entry(pyc(p, out, "good"), &text);
	assert_non_null(memmem(text.data, text.len, "/opt/env/lib/", 13));
	assert_non_null(memmem(text.data, text.len, "good.py", 7));
}

static void real_files(void **state)
{
	struct place *p = *state;
	static const char *const way[] = { "runtime", "landlock" };
	struct eb_item python, package[4];
	struct eb_entries first[4] = { 0 };
	struct eb_interpreter *i;
	size_t k, w, n_ways = 0;
	unsigned n;

	need_python(p);
	python = host_interpreter(p);
	package[0] = odd_package(p);
	package[1] = folder_package(p, "json", 1);
	package[2] = folder_package(p, "asyncio", 1);
	package[3] = folder_package(p, "email", 1);
	for (w = 0; w < 2; w++) {
		i = new_interpreter(p, p->minor, &python, 1, way[w]);
		if (!i)
			continue;
		print_message("%s\n", eb_interpreter_way(i));
		/* the second time in another order */
		for (k = 0; k < 4; k++) {
			size_t at = w ? 3 - k : k;
			struct eb_entries out = { 0 };

			if (at == 0)
				odd(p, i, &package[0], &out);
			else
				compile(p, i, &package[at], &out, &n);
			assert_int_not_equal(out.n, 0);
			if (n_ways)
				same(&first[at], &out);
			else
				memcpy(&first[at], &out, sizeof out);
			if (n_ways)
				eb_entries_release(&out);
		}
		n_ways++;
		eb_interpreter_free(i);
	}
	for (k = 0; k < 4; k++)
		eb_entries_release(&first[k]);
	assert_nothing_left(p);
	if (!n_ways)
		skip();
}

struct share {
	struct place *p;
	struct eb_interpreter *i;
	const struct eb_item *item;
	struct eb_entries out;
};

static int share_job(void *arg, struct eb_error *err)
{
	struct share *s = arg;
	unsigned n;

	return try_compile(s->p, s->i, s->item, "test", &s->out, &n, err);
}

/* Six packages, two workers, four threads. */
static void several_at_once(void **state)
{
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item python, package[2];
	struct share s[6] = { 0 };
	struct eb_interpreter *i;
	struct eb_pool *pool;
	size_t k;

	need_python(p);
	python = host_interpreter(p);
	package[0] = folder_package(p, "json", 1);
	package[1] = folder_package(p, "email", 2);
	i = new_interpreter(p, p->minor, &python, 2, NULL);
	if (!i)
		skip();
	pool = eb_pool_new(4);
	for (k = 0; k < 6; k++) {
		s[k].p = p;
		s[k].i = i;
		s[k].item = &package[k % 2];
		eb_pool_submit(pool, share_job, &s[k]);
	}
	must(eb_pool_wait(pool, &err), &err);
	eb_pool_free(pool);
	for (k = 2; k < 6; k++)
		same(&s[k % 2].out, &s[k].out);
	for (k = 0; k < 6; k++)
		eb_entries_release(&s[k].out);
	eb_interpreter_free(i);
	assert_nothing_left(p);
}

static int ordered_job(void *arg, struct eb_error *err)
{
	struct ordered *o = arg;

	return eb_bytecode_run(&o->job, err);
}

/* A package of many chunks, and a small one behind it: by three workers for a
 * pool of three, by two for one of five, and all by one. */
static void in_chunks(void **state)
{
	static const unsigned workers[] = { 1, 3, 2 }, threads[] = { 1, 3, 5 };
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_item python, package[2];
	struct eb_entries first[2] = { 0 };
	unsigned k, j;

	need_python(p);
	python = host_interpreter(p);
	package[0] = folder_package(p, "", 4);
	package[1] = folder_package(p, "json", 1);
	for (k = 0; k < 3; k++) {
		struct eb_entries out[2] = { 0 };
		struct ordered o[2];
		struct eb_pool *pool = eb_pool_new(threads[k]);
		struct eb_interpreter *i =
			new_interpreter(p, p->minor, &python, workers[k], NULL);

		if (!i)
			skip();
		for (j = 0; j < 2; j++) {
			order(&o[j], p, i, &package[j], "test", &out[j]);
			o[j].job.pool = pool;
			eb_pool_submit(pool, ordered_job, &o[j]);
		}
		must(eb_pool_wait(pool, &err), &err);
		for (j = 0; j < 2; j++) {
			assert_int_equal(o[j].n_done, 1);
			assert_true(out[j].n > 3);
			if (k)
				same(&first[j], &out[j]);
			else
				first[j] = out[j];
			if (k)
				eb_entries_release(&out[j]);
		}
		assert_int_equal(i->n_waiting, 0);
		eb_pool_free(pool);
		eb_interpreter_free(i);
	}
	print_message("%zu files\n", first[0].n);
	eb_entries_release(&first[0]);
	eb_entries_release(&first[1]);
	assert_nothing_left(p);
}

static void end_server(struct eb_interpreter *i)
{
	struct eb_confined_state *s = i->server.c.state;

	eb_bundle_kill(s->bundled ? &s->bundle : NULL, &s->process);
	usleep(200000);
}

/* All chunks end, those that wait too, and nobody is told twice. */
static void server_ends_in_chunks(void **state)
{
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entries out = { 0 };
	struct eb_item python, package;
	struct eb_interpreter *i;
	struct eb_pool *pool;
	struct ordered o;

	need_python(p);
	python = host_interpreter(p);
	package = folder_package(p, "", 4);
	i = new_interpreter(p, p->minor, &python, 3, NULL);
	if (!i)
		skip();
	end_server(i);
	pool = eb_pool_new(3);
	order(&o, p, i, &package, "test", &out);
	o.job.pool = pool;
	eb_pool_submit(pool, ordered_job, &o);
	assert_int_equal(eb_pool_wait(pool, &err), -1);
	print_message("%s\n", err.message);
	assert_int_equal(err.code, EB_STEP);
	assert_int_equal(o.n_done, 1);
	assert_false(o.ok);
	assert_int_equal(i->n_waiting, 0);
	eb_err_release(&err);
	eb_pool_free(pool);
	eb_interpreter_free(i);
	assert_nothing_left(p);
}

/* The same files by the interpreter's own module, and imported. */
static void against_py_compile(void **state)
{
	static const char *const script =
		"import importlib.util, marshal, py_compile, sys\n"
		"own, source, final = sys.argv[1:4]\n"
		"made = own + '.theirs'\n"
		"py_compile.compile(source, made, final, True, 0,\n"
		"    py_compile.PycInvalidationMode.UNCHECKED_HASH)\n"
		"a, b = open(own, 'rb').read(), open(made, 'rb').read()\n"
		"assert a[:16] == b[:16], (a[:16], b[:16])\n"
		"ca, cb = marshal.loads(a[16:]), marshal.loads(b[16:])\n"
		"assert ca == cb\n"
		"assert ca.co_filename == final, ca.co_filename\n"
		"from importlib.machinery import SourcelessFileLoader\n"
		"SourcelessFileLoader('json.decoder', own).get_code("
		"'json.decoder')\n"
		"print(a == b)\n";
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entries out = { 0 };
	struct eb_item python, package;
	struct eb_interpreter *i;
	unsigned n, equal = 0;
	size_t k;

	need_python(p);
	python = host_interpreter(p);
	package = folder_package(p, "json", 1);
	i = new_interpreter(p, p->minor, &python, 1, NULL);
	if (!i)
		skip();
	compile(p, i, &package, &out, &n);
	eb_interpreter_free(i);
	for (k = 0; k < out.n; k++) {
		const char *name = strrchr(out.entry[k].path, '/') + 1;
		eb_autofree char *own = eb_path_join(p->dir, "own.pyc");
		eb_autofree char *source = NULL, *final = NULL;
		int status, stem = (int)strcspn(name, ".");
		EB_AUTOBUF(text, 1 << 20);
		EB_AUTOBUF(said, 4096);
		EB_AUTOBUF(complaint, 4096);

		source = eb_asprintf("/usr/lib/python%s/json/%.*s.py", p->minor,
				     stem, name);
		final = eb_asprintf("/opt/env/lib/python%s/json/%.*s.py",
				    p->minor, stem, name);
		read_entry(&out.entry[k], &text);
		must(eb_write_file(own, text.data, text.len, 0644, &err), &err);
		must(eb_process_run(ARGV("/usr/bin/python3", "-c", script, own,
					 source, final),
				    NULL, NULL, 0, 4000, 30, &said, &complaint,
				    &status, &err),
		     &err);
		if (status != 0)
			fail_msg("%s: %s", name, complaint.data);
		equal += strcmp(said.data, "True\n") == 0;
	}
	print_message("%zu files mean what py_compile's mean, %u are equal "
		      "byte for byte\n",
		      out.n, equal);
	assert_true(out.n > 3);
	eb_entries_release(&out);
}

/* --- trouble ------------------------------------------------------------- */

/* A server that ends while we talk to it: a message, and a new one next. */
static void server_ends(void **state)
{
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entries out = { 0 };
	struct eb_item python, package;
	struct eb_interpreter *i;
	unsigned n;

	need_python(p);
	python = host_interpreter(p);
	package = folder_package(p, "json", 1);
	i = new_interpreter(p, p->minor, &python, 1, NULL);
	if (!i)
		skip();
	end_server(i);
	assert_int_equal(try_compile(p, i, &package, "json-1", &out, &n, &err),
			 -1);
	print_message("%s (%s)\n", err.message, err.hint);
	assert_int_equal(err.code, EB_STEP);
	assert_non_null(strstr(err.message, "\"json-1\""));
	assert_non_null(strstr(err.hint, "--pyc=none"));
	eb_err_release(&err);
	eb_entries_release(&out);
	compile(p, i, &package, &out, &n);
	assert_int_not_equal(out.n, 0);
	eb_entries_release(&out);
	eb_interpreter_free(i);
	assert_nothing_left(p);
}

static void not_an_interpreter(struct place *p, const char *program,
			       const char *minor, enum eb_code code,
			       const char *said)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_entries e = { 0 };
	struct eb_item item;
	struct eb_interpreter *i = NULL;
	struct eb_interpreter_options o = { .prefix = PREFIX,
					    .python_minor = minor,
					    .payload = &item,
					    .n = 1,
					    .tmp = p->tmp,
					    .workers = 1 };

	if (program)
		add_folder(&e, program, "bin/python3.9", 1);
	else
		add_text(&e, "lib/libx.so", "x", 1);
	item = pack(p, &e);
	assert_int_equal(eb_interpreter_new(p->store, &o, NULL, &i, &err), -1);
	print_message("%s (%s)\n", err.message, err.hint ? err.hint : "-");
	assert_int_equal(err.code, code);
	if (!strstr(err.message, said))
		fail_msg("%s", err.message);
	if (code == EB_MACHINE)
		assert_non_null(strstr(err.hint, "--pyc=none"));
	assert_nothing_left(p);
}

static void no_interpreter(void **state)
{
	struct place *p = *state;

	not_an_interpreter(p, NULL, "3.9", EB_INPUT, "bin/python3.9");
	not_an_interpreter(p, "/bin/true", "3.9", EB_MACHINE, "breaks off");
	not_an_interpreter(p, "/bin/false", "3.9", EB_MACHINE, "status 1");
	not_an_interpreter(p, "/bin/bash", "3.9", EB_MACHINE, "status 2");
	not_an_interpreter(p, "/bin/true", "2.7", EB_INPUT, "bin/python2.7");
}

static void other_version(void **state)
{
	struct place *p = *state;
	struct eb_entries e = { 0 };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *program = NULL, *library = NULL, *linked = NULL;
	struct eb_item item[2];
	struct eb_interpreter *i = NULL;
	struct eb_interpreter_options o = { .prefix = PREFIX,
					    .python_minor = "3.99",
					    .payload = item,
					    .n = 2,
					    .tmp = p->tmp,
					    .workers = 1 };

	need_python(p);
	program = eb_asprintf("/usr/bin/python%s", p->minor);
	add_folder(&e, program, "bin/python3.99", 1);
	item[0] = pack(p, &e);
	library = eb_asprintf("opt/env/lib/python%s", p->minor);
	eb_entries_add(&e, library, EB_ENTRY_LINK)->target =
		eb_strdup("python3.99");
	linked = eb_asprintf("/usr/lib/python%s/encodings", p->minor);
	add_folder(&e, linked, "lib/python3.99/encodings", 1);
	item[1] = pack(p, &e);
	assert_int_equal(eb_interpreter_new(p->store, &o, NULL, &i, &err), -1);
	print_message("%s\n", err.message);
	assert_int_equal(err.code, EB_MACHINE);
	assert_non_null(strstr(err.hint, "--pyc=none"));
	assert_nothing_left(p);
}

/* A link that leads out of the folder leads no file out. */
static void hostile_links(void **state)
{
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entries e = { 0 };
	struct eb_item item[2];
	struct eb_interpreter i = { .prefix = (char *)PREFIX,
				    .minor = (char *)"3.9" };
	eb_autofree char *outside = eb_path_join(p->dir, "outside");
	eb_autofree char *escaped = eb_path_join(outside, "libx.so");
	eb_autofree char *inside = NULL;

	must(eb_mkdirs(outside, 0755, &err), &err);
	i.root = eb_path_join(p->dir, "root");
	inside = eb_path_join(i.root, "lib/libx.so");
	eb_entries_add(&e, "opt/env/lib/python3.9", EB_ENTRY_LINK)->target =
		eb_strdup(outside);
	eb_entries_add(&e, "opt/env/bin/python3.9", EB_ENTRY_LINK)->target =
		eb_strdup("/bin/true");
	item[0] = pack(p, &e);
	add_text(&e, "lib/python3.9/libx.so", "x", 1);
	add_text(&e, "lib/libx.so", "x", 1);
	item[1] = pack(p, &e);
	must(eb_interpreter_unpack(&i, p->store, item, 2, &err), &err);
	assert_false(eb_path_exists(escaped));
	assert_true(eb_path_exists(inside));
	free(i.root);
}

/* --- names and keys ------------------------------------------------------ */

static bool is_wanted(const char *const *path)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_entries e EB_CLEANUP(eb_entries_release) = { 0 };

	for (; *path; path++)
		eb_entries_add(&e, *path,
			       eb_ends(*path, "/") ? EB_ENTRY_DIR
						   : EB_ENTRY_FILE);
	must(eb_entries_sort(&e, "test", &err), &err);
	return eb_bytecode_wanted(&e, PREFIX, "3.7");
}

#define SP "opt/env/lib/python3.7/site-packages/"

static void wanted(void **state)
{
	(void)state;
	assert_true(is_wanted(ARGV(SP "a.py")));
	assert_true(is_wanted(ARGV("opt/env/lib/python3.7/a.py")));
	assert_true(is_wanted(
		ARGV(SP "a.py", SP "b.py", SP "__pycache__/a.cpython-37.pyc")));
	assert_false(
		is_wanted(ARGV(SP "a.py", SP "__pycache__/a.cpython-37.pyc")));
	assert_true(
		is_wanted(ARGV(SP "a.py", SP "__pycache__/a.cpython-36.pyc")));
	assert_false(is_wanted(ARGV(SP "a.txt", SP ".py", "opt/env/bin/a.py",
				    "opt/env/lib/python3.8/a.py",
				    "opt/env/lib/python3.77/a.py",
				    "opt/envy/lib/python3.7/a.py")));
	assert_false(is_wanted(ARGV(NULL)));
}

static void keys(void **state)
{
	struct eb_digest a = { { 1 } }, b = { { 2 } }, one, other;
	eb_autofree char *tag = eb_cache_tag("3.10");

	(void)state;
	assert_string_equal(tag, "cpython-310");
	eb_bytecode_key(&a, &b, &one);
	eb_bytecode_key(&a, &b, &other);
	assert_true(eb_digest_equal(&one, &other));
	eb_bytecode_key(&b, &a, &other);
	assert_false(eb_digest_equal(&one, &other));
}

/* --- the real Python of 2018 --------------------------------------------- */

static double user_s(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6;
}

static char *archive_2018(void)
{
	const char *data = getenv("ENVBUILD_DATA");

	return eb_asprintf("%s/conda/packages/main-2018-py37/linux-64/"
			   "python-3.7.0-hc3d631a_0.tar.bz2",
			   data ? data : "");
}

static bool have_2018(void)
{
	eb_autofree char *archive = archive_2018();

	if (eb_path_exists(archive))
		return true;
	print_message("skipped: \"%s\" is not there\n", archive);
	return false;
}

static char *unpack_2018(struct place *p)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *archive = archive_2018();
	eb_autofree char *tree = eb_path_join(p->dir, "tree");
	int status = -1;

	must(eb_mkdirs(tree, 0755, &err), &err);
	must(eb_process_run(ARGV("tar", "-xjf", archive, "-C", tree), NULL,
			    NULL, 0, 0, 100, NULL, NULL, &status, &err),
	     &err);
	assert_int_equal(status, 0);
	return eb_steal(tree);
}

/* Its own compileall over the same files, in processes of its own. */
static double compileall_s(const char *tree)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *program = eb_path_join(tree, "bin/python3.7");
	eb_autofree char *library = eb_path_join(tree, "lib/python3.7");
	double before = user_s(RUSAGE_CHILDREN);
	int status;

	must(eb_process_run(ARGV(program, "-S", "-m", "compileall", "-q", "-f",
				 "-j1", "--invalidation-mode", "unchecked-hash",
				 library),
			    NULL, NULL, 0, 0, 100, NULL, NULL, &status, &err),
	     &err);
	return user_s(RUSAGE_CHILDREN) - before;
}

/* A million additions: Python 3.7 walks them without looking at its stack.
 * The file is left out, the ones behind it are not. */
static void crash(struct place *p, struct eb_interpreter *i)
{
	const size_t n = 2000000;
	eb_autofree char *text = eb_malloc(n);
	struct eb_entries e = { 0 }, out = { 0 };
	struct eb_item item;
	unsigned failed = 0;
	size_t k;

	for (k = 0; k < n; k++)
		text[k] = k % 2 ? '+' : 'a';
	add_text(&e, "lib/python3.7/a.py", "a = 1\n", 6);
	add_text(&e, "lib/python3.7/b.py", text, n - 1);
	add_text(&e, "lib/python3.7/c.py", "c = 1\n", 6);
	item = pack(p, &e);
	compile(p, i, &item, &out, &failed);
	assert_int_equal(failed, 1);
	assert_int_equal(out.n, 2);
	eb_entries_release(&out);
}

/* Once more behind other work of the same server, in another folder. */
static void again(struct place *p, const struct eb_item *python,
		  const struct eb_entries *before)
{
	struct eb_interpreter *i = new_interpreter(p, "3.7", python, 1, NULL);
	struct eb_entries out = { 0 };
	unsigned n;

	if (!i)
		return;
	crash(p, i);
	compile(p, i, python, &out, &n);
	same(before, &out);
	eb_entries_release(&out);
	eb_interpreter_free(i);
}

static void python_of_2018(void **state)
{
	struct place *p = *state;
	eb_autofree char *tree = NULL;
	struct eb_entries e = { 0 }, out[2] = { 0 };
	static const char *const way[] = { "runtime", "landlock" };
	struct eb_item python;
	unsigned n[2] = { 0 };
	double own[2] = { 0 }, theirs;
	size_t k, n_ways = 0;

	if (!have_2018())
		skip();
	tree = unpack_2018(p);
	add_folder(&e, tree, "", 1);
	for (k = 0; k < e.n; k++) /* "opt/env//bin" */
		memmove(e.entry[k].path + 8, e.entry[k].path + 9,
			strlen(e.entry[k].path + 8));
	python = pack(p, &e);
	for (k = 0; k < 2; k++) {
		struct eb_interpreter *i;
		double before = user_s(RUSAGE_CHILDREN);

		i = new_interpreter(p, "3.7", &python, 1, way[k]);
		if (!i)
			continue;
		compile(p, i, &python, &out[n_ways], &n[n_ways]);
		eb_interpreter_free(i);
		own[n_ways++] = user_s(RUSAGE_CHILDREN) - before;
	}
	again(p, &python, &out[0]);
	theirs = compileall_s(tree);
	if (n_ways == 2) {
		same(&out[0], &out[1]);
		assert_int_equal(n[0], n[1]);
	}
	print_message("%zu files, %u do not compile; user CPU %.2f s and "
		      "%.2f s, compileall %.2f s\n",
		      out[0].n, n[0], own[0], own[1], theirs);
	eb_entries_release(&out[0]);
	eb_entries_release(&out[1]);
	if (!n_ways)
		skip();
	assert_true(n[0] > 0 && n[0] < 20);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_place, close_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(wanted),
		TEST(keys),
		TEST(real_files),
		TEST(several_at_once),
		TEST(against_py_compile),
		TEST(in_chunks),
		TEST(server_ends),
		TEST(server_ends_in_chunks),
		TEST(no_interpreter),
		TEST(other_version),
		TEST(hostile_links),
		TEST(python_of_2018),
	};

	unsetenv("ENVBUILD_RUNTIME");
	unsetenv("ENVBUILD_CONFINE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
