/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of system calls, as the kernel takes them. */
#include <errno.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/mem.h>

#include "seccomp.h"
#include "seccomp_calls.h"

static const struct eb_calls *const calls[][3] = {
	[EB_CALLS_COMPUTE] = { &eb_calls_compute, &eb_calls_open, NULL },
	[EB_CALLS_NETWORK] = { &eb_calls_compute, &eb_calls_network, NULL },
};

/* Calls that another processor or an older library does not know are passed
 * over; so is a call that this processor does not have. */
static int add(scmp_filter_ctx ctx, uint32_t action, const char *name,
	       unsigned n, const struct scmp_arg_cmp *arg)
{
	int number = seccomp_syscall_resolve_name(name), r;

	if (number == __NR_SCMP_ERROR || number < 0)
		return 0;
	r = seccomp_rule_add_array(ctx, action, number, n, arg);
	return r == -EEXIST ? 0 : r;
}

static int add_calls(scmp_filter_ctx ctx, const struct eb_calls *set)
{
	const char *const *name;
	const struct eb_call_if *c;
	int r = 0;

	for (name = set->name; r == 0 && *name; name++)
		r = add(ctx, SCMP_ACT_ALLOW, *name, 0, NULL);
	for (name = set->ignored; r == 0 && name && *name; name++)
		r = add(ctx, SCMP_ACT_ERRNO(0), *name, 0, NULL);
	for (c = set->conditional; r == 0 && c && c->name; c++) {
		struct scmp_arg_cmp arg = { c->argument, SCMP_CMP_MASKED_EQ,
					    c->mask, c->value };

		r = add(ctx, SCMP_ACT_ALLOW, c->name, 1, &arg);
	}
	return r;
}

static int fill(scmp_filter_ctx ctx, enum eb_calls_of of, const char *program)
{
	struct scmp_arg_cmp at = { 0, SCMP_CMP_EQ,
				   (scmp_datum_t)(uintptr_t)program, 0 };
	const struct eb_calls *const *set;
	int r = 0;

	for (set = calls[of]; r == 0 && *set; set++)
		r = add_calls(ctx, *set);
	if (r == 0 && of == EB_CALLS_COMPUTE)
		r = add(ctx, SCMP_ACT_ALLOW, "execve", 1, &at);
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

int eb_seccomp_filter(enum eb_calls_of of, const char *program,
		      struct sock_fprog *out, struct eb_error *err)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int r, result;

	if (!ctx)
		return eb_err_set(err, EB_MACHINE,
				  "seccomp, making the filter: libseccomp "
				  "does not know this processor");
	r = fill(ctx, of, program);
	if (r < 0)
		result = eb_err_errno(err, EB_MACHINE, -r,
				      "seccomp, adding a rule");
	else
		result = export_filter(ctx, out, err);
	seccomp_release(ctx);
	return result;
}
