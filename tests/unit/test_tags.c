/* SPDX-License-Identifier: Apache-2.0 */
/* Compatibility tags, names of wheels and sdists, and which wheel is best:
 * against tables of the reference, and what is refused. */
#include "python_vectors.h"

#include <dirent.h>
#include <time.h>

#include <envbuild/tags.h>

/* ---- lists of tags ----------------------------------------------------------
 */

/* "cp313t-glibc2.36-x86_64.txt", "cp312-musl1.2-x86_64.txt" */
static void read_target(char *name, char *version, struct eb_python_target *t)
{
	char *libc = strchr(name, '-'), *arch = strchr(libc + 1, '-');

	*libc++ = *arch++ = '\0';
	arch[strcspn(arch, ".")] = '\0';
	*t = (struct eb_python_target){ .version = version, .arch = arch };
	t->free_threaded = eb_ends(name, "t");
	sprintf(version, "%c.%d.1", name[2], atoi(name + 3));
	if (eb_starts(libc, "musl"))
		t->musl = libc + strlen("musl");
	else
		t->glibc = libc + strlen("glibc");
}

static void one_list(const char *folder, const char *file)
{
	eb_autofree char *path = eb_asprintf("%s/%s", folder, file);
	eb_autofree char *name = eb_strdup(file), *got = NULL;
	struct eb_strv tags EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_python_target t;
	char version[16];
	EB_AUTOBUF(wanted, EB_MAX_CONFIG);
	AUTOERR(err);

	assert_int_equal(eb_read_file(path, EB_MAX_CONFIG, &wanted, &err), 0);
	read_target(name, version, &t);
	assert_int_equal(eb_tags_of(&t, &tags, &err), 0);
	got = joined(&tags, "\n");
	assert_string_equal(got, eb_strip(wanted.data));
}

static void every_list(void **state)
{
	DIR *d;
	size_t n = 0;

	NEED_DATA(folder, "python/tags");
	(void)state;
	d = opendir(folder);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		if (*e->d_name != '.') {
			one_list(folder, e->d_name);
			n++;
		}
	closedir(d);
	print_message("%zu lists of tags\n", n);
	assert_true(n >= 50);
}

static void no_target(void **state)
{
	static const struct eb_python_target list[] = {
		{ .version = "", .glibc = "2.31", .arch = "x86_64" },
		{ .version = "3", .glibc = "2.31", .arch = "x86_64" },
		{ .version = "2.7.18", .glibc = "2.31", .arch = "x86_64" },
		{ .version = "3.-7", .glibc = "2.31", .arch = "x86_64" },
		{ .version = "3.1000", .glibc = "2.31", .arch = "x86_64" },
		{ .version = "3.999", .glibc = "2.31", .arch = "x86_64" },
		{ .version = "3.12.1", .glibc = "", .arch = "x86_64" },
		{ .version = "3.12.1", .glibc = "2", .arch = "x86_64" },
		{ .version = "3.12.1", .glibc = "3.1", .arch = "x86_64" },
		{ .version = "3.12.1", .glibc = "2.99999", .arch = "x86_64" },
		{ .version = "3.12.1", .glibc = "2.31x", .arch = "x86_64" },
		{ .version = "3.12.1", .musl = "2.31", .arch = "x86_64" },
		{ .version = "3.12.1", .glibc = "2.31", .arch = "" },
		{ .version = "3.12.1", .glibc = "2.31", .arch = "x86-64" },
		{ .version = "3.12.1", .glibc = "2.31" },
		{ .glibc = "2.31", .arch = "x86_64" },
		{ .version = "3.12.1", .arch = "x86_64" },
		{ .version = "3.12.1",
		  .free_threaded = true,
		  .glibc = "2.31",
		  .arch = "x86_64" },
	};

	(void)state;
	for (size_t i = 0; i < N(list); i++) {
		struct eb_strv tags EB_CLEANUP(eb_strv_release) = { 0 };
		AUTOERR(err);

		assert_int_equal(eb_tags_of(&list[i], &tags, &err), -1);
		assert_int_equal(err.code, EB_INPUT);
	}
}

/* ---- names
 * -------------------------------------------------------------------
 */

/* file, OK|ERR, name, version, build, tags */
static bool wheel_row(const struct eb_strv *row)
{
	struct eb_wheel_name w EB_CLEANUP(eb_wheel_name_release) = { 0 };
	eb_autofree char *tags = NULL;
	AUTOERR(err);
	int rc = eb_wheel_name_parse(row->v[0], &w, &err);

	if (strcmp(row->v[1], "ERR") == 0)
		return rc < 0 && err.code == EB_INPUT;
	if (rc < 0)
		return false;
	tags = joined(&w.tags, " ");
	return same_text(w.name, row->v[2]) &&
	       same_text(w.version, row->v[3]) &&
	       same_text(w.build, row->v[4]) && same_text(tags, row->v[5]);
}

static void wheel_names(void **state)
{
	(void)state;
	each_vector("wheel_filename.tsv", 130, wheel_row);
}

/* file, OK|ERR, name, version */
static bool sdist_row(const struct eb_strv *row)
{
	eb_autofree char *name = NULL, *version = NULL;
	AUTOERR(err);
	int rc = eb_sdist_name_parse(row->v[0], &name, &version, &err);

	if (strcmp(row->v[1], "ERR") == 0)
		return rc < 0 && err.code == EB_INPUT && !name && !version;
	return rc == 0 && same_text(name, row->v[2]) &&
	       same_text(version, row->v[3]);
}

static void sdist_names(void **state)
{
	(void)state;
	each_vector("sdist_filename.tsv", 40, sdist_row);
}

/* Sets that multiply beyond all use, parts that are paths. */
static void hostile_names(void **state)
{
	EB_AUTOBUF(name, EB_MAX_CONFIG);
	struct eb_wheel_name w = { 0 };
	AUTOERR(err);

	(void)state;
	eb_buf_adds(&name, "x-1");
	for (int part = 0; part < 3; part++) {
		eb_buf_adds(&name, "-a");
		for (int i = 0; i < 1000; i++)
			eb_buf_addf(&name, ".a%d", i);
	}
	eb_buf_adds(&name, ".whl");
	assert_int_equal(eb_wheel_name_parse(name.data, &w, &err), -1);
	eb_err_release(&err);
	assert_int_equal(
		eb_wheel_name_parse("x-1-py3-none-any/b.whl", &w, &err), -1);
	assert_null(w.name);
}

/* ---- choice
 * ------------------------------------------------------------------
 */

/* files, python, glibc, machine, the ones that fit */
static bool choice_row(const struct eb_strv *row)
{
	struct eb_strv files EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv tags EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv best EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *version =
		eb_asprintf("%c.%d", row->v[1][0], atoi(row->v[1] + 1));
	eb_autofree char *got = NULL;
	eb_autofree size_t *order = NULL;
	struct eb_python_target t = {
		.version = version,
		.free_threaded = eb_ends(row->v[1], "t"),
		.glibc = row->v[2],
		.arch = row->v[3],
	};
	size_t n;
	AUTOERR(err);

	eb_strv_split(&files, row->v[0], " ");
	order = eb_calloc(files.n, sizeof *order);
	assert_int_equal(eb_tags_of(&t, &tags, &err), 0);
	eb_wheel_choice(&files, &tags, order, &n);
	for (size_t i = 0; i < n; i++)
		eb_strv_add(&best, files.v[order[i]]);
	got = joined(&best, " ");
	return same_text(got, row->v[4]);
}

static void choices(void **state)
{
	(void)state;
	each_vector("wheel_choice.tsv", 80, choice_row);
}

/* A page of the longest projects is read in a moment. */
static void many_files(void **state)
{
	static const struct eb_python_target t = {
		.version = "3.13.0",
		.glibc = "2.39",
		.arch = "x86_64",
	};
	struct eb_strv files EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv tags EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree size_t *order = NULL;
	clock_t start = clock();
	size_t n;
	AUTOERR(err);

	(void)state;
	for (int i = 0; i < 12000; i++)
		eb_strv_addf(&files,
			     "x-1.%d-py2.py%d-none-any.win32.macosx_%d.whl",
			     i / 3, i % 3 + 2, i);
	order = eb_calloc(files.n, sizeof *order);
	assert_int_equal(eb_tags_of(&t, &tags, &err), 0);
	eb_wheel_choice(&files, &tags, order, &n);
	assert_int_equal(n, 4000);
	assert_int_equal(order[0], 11998);
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_list),	 cmocka_unit_test(no_target),
		cmocka_unit_test(wheel_names),	 cmocka_unit_test(sdist_names),
		cmocka_unit_test(hostile_names), cmocka_unit_test(choices),
		cmocka_unit_test(many_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
