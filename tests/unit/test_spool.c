/* SPDX-License-Identifier: Apache-2.0 */
/* Spools: in memory, in a file, across the border between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/spool.h>

static void must(int status, struct eb_error *err)
{
	if (status < 0)
		fail_msg("%s", err->message);
}

/* Pieces of odd sizes, whose bytes tell their offset. */
static void feed(struct eb_spool *s, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	unsigned char piece[997];
	size_t at = 0, len, i;

	for (len = 0; at < n; at += len, len = (len + 131) % 997) {
		if (len > n - at)
			len = n - at;
		for (i = 0; i < len; i++)
			piece[i] = (unsigned char)((at + i) * 31 >> 3);
		assert_int_equal(eb_spool_size(s), at);
		must(eb_spool_add(s, piece, len, &err), &err);
	}
	assert_int_equal(eb_spool_size(s), n);
}

static void look(struct eb_spool *s, uint64_t offset, size_t n)
{
	struct eb_error err = EB_ERROR_INIT;
	unsigned char p[3000];
	size_t i;

	must(eb_spool_read(s, offset, p, n, &err), &err);
	for (i = 0; i < n; i++)
		assert_int_equal(p[i], (unsigned char)((offset + i) * 31 >> 3));
}

static void any_memory(void **state)
{
	static const size_t memory[] = { 0,	1,	4096,	50000,
					 99999, 100000, 1000000 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof memory / sizeof *memory; i++) {
		EB_CLEANUP(eb_spool_free_ptr)
		struct eb_spool *s = eb_spool_new("/tmp", memory[i]);
		size_t offset;

		feed(s, 100000);
		for (offset = 0; offset <= 97000; offset += 1499)
			look(s, offset, 3000);
		look(s, 97000, 3000);
		look(s, 100000, 0);
		look(s, 0, 0);
	}
}

/* The order of use is another; more may be added after a look. */
static void in_turns(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_spool_free_ptr)
	struct eb_spool *s = eb_spool_new("/tmp", 4);
	char p[9] = "";

	(void)state;
	must(eb_spool_add(s, "abcdef", 6, &err), &err);
	must(eb_spool_read(s, 2, p, 4, &err), &err);
	assert_string_equal(p, "cdef");
	must(eb_spool_add(s, "gh", 2, &err), &err);
	must(eb_spool_read(s, 0, p, 8, &err), &err);
	assert_string_equal(p, "abcdefgh");
}

static void behind_the_end(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_spool_free_ptr)
	struct eb_spool *s = eb_spool_new("/tmp", 100);
	char p[10];

	(void)state;
	must(eb_spool_add(s, "abc", 3, &err), &err);
	assert_int_equal(eb_spool_read(s, 1, p, 3, &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
	assert_int_equal(eb_spool_read(s, UINT64_MAX, p, 3, &err), -1);
	eb_err_release(&err);
}

static unsigned names_in(const char *path)
{
	DIR *folder = opendir(path);
	unsigned n = 0;

	while (readdir(folder))
		n++;
	closedir(folder);
	return n - 2;
}

static void no_name(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *dir = eb_make_tempdir("/tmp", "spool-", &err);
	struct eb_spool *s = eb_spool_new(dir, 0);

	(void)state;
	feed(s, 5000);
	assert_int_equal(names_in(dir), 0);
	eb_spool_free(s);
	eb_spool_free(NULL);
	must(eb_remove_tree(dir, &err), &err);
}

static void no_folder(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_spool_free_ptr)
	struct eb_spool *s = eb_spool_new("/no/such", 3);

	(void)state;
	must(eb_spool_add(s, "abc", 3, &err), &err);
	assert_int_equal(eb_spool_add(s, "d", 1, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	eb_err_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_memory),	  cmocka_unit_test(in_turns),
		cmocka_unit_test(behind_the_end), cmocka_unit_test(no_name),
		cmocka_unit_test(no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
