/* SPDX-License-Identifier: Apache-2.0 */
/* Between fork and exec: only calls that are async-signal-safe. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>

#include "sandbox_child.h"
#include "sandbox_form.h"

#define STACK ((rlim_t)8 << 20)

/* strerror may not be called here; the number has to do. */
static int complain(const char *doing)
{
	char number[4] = { 0 };
	int n = errno;

	number[0] = (char)('0' + n / 100 % 10);
	number[1] = (char)('0' + n / 10 % 10);
	number[2] = (char)('0' + n % 10);
	(void)!write(STDERR_FILENO, doing, strlen(doing));
	(void)!write(STDERR_FILENO, ": errno ", 8);
	(void)!write(STDERR_FILENO, number, 3);
	(void)!write(STDERR_FILENO, "\n", 1);
	return -1;
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), result = 0;
	size_t n = strlen(text);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		result = -1;
	if (fd >= 0)
		close(fd);
	return result;
}

static int enter_cgroup(const struct eb_child_setup *s)
{
	const char *const *file;

	for (file = s->enter; file && *file; file++)
		if (write_text(*file, "0") < 0)
			return complain("entering the cgroup");
	return 0;
}

static int make_namespaces(const struct eb_child_setup *s)
{
	bool user = s->form_flags & EB_FORM_OWN_USER_NS;

	/* Of a process that changed its user /proc/self belongs to root. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (unshare(CLONE_NEWNS | (user ? CLONE_NEWUSER : 0)) < 0)
		return complain("making namespaces");
	if (user && (write_text("/proc/self/setgroups", "deny") < 0 ||
		     write_text("/proc/self/uid_map", s->uid_map) < 0 ||
		     write_text("/proc/self/gid_map", s->gid_map) < 0))
		return complain("mapping ids into a user namespace");
	return 0;
}

static int hide_cgroups(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", "/sys/fs/cgroup", "tmpfs", 0, "size=1m") < 0)
		return complain("hiding the cgroups");
	return 0;
}

/* Never above what we may have: raising a limit needs a capability. */
static int lower(int which, rlim_t value)
{
	struct rlimit l;

	if (getrlimit((__rlimit_resource_t)which, &l) < 0)
		return -1;
	if (l.rlim_max == RLIM_INFINITY || l.rlim_max > value)
		l.rlim_max = value;
	l.rlim_cur = l.rlim_max;
	return setrlimit((__rlimit_resource_t)which, &l);
}

/* The limit of the stack moves the libraries, so it is always the same. */
static int confine(const struct eb_child_setup *s)
{
	if (lower(RLIMIT_AS, s->memory) < 0 ||
	    lower(RLIMIT_CPU, s->cpu_s) < 0 || lower(RLIMIT_CORE, 0) < 0 ||
	    lower(RLIMIT_FSIZE, s->file) < 0 || lower(RLIMIT_STACK, STACK) < 0)
		return complain("setting limits");
	/* Where it is refused, the parent knows (eb_confined.randomised). */
	if (!s->random)
		personality(ADDR_NO_RANDOMIZE);
	return 0;
}

/* Root stays the owner of its files, and is nothing more. */
static int give_up_root(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	if (geteuid() == 0 &&
	    (prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0,
		   0, 0) < 0 ||
	     syscall(SYS_capset, &head, none) < 0))
		return complain("giving up capabilities");
	return 0;
}

/* Executes from here; -1 when that is not possible. */
static int enter_landlock(const struct eb_child_setup *s)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return complain("giving up new privileges");
	if (s->no_root && give_up_root() < 0)
		return -1;
	if (syscall(SYS_landlock_restrict_self, s->rules, 0) < 0)
		return complain("entering Landlock");
	close(s->rules);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &s->filter, 0, 0) < 0)
		return complain("entering seccomp");
	execve(s->program, (char *const *)s->argv, (char *const *)s->env);
	return complain("executing the program");
}

int eb_child_setup(void *setup)
{
	const struct eb_child_setup *s = setup;

	if (s->monitored)
		eb_monitor(s);
	if (s->nice) /* refused or not: it is a help, no more */
		setpriority(PRIO_PROCESS, 0, s->nice);
	if (enter_cgroup(s) < 0 || (s->confined && confine(s) < 0))
		return -1;
	if (s->form_flags & (EB_FORM_OWN_USER_NS | EB_FORM_HIDE_CGROUP) &&
	    make_namespaces(s) < 0)
		return -1;
	if (s->form_flags & EB_FORM_HIDE_CGROUP && hide_cgroups() < 0)
		return -1;
	return s->landlock ? enter_landlock(s) : 0;
}

void eb_child_setup_init(struct eb_child_setup *s)
{
	s->monitored = true;
	s->parent = getpid();
	snprintf(s->uid_map, sizeof s->uid_map, "0 %u 1\n", geteuid());
	snprintf(s->gid_map, sizeof s->gid_map, "0 %u 1\n", getegid());
}
