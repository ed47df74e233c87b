/* SPDX-License-Identifier: Apache-2.0 */
/* Files and folders: limits, atomic writes, locks, removal of odd trees. */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deny.h"

static void must(int status, struct eb_error *err)
{
	if (status < 0)
		fail_msg("%s", err->message);
}

static void put(const char *path, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;

	must(eb_write_file(path, text, strlen(text), 0644, &err), &err);
}

static void write_and_read(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(b, 100);
	struct stat st;

	(void)state;
	put("f", "old");
	must(eb_write_file("f", "hello", 5, 0640, &err), &err);
	must(eb_read_file("f", 5, &b, &err), &err);
	assert_string_equal(b.data, "hello");
	assert_int_equal(stat("f", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(eb_read_file("f", 4, &b, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "\"f\""));
	assert_non_null(strstr(err.message, "5 bytes"));
	assert_non_null(strstr(err.message, "4"));
	eb_err_release(&err);
}

static void nothing_left_beside(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	must(eb_mkdirs("d/sub", 0755, &err), &err);
	assert_int_equal(eb_write_file("d/sub", "x", 1, 0644, &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	eb_err_release(&err);
	assert_int_equal(rmdir("d/sub"), 0);
	assert_int_equal(rmdir("d"), 0);
}

static void read_errors(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(b, 100);

	(void)state;
	assert_int_equal(eb_read_file("none", 10, &b, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_string_equal(err.message,
			    "\"none\", opening: No such file or directory");
	eb_err_release(&err);
	assert_int_equal(eb_read_file(".", 10, &b, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
}

/* A pipe does not tell its size: the limit holds all the same. */
static void read_pipe(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(b, 100);
	int end[2];

	(void)state;
	assert_int_equal(pipe(end), 0);
	must(eb_write_all(end[1], "0123456789", 10, "pipe", &err), &err);
	close(end[1]);
	assert_int_equal(eb_read_fd(end[0], "pipe", 9, &b, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
	close(end[0]);
}

static void pread_breaks_off(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	char p[10];
	eb_autofd int fd = -1;

	(void)state;
	put("f", "01234567");
	fd = open("f", O_RDONLY | O_CLOEXEC);
	must(eb_pread_all(fd, p, 4, 3, "f", &err), &err);
	assert_memory_equal(p, "3456", 4);
	assert_int_equal(eb_pread_all(fd, p, 4, 5, "f", &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	assert_string_equal(err.message, "\"f\" breaks off at byte 8");
	eb_err_release(&err);
}

static void folders(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct stat st;

	(void)state;
	must(eb_mkdirs("a//b/c/", 0700, &err), &err);
	must(eb_mkdirs("a/b/c", 0700, &err), &err);
	must(eb_mkdirs("/", 0700, &err), &err);
	assert_int_equal(stat("a/b/c", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	put("file", "");
	assert_int_equal(eb_mkdirs("file/x", 0700, &err), -1);
	assert_non_null(strstr(err.message, "Not a directory"));
	eb_err_release(&err);
	assert_int_equal(eb_mkdirs("file", 0700, &err), -1);
	eb_err_release(&err);
}

static void unnamed(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int fd = eb_unnamed_file(".", &err);
	char p[3];

	(void)state;
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	must(eb_write_all(fd, "abc", 3, "u", &err), &err);
	must(eb_pread_all(fd, p, 3, 0, "u", &err), &err);
	assert_memory_equal(p, "abc", 3);
	assert_int_equal(eb_unnamed_file("no/such", &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	eb_err_release(&err);
}

/* Works, and leaves no name. */
static int unnamed_in_empty(void)
{
	struct eb_error err = EB_ERROR_INIT;
	int fd = eb_unnamed_file("empty", &err);
	char p[3];

	if (fd < 0 || eb_write_all(fd, "abc", 3, "u", &err) < 0)
		return 1;
	if (eb_pread_all(fd, p, 3, 0, "u", &err) < 0)
		return 2;
	return rmdir("empty") == 0 ? 0 : 3;
}

static void nothing_named(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct deny d = { SYS_openat, EOPNOTSUPP, 2, O_TMPFILE & ~O_DIRECTORY };

	(void)state;
	must(eb_mkdirs("empty", 0700, &err), &err);
	assert_int_equal(unnamed_in_empty(), 0);
	must(eb_mkdirs("empty", 0700, &err), &err);
	assert_int_equal(without(d, unnamed_in_empty), 0);
	assert_int_equal(eb_unnamed_file("/proc", &err), -1);
	assert_int_equal(err.code, EB_MACHINE);
	eb_err_release(&err);
}

static void removal(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	must(eb_mkdirs("out", 0755, &err), &err);
	put("out/kept", "x");
	must(eb_mkdirs("t/ro/deep", 0755, &err), &err);
	put("t/ro/deep/f", "x");
	assert_int_equal(symlink("../out", "t/link"), 0);
	assert_int_equal(symlink("loop", "t/loop"), 0);
	assert_int_equal(mkfifo("t/fifo", 0600), 0);
	assert_int_equal(chmod("t/ro/deep", 0), 0);
	assert_int_equal(chmod("t/ro", 0500), 0);
	must(eb_remove_tree("t", &err), &err);
	assert_int_equal(access("t", F_OK), -1);
	assert_int_equal(access("out/kept", F_OK), 0);
	must(eb_remove_tree("t", &err), &err);
}

static void has_mode(const char *path, mode_t mode)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode, mode);
}

static void copy_of_a_tree(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(b, 100);

	(void)state;
	umask(022);
	must(eb_mkdirs("t/deep", 0755, &err), &err);
	put("t/deep/f", "text");
	put("t/program", "");
	assert_int_equal(chmod("t/program", 0755), 0);
	assert_int_equal(symlink("../gone", "t/link"), 0);
	assert_int_equal(mkfifo("t/fifo", 0600), 0);
	must(eb_copy_tree("t", "new", &err), &err);
	must(eb_mkdirs("empty", 0755, &err), &err);
	must(eb_copy_tree("t", "empty", &err), &err);
	must(eb_read_file("empty/deep/f", 100, &b, &err), &err);
	assert_string_equal(b.data, "text");
	has_mode("new/deep/f", S_IFREG | 0644);
	has_mode("new/program", S_IFREG | 0755);
	has_mode("new/link", S_IFLNK | 0777);
	assert_int_equal(access("new/fifo", F_OK), -1);
	assert_int_equal(eb_copy_tree("t", "new", &err), -1);
	eb_err_release(&err);
	must(eb_copy_tree("t/program", "one", &err), &err);
	has_mode("one", S_IFREG | 0755);
	assert_int_equal(eb_copy_tree("nothing", "two", &err), -1);
	eb_err_release(&err);
}

static void removal_of_a_link(void **state)
{
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	must(eb_mkdirs("target", 0755, &err), &err);
	assert_int_equal(symlink("target", "link"), 0);
	must(eb_remove_tree("link", &err), &err);
	assert_int_equal(access("target", F_OK), 0);
	put("plain", "");
	must(eb_remove_tree("plain", &err), &err);
	assert_int_equal(access("plain", F_OK), -1);
}

/* Deeper than there may be descriptors, and than a path may be long. */
static void removal_of_depth(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	int i, fd, next;

	assert_int_equal(mkdir("deep", 0755), 0);
	fd = open("deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (i = 0; i < 3000; i++) {
		assert_int_equal(mkdirat(fd, "ab", 0755), 0);
		close(openat(fd, "f", O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
		next = openat(fd, "ab", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = next;
	}
	close(fd);
	assert_int_equal(chdir(*state), 0);
	must(eb_remove_tree("deep", &err), &err);
	assert_int_equal(access("deep", F_OK), -1);
}

/* As somebody who is not root the permissions matter. */
static void removal_as_nobody(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	int status;
	pid_t pid;

	if (getuid() != 0)
		skip();
	assert_int_equal(chmod(*state, 0755), 0);
	must(eb_mkdirs("n/a/b/c", 0755, &err), &err);
	put("n/a/b/f", "x");
	assert_int_equal(chown("n/a/b/c", 65534, 65534), 0);
	assert_int_equal(chown("n/a/b", 65534, 65534), 0);
	assert_int_equal(chown("n/a", 65534, 65534), 0);
	assert_int_equal(chown("n", 65534, 65534), 0);
	assert_int_equal(chmod("n/a/b/c", 0), 0);
	assert_int_equal(chmod("n/a/b", 0), 0);
	assert_int_equal(chmod("n/a", 0500), 0);
	pid = fork();
	if (pid == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(9);
		_exit(eb_remove_tree("n/a", &err) < 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(access("n/a", F_OK), -1);
}

static void copying(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *data = eb_malloc(700000);
	eb_autofd int from = eb_unnamed_file(".", &err);
	eb_autofd int to = eb_unnamed_file(".", &err);
	eb_autofree char *copy = eb_malloc(700000);
	size_t i;

	(void)state;
	for (i = 0; i < 700000; i++)
		data[i] = (char)(i * 7 + i / 1000);
	must(eb_write_all(from, data, 700000, "a", &err), &err);
	must(eb_write_all(to, "head", 4, "b", &err), &err);
	must(eb_copy_fd(to, from, 1000, 600000, "a", &err), &err);
	must(eb_copy_fd(to, from, 0, 10, "a", &err), &err);
	assert_int_equal(lseek(to, 0, SEEK_CUR), 600014);
	must(eb_pread_all(to, copy, 600000, 4, "b", &err), &err);
	assert_memory_equal(copy, data + 1000, 600000);
	assert_int_equal(eb_copy_fd(to, from, 699999, 2, "a", &err), -1);
	assert_int_equal(err.code, EB_INTEGRITY);
	eb_err_release(&err);
}

static int copy_some(void)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int from = eb_unnamed_file(".", &err);
	eb_autofd int to = eb_unnamed_file(".", &err);
	char got[5];

	if (eb_write_all(from, "0123456789", 10, "a", &err) < 0 ||
	    eb_copy_fd(to, from, 2, 5, "a", &err) < 0 ||
	    eb_pread_all(to, got, 5, 0, "b", &err) < 0)
		return 1;
	return memcmp(got, "23456", 5) == 0 ? 0 : 2;
}

static void copying_by_hand(void **state)
{
	struct deny old = { SYS_copy_file_range, ENOSYS, 0, 0 };
	struct deny full = { SYS_copy_file_range, ENOSPC, 0, 0 };

	(void)state;
	assert_int_equal(copy_some(), 0);
	assert_int_equal(without(old, copy_some), 0);
	assert_int_equal(without(full, copy_some), 1);
}

/* To a pipe the kernel's own copy does not work. */
static void copying_to_a_pipe(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int from = eb_unnamed_file(".", &err);
	char got[6] = "";
	int end[2];

	(void)state;
	must(eb_write_all(from, "0123456789", 10, "a", &err), &err);
	assert_int_equal(pipe(end), 0);
	must(eb_copy_fd(end[1], from, 2, 5, "a", &err), &err);
	assert_int_equal(read(end[0], got, 5), 5);
	assert_string_equal(got, "23456");
	close(end[0]);
	close(end[1]);
}

static void locking(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	int a = -1, b = -1;

	(void)state;
	assert_int_equal(eb_lock_file("lock", true, &a, &err), 1);
	assert_int_equal(eb_lock_file("lock", false, &b, &err), 0);
	assert_int_equal(b, -1);
	close(a);
	assert_int_equal(eb_lock_file("lock", false, &b, &err), 1);
	close(b);
	assert_int_equal(eb_lock_file("no/lock", false, &b, &err), -1);
	eb_err_release(&err);
}

/* A lock whose file was removed while one waited keeps nobody out. */
static void locking_what_was_removed(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct stat st;
	int a = -1, b = -1, status;
	pid_t pid;

	(void)state;
	assert_int_equal(eb_lock_file("lock", true, &a, &err), 1);
	pid = fork();
	if (pid == 0) {
		close(a);
		status = eb_lock_file("lock", true, &b, &err);
		_exit(status != 1 || fstat(b, &st) < 0 || st.st_nlink != 1);
	}
	usleep(100000);
	assert_int_equal(unlink("lock"), 0);
	close(a);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void paths(void **state)
{
	static const char *const t[][3] = { { "a", "b", "a/b" },
					    { "a/", "b", "a/b" },
					    { "/", "b", "/b" },
					    { "", "b", "b" } };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		eb_autofree char *p = eb_path_join(t[i][0], t[i][1]);

		assert_string_equal(p, t[i][2]);
	}
	assert_true(eb_path_exists("/"));
	assert_false(eb_path_exists("/no/such"));
}

static void check_xdg(const char *which, const char *expected)
{
	eb_autofree char *p = eb_xdg_dir(which);

	if (expected)
		assert_string_equal(p, expected);
	else
		assert_null(p);
}

static void xdg(void **state)
{
	(void)state;
	setenv("HOME", "/h", 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_RUNTIME_DIR");
	setenv("XDG_STATE_HOME", "relative", 1);
	check_xdg("CACHE", "/h/.cache/envbuild");
	check_xdg("CONFIG", "/h/.config/envbuild");
	check_xdg("STATE", "/h/.local/state/envbuild");
	check_xdg("RUNTIME", NULL);
	setenv("XDG_CACHE_HOME", "/c", 1);
	setenv("XDG_RUNTIME_DIR", "/r", 1);
	check_xdg("CACHE", "/c/envbuild");
	check_xdg("RUNTIME", "/r/envbuild");
}

#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, scratch_set_up, scratch_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(write_and_read),
		IN_FOLDER(nothing_left_beside),
		IN_FOLDER(read_errors),
		IN_FOLDER(read_pipe),
		IN_FOLDER(pread_breaks_off),
		IN_FOLDER(folders),
		IN_FOLDER(unnamed),
		IN_FOLDER(nothing_named),
		IN_FOLDER(removal),
		IN_FOLDER(copy_of_a_tree),
		IN_FOLDER(removal_of_a_link),
		IN_FOLDER(removal_of_depth),
		IN_FOLDER(removal_as_nobody),
		IN_FOLDER(copying),
		IN_FOLDER(copying_by_hand),
		IN_FOLDER(copying_to_a_pipe),
		IN_FOLDER(locking),
		IN_FOLDER(locking_what_was_removed),
		cmocka_unit_test(paths),
		cmocka_unit_test(xdg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
