/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options: built-in default, then .condarc (condarc.h) for channel,
 * channel-alias, channel-priority and pin, then /etc/envbuild/config.yml, then
 * $XDG_CONFIG_HOME/envbuild/config.yml (or --config FILE instead of that),
 * then ENVBUILD_* variables, then the command line. The keys of the
 * files are the long options' names. `policy` counts in the system's file
 * alone.
 */
#ifndef EB_CONFIG_H
#define EB_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/condarc.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/str.h>

enum eb_limit_name {
	EB_LIMIT_BUILD_TIME,	  /* s of CPU, of what a build executes */
	EB_LIMIT_BUILD_MEMORY,	  /* bytes, as all below but the counts */
	EB_LIMIT_BUILD_PROCESSES, /* count */
	EB_LIMIT_BUILD_DISK,
	EB_LIMIT_PACKAGE_MEMBERS, /* count */
	EB_LIMIT_MEMBER_SIZE,
	EB_LIMIT_METADATA_SIZE,
	EB_LIMIT_YAML_SIZE, /* at most EB_MAX_YAML */
	EB_LIMIT_PIP_TIME,  /* s, of one call of a pip section's resolver */
	EB_LIMITS
};
extern const char *const eb_limit_names[EB_LIMITS];

/* Allowed prefixes; `set` false: everything is allowed. */
struct eb_policy_list {
	bool set;
	struct eb_strv prefix;
};

struct eb_catalog;
struct eb_config;
/* Opens the team's catalogue (team.h, eb_shared_open). */
typedef int eb_catalog_opener(const struct eb_config *config,
			      struct eb_events *events, struct eb_catalog **out,
			      struct eb_error *err);

struct eb_config {
	struct eb_condarc *condarc; /* conda's settings; NULL: none are read */
	char *base;		    /* --base, or NULL */
	/* --dockerfile: the base is what it makes, of the folder --context; its
	 * text where it has no file of its own, whose name it then is; NULL */
	char *dockerfile, *dockerfile_text, *context;
	struct eb_strv build_arg; /* NAME=VALUE of it */
	char *build_base; /* --build-base: what is built from source is built on
			   * it; NULL: on the base */
	/* What the base is decided by, where none is given (decision.h). */
	char *base_family; /* nvidia, azureml, debian, ubuntu, or NULL */
	bool gpu, cpu;	   /* neither: the packages say it */
	char *cuda;	   /* "12.6", "12.6.3", or NULL */
	char *driver;	   /* the oldest of the fleet: "535", or NULL */
	char *gpu_arch;	   /* "7.0,9.0": of the fleet, sorted; or NULL */
	bool allow_cpu, experimental_cuda;
	char *arch; /* least CPU of the fleet, as archspec.h names it; NULL */
	char *platform;		/* --platform; "linux/amd64" by the machine */
	struct eb_strv channel; /* for a file without channels */
	struct eb_strv channel_first; /* --channel of the command line */
	char *channel_alias;
	char *channel_priority; /* strict, flexible, disabled */
	struct eb_strv pin; /* MatchSpecs that bind without being asked for */
	char *cache_dir;    /* NULL: the user's cache */
	char *ca_file;
	char *pyc;			   /* "compile" or "none" */
	char *post_link;		   /* "run", "skip", "error" */
	char *activation;		   /* "env", "entrypoint", "none" */
	char *naming;			   /* "envbuild", "azureml" */
	char *compression;		   /* "gzip", "zstd", "zstd:LEVEL" */
	char *pip_replace;		   /* "never", "needed" */
	struct eb_strv no_build_isolation; /* projects */
	struct eb_strv apt; /* lists and files of system packages */
	/* What to build beside an input, or without one. */
	struct eb_strv conda_package, pip_package, python;
	char *environment;	  /* of a pixi.lock; NULL: "default" */
	struct eb_strv category;  /* of a conda-lock.yml; none: "main" */
	char *from_prefix;	  /* an environment that conda made; or NULL */
	struct eb_strv build_env; /* NAME=VALUE for what is built from source */
	char *as_of;		  /* RFC 3339 date or time, or NULL */
	char *lock;		  /* --lock FILE */
	struct eb_strv output;
	char *reference_file;
	char *registry;	    /* HOST/PREFIX: the team's repository, or NULL */
	struct eb_strv tag; /* --tag TAG|REF, besides the usual ones */
	char *username;	    /* with --password-stdin */
	char *password;	    /* read by cli; zeroed on release */
	char *progress;	    /* auto, plain, json, none */
	unsigned jobs;	    /* 0: one a CPU */
	bool update_lock, refresh, offline, local, json, quiet, verbose;
	bool no_push, plain_http, password_stdin;
	bool shared;	     /* names are those of the team's catalogue, too */
	unsigned timeout_ms; /* of a small request's try; 0: none */
	int64_t max_age;     /* s; -1: none */
	uint64_t limit[EB_LIMITS];
	/* The caller's; NULL: the program knows no registries. */
	eb_catalog_opener *open_shared;
	int64_t source_date_epoch; /* of the environment; 0: not set */
	/* Names of those of these that the command line has, or the name of the
	 * catalogue that it names: what eb_config_give() put there. */
	struct eb_strv given;
	struct {
		struct eb_policy_list channels, indexes, bases, registries;
	} policy;
};

/* Defaults, files and environment. EB_INPUT with file:line:column for a
 * wrong file; unknown keys are errors (they would be ignored options). */
int eb_config_load(const char *file, struct eb_events *events,
		   struct eb_config *out, struct eb_error *err);
/* One option by its long name without dashes; `value` NULL for flags. */
int eb_config_set(struct eb_config *c, const char *name, const char *value,
		  struct eb_error *err);
/* The same as the command line does it: the name is noted in `given`, and a
 * channel is one before those of the file. */
int eb_config_give(struct eb_config *c, const char *name, const char *value,
		   struct eb_error *err);
/* What an option has, as eb_config_give() takes it ("true": a flag that is
 * set), added to `out`: nothing where it has nothing. Of those alone that a
 * definition can bring (catalog.h, eb_named_options). */
void eb_config_values(const struct eb_config *c, const char *name,
		      struct eb_strv *out);
/* Such an option has its built-in default again. */
void eb_config_reset(struct eb_config *c, const char *name);
/* All of it, to be released as well. */
void eb_config_copy(const struct eb_config *from, struct eb_config *to);
/* 1: an option without value, 2: with one, 0: there is none of that name. */
int eb_config_option(const char *name);
/* "8GiB", "20G", "1800", "90s", "12h", "7d": 0, or -1 when it is none. */
int eb_config_amount(const char *text, uint64_t *value);
void eb_config_release(struct eb_config *c);
/* Do the options name packages; do they say what to build, so that no input
 * need be given? */
bool eb_config_has_packages(const struct eb_config *c);
bool eb_config_stands_alone(const struct eb_config *c);
/* EB_REFUSED that names what, the policy list and the system's file. */
int eb_policy_check(const struct eb_policy_list *list, const char *list_name,
		    const char *what, struct eb_error *err);

#endif
