/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of an executed step: each is reached by somebody who tries to, by
 * cgroups and without, as root and not; what a step cannot do; what is left
 * of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <envbuild/event.h>
#include <envbuild/file.h>
#include <envbuild/process.h>
#include <envbuild/sandbox.h>

#include "sandbox/sandbox_cgroup.h"
#include "sandbox/sandbox_form.h"
#include "sandbox/sandbox_space.h"
#include "sandbox/sandbox_family.h"

#define NOBODY 65534
#define LIBRARY_FAILED 200
#define MIB ((uint64_t)1 << 20)

static const char *const env[] = { "PATH=/usr/bin:/bin", "A=b", NULL };

struct place {
	char *dir, *rootfs, *tmp, *work, *log, *said;
	char mark[48]; /* in the command line of all that a step starts */
	struct eb_mount mount[4];
	struct eb_sandbox s;
	uid_t user;
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

static char *folder(const struct place *p, const char *name)
{
	struct eb_error err = EB_ERROR_INIT;
	char *path = eb_path_join(p->dir, name);

	must(eb_mkdirs(path, 0755, &err), &err);
	return path;
}

static int open_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = eb_calloc(1, sizeof *p);
	static unsigned count;

	p->dir = eb_make_tempdir("/tmp", "eb-limits-", &err);
	assert_non_null(p->dir);
	p->rootfs = folder(p, "rootfs");
	p->tmp = folder(p, "tmp");
	p->work = folder(p, "work");
	p->log = eb_path_join(p->dir, "log");
	p->said = eb_path_join(p->dir, "said");
	snprintf(p->mark, sizeof p->mark, "step-%d-%u-mark", (int)getpid(),
		 count++);
	add_link(p, "bin");
	add_link(p, "lib");
	add_link(p, "lib64");
	p->mount[0] = (struct eb_mount){ (char *)"/usr", (char *)"/usr", true };
	p->mount[1] = (struct eb_mount){ p->work, (char *)"/w", false };
	p->s = (struct eb_sandbox){ .rootfs = p->rootfs,
				    .read_only = true,
				    .env = env,
				    .mount = p->mount,
				    .n_mounts = 2,
				    .tmp = p->tmp,
				    .timeout_s = 8,
				    .memory = 128 * MIB,
				    .disk = 20 * MIB,
				    .processes = 50 };
	*state = p;
	return 0;
}

static int close_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = *state;
	int result = eb_remove_tree(p->dir, &err);

	unsetenv("ENVBUILD_RUNTIME");
	unsetenv("ENVBUILD_CGROUP");
	free(p->dir);
	free(p->rootfs);
	free(p->tmp);
	free(p->work);
	free(p->log);
	free(p->said);
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

static bool has_mark(const char *pid, const char *mark)
{
	eb_autofree char *path = eb_asprintf("/proc/%s/cmdline", pid);
	char text[4096];
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text);

	return n > 0 && memmem(text, (size_t)n, mark, strlen(mark));
}

static unsigned count_marked(const char *mark)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	unsigned n = 0;

	while ((e = readdir(dir)))
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9')
			n += has_mark(e->d_name, mark);
	closedir(dir);
	return n;
}

static time_t started;

/* One that was made by this program: a runtime that was killed some day may
 * have left one of the same number. */
static bool has_cgroup(pid_t pid)
{
	eb_autofree char *command =
		eb_asprintf("find /sys/fs/cgroup -maxdepth 6 -type d -name "
			    "'envbuild-%d-*' -newermt @%lld 2>/dev/null | "
			    "grep -q .",
			    (int)pid, (long long)started);
	const char *const argv[] = { "sh", "-c", command, NULL };
	struct eb_error err = EB_ERROR_INIT;
	int status = -1;

	must(eb_process_run(argv, NULL, NULL, 0, 0, 20, NULL, NULL, &status,
			    &err),
	     &err);
	return status == 0;
}

static void become(uid_t user)
{
	if (!user)
		return;
	if (setgroups(0, NULL) < 0 || setresgid(user, user, user) < 0 ||
	    setresuid(user, user, user) < 0)
		_exit(LIBRARY_FAILED + 1);
}

static void say(void *data, const struct eb_event *event)
{
	if (event->text)
		dprintf(*(int *)data, "[%s]\n", event->text);
}

/* In a child, whose error goes to a file and which may be another user. */
static pid_t begin(const struct place *p, const char *text)
{
	eb_autofree char *script = eb_asprintf("%s\n# %s", text, p->mark);
	const char *const argv[] = { "bash", "-c", script, NULL };
	struct eb_error err = EB_ERROR_INIT;
	struct eb_sandbox s = p->s;
	int said = open(p->said, O_CREAT | O_TRUNC | O_RDWR, 0666), status;
	pid_t pid;

	s.log_fd = open(p->log, O_CREAT | O_TRUNC | O_RDWR | O_APPEND, 0666);
	assert_true(said > 2 && s.log_fd > 2);
	pid = fork();
	if (pid == 0) {
		struct eb_events *events = eb_events_new(say, &said);

		s.argv = argv;
		become(p->user);
		if (eb_sandbox_run(&s, &status, events, &err) == 0)
			_exit(status);
		dprintf(said, "%s", err.message);
		_exit(LIBRARY_FAILED + err.code);
	}
	close(said);
	close(s.log_fd);
	return pid;
}

static void read_all(const char *path, struct eb_buf *out)
{
	struct eb_error err = EB_ERROR_INIT;

	eb_buf_reset(out);
	must(eb_read_file(path, out->max, out, &err), &err);
}

/* Its status; nothing of it is left, and it took less than 10 s. */
static int run(const struct place *p, const char *text)
{
	uint64_t from = eb_now_ns();
	int status;
	pid_t pid = begin(p, text);

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(count_marked(p->mark), 0);
	assert_empty(p->tmp);
	assert_false(has_cgroup(pid));
	assert_true(eb_now_ns() - from < 10000000000ULL);
	return WEXITSTATUS(status);
}

static void reaches(const struct place *p, const char *text,
		    const char *expected)
{
	int status = run(p, text);
	EB_AUTOBUF(said, 100000);

	read_all(p->said, &said);
	if (status != LIBRARY_FAILED + EB_STEP || !strstr(said.data, expected))
		fail_msg("%s: status %d, \"%s\"", text, status, said.data);
}

static void prints(const struct place *p, const char *text, int status,
		   const char *expected)
{
	int got = run(p, text);
	EB_AUTOBUF(log, 1000000);

	read_all(p->log, &log);
	if (got != status || strcmp(log.data, expected) != 0) {
		EB_AUTOBUF(said, 100000);

		read_all(p->said, &said);
		fail_msg("%s: status %d, \"%s\" (%s)", text, got, log.data,
			 said.data);
	}
}

static void need(const char *runtime, const char *cgroup)
{
	static const struct eb_form_use use = { .network = EB_NETWORK_NONE };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_form form EB_CLEANUP(eb_form_release) = { 0 };

	if (runtime)
		setenv("ENVBUILD_RUNTIME", runtime, 1);
	if (cgroup)
		setenv("ENVBUILD_CGROUP", cgroup, 1);
	if (eb_form_find(&use, "/tmp", &form, &err) == 0)
		return;
	print_message("skipped: %s\n", err.message);
	skip();
}

static void need_cgroup(const char *runtime)
{
	eb_autofree char *id = eb_asprintf("envbuild-%d-try", (int)getpid());
	struct eb_cgroup c;
	bool works;

	need(runtime, NULL);
	eb_cgroup_open(&c, id, 64 * MIB, 10);
	works = c.memory && c.processes;
	if (!works)
		print_message("skipped: no cgroup: %s\n",
			      c.why_not ? c.why_not : "");
	eb_cgroup_close(&c);
	if (!works)
		skip();
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

static void need_nobody(struct place *p, const char *runtime)
{
	if (geteuid() != 0 || !user_namespaces(NOBODY)) {
		print_message("skipped: %s\n",
			      geteuid() ? "not root, so no other user"
					: "no user namespaces without root");
		skip();
	}
	need(runtime, NULL);
	p->user = NOBODY;
	assert_int_equal(chmod(p->dir, 0755), 0);
	assert_int_equal(chown(p->tmp, NOBODY, NOBODY), 0);
	assert_int_equal(chown(p->rootfs, NOBODY, NOBODY), 0);
	assert_int_equal(chown(p->work, NOBODY, NOBODY), 0);
}

static void how_it_holds(const struct place *p, const char *memory)
{
	EB_AUTOBUF(said, 100000);

	assert_int_equal(run(p, "exit 7"), 7);
	read_all(p->said, &said);
	if (!strstr(said.data, memory))
		fail_msg("\"%s\" is not in \"%s\"", memory, said.data);
}

/* Where nothing but looking holds it, one that grows by one at a time is
 * enough for a machine that others use, too (EB_TEST_FORK_BOMB asks for the
 * other one). */
static void fork_bomb(struct place *p, bool held)
{
	reaches(p,
		held ? "b() { b | b & }; b; sleep 8"
		     : "while :; do sleep 8 & done",
		"more than 50 processes (--limit build-processes=50)");
}

static void memory_hogs(struct place *p)
{
	static const char *const expected =
		"more than 128 MiB of memory (--limit "
		"build-memory=128MiB)";

	reaches(p, "perl -e '$x = \"x\" x 600000000; sleep 7'", expected);
	reaches(p,
		"for i in 1 2 3 4; do perl -e '$x = \"x\" x 25000000; "
		"$y = $x; sleep 7' & done; wait",
		expected);
}

static void empty_work(const struct place *p)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *again = NULL;

	must(eb_remove_tree(p->work, &err), &err);
	again = folder(p, "work");
	if (p->user)
		assert_int_equal(chown(again, p->user, p->user), 0);
}

static void disk_fillers(struct place *p)
{
	static const char *const expected =
		"more than 20 MiB on disk (--limit build-disk=20MiB)";

	reaches(p, "head -c 1000000000 /dev/zero > /w/f", expected);
	empty_work(p);
	reaches(p,
		"mkdir /w/d; for ((i = 0; i < 2000; i++)); do "
		"head -c 1000000 /dev/zero > /w/d/$i; done; sleep 8",
		expected);
	empty_work(p);
	/* without a name */
	reaches(p,
		"perl -e 'for (1 .. 9) { open $f[$_], \">\", \"/w/f\"; "
		"unlink \"/w/f\"; syswrite $f[$_], \"x\" x 5000000; } "
		"sleep 7'",
		expected);
	empty_work(p);
	reaches(p,
		"while :; do echo 0123456789012345678901234567890123456789"
		"0123456789012345678901234567890123456789; done",
		expected);
}

static void sleeper(struct place *p)
{
	p->s.timeout_s = 1;
	reaches(p, "trap '' TERM INT; (trap '' TERM; sleep 30) & sleep 30",
		"more than 1 s (--limit build-time=1)");
	p->s.timeout_s = 8;
}

static void all_limits(struct place *p, bool held)
{
	fork_bomb(p, held || getenv("EB_TEST_FORK_BOMB"));
	memory_hogs(p);
	disk_fillers(p);
	sleeper(p);
}

static void runc_with_cgroup(void **state)
{
	need_cgroup("runc");
	how_it_holds(*state, "memory by cgroup");
	all_limits(*state, true);
}

static void crun_with_cgroup(void **state)
{
	need_cgroup("crun");
	how_it_holds(*state, "memory by cgroup");
	all_limits(*state, true);
}

/* The kernel refuses the next one, whether somebody has looked or not: as many
 * dots as there were processes. */
static void refused_by_kernel(struct place *p)
{
	EB_AUTOBUF(log, 10000);

	reaches(p,
		"perl -e '$| = 1; while (defined($pid = fork)) { if (!$pid) "
		"{ sleep 8; exit } print \".\" } sleep 8'",
		"more than 50 processes (--limit build-processes=50)");
	read_all(p->log, &log);
	if (log.len < 20 || log.len > 50 + EB_CGROUP_ROOM)
		fail_msg("%zu processes: \"%s\"", log.len, log.data);
}

/* Of root without a cgroup the kernel counts the processes where it may be
 * somebody else in a user namespace. */
static void alone(struct place *p, const char *runtime)
{
	static const struct eb_form_use use = { .network = EB_NETWORK_NONE,
						.counted = true };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_form form EB_CLEANUP(eb_form_release) = { 0 };
	bool held;

	need(runtime, "none");
	must(eb_form_find(&use, "/tmp", &form, &err), &err);
	held = eb_form_counts(&form);
	if (!held)
		print_message("the kernel does not count here\n");
	how_it_holds(p, "memory by looking, and address space");
	how_it_holds(p, held ? "processes by the kernel's count"
			     : "processes by looking");
	if (held)
		refused_by_kernel(p);
	all_limits(p, held);
}

static void runc_alone(void **state)
{
	alone(*state, "runc");
}

static void crun_alone(void **state)
{
	alone(*state, "crun");
}

static void nobody_by_runc(void **state)
{
	need_nobody(*state, "runc");
	all_limits(*state, true);
}

static void nobody_by_crun(void **state)
{
	need_nobody(*state, "crun");
	all_limits(*state, true);
}

static void within(void **state)
{
	struct place *p = *state;

	need(NULL, NULL);
	/* what was there before does not count */
	assert_int_equal(run(p, "head -c 15000000 /dev/zero > /w/before"), 0);
	prints(p,
	       "for i in 1 2 3; do (sleep 0.3; exit 0) & done; wait; "
	       "head -c 15000000 /dev/zero > /w/f; echo out; echo err >&2; "
	       "exit 3",
	       3, "out\nerr\n");
}

/* Nothing of ours is there but the two outputs. */
static void what_it_has(void **state)
{
	struct place *p = *state;
	int leak;

	need(NULL, NULL);
	leak = open("/dev/zero", O_RDONLY); /* not close-on-exec */
	assert_true(leak > 2);
	setenv("EB_SECRET_OF_OURS", "1", 1);
	prints(p,
	       "readlink /proc/self/fd/0; for ((i = 0; i < 99; i++)); do test "
	       "-e "
	       "/proc/$$/fd/$i && echo $i; done; read x || "
	       "echo end; env | grep -v -e ^PWD= -e ^OLDPWD= -e ^SHLVL= -e ^_= "
	       "-e ^HOME= | sort; ls -A /w; ls /root /home 2>/dev/null",
	       2, "/dev/null\n0\n1\n2\nend\nA=b\nPATH=/usr/bin:/bin\n");
	unsetenv("EB_SECRET_OF_OURS");
	close(leak);
}

static void writes_outside(void **state)
{
	struct place *p = *state;
	eb_autofree char *text = NULL;

	need(NULL, NULL);
	text = eb_asprintf(
		"n=0; for f in /x /usr/x /usr/bin/sh /etc/x /tmp/x %s/x "
		"/w/../x /proc/sys/kernel/core_pattern /sys/x; do "
		"{ echo x >> $f; } 2>/dev/null && echo \"$f\"; done; "
		"ln -s / /w/l; ln -s %s/x /w/m; "
		"for f in /w/l/x /w/m; do { echo x > $f; } 2>/dev/null && "
		"echo $f; done; echo y > /w/y; cat /w/y",
		p->dir, p->dir);
	prints(p, text, 0, "y\n");
	free(text);
	text = eb_path_join(p->dir, "x");
	assert_false(eb_path_exists(text));
	assert_false(eb_path_exists("/usr/x"));
}

static int listener(unsigned short *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

static void network(void **state)
{
	struct place *p = *state;
	eb_autofree char *text = NULL;
	unsigned short port;
	eb_autofd int fd = -1;

	need(NULL, NULL);
	fd = listener(&port);
	text = eb_asprintf("{ exec 3<>/dev/tcp/127.0.0.1/%u; } 2>/dev/null && "
			   "echo connected; echo done",
			   port);
	prints(p, text, 0, "done\n");
	p->s.network = EB_NETWORK_HOST;
	prints(p, text, 0, "connected\ndone\n");
}

static void no_new_powers(void **state)
{
	struct place *p = *state;

	need(NULL, NULL);
	prints(p,
	       "unshare -U true 2>/dev/null && echo user; "
	       "unshare -m true 2>/dev/null && echo mounts; "
	       "mount -t tmpfs x /w 2>/dev/null && echo tmpfs; "
	       "df -k --output=size /dev/shm | tail -1 | tr -d ' '",
	       0, "65536\n");
}

/* We are killed outright: it ends within its grace, with its cgroups. */
static void killed(struct place *p)
{
	uint64_t from = eb_now_ns();
	pid_t pid = begin(p, "trap exit TERM; echo ready; sleep 60 & wait");
	EB_AUTOBUF(log, 1000);

	do {
		usleep(20000);
		read_all(p->log, &log);
	} while (!strstr(log.data, "ready") &&
		 eb_now_ns() - from < 5000000000ULL);
	assert_string_equal(log.data, "ready\n");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	from = eb_now_ns();
	while ((count_marked(p->mark) || has_cgroup(pid)) &&
	       eb_now_ns() - from < 15000000000ULL)
		usleep(50000);
	assert_int_equal(count_marked(p->mark), 0);
	assert_false(has_cgroup(pid));
}

static void killed_runc(void **state)
{
	need_cgroup("runc");
	killed(*state);
}

static void killed_crun(void **state)
{
	need_cgroup("crun");
	killed(*state);
}

/* Cgroups of a process that is no more go when the next one is made. */
static void swept(void **state)
{
	eb_autofree char *id = NULL, *path = NULL;
	struct eb_cgroup c;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	need_cgroup(NULL);
	id = eb_asprintf("envbuild-%d-old", (int)pid);
	eb_cgroup_open(&c, id, 64 * MIB, 10);
	assert_true(c.memory && c.processes);
	path = eb_strdup(c.top.v[0]);
	assert_true(eb_path_exists(path));
	eb_strv_release(&c.leave); /* it is left */
	need_cgroup(NULL);
	assert_false(eb_path_exists(path));
	eb_cgroup_close(&c);
}

static void tree(void **state)
{
	struct eb_family t;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(eb_family_read(&t, getpid()), 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.pid[0], getpid());
	assert_true(eb_family_memory(&t) > 100000);
	eb_family_release(&t);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(eb_family_read(&t, getpid()), 0);
	assert_int_equal(t.n, 2);
	eb_family_release(&t);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_int_equal(eb_family_read(&t, pid), 0);
	assert_int_equal(t.n, 0);
	eb_family_release(&t);
}

static void space(void **state)
{
	struct place *p = *state;
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *a = eb_path_join(p->work, "a");
	eb_autofree char *b = eb_path_join(p->work, "b");
	eb_autofree char *l = eb_path_join(p->work, "l");
	eb_autofree char *text = eb_calloc(1000000, 1);
	struct eb_space before = { 0, false }, after = { 0, false };
	int deep, i;

	eb_space_add(&before, p->work);
	must(eb_write_file(a, text, 1000000, 0644, &err), &err);
	assert_int_equal(link(a, b), 0);
	assert_int_equal(symlink("/usr", l), 0);
	eb_space_add(&after, p->work);
	assert_in_range(after.bytes - before.bytes, 1000000, 1020000);
	assert_false(after.hidden);
	/* deeper than a path can say */
	deep = open(p->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (i = 0; i < 300; i++) {
		int below;

		assert_int_equal(mkdirat(deep, "d", 0755), 0);
		below = openat(deep, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(deep);
		deep = below;
	}
	close(deep);
	after.bytes = 0;
	eb_space_add(&after, p->work);
	assert_int_equal(after.bytes, UINT64_MAX / 2);
}

static void doctor(void **state)
{
	struct place *p = *state;
	struct eb_checks c = { 0 };
	size_t i, found = 0;

	eb_sandbox_doctor(&c, p->tmp);
	for (i = 0; i < c.n; i++) {
		if (strcmp(c.check[i].name, "limits of steps") != 0)
			continue;
		found++;
		print_message("%s: %s\n", c.check[i].ok ? "yes" : "no",
			      c.check[i].detail);
	}
	assert_int_equal(found, 1);
	eb_checks_release(&c);
	assert_false(has_cgroup(getpid()));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_place, close_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runc_with_cgroup),
		TEST(crun_with_cgroup),
		TEST(runc_alone),
		TEST(crun_alone),
		TEST(nobody_by_runc),
		TEST(nobody_by_crun),
		TEST(within),
		TEST(what_it_has),
		TEST(writes_outside),
		TEST(network),
		TEST(no_new_powers),
		TEST(killed_runc),
		TEST(killed_crun),
		TEST(swept),
		TEST(tree),
		TEST(space),
		TEST(doctor),
	};

	unsetenv("ENVBUILD_RUNTIME");
	unsetenv("ENVBUILD_CGROUP");
	umask(022);
	started = time(NULL) - 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
