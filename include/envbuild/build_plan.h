/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a build of a lock would do, without doing it: its layers, what is there
 * already, what would be fetched, executed and pushed, who wins which path.
 *
 * It is the build itself, with all making left out: keys are found as the build
 * finds them. What is not there has a key and an estimated size; where the path
 * list of a package is not known (it was never packed), the key of its bucket
 * is not known either.
 */
#ifndef EB_BUILD_PLAN_H
#define EB_BUILD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <envbuild/build.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/str.h>

/* Where the payload of a package comes from. */
enum eb_planned_from {
	EB_FROM_STORE,	  /* it was packed here */
	EB_FROM_REGISTRY, /* the team has it */
	EB_FROM_NETWORK,  /* its file is fetched */
	EB_FROM_FILE,	  /* its file lies on this machine */
	EB_FROM_BUILD,	  /* it is built from source */
};
/* "store", "registry", "network", "file", "build" */
const char *eb_planned_from_name(enum eb_planned_from from);

struct eb_planned_package {
	char *name, *version, *file;
	bool python_side;
	uint64_t size;	  /* of its file; 0: none (a commit, a folder) */
	bool knows_paths; /* its path list is known */
	enum eb_planned_from from;
};

enum eb_planned_kind {
	EB_PLANNED_BASE,
	EB_PLANNED_APT, /* system packages */
	EB_PLANNED_OWN,
	EB_PLANNED_BUCKET,
	EB_PLANNED_SCRIPTS, /* what post-link scripts change */
	EB_PLANNED_LAST,    /* the environment's own */
};
/* "base", "apt", "own", "bucket", "post-link", "last" */
const char *eb_planned_kind_name(enum eb_planned_kind kind);
struct eb_planned_layer {
	enum eb_planned_kind kind;
	unsigned bucket; /* its number */
	size_t *package; /* whose payloads it holds: own and bucket */
	size_t n;
	size_t records; /* of how many packages a bucket has the record */
	bool has_key, has_blob;
	struct eb_digest key, blob;
	uint64_t packed; /* the files of those packages */
	uint64_t size;	 /* of the blob, or (`estimate`) of those packages */
	bool estimate;
	bool here, there; /* in the store, in the team's repository */
};

enum eb_planned_step_kind {
	EB_PLANNED_DOCKERFILE, /* a Dockerfile makes the base */
	EB_PLANNED_APT_STEP,   /* the base's apt installs */
	EB_PLANNED_WHEEL,      /* a source becomes a wheel */
	EB_PLANNED_BYTECODE,   /* the interpreter compiles */
	EB_PLANNED_POST_LINK,  /* packages' scripts run */
	EB_PLANNED_ACTIVATION, /* packages' scripts are sourced */
};
/* What a step needs of the machine. */
enum eb_privilege {
	EB_PRIVILEGE_NONE,
	EB_PRIVILEGE_CONFINED, /* an OCI runtime, or Landlock and seccomp */
	EB_PRIVILEGE_RUNTIME,  /* an OCI runtime, as root or with user
				* namespaces */
};
/* "dockerfile", "apt", "wheel", "bytecode", "post-link", "activation"; "none",
 * "confined", "runtime" */
const char *eb_planned_step_name(enum eb_planned_step_kind kind);
const char *eb_privilege_name(enum eb_privilege p);

struct eb_planned_step {
	enum eb_planned_step_kind kind;
	enum eb_privilege privilege;
	char *name;	 /* the file, "python" (bytecode), "scripts" */
	size_t *package; /* for which */
	size_t n;
	size_t perhaps;	 /* packages of which it is not known */
	bool runs;	 /* false: its result is known, or it is left out */
	bool impossible; /* the build would end with it */
	bool has_key, has_result;
	struct eb_digest key, result;
	/* What the lock's commentary says of it; 0 and NULL: nothing. */
	uint64_t milliseconds;
	char *log;
};

struct eb_planned_clash {
	char *path;
	size_t winner;	 /* a package */
	size_t *package; /* all that have it, in link order */
	size_t n;
	bool same;   /* the same content */
	char *other; /* NULL, or the path that differs in case alone: then
		      * both are in the image, and nobody wins */
};

struct eb_build_plan {
	struct eb_digest lock;
	char *registry;	  /* HOST/PREFIX, or NULL: none is asked */
	bool image_here;  /* the store has the image */
	bool image_there; /* so has the registry: nothing is to be done */
	struct eb_planned_package *package; /* in link order */
	size_t n_packages;
	struct eb_planned_layer *layer; /* lowest first */
	size_t n_layers;
	struct eb_planned_step *step;
	size_t n_steps, steps_alloc;
	struct eb_planned_clash *clash; /* by path */
	size_t n_clashes, clashes_alloc;
	size_t cased_within; /* paths of one package that differ in case alone
			      */
	size_t unknown;	     /* packages whose path list is not known */
	/* Bytes: from channels and indexes, of local files, out of the team's
	 * repository, into it. */
	uint64_t fetch, read, pull, push;
	bool about_fetch, about_push; /* these are estimates */
};

struct eb_team;
/* `team` may be NULL. Writes nothing but what opening the base learns; of the
 * team's repository only what says which blobs are there is asked for. EB_INPUT
 * where a build would refuse its packages together. */
int eb_build_plan(const struct eb_lock *lock, const struct eb_env *env,
		  const struct eb_config *config, struct eb_store *store,
		  struct eb_team *team, struct eb_events *events,
		  struct eb_build_plan *out, struct eb_error *err);
void eb_build_plan_release(struct eb_build_plan *p);

#endif
