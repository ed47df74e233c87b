/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock: everything exact. A file has two parts, `locked` (hashed; it alone
 * goes into the image, as conda-meta/envbuild.lock) and `commentary`
 * (envbuild-lock(5)).
 */
#ifndef EB_LOCK_H
#define EB_LOCK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <envbuild/buf.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/index.h>
#include <envbuild/pin.h>
#include <envbuild/record.h>

#define EB_LOCK_FORMAT 1 /* of the file */
/* Raised when envbuild itself would write other bytes for the same lock. */
#define EB_BUILD_EPOCH 2

struct eb_locked_package {
	struct eb_record record;
	bool requested; /* a line of the definition names it */
};

/* What an executed step gave, for the commentary. */
struct eb_lock_step {
	char *name; /* "future-0.17.1.tar.gz" */
	struct eb_digest key, result;
	uint64_t milliseconds; /* that it took; 0: not known */
	char *log; /* name in the log folder of who built it, or NULL */
	struct eb_strv package; /* system packages: "git=1:2.39.5-0+deb12u2" */
};
void eb_lock_step_release(struct eb_lock_step *s);

/* A base that a Dockerfile makes: an executed step. */
struct eb_locked_dockerfile {
	bool set;
	struct eb_digest content; /* of its text, arguments, context, and what
				   * its images are called */
	struct eb_digest *from;	  /* the images that it is made of, in its
				   * order, each once */
	size_t n;
	/* commentary */
	struct eb_strv reference; /* of these, as it names them */
	struct eb_strv unpinned;  /* names that are known only when it runs */
};
void eb_locked_dockerfile_copy(struct eb_locked_dockerfile *to,
			       const struct eb_locked_dockerfile *from);
void eb_locked_dockerfile_release(struct eb_locked_dockerfile *d);

struct eb_lock {
	/* hashed */
	char *platform, *prefix;
	bool base_scratch;
	struct eb_digest base;			/* zero for scratch */
	struct eb_locked_dockerfile dockerfile; /* that made the base */
	bool has_build_base; /* what is executed runs on another base */
	struct eb_digest build_base;
	struct eb_strv apt; /* system packages as asked for, sorted */
	char *apt_date;	    /* "2026-11-22"; NULL: there are none */
	struct eb_locked_package *package; /* sorted by name */
	size_t n;
	struct eb_pin *pin; /* the Python side, sorted by name */
	size_t n_pins;
	json_t *config;	   /* image configuration: its "config" member, complete
			    * but for labels, env_vars.d and naming */
	json_t *variables; /* of the definition: name -> value */
	char *pyc, *post_link, *activation;
	char *naming;		   /* "azureml"; NULL: envbuild's own */
	int64_t source_date_epoch; /* 0: not set */
	unsigned epoch;
	/* commentary */
	struct eb_digest definition;
	int64_t time;		    /* seconds: when it was solved */
	char *tool;		    /* "envbuild 0.1" */
	char *base_reference;	    /* as asked for */
	char *build_base_reference; /* or NULL */
	json_t *evidence;	    /* list of {spec, file, line} */
	json_t *decision; /* about base and CUDA, as `explain --json` has it;
			   * NULL: it changed nothing */
	json_t *solved;	  /* what the solver was asked, as eb_solved_json()
			   * has it; NULL: nothing was solved, or that is
			   * not known */
	struct eb_strv replaced; /* conda packages that the pip side replaces */
	char *resolver;		 /* of the pip side: "uv 0.13.8"; or NULL */
	struct eb_pip_files included; /* requirements of other machines */
	struct eb_lock_step *step;
	size_t n_steps;
};

/* EB_INPUT: not a lock, or inconsistent (two packages of one name, no
 * sha256 ...); EB_MACHINE: a newer format, names it. `name` for messages. */
int eb_lock_parse(const char *text, size_t len, const char *name,
		  struct eb_lock **out, struct eb_error *err);
/* The file: stable, a line a field, sorted: readable in a diff. */
void eb_lock_format(const struct eb_lock *lock, struct eb_buf *out);
/* The hashed part in canonical form, and its hash. */
void eb_lock_hashed(const struct eb_lock *lock, struct eb_buf *out);
void eb_lock_hash(const struct eb_lock *lock, struct eb_digest *out);
/* Does this text look like a lock? (its first bytes) */
bool eb_lock_is(const char *text, size_t len);
void eb_lock_free(struct eb_lock *lock);
EB_AUTOPTR(struct eb_lock, eb_lock_free)

/* Is something built from source? */
bool eb_lock_builds(const struct eb_lock *lock);
/* Does its image depend on what is executed: that, system packages, or a
 * Dockerfile? Whether a package has scripts to be run is not known here. */
bool eb_lock_executes(const struct eb_lock *lock);
/* The key of the step that installs its system packages: base, list, date. */
void eb_lock_apt_key(const struct eb_lock *lock, struct eb_digest *out);

/* The key of the step that makes its base: what the Dockerfile is made of,
 * platform, SOURCE_DATE_EPOCH. */
void eb_lock_dockerfile_key(const struct eb_lock *lock, struct eb_digest *out);

/* What a lock installs, conda's packages and the Python side alike. */
struct eb_locked_item {
	const char *name, *version, *build; /* build: "" of the Python side */
	struct eb_digest id;		    /* of its bytes */
	uint64_t size;
	bool requested;
	bool python_side;
};
/* Sorted by name, conda's first where two have one; caller frees. The strings
 * are the lock's. */
struct eb_locked_item *eb_lock_items(const struct eb_lock *lock, size_t *n);

/* The image's creation time: SOURCE_DATE_EPOCH, else the newest build time
 * among the packages, else EB_FIXED_MTIME. */
int64_t eb_lock_created(const struct eb_lock *lock);

/* --- the set in other tools' forms ---------------------------------------- */
/* conda's "@EXPLICIT" list (CEP 23): a URL a line, dependencies first, with
 * the md5 where the record has one (every conda reads that), else
 * "sha256:<hex>". conda's packages alone: the caller says what is left out
 * (lock->pin). EB_INPUT: two packages of one name. */
int eb_lock_explicit(const struct eb_lock *lock, struct eb_buf *out,
		     struct eb_error *err);
/* conda-lock.yml, version 1 (CEP 37): conda's packages as above, then the
 * Python side by name, whose dependencies no lock has. EB_INPUT, too: the lock
 * has no commentary, so that a project has no URL. */
int eb_lock_conda_lock(const struct eb_lock *lock, struct eb_buf *out,
		       struct eb_error *err);

#endif
