/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms: the ways to call an OCI runtime. What works depends on the machine
 * (cgroups that cannot be written, a hybrid cgroup tree, no root), so each
 * form is tried with a container that does nothing before it is used.
 */
#ifndef EB_SANDBOX_FORM_H
#define EB_SANDBOX_FORM_H

#include <stdbool.h>
#include <sys/types.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/sandbox.h>

enum eb_form_flag {
	/* runc: a cgroup that cannot be made is no error */
	EB_FORM_ROOTLESS = 1,
	/* an empty /sys/fs/cgroup, in a mount namespace that we make */
	EB_FORM_HIDE_CGROUP = 2,
	/* the runtime itself runs in a user namespace that we make */
	EB_FORM_OWN_USER_NS = 4,
	/* the runtime makes a user namespace for the container */
	EB_FORM_USER_NS = 8,
	/* ... and maps the subordinate ids of /etc/subuid into it */
	EB_FORM_SUBIDS = 16,
	/* ... whose root is a user of ours alone, and we are another in it:
	 * for root, whose processes the kernel does not limit */
	EB_FORM_COUNTED = 32,
};

struct eb_id_range {
	unsigned first, n;
};

struct eb_form {
	char *program; /* full path */
	char *name;    /* "runc" */
	bool crun;     /* takes crun's options */
	unsigned flags;
	struct eb_id_range sub_uid, sub_gid; /* with EB_FORM_SUBIDS */
};

struct eb_forms {
	struct eb_form *form;
	size_t n, alloc;
};

/* What the container is for. */
struct eb_form_use {
	enum eb_network network;
	bool ids;      /* needs other ids than 0: one mapped id is too few */
	bool confined; /* with the filter of system calls */
	bool counted;  /* the kernel shall hold the number of processes */
};

/* Each form of each runtime found that fits, best first. */
void eb_forms_list(struct eb_forms *out, const struct eb_form_use *use);
/* crun's before runc's, else as they are: it starts in half the time. */
void eb_forms_quick_first(struct eb_forms *f);
void eb_forms_release(struct eb_forms *f);
void eb_form_copy(struct eb_form *to, const struct eb_form *from);
void eb_form_release(struct eb_form *f);
/* "crun with cgroups hidden", for messages; caller frees */
char *eb_form_text(const struct eb_form *f);
/* Is there a cgroup that refuses devices? */
bool eb_form_guards_devices(const struct eb_form *f);
/* The ranges of the running user in /etc/subuid and /etc/subgid; false when
 * there are none, or newuidmap is missing. */
bool eb_sub_ids(struct eb_id_range *uid, struct eb_id_range *gid);
/* A user of which there is nothing on this machine, as far as is known; of
 * those that this namespace has. With EB_FORM_COUNTED. */
unsigned eb_unused_id(void);
/* Whether each process of the container counts against RLIMIT_NPROC of its
 * own user namespace. */
bool eb_form_counts(const struct eb_form *f);

/* Start a container that ends at once. -1: `err` says what was said. */
int eb_form_try(const struct eb_form *f, const struct eb_form_use *use,
		const char *tmp, struct eb_error *err);
/* The first form that works; remembered for the life of the process. What
 * the others said is in the error. */
int eb_form_find(const struct eb_form_use *use, const char *tmp,
		 struct eb_form *out, struct eb_error *err);

/* sandbox_memory.c: which form of the list worked for this use before (-1: not
 * known), for later processes; forget all when one did not work after all. */
long eb_form_recall(const struct eb_forms *f, const struct eb_form_use *use);
void eb_form_keep(const struct eb_forms *f, const struct eb_form_use *use,
		  size_t i);
void eb_form_forget(void);

#endif
