/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: input and output, status, descriptors, signals, limits of
 * time, what goes wrong before and at exec. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/event.h>
#include <envbuild/file.h>
#include <envbuild/process.h>

#include "deny.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Run a shell text to its end; out and errout as far as wanted. */
static int shell(const char *text, const char *input, struct eb_buf *out,
		 struct eb_buf *errout)
{
	struct eb_error err = EB_ERROR_INIT;
	int status = -1;

	if (eb_process_run(ARGV("sh", "-c", text), NULL, input, strlen(input),
			   1 << 20, 20, out, errout, &status, &err) < 0)
		fail_msg("%s", err.message);
	return status;
}

static void in_and_out(void **state)
{
	EB_AUTOBUF(out, 1000);
	EB_AUTOBUF(errout, 1000);

	(void)state;
	assert_int_equal(
		shell("cat; echo e >&2; exit 5", "hello", &out, &errout), 5);
	assert_string_equal(out.data, "hello");
	assert_string_equal(errout.data, "e\n");
	assert_int_equal(shell("cat", "", NULL, NULL), 0);
	assert_int_equal(shell("kill -9 $$", "", NULL, NULL), 128 + 9);
}

/* More than a pipe holds, in all three directions. */
static void much(void **state)
{
	const size_t n = 900000;
	eb_autofree char *input = eb_malloc(n + 1);
	EB_AUTOBUF(out, 1 << 21);
	EB_AUTOBUF(errout, 1 << 21);

	(void)state;
	memset(input, 'x', n);
	input[n] = '\0';
	assert_int_equal(shell("tee /dev/stderr", input, &out, &errout), 0);
	assert_int_equal(out.len, n);
	assert_int_equal(errout.len, n);
	assert_memory_equal(out.data, input, n);
}

static void input_not_read(void **state)
{
	eb_autofree char *input = eb_calloc(1, 300001);

	(void)state;
	memset(input, 'x', 300000);
	assert_int_equal(shell("exit 0", input, NULL, NULL), 0);
}

static void capped(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, 1000);
	int status;

	(void)state;
	assert_int_equal(eb_process_run(ARGV("sh", "-c", "echo 123456; exit 3"),
					NULL, NULL, 0, 4, 20, &out, NULL,
					&status, &err),
			 0);
	assert_int_equal(status, 3);
	assert_string_equal(out.data, "1234");
	assert_true(out.overflow);
}

static void both_in_one(void **state)
{
	EB_AUTOBUF(both, 1000);

	(void)state;
	assert_int_equal(shell("echo a; echo b >&2", "", &both, &both), 0);
	assert_int_equal(both.len, 4);
	assert_non_null(strstr(both.data, "a\n"));
	assert_non_null(strstr(both.data, "b\n"));
}

static void time_limit(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	uint64_t began = eb_now_ns();
	EB_AUTOBUF(out, 1000);
	int status;

	(void)state;
	assert_int_equal(eb_process_run(ARGV("sleep", "30"), NULL, NULL, 0, 10,
					1, &out, NULL, &status, &err),
			 -1);
	assert_int_equal(err.code, EB_STEP);
	assert_string_equal(err.message,
			    "\"sleep\", running: not done after 1 s");
	assert_true(eb_now_ns() - began < 10000000000);
	eb_err_release(&err);
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
}

/* A child that closes its outputs and goes on is timed all the same. */
static void time_limit_when_silent(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	int status;

	(void)state;
	assert_int_equal(eb_process_run(ARGV("sleep", "30"), NULL, NULL, 0, 10,
					1, NULL, NULL, &status, &err),
			 -1);
	assert_int_equal(err.code, EB_STEP);
	eb_err_release(&err);
}

/* What the child leaves running holds the pipe open; nobody waits for it. */
static void left_running(void **state)
{
	uint64_t began = eb_now_ns();
	EB_AUTOBUF(out, 1000);

	(void)state;
	assert_int_equal(shell("sleep 4 & echo done", "", &out, NULL), 0);
	assert_string_equal(out.data, "done\n");
	assert_true(eb_now_ns() - began < 3000000000);
}

static void no_program(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	int status;

	(void)state;
	assert_int_equal(eb_process_run(ARGV("no-such-program"), NULL, NULL, 0,
					10, 5, NULL, NULL, &status, &err),
			 -1);
	assert_int_equal(err.code, EB_MACHINE);
	assert_string_equal(
		err.message,
		"\"no-such-program\", starting: no such program in PATH");
	eb_err_release(&err);
	assert_int_equal(eb_process_run(ARGV("/etc/passwd"), NULL, NULL, 0, 10,
					5, NULL, NULL, &status, &err),
			 -1);
	assert_int_equal(err.code, EB_MACHINE);
	assert_string_equal(err.message,
			    "\"/etc/passwd\", executing: Permission denied");
	eb_err_release(&err);
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
}

static void no_folder(void **state)
{
	struct eb_process p = { .argv = ARGV("true"), .cwd = "/no/such" };
	struct eb_error err = EB_ERROR_INIT;

	(void)state;
	assert_int_equal(eb_process_start(&p, &err), -1);
	assert_string_equal(err.message,
			    "\"true\", entering its folder \"/no/such\": No "
			    "such file or directory");
	eb_err_release(&err);
	eb_process_kill(&p);
}

static void wait_for(struct eb_process *p, int expected)
{
	struct eb_error err = EB_ERROR_INIT;
	int status;

	if (eb_process_wait(p, &status, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(status, expected);
}

static void start(struct eb_process *p)
{
	struct eb_error err = EB_ERROR_INIT;

	if (eb_process_start(p, &err) < 0)
		fail_msg("%s", err.message);
}

static void pipes(void **state)
{
	struct eb_process p = { .argv = ARGV("cat"),
				.in = EB_IO_PIPE,
				.out = EB_IO_PIPE };
	char got[8] = "";

	(void)state;
	start(&p);
	assert_int_equal(p.fd_err, -1);
	assert_int_equal(write(p.fd_in, "abc", 3), 3);
	assert_int_equal(read(p.fd_out, got, sizeof got), 3);
	assert_string_equal(got, "abc");
	eb_cleanup_fd(&p.fd_in);
	assert_int_equal(read(p.fd_out, got, sizeof got), 0);
	wait_for(&p, 0);
	assert_int_equal(p.fd_out, -1);
	eb_process_kill(&p);
}

static void environment(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int out = eb_unnamed_file("/tmp", &err);
	struct eb_process p = { .argv = ARGV("sh", "-c", "echo $A; pwd"),
				.env = ARGV("A=x y", "PATH=/bin:/usr/bin"),
				.cwd = "/usr",
				.out = EB_IO_FD,
				.fd_out = out };
	char got[9] = "";

	(void)state;
	start(&p);
	wait_for(&p, 0);
	assert_int_equal(eb_pread_all(out, got, 8, 0, "out", &err), 0);
	assert_string_equal(got, "x y\n/usr");
	assert_true(fcntl(out, F_GETFD) >= 0);
}

/* Only 0, 1, 2 and the one that was asked for; the last is `ls` its own. */
static void descriptors(void **state)
{
	EB_AUTOBUF(out, 1000);
	int open_one = open("/dev/null", O_RDONLY);
	int high = fcntl(open_one, F_DUPFD, 200);

	(void)state;
	assert_int_equal(shell("ls /proc/self/fd", "", &out, &out), 0);
	assert_string_equal(out.data, "0\n1\n2\n3\n");
	close(open_one);
	close(high);
}

/* What 0, 1, 2 and `ls` its own leave over. */
static int look_at_descriptors(void)
{
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(out, 1000);
	int status;

	if (eb_process_run(ARGV("ls", "/proc/self/fd"), NULL, NULL, 0, 100, 20,
			   &out, NULL, &status, &err) < 0)
		return 1;
	return strcmp(out.data, "0\n1\n2\n3\n") == 0 ? 0 : 2;
}

static void older_kernels(void **state)
{
	struct deny range = { SYS_close_range, ENOSYS, 0, 0 };
	struct deny pidfd = { SYS_pidfd_open, ENOSYS, 0, 0 };
	int open_one = open("/dev/null", O_RDONLY);

	(void)state;
	assert_int_equal(look_at_descriptors(), 0);
	assert_int_equal(without(range, look_at_descriptors), 0);
	assert_int_equal(without(pidfd, look_at_descriptors), 0);
	close(open_one);
}

static void extra_descriptor(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int extra = eb_unnamed_file("/tmp", &err);
	struct eb_process p = { .argv = ARGV("sh", "-c", "echo hi >&3"),
				.extra_fd = extra };
	char got[3];

	(void)state;
	start(&p);
	wait_for(&p, 0);
	assert_int_equal(eb_pread_all(extra, got, 3, 0, "x", &err), 0);
	assert_memory_equal(got, "hi\n", 3);
}

/* Where another one would go lies each of these, at first. */
static void more_descriptors(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int extra = eb_unnamed_file("/tmp", &err);
	eb_autofd int a = eb_unnamed_file("/tmp", &err);
	eb_autofd int b = eb_unnamed_file("/tmp", &err);
	const int more[] = { b, a };
	struct eb_process p = {
		.argv = ARGV("sh", "-c",
			     "echo b >&3; echo a >&4; echo x >&5; "
			     "test ! -e /proc/$$/fd/6"),
		.more_fd = more,
		.n_more = 2,
		.extra_fd = extra,
	};
	char got[3] = { 0 };

	(void)state;
	start(&p);
	wait_for(&p, 0);
	assert_int_equal(eb_pread_all(a, got, 2, 0, "a", &err), 0);
	assert_string_equal(got, "a\n");
	assert_int_equal(eb_pread_all(b, got, 2, 0, "b", &err), 0);
	assert_string_equal(got, "b\n");
	assert_int_equal(eb_pread_all(extra, got, 2, 0, "x", &err), 0);
	assert_string_equal(got, "x\n");
}

/* Descriptors that lie where others have to go. */
static void crossed_descriptors(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofd int a = eb_unnamed_file("/tmp", &err);
	eb_autofd int b = eb_unnamed_file("/tmp", &err);
	int saved[3] = { dup(0), dup(1), dup(2) }, i;
	struct eb_process p = { .argv = ARGV("sh", "-c", "echo o; echo e >&2"),
				.out = EB_IO_FD,
				.fd_out = 2,
				.err = EB_IO_FD,
				.fd_err = 1 };
	char got[2];

	(void)state;
	dup2(a, 1);
	dup2(b, 2);
	start(&p);
	wait_for(&p, 0);
	for (i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	assert_int_equal(eb_pread_all(a, got, 2, 0, "a", &err), 0);
	assert_memory_equal(got, "e\n", 2);
	assert_int_equal(eb_pread_all(b, got, 2, 0, "b", &err), 0);
	assert_memory_equal(got, "o\n", 2);
}

/* The parent ignores SIGPIPE and blocks everything: the child does neither.
 * What else is ignored was so before us and stays (a shell in the background
 * ignores SIGINT). */
static void signals(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	unsigned long long blocked = 1, ignored = ~0ULL;
	sigset_t set, mask;
	EB_AUTOBUF(out, 1000);

	(void)state;
	sigaction(SIGPIPE, &ignore, &before);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, &mask);
	assert_int_equal(shell("grep -E 'Sig(Blk|Ign)' /proc/self/status", "",
			       &out, NULL),
			 0);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGPIPE, &before, NULL);
	assert_int_equal(sscanf(out.data, "SigBlk: %llx SigIgn: %llx", &blocked,
				&ignored),
			 2);
	assert_true(blocked == 0);
	assert_true(!(ignored & 1ULL << (SIGPIPE - 1)));
}

static int prepare_ok(void *data)
{
	return chdir(data);
}

static int prepare_bad(void *data)
{
	(void)data;
	return 1;
}

static void prepared(void **state)
{
	struct eb_process p = { .argv = ARGV("test", "-e", "passwd"),
				.prepare = prepare_ok,
				.prepare_data = (void *)"/etc" };

	(void)state;
	start(&p);
	wait_for(&p, 0);
	p.prepare = prepare_bad;
	start(&p);
	wait_for(&p, 127);
}

/* The whole group goes. */
static void killed_group(void **state)
{
	struct eb_process p = { .argv = ARGV("sh", "-c",
					     "sleep 30 & echo; wait"),
				.out = EB_IO_PIPE,
				.new_group = true };
	char c;
	int out;

	(void)state;
	start(&p);
	assert_int_equal(getpgid(p.pid), p.pid);
	assert_int_equal(read(p.fd_out, &c, 1), 1);
	out = dup(p.fd_out);
	eb_process_kill(&p);
	eb_process_kill(&p);
	assert_int_equal(p.pid, 0);
	assert_int_equal(read(out, &c, 1), 0);
	close(out);
}

static void never_started(void **state)
{
	struct eb_process p = { 0 };

	(void)state;
	eb_process_kill(&p);
	assert_true(fcntl(0, F_GETFD) >= 0);
}

static void find(void **state)
{
	eb_autofree char *sh = eb_find_program("sh");
	eb_autofree char *none = eb_find_program("no-such-program");
	eb_autofree char *path = eb_find_program("./x/y");
	eb_autofree char *empty = eb_find_program("");

	(void)state;
	assert_non_null(sh);
	assert_int_equal(sh[0], '/');
	assert_null(none);
	assert_null(empty);
	assert_string_equal(path, "./x/y");
}

/* Relative folders of PATH are passed over. */
static void find_in_path(void **state)
{
	eb_autofree char *before = eb_strdup(getenv("PATH"));
	eb_autofree char *found = NULL;

	(void)state;
	assert_int_equal(chdir("/bin"), 0);
	setenv("PATH", ":.:/etc:/no/such", 1);
	found = eb_find_program("sh");
	setenv("PATH", before, 1);
	assert_null(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_and_out),
		cmocka_unit_test(much),
		cmocka_unit_test(input_not_read),
		cmocka_unit_test(capped),
		cmocka_unit_test(both_in_one),
		cmocka_unit_test(time_limit),
		cmocka_unit_test(time_limit_when_silent),
		cmocka_unit_test(left_running),
		cmocka_unit_test(no_program),
		cmocka_unit_test(no_folder),
		cmocka_unit_test(pipes),
		cmocka_unit_test(environment),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(older_kernels),
		cmocka_unit_test(extra_descriptor),
		cmocka_unit_test(more_descriptors),
		cmocka_unit_test(crossed_descriptors),
		cmocka_unit_test(signals),
		cmocka_unit_test(prepared),
		cmocka_unit_test(killed_group),
		cmocka_unit_test(never_started),
		cmocka_unit_test(find),
		cmocka_unit_test(find_in_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
