/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the build module.
 *
 * Resolving (resolve.c, env_lock.c) ends in a lock. Executing (execute.c) acts
 * on the lock alone, in steps with a file each:
 *
 *	apt_layer.c    system packages -> a layer on the base
 *	work.c	       what there is to do: packages and wheels
 *	payloads.c     their files -> payload layers and parts (pack_*.c)
 *	moves.c        folders that are another package's links
 *	clashes.c      who wins a path, what is left out
 *	bytecodes.c    payloads -> bytecode parts
 *	records.c      payloads + bytecode -> record parts
 *	buckets.c      parts -> bucket layers
 *	post_link.c    what packages' scripts change -> a layer (scripts.h)
 *	activation.c   what activation changes of the variables
 *	environment.c  the layer that belongs to the environment alone
 *	assemble.c     configuration and manifest
 *
 * A plan (plan_*.c) is the same steps with all making left out.
 *
 * What a team's registry has is not made: items.c finds layers and parts by
 * their key, in the store first; team_bring.c fetches those whose bytes are
 * needed. Layers are handed to the push as soon as they are there.
 */
#ifndef EB_BUILD_PRIVATE_H
#define EB_BUILD_PRIVATE_H

#include <pthread.h>

#include <envbuild/base.h>
#include <envbuild/build.h>
#include <envbuild/bytecode.h>
#include <envbuild/http.h>
#include <envbuild/index.h>
#include <envbuild/link.h>
#include <envbuild/part.h>
#include <envbuild/plan.h>
#include <envbuild/pool.h>
#include <envbuild/wheel.h>
#include <envbuild/tags.h>

#include "apt.h"
#include "options.h"
#include "scripts.h"

/* --- resolving ------------------------------------------------------------ */
struct eb_decision;
struct eb_resolver {
	struct eb_env *env;
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_http *http;
	struct eb_events *events;
	/* For who wants to know alone: bases are not asked for, the decision
	 * of a refusal is kept, and what is locked cannot be built. */
	bool explains;
	struct eb_decision *decision; /* the one that counts; the caller's */
	const char *glibc;	      /* instead of the base's, or NULL */
	bool told_prefix;	      /* what of an environment stays behind */
	bool default_python; /* nothing asked for the one that pip needs */
	struct eb_locked_dockerfile dockerfile; /* that made the base */
	struct eb_record *found; /* of the exact list: the whole records; NULL:
				  * nothing was looked for */
	size_t n_found;
	struct eb_url_specs *urls; /* url_specs.h; NULL: not looked for */
	/* Kept where it explains (envbuild-json(5), explain); or NULL. */
	json_t *problems, *held;
	char *advice;
	bool conda_only; /* the pip section is left aside */
};
/* All that is its own. */
void eb_resolver_release(struct eb_resolver *r);
int eb_resolve_definition(struct eb_resolver *r, struct eb_lock **out,
			  struct eb_error *err);
/* A package's archive, opened or fetched; a descriptor, -1. */
int eb_open_package(struct eb_resolver *r, const struct eb_record *record,
		    struct eb_error *err);
/* sha256 and size of packages whose record has none: fetched, checked by md5
 * where there is one. */
int eb_complete_hashes(struct eb_resolver *r, struct eb_lock *lock,
		       struct eb_error *err);
/* MD5 of the first `size` bytes; `what` for messages. */
int eb_md5_fd(int fd, uint64_t size, const char *what, char hex[33],
	      struct eb_error *err);
/* Into the store, under its definition; `time` counts where it is later than
 * the lock's own. */
int eb_lock_keep(struct eb_store *store, const struct eb_lock *lock,
		 int64_t time, struct eb_error *err);
/* eb_lock_find_steps(), and the store keeps what is new. */
int eb_lock_note_steps(struct eb_lock *lock, struct eb_store *store,
		       struct eb_error *err);
/* The lock that the store has of a definition: 1, 0 (also where a new one is
 * asked for), -1. */
int eb_lock_remembered(const struct eb_env *env, const struct eb_config *config,
		       struct eb_store *store, struct eb_events *events,
		       struct eb_lock **out, struct eb_error *err);
/* As old as --max-age allows, or older? */
bool eb_lock_too_old(const struct eb_lock_row *row,
		     const struct eb_config *config);
const struct eb_locked_package *eb_lock_find(const struct eb_lock *lock,
					     const char *name);
/* The "config" member of the image: the base's, with PATH, CONDA_* and the
 * definition's variables. */
json_t *eb_image_settings(const json_t *base_config,
			  const struct eb_lock *lock);

/* --- channels ------------------------------------------------------------- */
/* Those of the command line, then the definition's; one without any gets the
 * configured ones, else conda-forge. Held against the policy. */
int eb_effective_channels(const struct eb_spec *spec,
			  const struct eb_config *config,
			  struct eb_channels *out, struct eb_error *err);

/* --- names of Azure's (--naming azureml), else nothing; `hash`: the lock's -
 */
void eb_naming_add_link(const struct eb_lock *lock,
			const struct eb_digest *hash, struct eb_entries *out);
void eb_naming_set_env(const struct eb_lock *lock, const struct eb_digest *hash,
		       json_t *image);

/* --- policy --------------------------------------------------------------- */
int eb_policy_channel(const struct eb_config *config, const char *url,
		      struct eb_error *err);
int eb_policy_index(const struct eb_config *config, const char *url,
		    struct eb_error *err);
/* Its base, the channels of its packages, the indexes of its projects. */
int eb_policy_lock(const struct eb_config *config, const struct eb_lock *lock,
		   struct eb_error *err);

/* --- registries ----------------------------------------------------------- */
/* For bases: NULL where the base is not in a registry, or nobody may be asked.
 */
struct eb_registry *eb_base_registry(const struct eb_config *config,
				     const char *base,
				     struct eb_events *events);
/* For oci channels: NULL where no channel of `env` is one; NULL as env: there
 * is one. */
struct eb_registry *eb_channel_registry(const struct eb_env *env,
					const struct eb_config *config,
					struct eb_events *events);
/* The base of a lock, or (NULL) the one that the options name; by the team's
 * client where there is one. */
struct eb_team;
struct eb_build;
int eb_open_base(const struct eb_config *config, const struct eb_lock *lock,
		 struct eb_store *store, struct eb_team *team,
		 struct eb_events *events, struct eb_base **out,
		 struct eb_error *err);

/* b->build_base, where the lock names one, or (while it is made)
 * b->build_base_asked. EB_INPUT: it has a newer C library than the base. */
int eb_open_build_base(struct eb_build *b, struct eb_error *err);

/* --- fetching ---------------------------------------------------------------
 */
/* A lock without its commentary has no URLs: -1, EB_INPUT. */
int eb_pin_has_place(const struct eb_pin *pin, struct eb_error *err);
/* Of a wheel or sdist: with the credentials of its index; the caller zeroes
 * and frees. */
char *eb_fetch_pin_url(struct eb_build *b, const struct eb_pin *pin);
char *eb_fetch_login(struct eb_build *b, const char *url);
/* The request for it as pip's settings want it made. */
int eb_fetch_pin_way(struct eb_build *b, struct eb_index_way *way,
		     struct eb_http_request *r, struct eb_error *err);
/* Path of a file URL (percent-decoded), NULL for other URLs; caller frees. */
char *eb_file_url_path(const char *url);

/* --- executing
 * ---------------------------------------------------------------- */
struct eb_work { /* one package: conda's, or a project of the Python side */
	const struct eb_locked_package *package; /* one of the two */
	const struct eb_pin *pin;
	const char *name, *file; /* of either */
	uint64_t packed_size;	 /* of its file, from the lock */
	struct eb_build *build;
	struct eb_plan_member *member;
	struct eb_digest payload_key;	 /* of the whole payload */
	bool have_payload, payload_here; /* here: in the store */
	struct eb_item payload;		 /* the whole payload, as packed */
	struct eb_entries paths;	 /* its path list, sorted by path */
	struct eb_link_facts facts;
	bool looked_at;	       /* paths and facts are known */
	struct eb_item placed; /* what goes into the bucket: less what is left
				* out */
	bool have_bytecode;
	struct eb_digest bytecode_key;
	struct eb_item bytecode;
	struct eb_entries bytecode_paths;
	struct eb_item record;
	/* the archive while it is fetched */
	struct eb_http_request request;
	struct eb_index_way way;
	char *url;		     /* of a wheel or sdist */
	struct eb_channel_ways ways; /* of a package */
	size_t at;		     /* the one in use */
	bool failed;		     /* there, or in what came from there */
	int fd;
	bool left; /* for another round of eb_build_payloads() */
};

struct eb_build {
	const struct eb_lock *lock;
	const struct eb_env *env;
	const struct eb_config *config;
	struct eb_store *store;
	struct eb_events *events;
	struct eb_compressor compressor;
	struct eb_pool *pool;
	struct eb_http *http;
	struct eb_registry *channels; /* those in registries, when one is
				       * asked for */
	struct eb_indexes *indexes;   /* read when one is asked for */
	struct eb_base *base;
	struct eb_base *build_base; /* what steps run on, opened when one runs;
				     * NULL: the base */
	const char *build_base_asked; /* while a lock is made */
	struct eb_apt_layer apt;      /* with system packages */
	struct eb_root *root;	      /* root.h, made when a step runs */
	struct eb_strv fetched; /* while a lock is made: "COMMIT URL" of what
				 * was fetched by git, and the folder of it */
	struct eb_link_target target;
	struct eb_wheel_target wheel_target;
	char *python_minor, *site_packages;
	struct eb_work *work; /* in link order */
	size_t n;
	struct eb_plan_member *member; /* same order as work */
	struct eb_plan plan;
	struct eb_clashes clashes;
	struct eb_clash_member *clash_member;
	struct eb_digest interpreter; /* its identity */
	struct eb_interpreter *warm;  /* started before it was needed */
	struct eb_pool *aside;	      /* that starts and stops it */
	struct eb_item *bucket;	      /* plan.n_buckets */
	struct eb_post_link post_link;
	struct eb_root *image_root; /* the image so far, made for scripts */
	json_t *activation;	    /* what it changes, or NULL */
	struct eb_item environment;
	struct eb_built *built;
	/* with a team's registry; else NULL */
	struct eb_team *team;
	struct eb_known *known;
	struct eb_push *push;
	struct eb_lost *lost;
	struct eb_foreseen *foreseen; /* a plan: nothing is made */
};

/* Of a plan: what a build would bring from the team's registry. */
struct eb_foreseen {
	pthread_mutex_t lock;
	const struct eb_known_item **pulled; /* each once */
	size_t n, alloc;
};
/* Of a plan: an item that a build would make of these has a key and no blob. */
int eb_foresee(struct eb_build *b, enum eb_item_kind kind,
	       const struct eb_digest *key, const struct eb_item *from,
	       size_t n, struct eb_item *out, struct eb_error *err);
bool eb_item_is_made(const struct eb_item *item);

/* Blobs that the registry was said to have and has not. A build that meets one
 * ends, to be begun anew without it. */
struct eb_lost {
	pthread_mutex_t lock;
	struct eb_digest *blob;
	size_t n, alloc;
};

/* A layer or part by its key: in the store, else known to be in the registry.
 * 1, 0, -1. */
int eb_build_find(struct eb_build *b, enum eb_item_kind kind,
		  const struct eb_digest *key, struct eb_item *out,
		  struct eb_error *err);
/* Is it in the store? 1, 0, -1. */
int eb_build_is_here(struct eb_build *b, const struct eb_item *item,
		     struct eb_error *err);
/* Its path list, wherever it is. */
int eb_build_paths(struct eb_build *b, const struct eb_item *item,
		   struct eb_entries *out, struct eb_error *err);
/* The bytes of these into the store, before they are read: what is there
 * stays, the rest is fetched. */
int eb_build_bring(struct eb_build *b, const struct eb_item *item, size_t n,
		   struct eb_error *err);
/* This layer is part of the image: hand it to the push, if there is one. */
void eb_build_push(struct eb_build *b, const struct eb_item *layer,
		   const char *name);
/* The same of one that belongs to this image alone and was made just now. */
void eb_build_push_fresh(struct eb_build *b, const struct eb_item *layer,
			 const char *name);

/* Is the text among these, which are sorted? */
bool eb_in_sorted(const struct eb_strv *sorted, const char *text);
/* The entries of a part or layer, their content in a spool of their own: the
 * given paths (sorted) alone, or all but these. It is brought first. */
int eb_copy_part(struct eb_build *b, const struct eb_item *item,
		 const struct eb_strv *paths, bool only, struct eb_entries *out,
		 struct eb_error *err);

/* work.c: one of either kind at the end of b->work. */
void eb_work_package(struct eb_build *b, const struct eb_locked_package *p);
void eb_work_pin(struct eb_build *b, const struct eb_pin *pin);
/* The keys of all payloads. */
int eb_work_keys(struct eb_build *b, struct eb_error *err);
/* The Python of the lock that b has begun with; of its C library nothing. */
void eb_describe_python(const struct eb_build *b, struct eb_python_target *out);
/* By name; conda's first where two have one. */
int eb_work_compare(const struct eb_work *a, const struct eb_work *b);

/* A layer of its own, or a part? */
enum eb_item_kind eb_payload_kind(const struct eb_work *w);
/* pack_package.c, pack_wheel.c: the archive in w->fd becomes a payload. */
int eb_pack_package(struct eb_work *w, struct eb_error *err);
int eb_pack_wheel(struct eb_work *w, int fd, const char *file,
		  struct eb_error *err);

/* Of conda's packages. */
struct eb_work *eb_find_work(struct eb_build *b, const char *name);
/* Which of the work makes up the interpreter (all false without python);
 * caller frees. Its identity, for the keys of bytecode. */
bool *eb_interpreter_closure(struct eb_build *b);
void eb_interpreter_identity(struct eb_build *b, struct eb_digest *out);

/* Have the interpreter started when all of it is in the store. */
void eb_build_warm(struct eb_build *b);
/* Until none runs any more. */
void eb_build_cool(struct eb_build *b);

/* Base, order and plan; then all the steps. The caller has filled lock, env,
 * config, store, events, built, compressor, and the team's. */
int eb_build_begin(struct eb_build *b, struct eb_error *err);
int eb_build_steps(struct eb_build *b, struct eb_error *err);
void eb_build_release(struct eb_build *b);

int eb_build_payloads(struct eb_build *b, struct eb_error *err);
/* Those that are there alone, and the path lists of these. */
int eb_build_find_payloads(struct eb_build *b, struct eb_error *err);
/* Those of the wanted ones alone, none of which is built: with their path
 * lists. */
int eb_build_some_payloads(struct eb_build *b,
			   bool (*wanted)(const struct eb_work *w),
			   struct eb_error *err);
int eb_build_moves(struct eb_build *b, struct eb_error *err);
int eb_build_clashes(struct eb_build *b, struct eb_error *err);
/* Has the path more than one content? */
bool eb_build_clash_differs(const struct eb_build *b, const struct eb_clash *c);
/* Paths that this work (its number) wins from others with other content;
 * sorted. */
void eb_build_won_by(const struct eb_build *b, size_t i, struct eb_strv *out);
int eb_build_bytecodes(struct eb_build *b, struct eb_error *err);
int eb_build_records(struct eb_build *b, struct eb_error *err);
int eb_build_buckets(struct eb_build *b, struct eb_error *err);
void eb_build_environment_key(const struct eb_digest *lock,
			      struct eb_digest *key);
int eb_build_environment(struct eb_build *b, struct eb_error *err);
int eb_build_assemble(struct eb_build *b, struct eb_error *err);

#endif
