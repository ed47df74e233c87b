/* SPDX-License-Identifier: Apache-2.0 */
/* Containers through runc and crun: what the command sees, its status, its
 * signals, other users, runtimes that do not work, nothing left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/process.h>
#include <envbuild/sandbox.h>

#include "sandbox/sandbox_command.h"
#include "sandbox/sandbox_form.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NOBODY 65534
#define LIBRARY_FAILED 200

static const char *const plain_env[] = { "PATH=/usr/bin:/bin", "A=b c", NULL };

/* A root file system out of the machine's own /usr, read-only. */
struct place {
	char *dir, *rootfs, *tmp, *out;
	struct eb_mount mount[4];
	struct eb_sandbox s;
};

static void must(int result, struct eb_error *err)
{
	if (result < 0)
		fail_msg("%s", err->message);
}

static void add_link(const struct place *p, const char *name)
{
	eb_autofree char *host = eb_asprintf("/%s", name);
	eb_autofree char *inside = eb_path_join(p->rootfs, name);
	char target[256];
	ssize_t n = readlink(host, target, sizeof target - 1);

	if (n < 0)
		return;
	target[n] = '\0';
	assert_int_equal(symlink(target, inside), 0);
}

static int open_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = eb_calloc(1, sizeof *p);

	p->dir = eb_make_tempdir("/tmp", "eb-sandbox-", &err);
	assert_non_null(p->dir);
	p->rootfs = eb_path_join(p->dir, "rootfs");
	p->tmp = eb_path_join(p->dir, "tmp");
	p->out = eb_path_join(p->dir, "out");
	must(eb_mkdirs(p->rootfs, 0755, &err), &err);
	must(eb_mkdirs(p->tmp, 0755, &err), &err);
	add_link(p, "bin");
	add_link(p, "lib");
	add_link(p, "lib64");
	p->mount[0] = (struct eb_mount){ (char *)"/usr", (char *)"/usr", true };
	p->s = (struct eb_sandbox){ .rootfs = p->rootfs,
				    .env = plain_env,
				    .mount = p->mount,
				    .n_mounts = 1,
				    .tmp = p->tmp };
	*state = p;
	return 0;
}

static int close_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = *state;
	int result = eb_remove_tree(p->dir, &err);

	free(p->dir);
	free(p->rootfs);
	free(p->tmp);
	free(p->out);
	free(p);
	return result;
}

static void assert_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	assert_non_null(dir);
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			fail_msg("\"%s\" was left in \"%s\"", e->d_name, path);
	closedir(dir);
}

static void become(uid_t user)
{
	if (!user)
		return;
	if (setgroups(0, NULL) < 0 || setresgid(user, user, user) < 0 ||
	    setresuid(user, user, user) < 0)
		_exit(LIBRARY_FAILED + 1);
}

/* In a child, whose output goes to a file and which may be another user. */
static pid_t begin(const struct place *p, const char *const *argv, uid_t user)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_sandbox s = p->s;
	int fd = open(p->out, O_CREAT | O_TRUNC | O_RDWR, 0666), status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid) {
		close(fd);
		return pid;
	}
	s.argv = argv;
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	become(user);
	if (eb_sandbox_run(&s, &status, NULL, &err) == 0)
		_exit(status);
	dprintf(STDOUT_FILENO, "%s", err.message);
	_exit(LIBRARY_FAILED + err.code);
}

static int end(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int run_as(const struct place *p, uid_t user, struct eb_buf *out,
		  const char *const *argv)
{
	struct eb_error err = EB_ERROR_INIT;
	int status = end(begin(p, argv, user));

	eb_buf_reset(out);
	must(eb_read_file(p->out, out->max, out, &err), &err);
	assert_empty(p->tmp);
	return status;
}

static int shell(const struct place *p, struct eb_buf *out, const char *text)
{
	return run_as(p, 0, out, ARGV("sh", "-c", text));
}

static void need_runtime(const char *name)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_form form EB_CLEANUP(eb_form_release) = { 0 };
	static const struct eb_form_use use = { .network = EB_NETWORK_NONE };

	if (name)
		setenv("ENVBUILD_RUNTIME", name, 1);
	if (eb_form_find(&use, "/tmp", &form, &err) == 0)
		return;
	unsetenv("ENVBUILD_RUNTIME");
	print_message("skipped: %s\n", err.message);
	skip();
}

static void the_command(void **state)
{
	struct place *p = *state;
	EB_AUTOBUF(out, 10000);

	need_runtime(NULL);
	assert_int_equal(shell(p, &out, "exit 7"), 7);
	assert_string_equal(out.data, "");
	assert_int_equal(shell(p, &out, "echo out; echo err >&2"), 0);
	assert_string_equal(out.data, "out\nerr\n");
	assert_int_equal(shell(p, &out, "kill -9 $$"), 0);
	assert_int_equal(shell(p, &out, "sh -c 'kill -9 $$'"), 128 + 9);
}

static void what_it_sees(void **state)
{
	struct place *p = *state;
	EB_AUTOBUF(out, 10000);

	need_runtime(NULL);
	p->s.cwd = "/usr/lib";
	p->s.hostname = "somewhere";
	assert_int_equal(shell(p, &out,
			       "env | grep -v ^HOME= | sort; pwd; id -u; id -g;"
			       "uname -n; echo pid $$;"
			       "ls /sys/class/net; ls -d /dev/null "
			       "/dev/pts /dev/shm; "
			       "echo > /dev/null; umask"),
			 0);
	assert_string_equal(out.data, "A=b c\nPATH=/usr/bin:/bin\n"
				      "PWD=/usr/lib\n/usr/lib\n0\n0\n"
				      "somewhere\npid 1\nlo\n/dev/null\n"
				      "/dev/pts\n/dev/shm\n0022\n");
}

static void privileges(void **state)
{
	struct place *p = *state;
	const char *line;
	uint64_t caps;
	EB_AUTOBUF(out, 10000);

	need_runtime(NULL);
	assert_int_equal(shell(p, &out,
			       "grep -E 'NoNewPrivs|CapEff' "
			       "/proc/self/status; "
			       "cat /proc/kcore | wc -c"),
			 0);
	line = strstr(out.data, "CapEff:\t");
	assert_non_null(line);
	caps = strtoull(line + 8, NULL, 16);
	assert_int_not_equal(caps & 1, 0);
	assert_int_equal(caps & ~0xa80425fbULL, 0);
	assert_non_null(strstr(out.data, "NoNewPrivs:\t1\n"));
	assert_non_null(strstr(out.data, "\n0\n"));
	assert_int_not_equal(shell(p, &out, "mount -t tmpfs x /mnt"), 0);
	assert_int_not_equal(shell(p, &out,
				   "echo 1 > /proc/sys/vm/overcommit_"
				   "memory"),
			     0);
}

static void ids(void **state)
{
	struct place *p = *state;
	EB_AUTOBUF(out, 10000);

	need_runtime(NULL);
	if (geteuid() != 0) {
		print_message("skipped: other ids need root here\n");
		skip();
	}
	p->s.uid = 1234;
	p->s.gid = 99;
	assert_int_equal(shell(p, &out, "id -u; id -g; id -G"), 0);
	assert_string_equal(out.data, "1234\n99\n99\n");
}

static void mounts(void **state)
{
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *data = eb_path_join(p->dir, "data");
	eb_autofree char *file = eb_path_join(data, "made");
	EB_AUTOBUF(out, 10000);

	need_runtime(NULL);
	must(eb_mkdirs(data, 0777, &err), &err);
	p->mount[1] = (struct eb_mount){ data, (char *)"/a/rw", false };
	p->mount[2] = (struct eb_mount){ data, (char *)"/a/ro", true };
	p->s.n_mounts = 3;
	assert_int_equal(shell(p, &out,
			       "echo x > /a/rw/made && cat /a/ro/made;"
			       "echo y > /a/ro/made; cat /a/ro/made;"
			       "touch /here && echo writable"),
			 0);
	assert_non_null(strstr(out.data, "x\n"));
	assert_non_null(strstr(out.data, "Read-only file system\nx\n"));
	assert_non_null(strstr(out.data, "writable\n"));
	assert_true(eb_path_exists(file));
	p->s.read_only = true;
	assert_int_equal(shell(p, &out, "touch /there"), 1);
	assert_non_null(strstr(out.data, "Read-only file system"));
	p->mount[2].source = (char *)"/nowhere/at/all";
	assert_int_equal(shell(p, &out, "true"), LIBRARY_FAILED + EB_INPUT);
	assert_non_null(strstr(out.data, "\"/nowhere/at/all\""));
}

static void host_network(void **state)
{
	struct place *p = *state;
	char host[300] = { 0 }, *line;
	EB_AUTOBUF(out, 10000);

	need_runtime(NULL);
	p->s.network = EB_NETWORK_HOST;
	assert_int_equal(
		readlink("/proc/self/ns/net", host, sizeof host - 1) > 0, 1);
	assert_int_equal(shell(p, &out,
			       "readlink /proc/self/ns/net;"
			       "cmp /etc/hosts - && ls /sys"),
			 1);
	line = strchr(out.data, '\n');
	assert_non_null(line);
	*line = '\0';
	assert_string_equal(out.data, host);
	assert_int_equal(shell(p, &out, "test -s /etc/hosts && : > /etc/hosts"),
			 eb_path_exists("/etc/hosts") ? 2 : 1);
	p->s.network = EB_NETWORK_NONE;
	assert_int_equal(shell(p, &out, "readlink /proc/self/ns/net"), 0);
	assert_null(strstr(out.data, host));
}

static void write_program(const struct place *p, const char *name,
			  const char *text, mode_t mode)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = eb_path_join(p->rootfs, name);

	must(eb_write_file(path, text, strlen(text), mode, &err), &err);
}

static void cannot_start(void **state)
{
	struct place *p = *state;
	EB_AUTOBUF(out, 10000);

	need_runtime(NULL);
	write_program(p, "text", "#!/bin/sh\necho no\n", 0644);
	write_program(p, "odd", "#!/no/such/interpreter\n", 0755);
	write_program(p, "noise", "\001\002\003\004", 0755);
	write_program(p, "fine", "#! /bin/sh -e\nfalse\nexit 9\n", 0755);
	assert_int_equal(run_as(p, 0, &out, ARGV("nothing-here")), 127);
	assert_int_equal(run_as(p, 0, &out, ARGV("/nothing/here")), 127);
	assert_int_equal(run_as(p, 0, &out, ARGV("")), 127);
	assert_int_equal(run_as(p, 0, &out, ARGV("/text")), 126);
	assert_int_equal(run_as(p, 0, &out, ARGV("/usr")), 126);
	assert_int_equal(run_as(p, 0, &out, ARGV("./odd")), 126);
	assert_int_equal(run_as(p, 0, &out, ARGV("./fine")), 1);
	assert_int_equal(run_as(p, 0, &out, ARGV("/noise")), 126);
	assert_int_equal(run_as(p, 0, &out, ARGV("\xff")), 127);
	assert_int_equal(run_as(p, 0, &out, ARGV("/bin/sh", "\xff")),
			 LIBRARY_FAILED + EB_INPUT);
	p->s.rootfs = "/no/rootfs";
	assert_int_equal(run_as(p, 0, &out, ARGV("/bin/sh")),
			 LIBRARY_FAILED + EB_INPUT);
}

static void limit_of_time(void **state)
{
	struct place *p = *state;
	EB_AUTOBUF(out, 10000);

	need_runtime(NULL);
	p->s.timeout_s = 1;
	assert_int_equal(shell(p, &out, "sleep 30"), LIBRARY_FAILED + EB_STEP);
	assert_string_equal(out.data, "\"sh\", running: more than 1 s "
				      "(--limit build-time=1)");
}

static void wait_for_text(const struct place *p, const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	int i;

	for (i = 0; i < 500; i++) {
		EB_AUTOBUF(out, 10000);

		must(eb_read_file(p->out, 10000, &out, &err), &err);
		if (strstr(out.data, text))
			return;
		usleep(20000);
	}
	fail_msg("\"%s\" was not written", text);
}

static void signals(void **state)
{
	struct place *p = *state;
	static const struct {
		int sig;
		const char *trap;
		int status;
	} row[] = { { SIGTERM, "trap 'exit 42' TERM", 42 },
		    { SIGINT, "trap 'exit 43' INT", 43 } };
	size_t i;
	pid_t pid;

	need_runtime(NULL);
	for (i = 0; i < 2; i++) {
		eb_autofree char *text =
			eb_asprintf("%s; echo ready; n=0; while [ $n -lt 200 ];"
				    "do n=$((n+1)); sleep 0.1; done",
				    row[i].trap);

		pid = begin(p, ARGV("sh", "-c", text), 0);
		wait_for_text(p, "ready");
		kill(pid, row[i].sig);
		assert_int_equal(end(pid), row[i].status);
		assert_empty(p->tmp);
	}
}

static void by_terminal(const struct place *p, int slave)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_sandbox s = p->s;
	int status;

	s.argv = ARGV("sh", "-c",
		      "test -t 0 && test -t 1 && read x && echo got $x");
	dup2(slave, STDIN_FILENO);
	dup2(slave, STDOUT_FILENO);
	if (eb_sandbox_run(&s, &status, NULL, &err) < 0)
		_exit(LIBRARY_FAILED);
	_exit(status);
}

/* A terminal stays one, because nothing copies between. */
static void terminal(void **state)
{
	struct place *p = *state;
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;
	char text[200] = { 0 };
	size_t n = 0;
	ssize_t got;
	pid_t pid;

	need_runtime(NULL);
	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(slave >= 0);
	pid = fork();
	if (pid == 0)
		by_terminal(p, slave);
	assert_int_equal(write(master, "typed\n", 6), 6);
	close(slave);
	while (n < sizeof text - 1 &&
	       (got = read(master, text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	assert_int_equal(end(pid), 0);
	assert_non_null(strstr(text, "got typed"));
	close(master);
}

static bool has_cgroup(pid_t pid)
{
	eb_autofree char *command =
		eb_asprintf("find /sys/fs/cgroup -maxdepth 3 -type d -name "
			    "'envbuild-%d-*' | grep -q .",
			    (int)pid);
	struct eb_error err = EB_ERROR_INIT;
	int status = -1;

	must(eb_process_run(ARGV("sh", "-c", command), NULL, NULL, 0, 0, 20,
			    NULL, NULL, &status, &err),
	     &err);
	return status == 0;
}

/* We are killed outright: the container is told to end, and its cgroups go
 * with it. The bundle is for whoever sweeps tmp. */
static void killed(void **state)
{
	struct place *p = *state;
	static const char *const script =
		"trap 'echo ended; exit' TERM; echo ready; n=0;"
		"while [ $n -lt 100 ]; do n=$((n+1)); sleep 0.1; done";
	int i;
	pid_t pid;

	need_runtime(NULL);
	pid = begin(p, ARGV("sh", "-c", script), 0);
	wait_for_text(p, "ready");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	wait_for_text(p, "ended");
	for (i = 0; i < 200 && has_cgroup(pid); i++)
		usleep(20000);
	assert_false(has_cgroup(pid));
}

/* The caller's own handlers are back afterwards. */
static void signals_are_restored(void **state)
{
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	struct sigaction now;
	int status = -1;

	need_runtime(NULL);
	signal(SIGTERM, SIG_IGN);
	p->s.argv = ARGV("true");
	must(eb_sandbox_run(&p->s, &status, NULL, &err), &err);
	assert_int_equal(status, 0);
	sigaction(SIGTERM, NULL, &now);
	signal(SIGTERM, SIG_DFL);
	assert_true(now.sa_handler == SIG_IGN);
	assert_empty(p->tmp);
}

static bool user_namespaces(uid_t user)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		become(user);
		_exit(unshare(CLONE_NEWUSER) < 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void as_user(struct place *p, const char *runtime)
{
	EB_AUTOBUF(out, 10000);

	if (geteuid() != 0 || !user_namespaces(NOBODY)) {
		print_message("skipped: %s\n",
			      geteuid() ? "not root, so no other user"
					: "no user namespaces without root");
		skip();
	}
	need_runtime(runtime);
	assert_int_equal(chmod(p->dir, 0755), 0);
	assert_int_equal(chown(p->tmp, NOBODY, NOBODY), 0);
	assert_int_equal(chown(p->rootfs, NOBODY, NOBODY), 0);
	assert_int_equal(run_as(p, NOBODY, &out,
				ARGV("sh", "-c",
				     "id -u; cat /proc/self/uid_map; "
				     "touch /mine; ls -ln /mine; exit 5")),
			 5);
	assert_non_null(strstr(out.data, "0\n         0      65534          "
					 "1\n"));
	assert_non_null(strstr(out.data, " 0 0 0 "));
	p->s.network = EB_NETWORK_HOST;
	assert_int_equal(run_as(p, NOBODY, &out,
				ARGV("sh", "-c", "test -d /sys/class/net")),
			 0);
	p->s.uid = 3;
	assert_int_equal(run_as(p, NOBODY, &out, ARGV("true")),
			 LIBRARY_FAILED + EB_MACHINE);
	unsetenv("ENVBUILD_RUNTIME");
}

static void without_root_by_runc(void **state)
{
	as_user(*state, "runc");
}

static void without_root_by_crun(void **state)
{
	as_user(*state, "crun");
}

static void by_crun(void **state)
{
	struct place *p = *state;

	need_runtime("crun");
	the_command(state);
	cannot_start(state);
	p->s.rootfs = p->rootfs;
	limit_of_time(state);
	p->s.timeout_s = 0;
	signals(state);
	unsetenv("ENVBUILD_RUNTIME");
}

static void broken_runtime(void **state)
{
	struct place *p = *state;
	eb_autofree char *path = eb_path_join(p->rootfs, "runc-like");
	eb_autofree char *list = NULL;
	EB_AUTOBUF(out, 10000);

	write_program(p, "runc-like",
		      "#!/bin/sh\necho 'it is broken' >&2\n"
		      "exit 3\n",
		      0755);
	setenv("ENVBUILD_RUNTIME", path, 1);
	assert_int_equal(shell(p, &out, "true"), LIBRARY_FAILED + EB_MACHINE);
	list = eb_asprintf("no OCI runtime works here: runc-like: it is broken"
			   "; runc-like (%s): it is broken",
			   geteuid() ? "user namespace" : "--rootless");
	assert_string_equal(out.data, list);
	setenv("ENVBUILD_RUNTIME", "/no/such/runtime", 1);
	assert_int_equal(shell(p, &out, "true"), LIBRARY_FAILED + EB_MACHINE);
	assert_non_null(strstr(out.data, "/no/such/runtime"));
	unsetenv("ENVBUILD_RUNTIME");
}

static void place_of(const struct place *p, const char *path,
		     const char *expected)
{
	eb_autofree char *outside = eb_sandbox_outside(&p->s, path);
	eb_autofree char *full = NULL;

	if (expected && *expected == '=')
		full = eb_strdup(expected + 1);
	else if (expected)
		full = eb_asprintf("%s%s", p->rootfs, expected);
	if (!full)
		assert_null(outside);
	else
		assert_string_equal(outside, full);
}

static void make_link(const struct place *p, const char *name,
		      const char *target)
{
	eb_autofree char *path = eb_path_join(p->rootfs, name);

	assert_int_equal(symlink(target, path), 0);
}

/* Links are read as the container reads them, never as the host does. */
static void links(void **state)
{
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *folder = eb_path_join(p->rootfs, "d");

	must(eb_mkdirs(folder, 0755, &err), &err);
	write_program(p, "real", "", 0755);
	write_program(p, "d/x", "", 0755);
	make_link(p, "absolute", "/d/x");
	make_link(p, "up", "../../../../../etc/../d/./x");
	make_link(p, "d/back", "../real");
	make_link(p, "loop", "/loop");
	make_link(p, "dir", "d");
	make_link(p, "sh", "/usr/bin/sh");
	place_of(p, "/real", "/real");
	place_of(p, "/../real", "/real");
	place_of(p, "/absolute", "/d/x");
	place_of(p, "/d/back", "/real");
	place_of(p, "/dir/back", "/real");
	place_of(p, "/dir/../real", "/real");
	place_of(p, "/loop", NULL);
	place_of(p, "/absent", NULL);
	place_of(p, "/real/x", NULL);
	place_of(p, "/usr/bin/env", "=/usr/bin/env");
	p->s.n_mounts = 0;
	place_of(p, "/sh", NULL);
	place_of(p, "/usr/bin/env", NULL);
	place_of(p, "/up", NULL); /* /etc is not there */
}

static void doctor(void **state)
{
	struct place *p = *state;
	struct eb_checks c = { 0 };
	static const char *const name[] = { "OCI runtime", "user namespaces",
					    "Landlock", "seccomp" };
	size_t i, k, found;

	eb_sandbox_doctor(&c, p->tmp);
	for (k = 0; k < 4; k++) {
		for (i = found = 0; i < c.n; i++)
			found += strcmp(c.check[i].name, name[k]) == 0;
		assert_in_range(found, 1, 2);
	}
	for (i = 0; i < c.n; i++) {
		assert_int_not_equal(strlen(c.check[i].detail), 0);
		print_message("%s: %s: %s\n", c.check[i].name,
			      c.check[i].ok ? "yes" : "no", c.check[i].detail);
	}
	eb_checks_release(&c);
	assert_empty(p->tmp);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_place, close_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_command),
		TEST(what_it_sees),
		TEST(privileges),
		TEST(ids),
		TEST(mounts),
		TEST(host_network),
		TEST(cannot_start),
		TEST(limit_of_time),
		TEST(signals),
		TEST(terminal),
		TEST(killed),
		TEST(signals_are_restored),
		TEST(without_root_by_runc),
		TEST(without_root_by_crun),
		TEST(by_crun),
		TEST(broken_runtime),
		TEST(links),
		TEST(doctor),
	};

	unsetenv("ENVBUILD_RUNTIME");
	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
