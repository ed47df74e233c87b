/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists of system calls. What is in none of them does not exist (ENOSYS):
 * no mount, no ptrace, no key, no new namespace, no signal to others.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "seccomp_calls.h"

static const char *const computing[] = { "access",
					 "arch_prctl",
					 "brk",
					 "clock_getres",
					 "clock_gettime",
					 "clock_nanosleep",
					 "close",
					 "close_range",
					 "dup",
					 "dup2",
					 "dup3",
					 "exit",
					 "exit_group",
					 "faccessat",
					 "faccessat2",
					 "fadvise64",
					 "fork",
					 "fstat",
					 "fstatfs",
					 "futex",
					 "getcwd",
					 "getdents",
					 "getdents64",
					 "getegid",
					 "geteuid",
					 "getgid",
					 "getpgrp",
					 "getpid",
					 "getppid",
					 "getrandom",
					 "getresgid",
					 "getresuid",
					 "getrlimit",
					 "getrusage",
					 "gettid",
					 "gettimeofday",
					 "getuid",
					 "lseek",
					 "lstat",
					 "madvise",
					 "membarrier",
					 "mmap",
					 "mprotect",
					 "mremap",
					 "munmap",
					 "nanosleep",
					 "newfstatat",
					 "pipe",
					 "pipe2",
					 "poll",
					 "ppoll",
					 "pread64",
					 "pselect6",
					 "read",
					 "readlink",
					 "readlinkat",
					 "readv",
					 "restart_syscall",
					 "rseq",
					 "rt_sigaction",
					 "rt_sigprocmask",
					 "rt_sigreturn",
					 "rt_sigtimedwait",
					 "sched_getaffinity",
					 "sched_yield",
					 "select",
					 "set_robust_list",
					 "set_tid_address",
					 "sigaltstack",
					 "stat",
					 "statfs",
					 "statx",
					 "sysinfo",
					 "time",
					 "times",
					 "umask",
					 "uname",
					 "vfork",
					 "wait4",
					 "waitid",
					 "write",
					 "writev",
					 NULL };

#define NAMESPACES                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

static const struct eb_call_if computing_if[] = {
	{ "clone", 0, NAMESPACES, 0 },
	/* The other commands send signals to whom they are told to. */
	{ "fcntl", 1, UINT32_MAX, F_DUPFD },
	{ "fcntl", 1, UINT32_MAX, F_DUPFD_CLOEXEC },
	{ "fcntl", 1, UINT32_MAX, F_GETFD },
	{ "fcntl", 1, UINT32_MAX, F_SETFD },
	{ "fcntl", 1, UINT32_MAX, F_GETFL },
	{ "fcntl", 1, UINT32_MAX, F_SETFL },
	{ "ioctl", 1, UINT32_MAX, TCGETS },
	{ "ioctl", 1, UINT32_MAX, FIOCLEX },
	{ "ioctl", 1, UINT32_MAX, FIONCLEX },
	{ "prlimit64", 2, INT64_MAX, 0 }, /* no new limit: reading alone */
	{ NULL, 0, 0, 0 },
};

const struct eb_calls eb_calls_compute = { computing, computing_if, NULL };

static const char *const opening[] = { "open", "openat", NULL };

const struct eb_calls eb_calls_open = { opening, NULL, NULL };

/* The resolver of musl binds the socket that it asks by; nothing can listen. */
static const char *const networking[] = { "bind",
					  "chdir",
					  "connect",
					  "copy_file_range",
					  "epoll_create",
					  "epoll_create1",
					  "epoll_ctl",
					  "epoll_pwait",
					  "epoll_pwait2",
					  "epoll_wait",
					  "eventfd2",
					  "execve",
					  "fallocate",
					  "fchdir",
					  "fdatasync",
					  "flock",
					  "fsync",
					  "ftruncate",
					  "getcpu",
					  "getpeername",
					  "getsockname",
					  "getsockopt",
					  "link",
					  "linkat",
					  "mkdir",
					  "mkdirat",
					  "preadv",
					  "pwrite64",
					  "pwritev",
					  "recvfrom",
					  "recvmmsg",
					  "recvmsg",
					  "rename",
					  "renameat",
					  "renameat2",
					  "rmdir",
					  "sched_getparam",
					  "sched_getscheduler",
					  "sendfile",
					  "sendmmsg",
					  "sendmsg",
					  "sendto",
					  "setsockopt",
					  "shutdown",
					  "symlink",
					  "symlinkat",
					  "sync_file_range",
					  "timerfd_create",
					  "timerfd_settime",
					  "unlink",
					  "unlinkat",
					  NULL };

/* No AF_UNIX but for pairs: who may connect to a service of this machine has
 * what that service has, and a pair of datagrams could be connected anew.
 * Before version 3 Landlock does not know truncating, so a file that is opened
 * to be read alone may not be truncated by that. */
static const struct eb_call_if networking_if[] = {
	{ "socket", 0, UINT32_MAX, AF_INET },
	{ "socket", 0, UINT32_MAX, AF_INET6 },
	{ "socketpair", 1, 0xf, SOCK_STREAM },
	{ "open", 1, O_TRUNC, 0 },
	{ "open", 1, O_ACCMODE, O_WRONLY },
	{ "open", 1, O_ACCMODE, O_RDWR },
	{ "openat", 2, O_TRUNC, 0 },
	{ "openat", 2, O_ACCMODE, O_WRONLY },
	{ "openat", 2, O_ACCMODE, O_RDWR },
	{ "fcntl", 1, UINT32_MAX, F_GETLK },
	{ "fcntl", 1, UINT32_MAX, F_SETLK },
	{ "fcntl", 1, UINT32_MAX, F_SETLKW },
	{ "fcntl", 1, UINT32_MAX, F_OFD_GETLK },
	{ "fcntl", 1, UINT32_MAX, F_OFD_SETLK },
	{ "fcntl", 1, UINT32_MAX, F_OFD_SETLKW },
	{ "ioctl", 1, UINT32_MAX, FIONBIO },
	{ "ioctl", 1, UINT32_MAX, FIONREAD },
	{ NULL, 0, 0, 0 },
};

static const char *const marking[] = { "chmod",	    "fchmod", "fchmodat",
				       "utime",	    "utimes", "utimensat",
				       "futimesat", NULL };

const struct eb_calls eb_calls_network = { networking, networking_if, marking };

static const char *const starting[] = { "epoll_ctl", "epoll_pwait", "execve",
					"tgkill", NULL };

const struct eb_calls eb_calls_runtime = { starting, NULL, NULL };
