/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planning and executing: the only module that knows them all.
 *
 *	struct eb_env *env;	    what is asked for, hashed
 *	eb_env_open(...)
 *	eb_env_lock(...)	    the lock: given, remembered or solved anew
 *	eb_build_image(...)	    the image of a lock, in the store
 */
#ifndef EB_BUILD_H
#define EB_BUILD_H

#include <stdbool.h>

#include <envbuild/catalog.h>
#include <envbuild/config.h>
#include <envbuild/decision.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/lint.h>
#include <envbuild/lock.h>
#include <envbuild/mem.h>
#include <envbuild/spec.h>
#include <envbuild/store.h>

#define EB_VERSION "0.1.0"
#define EB_PREFIX "/opt/env"

/* --- what is asked for -------------------------------------------------- */
struct eb_env {
	char *path;		/* as given; "-" is standard input */
	struct eb_spec *spec;	/* NULL: the input is a lock */
	struct eb_lock *given;	/* the input itself, or --lock's file */
	struct eb_named *named; /* of a name of the catalogue; or NULL */
	struct eb_request request;
	struct eb_strv apt; /* system packages, sorted */
	struct eb_digest definition;
	struct eb_handover *handover;
};
/* What resolving leaves for the build that follows it; of nobody, it goes with
 * the environment. `root` may be NULL. */
struct eb_handover {
	void *root;
	void (*free)(void *root);
};
/* `input` is a path or a name, or "" where the options alone say what to build
 * (eb_config_stands_alone()); their packages are added to what it holds.
 * Reads the input, the effective channels and the base's name; loads neither
 * libcurl nor libarchive nor libsolv. `store` may be NULL. The base, the date
 * and the other options that a name of the catalogue brings are put into the
 * configuration where that has none. */
int eb_env_open(const char *input, struct eb_config *config,
		struct eb_store *store, struct eb_events *events,
		struct eb_env **out, struct eb_error *err);
void eb_env_free(struct eb_env *env);
EB_AUTOPTR(struct eb_env, eb_env_free)

/* Is it a path, or else a name? */
bool eb_env_is_path(const char *input);
/* The catalogue that the options ask for: the user's or, by --shared, the
 * team's, which is opened by config->open_shared. With --local or --offline
 * nobody is asked: then the names are those of the team's that were looked at
 * before, and the user's; EB_USAGE where it is to be written to (flags as for
 * eb_catalog_open(); with --local the user's is). */
int eb_env_catalog(const struct eb_config *config, unsigned flags,
		   struct eb_events *events, struct eb_catalog **out,
		   struct eb_error *err);
/* Does it ask the registry? */
bool eb_env_is_shared(const struct eb_config *config);
/* The definition hash of one that has a text, under these options; `fixed`: it
 * depends on nothing else (a base or a project on this machine). */
int eb_named_definition(const struct eb_named *e,
			const struct eb_config *config, struct eb_store *store,
			struct eb_digest *out, bool *fixed,
			struct eb_error *err);
/* All of the options that count in definition hashes: one digest. */
int eb_env_settings(const struct eb_config *config, struct eb_store *store,
		    struct eb_digest *out, struct eb_error *err);
/* The image that is decided from the lines of one that names no base; *out NULL
 * where they are refused. Nothing is opened; caller frees. */
int eb_named_image(const struct eb_named *e, const struct eb_config *config,
		   char **out, struct eb_error *err);
/* What is to be kept under a name (eb_catalog_add()): the text of a file, with
 * the options of the configuration, or the definition of a name, likewise. The
 * name that it is to get is left to the caller. */
int eb_env_definition(struct eb_catalog *c, const char *input,
		      struct eb_config *config, struct eb_events *events,
		      struct eb_named **out, struct eb_error *err);

/* --- is it there? -------------------------------------------------------- */
/* 1: the store has the image (row filled); 0: it has not, `why` says which
 * part is missing (caller frees); -1: cannot tell. */
int eb_check_local(const struct eb_env *env, const struct eb_config *config,
		   struct eb_store *store, struct eb_image_row *row, char **why,
		   struct eb_error *err);

/* --- resolving ------------------------------------------------------------ */
/* The lock by --lock, by the store (unless --refresh or older than
 * --max-age), or by solving; a solved one is put into the store and, with
 * --update-lock, into the file. *solved tells which. */
int eb_env_lock(struct eb_env *env, const struct eb_config *config,
		struct eb_store *store, struct eb_events *events,
		struct eb_lock **out, bool *solved, struct eb_error *err);

/* Why this base and this CUDA, without asking the network: from the packages
 * of the lock that is given or remembered, else (`solve`) of one that can be
 * resolved with what is here, else from the lines alone. */
enum eb_explained_from {
	EB_EXPLAINED_LINES,
	EB_EXPLAINED_LOCK,
	EB_EXPLAINED_SOLVED,
};
struct eb_explained {
	struct eb_decision *decision;
	enum eb_explained_from from;
	char *why_not;	    /* nothing was solved; or NULL */
	bool unsatisfiable; /* because there is no solution: that says why */
	char *file;	    /* where the first line of that stands, or NULL */
	unsigned line, column;
	char *advice; /* what would help, or NULL */
	/* As `explain --json` prints them (envbuild-json(5)): the lines that do
	 * not go together, and what is not the newest; NULL: not known. */
	json_t *problems, *held;
};
int eb_explain(struct eb_env *env, const struct eb_config *config,
	       struct eb_store *store, bool solve, struct eb_events *events,
	       struct eb_explained *out, struct eb_error *err);
void eb_explained_release(struct eb_explained *x);

/* eb_lint() of an input and of the packages that the options name; `input` may
 * be "" then. A finding about such a line has the option for a file, line 0.
 * EB_INPUT, too: an option cannot be read. */
int eb_lint_env(const char *input, const struct eb_config *config,
		struct eb_linted *out, struct eb_error *err);
/* What the decision of a definition that was linted has to say, by the base of
 * the options or of the definition: findings are added. Nothing is opened. */
int eb_lint_base(const struct eb_config *config, struct eb_linted *l,
		 struct eb_error *err);

/* The same of what indexes have of the names that the definition asks for
 * itself; nothing is solved. `network` false: only what is here is looked at,
 * channels and links in folders and the store's copies of repodata (`store`
 * NULL: there are none); what those lack is an error where a build would see
 * no more: folders, and with --offline. What does not answer is a finding.
 * -1: EB_REFUSED by the policy, EB_INPUT a channel that cannot be read so,
 * EB_MACHINE. */
int eb_lint_index(const struct eb_config *config, bool network,
		  struct eb_store *store, struct eb_linted *l,
		  struct eb_error *err);

/* What the executed steps of a lock gave, as far as the store knows, into its
 * commentary: 1 something is new, 0, -1. */
int eb_lock_find_steps(struct eb_lock *lock, struct eb_store *store,
		       struct eb_error *err);

/* --- building ---------------------------------------------------------------
 */
struct eb_built {
	struct eb_digest lock, manifest, config;
	bool cached;		  /* nothing had to be made */
	uint64_t fetched, packed; /* bytes */
	/* with a team's registry: bytes out of it, bytes into it, and how many
	 * blobs were mounted or there already */
	uint64_t brought, pushed;
	unsigned mounted, there;
	unsigned layers, new_layers;
};
/* The lock's commentary gets the results of executed steps; the store keeps it
 * so. */
int eb_build_image(struct eb_lock *lock, const struct eb_env *env,
		   const struct eb_config *config, struct eb_store *store,
		   struct eb_events *events, struct eb_built *out,
		   struct eb_error *err);

/* --- Azure's names ----------------------------------------------------------
 */
/* Of a lock (its member `naming`) or --naming: is it Azure's? */
#define EB_NAMING_AZUREML "azureml"
bool eb_naming_is_azureml(const char *naming);
/* "azureml_" and 32 digits of the lock hash: the last part of the repository
 * HOST/azureml/... that the image is copied to, and of the link
 * /azureml-envs/... to the prefix. It has the form of Azure's own names and is
 * none of them. */
#define EB_AZUREML_NAME 41
void eb_azureml_name(const struct eb_digest *lock, char name[EB_AZUREML_NAME]);

#endif
