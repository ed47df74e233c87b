/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of system calls that an interpreter needs to read, compute, fork
 * and write to what it was given. Everything else does not exist (ENOSYS):
 * no socket, no mount, no ptrace, no key, no new namespace, no signal to
 * others, no other program.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "seccomp.h"

static const char *const allowed[] = {
	"access",
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
	"open",
	"openat",
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
};

#define NAMESPACES                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* What a runtime needs between its filter and the program. */
static const char *const for_runtime[] = {
	"epoll_ctl",
	"epoll_pwait",
	"execve",
	"tgkill",
};

/* (argument & mask) == value */
static const struct conditional {
	const char *name;
	unsigned argument;
	uint64_t mask, value;
} conditional[] = {
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
};

#define N(a) (sizeof(a) / sizeof *(a))

/* Calls that another processor or an older library does not know are passed
 * over; so is a call that this processor does not have. */
static int allow(scmp_filter_ctx ctx, const char *name)
{
	int number = seccomp_syscall_resolve_name(name), r;

	if (number == __NR_SCMP_ERROR || number < 0)
		return 0;
	r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, number, 0);
	return r == -EEXIST ? 0 : r;
}

static int allow_if(scmp_filter_ctx ctx, const struct conditional *c)
{
	int number = seccomp_syscall_resolve_name(c->name);
	struct scmp_arg_cmp arg = { c->argument, SCMP_CMP_MASKED_EQ, c->mask,
				    c->value };

	if (number == __NR_SCMP_ERROR || number < 0)
		return 0;
	return seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, number, 1, &arg);
}

static int fill(scmp_filter_ctx ctx, const char *program)
{
	struct scmp_arg_cmp at = { 0, SCMP_CMP_EQ,
				   (scmp_datum_t)(uintptr_t)program, 0 };
	size_t i;
	int r;

	for (i = 0, r = 0; r == 0 && i < N(allowed); i++)
		r = allow(ctx, allowed[i]);
	for (i = 0; r == 0 && i < N(conditional); i++)
		r = allow_if(ctx, &conditional[i]);
	if (r == 0)
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW,
					   SCMP_SYS(execve), 1, &at);
	return r;
}

/* libseccomp writes to a descriptor; a file in memory is one. */
static int export_filter(scmp_filter_ctx ctx, struct sock_fprog *out,
			 struct eb_error *err)
{
	eb_autofd int fd = memfd_create("filter", MFD_CLOEXEC);
	off_t size;
	int r;

	if (fd < 0)
		return eb_err_errno(err, EB_MACHINE, errno,
				    "seccomp, making room for the filter");
	r = seccomp_export_bpf(ctx, fd);
	if (r < 0)
		return eb_err_errno(err, EB_MACHINE, -r,
				    "seccomp, making the filter");
	size = lseek(fd, 0, SEEK_END);
	if (size <= 0 || size / sizeof(struct sock_filter) > BPF_MAXINSNS)
		return eb_err_set(err, EB_MACHINE,
				  "seccomp, making the filter: %jd bytes",
				  (intmax_t)size);
	out->filter = eb_malloc((size_t)size);
	out->len = (unsigned short)(size / sizeof(struct sock_filter));
	return eb_pread_all(fd, out->filter, (size_t)size, 0, "filter", err);
}

int eb_seccomp_filter(const char *program, struct sock_fprog *out,
		      struct eb_error *err)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int r, result;

	if (!ctx)
		return eb_err_set(err, EB_MACHINE,
				  "seccomp, making the filter: libseccomp "
				  "does not know this processor");
	r = fill(ctx, program);
	if (r < 0)
		result = eb_err_errno(err, EB_MACHINE, -r,
				      "seccomp, adding a rule");
	else
		result = export_filter(ctx, out, err);
	seccomp_release(ctx);
	return result;
}

json_t *eb_seccomp_json(void)
{
	json_t *rules = json_array(), *names = json_array();
	size_t i;

	for (i = 0; i < N(allowed); i++)
		json_array_append_new(names, json_string(allowed[i]));
	for (i = 0; i < N(for_runtime); i++)
		json_array_append_new(names, json_string(for_runtime[i]));
	json_array_append_new(rules, json_pack("{s:o, s:s}", "names", names,
					       "action", "SCMP_ACT_ALLOW"));
	for (i = 0; i < N(conditional); i++) {
		const struct conditional *c = &conditional[i];

		json_array_append_new(
			rules,
			json_pack("{s:[s], s:s, s:[{s:I, s:I, s:I, s:s}]}",
				  "names", c->name, "action", "SCMP_ACT_ALLOW",
				  "args", "index", (json_int_t)c->argument,
				  "value", (json_int_t)c->mask, "valueTwo",
				  (json_int_t)c->value, "op",
				  "SCMP_CMP_MASKED_EQ"));
	}
	return json_pack("{s:s, s:i, s:o}", "defaultAction", "SCMP_ACT_ERRNO",
			 "defaultErrnoRet", ENOSYS, "syscalls", rules);
}
