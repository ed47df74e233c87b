/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system call that this kernel has and another one lacks: run a check in a
 * child process for which it fails with a given errno, so that what is done
 * instead is tested too.
 */
#ifndef EB_TEST_DENY_H
#define EB_TEST_DENY_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <stddef.h>
#include <unistd.h>

/* `bits` of argument `arg` have to be set for the call to be denied. */
struct deny {
	unsigned call, errnum, arg, bits;
};

static inline int deny_call(const struct deny *d)
{
	const unsigned at = offsetof(struct seccomp_data, args);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, d->call, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at + 8 * d->arg),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, d->bits),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, d->bits, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | d->errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof code / sizeof *code, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* `check` gives 0 when all is well; what else it gives is given here, and 99
 * where the call cannot be denied. */
static inline int without(struct deny d, int (*check)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(deny_call(&d) < 0 ? 99 : check());
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

#endif
