/* SPDX-License-Identifier: Apache-2.0 */
/* What uv answered is not asked for again, as long as nothing changed that the
 * answer depends on; and what it said of its version neither. */
#include "resolve_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "python/uv.h"

static const char *const wheels[] = {
	"alpha 1.0 requires=beta>=2 python=>=3.6",
	"beta 1.0",
	"beta 2.0",
	"beta 2.5",
	"beta 3.0b1",
	"many 1.0 tag=cp37-cp37m-manylinux2014_x86_64",
	"many 1.0 tag=cp38-cp38-manylinux2014_x86_64",
	"static 1.0 kind=static requires=beta",
	NULL,
};

static struct section section;
static unsigned calls; /* of uv, beside that for its version */
static struct eb_events *events;

static void count(void *data, const struct eb_event *ev)
{
	(void)data;
	if (ev->type == EB_EV_DETAIL && strstr(ev->text, " runs confined by "))
		calls++;
}

static int open_all(void **state)
{
	section_open(&section, wheels, NULL);
	events = eb_events_new(count, NULL);
	*state = &section;
	return 0;
}

static int close_all(void **state)
{
	eb_events_free(events);
	section_close(*state);
	return 0;
}

/* --- one resolution after the other -----------------------------------------
 */
static void resolve(struct section *s)
{
	eb_autofree char *cache = eb_path_join(s->dir, "cache");
	eb_autofree char *tmp = eb_path_join(s->dir, "tmp");

	MUST(eb_indexes_read(&s->set, &s->indexes, NULL, err));
	s->r.cache = cache;
	s->r.tmp = tmp;
	calls = 0;
	if (eb_pip_resolve(&s->r, events, &s->result, &s->err) < 0)
		fail_msg("%s", s->err.message);
}

static void ask(struct section *s, const char *const *lines)
{
	section_clear(s);
	while (*lines)
		section_line(s, *lines++);
	resolve(s);
}

#define ASKS(s, expected, pins, ...)                                      \
	do {                                                              \
		const char *const lines_[] = { __VA_ARGS__, NULL };       \
		ask(s, lines_);                                           \
		PINS(s, 0, pins);                                         \
		if (calls != (expected))                                  \
			fail_msg("%u calls of uv, not %u, for %s", calls, \
				 (unsigned)(expected), lines_[0]);        \
	} while (0)

#define LOCAL "--no-index", "--find-links ./index"

/* All that is known of a pin, in one text. */
static char *whole(const struct section *s)
{
	EB_AUTOBUF(out, 65536);
	char hex[EB_HEX_SIZE];

	for (size_t i = 0; i < s->result.n; i++) {
		const struct eb_pin *p = &s->result.pin[i];

		eb_buf_addf(&out, "%s %s %s %s %s %llu %d\n", p->name,
			    p->version, p->file, p->url,
			    eb_digest_hex(&p->sha256, hex),
			    (unsigned long long)p->size, p->requested);
	}
	return eb_buf_steal(&out, NULL);
}

static void test_again(void **state)
{
	struct section *s = *state;
	eb_autofree char *first = NULL, *second = NULL;

	NEED_UV(s);
	ASKS(s, 1, "alpha==1.0 beta==2.5 many==1.0", "alpha", "many", LOCAL);
	first = whole(s);
	ASKS(s, 0, "alpha==1.0 beta==2.5 many==1.0", "alpha", "many", LOCAL);
	second = whole(s);
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "file:///"));
	assert_null(strstr(first, "@call@"));
	s->r.refresh = true;
	ASKS(s, 1, "alpha==1.0 beta==2.5 many==1.0", "alpha", "many", LOCAL);
	s->r.refresh = false;
	ASKS(s, 0, "alpha==1.0 beta==2.5 many==1.0", "alpha", "many", LOCAL);
}

/* --- what changes it ---------------------------------------------------------
 */
static void test_lines(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	ASKS(s, 1, "beta==2.5", "beta", LOCAL);
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	ASKS(s, 1, "beta==2.0", "beta<2.5", LOCAL);
	ASKS(s, 1, "beta==3.0b1", "beta", "--pre", LOCAL);
	ASKS(s, 1, "beta==2.5", "beta", "--no-binary static", LOCAL);
	ASKS(s, 1, "beta==2.5 static==1.0", "beta", "static", LOCAL);
	ASKS(s, 0, "beta==2.5 static==1.0", "beta", "static", LOCAL);
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
}

static void test_constraint(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	section_clear(s);
	MUST(eb_pip_set_add(&s->set, "beta<2.5", true, s->dir, "c.txt", 1, 0,
			    err));
	section_line(s, "beta");
	section_line(s, "--no-index");
	section_line(s, "--find-links ./index");
	resolve(s);
	PINS(s, 0, "beta==2.0");
	assert_int_equal(calls, 1);
}

static void test_target(void **state)
{
	struct section *s = *state;
	const struct eb_python_target was = s->r.target;

	NEED_UV(s);
	ASKS(s, 1, "many==1.0", "many", LOCAL);
	assert_non_null(strstr(section_pin(s, "many")->file, "cp37"));
	s->r.target.version = "3.8.1";
	ASKS(s, 1, "many==1.0", "many", LOCAL);
	assert_non_null(strstr(section_pin(s, "many")->file, "cp38"));
	s->r.target.version = "3.8.2";
	ASKS(s, 1, "many==1.0", "many", LOCAL);
	s->r.target.glibc = "2.28";
	ASKS(s, 1, "many==1.0", "many", LOCAL);
	s->r.target = was;
	ASKS(s, 0, "many==1.0", "many", LOCAL);
	assert_non_null(strstr(section_pin(s, "many")->file, "cp37"));
}

static void test_settings(void **state)
{
	static const struct eb_installed conda[] = {
		{ (char *)"beta", (char *)"2.0", (char *)"beta", NULL, 0 },
	};
	static const struct eb_installed other[] = {
		{ (char *)"beta", (char *)"2.5", (char *)"beta", NULL, 0 },
	};
	struct section *s = *state;

	NEED_UV(s);
	ASKS(s, 1, "alpha==1.0 beta==2.5", "alpha", LOCAL);
	s->r.as_of = "2999-01-01";
	ASKS(s, 1, "alpha==1.0 beta==2.5", "alpha", LOCAL);
	s->r.as_of = NULL;
	s->r.offline = true;
	ASKS(s, 1, "alpha==1.0 beta==2.5", "alpha", LOCAL);
	s->r.offline = false;
	s->r.installed = conda;
	s->r.n_installed = 1;
	ASKS(s, 1, "alpha==1.0", "alpha", LOCAL);
	ASKS(s, 0, "alpha==1.0", "alpha", LOCAL);
	s->r.installed = other;
	ASKS(s, 1, "alpha==1.0", "alpha", LOCAL);
	s->r.installed = NULL;
	s->r.n_installed = 0;
	ASKS(s, 0, "alpha==1.0 beta==2.5", "alpha", LOCAL);
}

/* A release more, one less, and one with the same name that is another file. */
static void test_folder(void **state)
{
	static const char *const more[] = { "beta 2.7", NULL };
	static const char *const changed[] = { "beta 2.7 requires=many", NULL };
	struct section *s = *state;
	eb_autofree char *index = NULL, *file = NULL;

	NEED_UV(s);
	index = eb_path_join(s->dir, "index");
	file = eb_path_join(index, "beta-2.7-py3-none-any.whl");
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	make_wheels(index, more);
	ASKS(s, 1, "beta==2.7", "beta", LOCAL);
	ASKS(s, 0, "beta==2.7", "beta", LOCAL);
	make_wheels(index, changed);
	ASKS(s, 1, "beta==2.7 many==1.0", "beta", LOCAL);
	ASKS(s, 0, "beta==2.7 many==1.0", "beta", LOCAL);
	assert_int_equal(unlink(file), 0);
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	ASKS(s, 1, "beta==2.5", "beta", LOCAL, "--find-links .");
}

/* --- what is never kept
 * -------------------------------------------------------
 */
static void test_not_kept(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	for (int i = 0; i < 2; i++) {
		ASKS(s, 1, "beta==2.5", "beta",
		     "--index-url http://127.0.0.1:%P/one/simple/");
		ASKS(s, 1, "beta==2.5", "beta", "--no-index",
		     "--find-links http://127.0.0.1:%P/one/simple/beta/");
		ASKS(s, 1, "beta==2.0", "./index/beta-2.0-py3-none-any.whl",
		     LOCAL);
		ASKS(s, 1, "beta==2.0",
		     "beta @ file://%D/index/beta-2.0-py3-none-any.whl", LOCAL);
	}
}

/* --- the files
 * ------------------------------------------------------------------
 */
static size_t each_answer(const struct section *s, const char *text)
{
	eb_autofree char *dir = eb_path_join(s->dir, "cache/answers");
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		eb_autofree char *path = eb_path_join(dir, e->d_name);

		if (*e->d_name == '.')
			continue;
		n++;
		if (text)
			MUST(eb_write_file(path, text, strlen(text), 0600,
					   err));
	}
	if (d)
		closedir(d);
	return n;
}

/* What a crash may leave is no answer. */
static void test_damaged(void **state)
{
	static const char *const text[] = { "", "{\"pylock\":\"lock-ver", "[]",
					    "{\"pylock\":1,\"said\":\"\"}",
					    "{\"said\":\"\"}" };
	struct section *s = *state;

	NEED_UV(s);
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		assert_true(each_answer(s, text[i]) > 0);
		ASKS(s, 1, "beta==2.5", "beta", LOCAL);
		ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	}
}

/* No more than 64 are there, and the one that is in use stays. */
static void test_many(void **state)
{
	struct section *s = *state;
	eb_autofree char *dir = NULL;
	struct timespec long_ago[2] = { { 1000, 0 }, { 1000, 0 } };

	NEED_UV(s);
	dir = eb_path_join(s->dir, "cache/answers");
	for (int i = 0; i < 80; i++) {
		eb_autofree char *path = eb_asprintf("%s/%d", dir, i);

		MUST(eb_write_file(path, "{}", 2, 0600, err));
		assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
	}
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	ASKS(s, 1, "beta==1.0", "beta<2", LOCAL);
	assert_int_equal(each_answer(s, NULL), 64);
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	ASKS(s, 0, "beta==1.0", "beta<2", LOCAL);
}

/* --- the program
 * --------------------------------------------------------------
 */
static void set_text(const char *path, const char *text, mode_t mode)
{
	MUST(eb_write_file(path, text, strlen(text), mode, err));
}

static char *version(const char *root)
{
	char *is = NULL, *path = NULL;

	MUST((path = eb_uv_find(root, &is, err)) ? 0 : -1);
	free(path);
	return is;
}

/* Another program, or the same one written anew, is asked again. */
static void test_program(void **state)
{
	struct section *s = *state;
	eb_autofree char *was = eb_strdup(getenv("ENVBUILD_UV"));
	eb_autofree char *uv = NULL, *known = NULL, *is = NULL, *first = NULL;
	const char *argv[] = { "cp", was, NULL, NULL };
	EB_AUTOBUF(text, 4096);
	int status = 1;

	NEED_UV(s);
	argv[2] = uv = eb_path_join(s->dir, "uv");
	known = eb_path_join(s->dir, "version.json");
	MUST(eb_process_run(argv, NULL, NULL, 0, 4096, 60, &text, &text,
			    &status, err));
	assert_int_equal(status, 0);
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	setenv("ENVBUILD_UV", uv, 1);
	first = version(s->dir);
	/* a value that no program says shows where it comes from */
	eb_buf_reset(&text);
	MUST(eb_read_file(known, 4096, &text, err));
	memcpy(strstr(text.data, first), "9999999999", strlen(first));
	set_text(known, text.data, 0600);
	is = version(s->dir);
	assert_true(eb_starts(is, "99999"));
	free(is);
	assert_int_equal(utimensat(AT_FDCWD, uv, NULL, 0), 0);
	is = version(s->dir);
	assert_string_equal(is, first);
	ASKS(s, 1, "beta==2.5", "beta", LOCAL);
	ASKS(s, 0, "beta==2.5", "beta", LOCAL);
	assert_int_equal(utimensat(AT_FDCWD, uv, NULL, 0), 0);
	ASKS(s, 1, "beta==2.5", "beta", LOCAL);
	setenv("ENVBUILD_UV", was, 1);
}

/* A script is asked each time: nobody knows what it starts. */
static void test_script(void **state)
{
	struct section *s = *state;
	eb_autofree char *was = eb_strdup(getenv("ENVBUILD_UV"));
	eb_autofree char *script = NULL, *said = NULL, *text = NULL, *is = NULL;

	NEED_UV(s);
	script = eb_path_join(s->dir, "script");
	said = eb_path_join(s->dir, "said");
	text = eb_asprintf("#!/bin/sh\ncat %s\n", said);
	set_text(script, text, 0755);
	set_text(said, "uv 77.0.1\n", 0644);
	setenv("ENVBUILD_UV", script, 1);
	is = version(s->dir);
	assert_string_equal(is, "77.0.1");
	set_text(said, "uv 77.0.2\n", 0644);
	free(is);
	is = version(s->dir);
	assert_string_equal(is, "77.0.2");
	setenv("ENVBUILD_UV", was, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_constraint),
		cmocka_unit_test(test_target),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_not_kept),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_script),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
