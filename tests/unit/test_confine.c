/* SPDX-License-Identifier: Apache-2.0 */
/* Confined processes, by a runtime and by Landlock: what they see, what they
 * may do, limits, how they end. The program is a copy of bash, whose builtins
 * read, write, open sockets and execute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/seccomp.h>

#include <envbuild/confine.h>
#include <envbuild/event.h>
#include <envbuild/file.h>
#include <envbuild/process.h>

#include "sandbox/confine_state.h"
#include "sandbox/landlock.h"
#include "sandbox/sandbox_config.h"
#include "sandbox/seccomp.h"

#define NOBODY 65534

struct place {
	char *dir, *root, *tmp;
	const char *shell; /* NULL: the one in root */
	struct eb_confined c;
};

static const char *const env[] = { "A=b", NULL };

static void must(int result, struct eb_error *err)
{
	if (result < 0)
		fail_msg("%s", err->message);
}

static void copy_to(const char *folder, const char *from, const char *name)
{
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *path = eb_path_join(folder, name);
	EB_AUTOBUF(text, 16 << 20);

	must(eb_read_file(from, text.max, &text, &err), &err);
	must(eb_mkdirs(folder, 0755, &err), &err);
	must(eb_write_file(path, text.data, text.len, 0755, &err), &err);
}

static void copy(const struct place *p, const char *from, const char *name)
{
	eb_autofree char *folder = eb_path_join(p->root, "bin");

	copy_to(folder, from, name);
}

static int open_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = eb_calloc(1, sizeof *p);
	eb_autofree char *file = NULL;

	p->dir = eb_make_tempdir("/tmp", "eb-confine-", &err);
	assert_non_null(p->dir);
	p->root = eb_path_join(p->dir, "root");
	p->tmp = eb_path_join(p->dir, "tmp");
	must(eb_mkdirs(p->tmp, 0755, &err), &err);
	copy(p, "/bin/bash", "sh");
	copy(p, "/bin/true", "true");
	file = eb_path_join(p->root, "file");
	must(eb_write_file(file, "content\n", 8, 0644, &err), &err);
	p->c = (struct eb_confined){
		.root = p->root, .at = "/opt/env", .env = env, .tmp = p->tmp
	};
	*state = p;
	return 0;
}

static int close_place(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = *state;
	int result = eb_remove_tree(p->dir, &err);

	unsetenv("ENVBUILD_CONFINE");
	free(p->dir);
	free(p->root);
	free(p->tmp);
	free(p);
	return result;
}

static void need(struct place *p, const char *way)
{
	static const char *const argv[] = { "/opt/env/bin/true", NULL };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	setenv("ENVBUILD_CONFINE", way, 1);
	p->c.argv = argv;
	if (eb_confined_start(&p->c, NULL, &err) < 0) {
		print_message("skipped: %s\n", err.message);
		skip();
	}
	must(eb_confined_wait(&p->c, &err), &err);
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

/* Status 0 or -1 with err; the output in `out`. */
static int shell(struct place *p, const char *text, struct eb_buf *out,
		 struct eb_error *err)
{
	const char *const argv[] = { p->shell ? p->shell : "/opt/env/bin/sh",
				     "-c", text, NULL };
	int result;

	p->c.argv = argv;
	if (eb_confined_start(&p->c, NULL, err) < 0)
		fail_msg("%s", err->message);
	eb_buf_reset(out);
	must(eb_read_fd(p->c.fd_out, "output", out->max, out, err), err);
	result = eb_confined_wait(&p->c, err);
	assert_int_equal(p->c.fd_in, -1);
	assert_int_equal(p->c.fd_out, -1);
	assert_null(p->c.state);
	assert_nothing_left(p);
	return result;
}

/* A command that has to fail inside; what it says is left in `err`. */
static void refused(struct place *p, const char *text, const char *said)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(out, 10000);

	if (shell(p, text, &out, &err) == 0)
		fail_msg("allowed: %s (%s)", text, out.data);
	assert_int_equal(err.code, EB_STEP);
	if (said && !strstr(err.message, said))
		fail_msg("%s: %s", text, err.message);
}

static void allowed(struct place *p, const char *text, const char *expected)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(out, 10000);

	must(shell(p, text, &out, &err), &err);
	assert_string_equal(out.data, expected);
}

static void both_ways(struct place *p)
{
	eb_autofree char *home = eb_confined_path(&p->c, "/opt/env");
	eb_autofree char *file = eb_path_join(home, "file");
	eb_autofree char *text = NULL, *write = NULL;

	text = eb_asprintf("read x < %s; echo $x $A $HOME_", file);
	allowed(p, text, "content b\n");
	allowed(p, "(echo forked); x=$(echo piped); echo $x",
		"forked\npiped\n");
	write = eb_asprintf("echo x > %s", file);
	refused(p, write, NULL);
	refused(p, "echo x > /tmp/eb-made-by-a-confined-process", NULL);
	refused(p, "read x < /etc/passwd", "/etc/passwd");
	refused(p, "cd /root", NULL);
	refused(p, "exec 3<>/dev/tcp/127.0.0.1/9", "Function not implemented");
	refused(p, "/usr/bin/true", NULL);
	refused(p, "exit 5", "status 5");
	refused(p, "echo several >&2; echo lines >&2; exit 1", "several lines");
	refused(p, "ulimit -v unlimited", NULL);
	allowed(p, "ulimit -v; ulimit -t; ulimit -c; ulimit -s",
		"4194304\n1800\n0\n8192\n");
}

static void by_runtime(void **state)
{
	struct place *p = *state;

	need(p, "runtime");
	assert_string_not_equal(p->c.way, "landlock");
	both_ways(p);
	allowed(p, "read x < /proc/self/personality; echo $x", "00040000\n");
	allowed(p, "echo $$ /*", "1 /dev /etc /lib /lib64 /opt /proc /usr\n");
	allowed(p, "echo /proc/[0-9]*", "/proc/1\n");
}

static void by_crun(void **state)
{
	struct place *p = *state;

	setenv("ENVBUILD_RUNTIME", "crun", 1);
	need(p, "runtime");
	assert_string_equal(p->c.way, "crun");
	both_ways(p);
	allowed(p, "read x < /proc/self/personality; echo $x", "00040000\n");
	unsetenv("ENVBUILD_RUNTIME");
}

/* Two pairs more: what goes into one comes out of it, by its own letter. */
static void more_pipes(struct place *p)
{
	static const char *const argv[] = {
		"/opt/env/bin/sh", "-c",
		"read x <&5; echo 6 $x >&6; read x <&3; echo 4 $x >&4; "
		"echo x 2>/dev/null >&7 && exit 7; read x; exit 0",
		NULL
	};
	struct eb_error err = EB_ERROR_INIT;
	struct eb_confined_pipes more[2];
	char text[9] = { 0 };
	unsigned i;

	p->c.argv = argv;
	p->c.more = more;
	p->c.n_more = 2;
	must(eb_confined_start(&p->c, NULL, &err), &err);
	for (i = 0; i < 2; i++)
		assert_int_equal(write(more[i].fd_in, i ? "two\n" : "one\n", 4),
				 4);
	assert_int_equal(read(more[1].fd_out, text, 8), 6);
	assert_string_equal(text, "6 two\n");
	assert_int_equal(read(more[0].fd_out, text, 8), 6);
	assert_string_equal(text, "4 one\n");
	assert_int_equal(write(p->c.fd_in, "\n", 1), 1);
	must(eb_confined_wait(&p->c, &err), &err);
	/* they were its own alone, and it has ended */
	for (i = 0; i < 2; i++) {
		assert_int_equal(read(more[i].fd_out, text, 8), 0);
		close(more[i].fd_in);
		close(more[i].fd_out);
	}
	p->c.more = NULL;
	p->c.n_more = 0;
	assert_nothing_left(p);
}

static void more_by_runtime(void **state)
{
	need(*state, "runtime");
	more_pipes(*state);
}

static void more_by_landlock(void **state)
{
	need(*state, "landlock");
	more_pipes(*state);
}

/* No way, no pipes. */
static void no_more(void **state)
{
	struct place *p = *state;
	static const char *const argv[] = { "/opt/env/bin/sh", NULL };
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_confined_pipes more[1] = { { 99, 99 } };

	setenv("ENVBUILD_CONFINE", "no-such", 1);
	p->c.argv = argv;
	p->c.more = more;
	p->c.n_more = 1;
	assert_int_equal(eb_confined_start(&p->c, NULL, &err), -1);
	assert_int_equal(more[0].fd_in, -1);
	assert_int_equal(more[0].fd_out, -1);
	p->c.more = NULL;
	p->c.n_more = 0;
	unsetenv("ENVBUILD_CONFINE");
}

/* That it was killed is no reason to look for another form; that it ended
 * badly is one. */
static void form_is_kept(void **state)
{
	struct place *p = *state;
	static const char *const argv[] = { "/opt/env/bin/sh", "-c", "read x",
					    NULL };
	struct eb_error err = EB_ERROR_INIT;
	eb_autofree char *cache = eb_path_join(p->tmp, "cache");
	eb_autofree char *home = eb_path_join(cache, "envbuild");
	eb_autofree char *memory = eb_path_join(home, "sandbox-forms");
	const char *before = getenv("XDG_CACHE_HOME");
	eb_autofree char *kept = before ? eb_strdup(before) : NULL;

	need(p, "runtime");
	must(eb_mkdirs(home, 0700, &err), &err);
	setenv("XDG_CACHE_HOME", cache, 1);
	/* another answer than the one that this process knows by heart */
	setenv("ENVBUILD_RUNTIME", strcmp(p->c.way, "crun") ? "runc" : "crun",
	       1);
	p->c.argv = argv;
	must(eb_confined_start(&p->c, NULL, &err), &err);
	eb_confined_kill(&p->c);
	assert_true(eb_path_exists(memory));
	must(eb_confined_start(&p->c, NULL, &err), &err);
	assert_int_equal(eb_confined_wait(&p->c, &err), -1);
	assert_true(p->c.status > 0);
	eb_err_release(&err);
	assert_false(eb_path_exists(memory));
	unsetenv("ENVBUILD_RUNTIME");
	if (kept)
		setenv("XDG_CACHE_HOME", kept, 1);
	else
		unsetenv("XDG_CACHE_HOME");
	must(eb_remove_tree(cache, &err), &err);
	assert_nothing_left(p);
}

static void read_file(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, out, size - 1);

	assert_true(n > 0);
	out[n] = '\0';
	close(fd);
}

static void personality_of(struct place *p, char *out, size_t size)
{
	static const char *const argv[] = { "/opt/env/bin/sh", "-c", "read x",
					    NULL };
	struct eb_error err = EB_ERROR_INIT;
	const struct eb_confined_state *s;
	eb_autofree char *children = NULL, *path = NULL;
	int child;

	p->c.argv = argv;
	must(eb_confined_start(&p->c, NULL, &err), &err);
	s = p->c.state;
	child = s->process.pid; /* the monitor */
	children = eb_asprintf("/proc/%d/task/%d/children", child, child);
	read_file(children, out, size);
	assert_int_equal(sscanf(out, "%d", &child), 1);
	path = eb_asprintf("/proc/%d/personality", child);
	read_file(path, out, size);
	eb_confined_kill(&p->c);
}

static void by_landlock(void **state)
{
	struct place *p = *state;
	eb_autofree char *other = NULL;
	char text[64];

	need(p, "landlock");
	assert_string_equal(p->c.way, "landlock");
	both_ways(p);
	refused(p, "read x < /proc/self/personality", "/proc");
	/* of the same folder, but another program */
	other = eb_asprintf("%s/bin/true", p->root);
	refused(p, other, NULL);
	personality_of(p, text, sizeof text);
	assert_string_equal(text, "00040000\n");
}

/* In a child, as another user; what it says goes to standard output. */
static int as_nobody(const struct place *p)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_confined c = p->c;
	const char *const argv[] = { p->shell ? p->shell : "/opt/env/bin/sh",
				     "-c", "echo hello", NULL };
	char text[7] = { 0 };

	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
	    setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return 2;
	c.argv = argv;
	if (eb_confined_start(&c, NULL, &err) < 0) {
		print_message("%s\n", err.message);
		return 3;
	}
	if (read(c.fd_out, text, 6) != 6 || strcmp(text, "hello\n") != 0)
		return 4;
	return eb_confined_wait(&c, &err) < 0 ? 5 : 0;
}

static void without_root(struct place *p)
{
	int status;
	pid_t pid;

	if (geteuid() != 0) {
		print_message("skipped: not root, so no other user\n");
		skip();
	}
	assert_int_equal(chmod(p->dir, 0755), 0);
	assert_int_equal(chmod(p->root, 0755), 0);
	assert_int_equal(chown(p->tmp, NOBODY, NOBODY), 0);
	pid = fork();
	if (pid == 0)
		_exit(as_nobody(p));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 3) {
		print_message("skipped: does not work without root here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_nothing_left(p);
}

static void without_root_by_runtime(void **state)
{
	need(*state, "runtime");
	without_root(*state);
}

static void without_root_by_landlock(void **state)
{
	need(*state, "landlock");
	without_root(*state);
}

static void killed(struct place *p)
{
	static const char *const argv[] = { "/opt/env/bin/sh", "-c",
					    "echo on; while :; do :; done",
					    NULL };
	struct eb_error err = EB_ERROR_INIT;
	char text[3];

	p->c.argv = argv;
	must(eb_confined_start(&p->c, NULL, &err), &err);
	assert_int_equal(read(p->c.fd_out, text, 3), 3);
	eb_confined_kill(&p->c);
	eb_confined_kill(&p->c);
	assert_null(p->c.state);
	assert_nothing_left(p);
	p->c.argv = argv;
	p->c.cpu_s = 1;
	must(eb_confined_start(&p->c, NULL, &err), &err);
	assert_int_equal(eb_confined_wait(&p->c, &err), -1);
	assert_int_equal(err.code, EB_STEP);
	eb_err_release(&err);
	p->c.cpu_s = 0;
	p->c.memory_mib = 64;
	refused(p,
		"x=$(for((i=0;i<1000000;i++)); do echo 0123456789012345678;"
		" done); y=$x$x$x$x$x$x; test ${#y} -gt 9",
		NULL);
}

static void killed_by_runtime(void **state)
{
	need(*state, "runtime");
	killed(*state);
}

static void killed_by_landlock(void **state)
{
	need(*state, "landlock");
	killed(*state);
}

/* What it forked ends with it. */
static void outlived(void **state)
{
	static const char *const argv[] = {
		"/opt/env/bin/sh", "-c",
		"(exec <&- >&-; while :; do :; done) & echo on", NULL
	};
	struct eb_error err = EB_ERROR_INIT;
	struct place *p = *state;
	char text[3];
	pid_t group;

	need(p, "landlock");
	p->c.argv = argv;
	must(eb_confined_start(&p->c, NULL, &err), &err);
	group = ((struct eb_confined_state *)p->c.state)->process.pid;
	assert_int_equal(read(p->c.fd_out, text, 3), 3);
	must(eb_confined_wait(&p->c, &err), &err);
	/* They are init's now, which takes its time to bury them. */
	for (int i = 0; i < 500 && kill(-group, 0) == 0; i++)
		usleep(10000);
	assert_int_equal(kill(-group, 0), -1);
}

/* Starts one that does not end when its input does, and is killed. */
static pid_t start_and_die(struct place *p)
{
	static const char *const argv[] = {
		"/opt/env/bin/sh", "-c",
		"(while :; do :; done) & echo on; while :; do :; done", NULL
	};
	struct eb_error err = EB_ERROR_INIT;
	char text[3];
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	p->c.argv = argv;
	if (eb_confined_start(&p->c, NULL, &err) < 0 ||
	    read(p->c.fd_out, text, 3) != 3)
		_exit(1);
	raise(SIGKILL);
	_exit(1);
}

/* However we end, nothing confined is left: all that this process is then
 * the parent of ends within 5 s. */
static void orphaned(struct place *p)
{
	uint64_t end = eb_now_ns() + 5000000000ULL;
	int status, first = 1;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = start_and_die(p);
	while (eb_now_ns() < end) {
		pid_t got = waitpid(-1, &status, WNOHANG);

		if (got < 0)
			break;
		if (got == pid)
			first = WIFSIGNALED(status) ? 0 : 2;
		if (got == 0)
			usleep(10000);
	}
	assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	assert_int_equal(first, 0);
}

static void orphaned_by_runtime(void **state)
{
	need(*state, "runtime");
	orphaned(*state);
}

static void orphaned_by_landlock(void **state)
{
	need(*state, "landlock");
	orphaned(*state);
}

/* ---- a program of the machine, with network ---- */

struct outside {
	char *dir, *file, *program, *socket, *shown;
	const char *see[3];
	char *tcp; /* "/dev/tcp/127.0.0.1/PORT" */
	int tcp_fd, unix_fd;
};

static void listen_tcp(struct outside *o)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t n = sizeof a;

	o->tcp_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(o->tcp_fd, (struct sockaddr *)&a, n), 0);
	assert_int_equal(listen(o->tcp_fd, 5), 0);
	assert_int_equal(getsockname(o->tcp_fd, (struct sockaddr *)&a, &n), 0);
	o->tcp = eb_asprintf("/dev/tcp/127.0.0.1/%u", ntohs(a.sin_port));
}

static void listen_unix(struct outside *o)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof a.sun_path, "%s", o->socket);
	o->unix_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(o->unix_fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(o->unix_fd, 5), 0);
}

/* Beside root lie a folder with a file, a program and a socket, which it does
 * not see, and one with a program that it does. The socket is in root. */
static void open_outside(struct place *p, struct outside *o)
{
	struct eb_error err = EB_ERROR_INIT;

	o->dir = eb_path_join(p->dir, "home");
	o->file = eb_path_join(o->dir, "secret");
	o->program = eb_path_join(o->dir, "true");
	o->shown = eb_path_join(p->dir, "shown");
	o->socket = eb_path_join(p->root, "socket");
	must(eb_mkdirs(o->dir, 0755, &err), &err);
	must(eb_write_file(o->file, "secret\n", 7, 0644, &err), &err);
	copy_to(o->dir, "/bin/true", "true");
	copy_to(o->shown, "/bin/true", "true");
	o->see[0] = o->shown;
	o->see[1] = "/no/such/folder";
	o->see[2] = NULL;
	listen_tcp(o);
	listen_unix(o);
	p->c.at = p->root;
	p->c.network = true;
	p->c.see = o->see;
	p->shell = "/usr/bin/bash";
}

static void close_outside(struct place *p, struct outside *o)
{
	close(o->tcp_fd);
	close(o->unix_fd);
	free(o->dir);
	free(o->file);
	free(o->program);
	free(o->shown);
	free(o->socket);
	free(o->tcp);
	p->c.network = false;
	p->c.see = NULL;
	p->shell = NULL;
}

static void with_text(struct place *p, const char *expected, const char *fmt,
		      ...) __attribute__((format(printf, 3, 4)));

/* expected NULL: it has to be refused. */
static void with_text(struct place *p, const char *expected, const char *fmt,
		      ...)
{
	eb_autofree char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	assert_true(vasprintf(&text, fmt, ap) >= 0);
	va_end(ap);
	if (expected)
		allowed(p, text, expected);
	else
		refused(p, text, NULL);
}

static void files(struct place *p, const struct outside *o)
{
	eb_autofree char *here = eb_asprintf("%s\n", p->root);
	eb_autofree char *shown = eb_path_join(o->shown, "true");
	struct stat st;

	with_text(p, here, "pwd");
	with_text(p, "content\n",
		  "read x < file; echo $x; mkdir d; "
		  "echo new > d/a; mv d/a b; rm -r d");
	with_text(p, "new\n", "read x < %s/b; echo $x; rm b", p->root);
	with_text(p, "yes\n", "test -r /usr/bin/env && echo yes");
	refused(p, "echo x > /usr/x", NULL);
	refused(p, "echo x > /tmp/eb-made-by-a-confined-process", NULL);
	with_text(p, NULL, "read x < %s", o->file);
	with_text(p, NULL, "echo x >> %s", o->file);
	with_text(p, NULL, "echo %s/*ecret | grep -v '[*]'", o->dir);
	with_text(p, NULL, "ln -s %s link; read x < link", o->file);
	with_text(p, NULL, "ln %s hard && echo x > hard", shown);
	with_text(p, NULL, "rm -f %s", shown);
	with_text(p, NULL, "echo x > %s", shown);
	refused(p, "read x < /etc/passwd", NULL);
	refused(p, "cd /root && echo * | grep -q '[a-z]'", NULL);
	refused(p, "echo /etc/ssl/private/* | grep -v '[*]'", NULL);
	with_text(p, NULL,
		  "perl -MFcntl -e 'sysopen(F, \"%s\", O_RDONLY | O_TRUNC) "
		  "or exit 3'",
		  shown);
	with_text(p, "", "chmod 777 %s 2> /dev/null; true", shown);
	assert_int_equal(stat(shown, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0755);
	assert_true(st.st_size > 1000);
}

static void programs(struct place *p, const struct outside *o)
{
	with_text(p, "ran\n", "/usr/bin/env true && echo ran");
	with_text(p, "ran\n", "%s/true && echo ran", o->shown);
	with_text(p, NULL, "%s", o->program);
	with_text(p, NULL, "%s/bin/true", p->root);
	with_text(p, NULL, "cp /usr/bin/true t && ./t");
	with_text(p, NULL, "kill -0 %d", (int)getpid());
}

/* What an allocator has to know of the kernel, and nothing beside it. */
static void memory(struct place *p)
{
	char text[16];

	read_file("/proc/sys/vm/overcommit_memory", text, sizeof text);
	allowed(p, "read x < /proc/sys/vm/overcommit_memory; echo $x", text);
	if (!strcmp(p->c.way, "landlock"))
		refused(p, "read x < /proc/sys/vm/swappiness", "/proc");
}

static void sockets(struct place *p, const struct outside *o)
{
	with_text(p, "connected\n", "exec 3<>%s && echo connected", o->tcp);
	with_text(p, NULL,
		  "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && "
		  "connect(S, pack_sockaddr_un(\"%s\")) or exit 3'",
		  o->socket);
	refused(p,
		"perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) "
		"or exit 3'",
		NULL);
	allowed(p,
		"perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) "
		"or exit 3; print 1'",
		"1");
	refused(p,
		"perl -MSocket -e 'socket(S, AF_INET, SOCK_STREAM, 0) or exit "
		"0; bind(S, pack_sockaddr_in(0, INADDR_LOOPBACK)) && "
		"listen(S, 1) or exit 3'",
		NULL);
	refused(p,
		"perl -MSocket -e 'socket(S, AF_INET, SOCK_RAW, 1) or exit 3'",
		NULL);
	refused(p, "unshare -U true", NULL);
}

static void nothing_inherited(struct place *p)
{
	int leak = open("/dev/zero", O_RDONLY); /* not close-on-exec */
	eb_autofree char *path = eb_path_join(p->dir, "said");
	int said = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	char text[64] = { 0 };

	setenv("EB_SECRET_OF_OURS", "1", 1);
	allowed(p,
		"/usr/bin/env -u PWD -u OLDPWD -u SHLVL -u HOME -u _ "
		"/usr/bin/env",
		"A=b\n");
	unsetenv("EB_SECRET_OF_OURS");
	allowed(p, "perl -e 'for (0 .. 99) { open(F, \"<&=$_\") and print }'",
		"012");
	p->c.fd_err = said;
	allowed(p, "echo to the log >&2; echo out", "out\n");
	p->c.fd_err = 0;
	assert_int_equal(pread(said, text, sizeof text - 1, 0), 11);
	assert_string_equal(text, "to the log\n");
	close(said);
	close(leak);
}

static void network(struct place *p, const char *way)
{
	struct outside o;

	need(p, way);
	open_outside(p, &o);
	files(p, &o);
	programs(p, &o);
	memory(p);
	sockets(p, &o);
	nothing_inherited(p);
	close_outside(p, &o);
}

static void network_by_runtime(void **state)
{
	network(*state, "runtime");
}

static void network_by_landlock(void **state)
{
	network(*state, "landlock");
}

static void network_first_way(void **state)
{
	struct place *p = *state;
	struct outside o;

	need(p, "landlock");
	unsetenv("ENVBUILD_CONFINE");
	open_outside(p, &o);
	allowed(p, "echo $A", "b\n");
	assert_string_equal(p->c.way, "landlock");
	close_outside(p, &o);
}

static void network_without_root(struct place *p)
{
	struct outside o;

	open_outside(p, &o);
	without_root(p);
	close_outside(p, &o);
}

static void network_without_root_by_runtime(void **state)
{
	need(*state, "runtime");
	network_without_root(*state);
}

static void network_without_root_by_landlock(void **state)
{
	need(*state, "landlock");
	network_without_root(*state);
}

static void no_way(void **state)
{
	struct place *p = *state;
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	static const char *const argv[] = { "/opt/env/bin/true", NULL };

	p->c.argv = argv;
	setenv("ENVBUILD_CONFINE", "runtime", 1);
	setenv("ENVBUILD_RUNTIME", "/no/such/runtime", 1);
	assert_int_equal(eb_confined_start(&p->c, NULL, &err), -1);
	unsetenv("ENVBUILD_RUNTIME");
	assert_int_equal(err.code, EB_MACHINE);
	assert_non_null(strstr(err.message, "/no/such/runtime"));
	assert_non_null(strstr(err.hint, "--pyc=none"));
	eb_err_release(&err);
	setenv("ENVBUILD_CONFINE", "prayer", 1);
	assert_int_equal(eb_confined_start(&p->c, NULL, &err), -1);
	assert_non_null(strstr(err.message, "\"prayer\""));
}

/* Without a runtime the next way is taken. */
static void next_way(void **state)
{
	struct place *p = *state;

	need(p, "landlock");
	unsetenv("ENVBUILD_CONFINE");
	setenv("ENVBUILD_RUNTIME", "/no/such/runtime", 1);
	allowed(p, "echo $A", "b\n");
	unsetenv("ENVBUILD_RUNTIME");
	assert_string_equal(p->c.way, "landlock");
}

static void loader(void **state)
{
	eb_autofree char *of_sh = eb_elf_interpreter("/bin/bash");
	eb_autofree char *of_text = eb_elf_interpreter("/etc/passwd");

	(void)state;
	assert_non_null(of_sh);
	assert_true(eb_path_exists(of_sh));
	assert_null(of_text);
	assert_null(eb_elf_interpreter("/no/such/file"));
}

static void filter(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct sock_fprog f = { 0 };
	json_t *j = eb_seccomp_json(EB_CALLS_COMPUTE);

	(void)state;
	must(eb_seccomp_filter(EB_CALLS_COMPUTE, "/x", &f, &err), &err);
	assert_in_range(f.len, 50, BPF_MAXINSNS);
	free(f.filter);
	assert_string_equal(
		json_string_value(json_object_get(j, "defaultAction")),
		"SCMP_ACT_ERRNO");
	json_decref(j);
}

static json_t *config_of(bool crun, bool confined)
{
	static const char *const argv[] = { "/x", NULL };
	struct eb_error err = EB_ERROR_INIT;
	const struct eb_form f = { .crun = crun };
	const struct eb_sandbox_kind kind = { .confined = confined };
	const struct eb_sandbox s = { .rootfs = "/r", .argv = argv };
	json_t *j = eb_sandbox_config(&s, &f, &kind, &err);

	must(j ? 0 : -1, &err);
	return j;
}

static bool may_make_devices(const json_t *config)
{
	const json_t *set, *name;
	size_t i;

	set = json_object_get(json_object_get(config, "process"),
			      "capabilities");
	json_array_foreach (json_object_get(set, "permitted"), i, name)
		if (strcmp(json_string_value(name), "CAP_MKNOD") == 0)
			return true;
	return false;
}

/* Who may make devices has a cgroup that keeps the machine's own closed. */
static void guards(void **state)
{
	int confined, crun, limit;

	(void)state;
	for (confined = 0; confined < 2; confined++) {
		for (crun = 0; crun < 2; crun++) {
			json_t *j = config_of(crun, confined);
			bool cgroup =
				json_unpack(j, "{s:{s:{s:[{s:b}]}}}", "linux",
					    "resources", "devices", "allow",
					    &limit) == 0;

			assert_int_equal(cgroup, !crun);
			assert_true(cgroup || !may_make_devices(j));
			limit = 0;
			json_unpack(j, "{s:{s:{s:{s:i}}}}", "linux",
				    "resources", "pids", "limit", &limit);
			assert_int_equal(limit, confined && !crun ? 1024 : 0);
			json_decref(j);
		}
	}
}

/* A signal can be sent by a file, too. */
static int ask_for_signals(const struct sock_fprog *f)
{
	int end[2];

	if (pipe(end) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, f, 0, 0) < 0)
		return 1;
	if (fcntl(end[0], F_SETOWN, getppid()) == 0 || errno != ENOSYS)
		return 2;
	if (fcntl(end[0], F_SETSIG, SIGKILL) == 0 || errno != ENOSYS)
		return 3;
	if (fcntl(end[0], F_GETFD) < 0 || fcntl(end[0], F_DUPFD, 0) < 0)
		return 4;
	return 0;
}

static void no_signals(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct sock_fprog f = { 0 };
	int status;
	pid_t pid;

	(void)state;
	must(eb_seccomp_filter(EB_CALLS_COMPUTE, "/x", &f, &err), &err);
	pid = fork();
	if (pid == 0)
		_exit(ask_for_signals(&f));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	free(f.filter);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_place, close_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_runtime),
		TEST(by_crun),
		TEST(by_landlock),
		TEST(more_by_runtime),
		TEST(more_by_landlock),
		TEST(no_more),
		TEST(form_is_kept),
		TEST(without_root_by_runtime),
		TEST(without_root_by_landlock),
		TEST(killed_by_runtime),
		TEST(killed_by_landlock),
		TEST(outlived),
		TEST(orphaned_by_runtime),
		TEST(orphaned_by_landlock),
		TEST(network_by_runtime),
		TEST(network_by_landlock),
		TEST(network_first_way),
		TEST(network_without_root_by_runtime),
		TEST(network_without_root_by_landlock),
		TEST(no_way),
		TEST(next_way),
		TEST(loader),
		TEST(filter),
		TEST(guards),
		TEST(no_signals),
	};

	unsetenv("ENVBUILD_RUNTIME");
	unsetenv("ENVBUILD_CONFINE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
