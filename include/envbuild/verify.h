/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does an image hold what it says? Blobs against digests, layers against diff
 * IDs, files against conda-meta and RECORD, modules that can be imported,
 * requirements that hold. What is wrong is a finding, what one may want to
 * know, and what could not be looked at, a note; errors are left for what
 * keeps the looking itself from going on.
 */
#ifndef EB_VERIFY_H
#define EB_VERIFY_H

#include <jansson.h>
#include <stdbool.h>

#include <envbuild/config.h>
#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/installed.h>
#include <envbuild/store.h>

struct eb_finding {
	bool note;
	const char *check; /* "blob", "conda-meta", "record", "files", "clash",
			    * "case", "import", "requires", "gpu"; of a set
			    * "record" and those of solve_check.h */
	char *subject;	   /* path, digest, module, or NULL */
	char *text;	   /* goes on where the subject ends */
};
struct eb_findings {
	struct eb_finding *v;
	size_t n, alloc;
	size_t bad; /* those that are no notes */
	/* How much was looked at. */
	size_t blobs, files, projects, modules, packages;
};
/* `subject` may be NULL. */
void eb_finding_add(struct eb_findings *f, const char *check,
		    const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void eb_finding_note(struct eb_findings *f, const char *check,
		     const char *subject, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void eb_findings_release(struct eb_findings *f);

/* Every blob of the image, every layer's diff ID. *config: of an image that
 * can be unpacked, the caller's; NULL when that cannot be. */
int eb_verify_blobs(struct eb_store *store, const struct eb_digest *manifest,
		    json_t **config, struct eb_findings *out,
		    struct eb_error *err);

/* What the files say of the Python in there. */
struct eb_verified {
	char *prefix;		      /* "/opt/env" */
	char *python;		      /* "3.11.2", or NULL */
	struct eb_strv site_packages; /* below the prefix */
	struct eb_installed *project;
	size_t n, alloc;
};
void eb_verified_release(struct eb_verified *v);
/* conda-meta and RECORD against the files of an unpacked image. */
int eb_verify_files(const char *rootfs, const json_t *config,
		    struct eb_verified *what, struct eb_findings *out,
		    struct eb_error *err);

/* Imports and requirements, by the image's own Python in a sandbox: without a
 * network, with a read-only root, as `uid`, `gid`. `dir` is a folder for
 * what that needs. */
struct eb_verify_run {
	const char *rootfs, *dir;
	const json_t *config;
	const uint64_t *limit; /* of the configuration */
	unsigned uid, gid;
	bool imports_fail; /* a module that cannot be imported is a finding */
	bool gpu;	   /* frameworks are loaded and asked for GPUs */
	struct eb_events *events;
};
int eb_verify_python(const struct eb_verify_run *run,
		     const struct eb_verified *what, struct eb_findings *out,
		     struct eb_error *err);

/* --- a set of packages ---------------------------------------------------- */
struct eb_env;
/* Is the input itself such a set: a lock, or a list of packages that are chosen
 * already? */
bool eb_env_is_set(const struct eb_env *env, const struct eb_config *config);
/* Is it an answer to what was asked (solve_check.h)? It is judged by the
 * records that the channels have now, or (config->local) by those of the lock.
 * Of a lock what was asked stands in its commentary; otherwise the options and
 * CONDA_OVERRIDE_* say it. EB_NETWORK: a channel does not answer. */
int eb_verify_set(const struct eb_env *env, const struct eb_config *config,
		  struct eb_store *store, struct eb_events *events,
		  struct eb_findings *out, struct eb_error *err);

#endif
