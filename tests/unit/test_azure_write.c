/* SPDX-License-Identifier: Apache-2.0 */
/* Azure's files saved: whichever step fails, the folder is as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/azure.h>
#include <envbuild/file.h>

/* The C library's is not asked at the n-th call; 0: always. */
static unsigned fail_at, renames;

int rename(const char *from, const char *to)
{
	if (++renames == fail_at) {
		errno = ENOSPC;
		return -1;
	}
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static int set_up(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	*state = eb_make_tempdir("/tmp", "test-azure-write-", &err);
	return *state ? chdir(*state) : -1;
}

static int tear_down(void **state)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (chdir("/") < 0 || eb_remove_tree(*state, &err) < 0)
		return -1;
	free(*state);
	return 0;
}

static int is_shown(const struct dirent *d)
{
	return *d->d_name != '.';
}

/* "NAME=TEXT;..." in order of names; "-" where there is no folder. */
static char *contents(const char *dir)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_shown, alphasort);
	EB_AUTOBUF(out, EB_MAX_TEXT);

	if (n < 0)
		return eb_strdup("-");
	for (int i = 0; i < n; i++) {
		eb_autofree char *path = eb_path_join(dir, entry[i]->d_name);
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		EB_AUTOBUF(text, EB_MAX_TEXT);

		assert_int_equal(eb_read_file(path, EB_MAX_TEXT, &text, &err),
				 0);
		eb_buf_addf(&out, "%s=%s;", entry[i]->d_name, text.data);
		free(entry[i]);
	}
	free(entry);
	eb_buf_adds(&out, "");
	return eb_buf_steal(&out, NULL);
}

static void put(const char *path, const char *text)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	assert_int_equal(eb_write_file(path, text, strlen(text), 0644, &err),
			 0);
}

static void begin(const char *dir)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	assert_int_equal(eb_remove_tree(dir, &err), 0);
	assert_int_equal(mkdir(dir, 0755), 0);
}

/* Every step fails once, until none is left; how many there were. */
static unsigned each_failure(const json_t *files, bool there, const char *was,
			     const char *is)
{
	for (unsigned n = 1;; n++) {
		struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		eb_autofree char *now = NULL;
		int rc;

		begin("dir");
		if (there) {
			put("dir/azureml_environment.json", "old");
			put("dir/BaseDockerfile", "FROM old");
			put("dir/other", "theirs");
		} else {
			assert_int_equal(rmdir("dir"), 0);
		}
		fail_at = n;
		renames = 0;
		rc = eb_azure_write(files, "dir", there, &err);
		fail_at = 0;
		now = contents("dir");
		if (rc == 0) {
			assert_string_equal(now, is);
			return n - 1;
		}
		assert_int_equal(err.code, EB_MACHINE);
		assert_non_null(strstr(err.message, "No space left"));
		assert_string_equal(now, was);
	}
}

/* eb_write_file() may rename as well. */
static void test_each_step(void **state)
{
	json_t *files = json_pack("{s:s, s:s}", "azureml_environment.json",
				  "{}", "conda_dependencies.yml", "a: b");
	unsigned n;

	(void)state;
	n = each_failure(
		files, true,
		"BaseDockerfile=FROM old;azureml_environment.json=old;"
		"other=theirs;",
		"azureml_environment.json={};conda_dependencies.yml=a: b;"
		"other=theirs;");
	assert_true(n >= 4);
	n = each_failure(
		files, false, "-",
		"azureml_environment.json={};conda_dependencies.yml=a: b;");
	assert_true(n >= 2);
	json_decref(files);
}

static void refused(const char *name, bool overwrite, enum eb_code code,
		    const char *word)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	json_t *files = json_pack("{s:s, s:s}", "conda_dependencies.yml", "a",
				  name, "b");

	assert_int_equal(eb_azure_write(files, "dir", overwrite, &err), -1);
	assert_int_equal(err.code, code);
	if (!strstr(err.message, word))
		fail_msg("%s", err.message);
	json_decref(files);
}

static void test_refused(void **state)
{
	eb_autofree char *now = NULL;

	(void)state;
	begin("dir");
	put("dir/conda_dependencies.yml.part", "theirs");
	refused("../elsewhere", false, EB_INPUT, "file's name");
	refused(".hidden", false, EB_INPUT, "file's name");
	assert_int_equal(mkdir("dir/environment.yml", 0755), 0);
	refused("environment.yml", true, EB_INPUT, "a folder has that name");
	assert_int_equal(rmdir("dir/environment.yml"), 0);
	put("dir/environment.yml", "theirs");
	refused("environment.yml", false, EB_INPUT, "is there already");
	refused("azureml_environment.json", false, EB_INPUT,
		"is there already");
	now = contents("dir");
	assert_string_equal(now, "conda_dependencies.yml.part=theirs;"
				 "environment.yml=theirs;");
	begin("dir");
	assert_int_equal(rmdir("dir"), 0);
	put("dir", "a file");
	refused("environment.yml", true, EB_INPUT, "Not a directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_step),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
