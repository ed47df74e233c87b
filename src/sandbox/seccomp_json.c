/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of system calls, as a runtime takes them. */
#include <errno.h>
#include <string.h>
#include <linux/sched.h>

#include "seccomp.h"
#include "seccomp_calls.h"

/* A name twice is an error for some runtimes. */
static void add_names(json_t *names, const char *const *name)
{
	json_t *known;
	size_t i;

	for (; name && *name; name++) {
		bool there = false;

		json_array_foreach (names, i, known)
			there |= !strcmp(json_string_value(known), *name);
		if (!there)
			json_array_append_new(names, json_string(*name));
	}
}

static json_t *rule(const char *action, int errnum, json_t *names)
{
	json_t *o = json_pack("{s:o, s:s}", "names", names, "action", action);

	if (errnum)
		json_object_set_new(o, "errnoRet", json_integer(errnum));
	return o;
}

static void add_if(json_t *rules, const char *action, int errnum,
		   const struct eb_call_if *c)
{
	for (; c && c->name; c++) {
		json_t *r = rule(action, errnum, json_pack("[s]", c->name));

		json_object_set_new(r, "args",
				    json_pack("[{s:I, s:I, s:I, s:s}]", "index",
					      (json_int_t)c->argument, "value",
					      (json_int_t)c->mask, "valueTwo",
					      (json_int_t)c->value, "op",
					      "SCMP_CMP_MASKED_EQ"));
		json_array_append_new(rules, r);
	}
}

json_t *eb_seccomp_json(enum eb_calls_of of)
{
	const struct eb_calls *const set[] = {
		&eb_calls_compute,
		of == EB_CALLS_NETWORK ? &eb_calls_network : &eb_calls_open,
		&eb_calls_runtime,
	};
	json_t *rules = json_array(), *names = json_array();
	size_t i;

	json_array_append_new(rules, rule("SCMP_ACT_ALLOW", 0, names));
	for (i = 0; i < sizeof set / sizeof *set; i++) {
		add_names(names, set[i]->name);
		add_names(names, set[i]->ignored);
		add_if(rules, "SCMP_ACT_ALLOW", 0, set[i]->conditional);
	}
	return json_pack("{s:s, s:i, s:o}", "defaultAction", "SCMP_ACT_ERRNO",
			 "defaultErrnoRet", ENOSYS, "syscalls", rules);
}

/* What nothing that builds software needs, and what has opened containers
 * before. */
static const char *const refused[] = {
	"acct",
	"add_key",
	"bpf",
	"clock_adjtime",
	"clock_settime",
	"delete_module",
	"finit_module",
	"fsconfig",
	"fsmount",
	"fsopen",
	"fspick",
	"init_module",
	"io_uring_enter",
	"io_uring_register",
	"io_uring_setup",
	"kexec_file_load",
	"kexec_load",
	"keyctl",
	"mount",
	"mount_setattr",
	"move_mount",
	"open_by_handle_at",
	"open_tree",
	"perf_event_open",
	"pivot_root",
	"quotactl",
	"reboot",
	"request_key",
	"setns",
	"settimeofday",
	"swapoff",
	"swapon",
	"syslog",
	"umount2",
	"userfaultfd",
	NULL,
};

/* In a namespace of its own it could mount, and fill memory by that. */
static const struct eb_call_if refused_if[] = {
	{ "clone", 0, CLONE_NEWUSER, CLONE_NEWUSER },
	{ "unshare", 0, CLONE_NEWUSER, CLONE_NEWUSER },
	{ NULL, 0, 0, 0 },
};

/* Its flags lie in memory, where no filter looks; who does not find it takes
 * clone. */
static const char *const unknown[] = { "clone3", NULL };

static json_t *architectures(void)
{
#if defined(__x86_64__)
	return json_pack("[s, s, s]", "SCMP_ARCH_X86_64", "SCMP_ARCH_X86",
			 "SCMP_ARCH_X32");
#elif defined(__aarch64__)
	return json_pack("[s, s]", "SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM");
#else
	return json_array();
#endif
}

json_t *eb_seccomp_step_json(void)
{
	json_t *rules = json_array(), *names = json_array();

	add_names(names, refused);
	json_array_append_new(rules, rule("SCMP_ACT_ERRNO", EPERM, names));
	names = json_array();
	add_names(names, unknown);
	json_array_append_new(rules, rule("SCMP_ACT_ERRNO", ENOSYS, names));
	add_if(rules, "SCMP_ACT_ERRNO", EPERM, refused_if);
	return json_pack("{s:s, s:o, s:o}", "defaultAction", "SCMP_ACT_ALLOW",
			 "architectures", architectures(), "syscalls", rules);
}
