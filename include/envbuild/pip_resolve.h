/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolving a pip section: by uv, for the target's Python, platform and C
 * library (DESIGN "Resolving"; facts 2); where there is no uv, by a pip of the
 * environment in its own root. Nothing of a package is executed
 * here: uv runs confined, with build constraints that nothing satisfies; where
 * it stops at an sdist whose metadata needs a build, the caller's `elsewhere`
 * runs the same call in the environment's own root; where that has no Python
 * that runs here, what the sdist says of itself is believed, said, and marked
 * in its pin.
 */
#ifndef EB_PIP_RESOLVE_H
#define EB_PIP_RESOLVE_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/http.h>
#include <envbuild/index.h>
#include <envbuild/pin.h>
#include <envbuild/pip_set.h>
#include <envbuild/pylock.h>
#include <envbuild/tags.h>

#define EB_UV_MINIMUM "0.12.3" /* of uv: reads links of a file */
#define EB_UV_PYTHON "/opt/env/bin/python"
#define EB_CALL_AT "/build/call" /* of a call made elsewhere: its folder */
#define EB_UV_SEE "see"

/* A project that conda installs. */
struct eb_installed {
	char *name, *version; /* normal */
	char *package;	      /* the conda package */
	const char *metadata; /* text of METADATA or PKG-INFO */
	size_t metadata_len;
};

/* A call of uv to be made elsewhere: `dir` holds all that it reads (a config
 * file with secrets, mode 0600, too) and takes all that it writes. */
struct eb_uv_call {
	const char *dir;	 /* on this machine */
	const char *const *argv; /* "uv" first; paths relative to dir */
	const char *const *env;	 /* complete, but HOME and PATH */
	const char *uv;		 /* the program; NULL: argv[0] is it, there */
	const char *const *see;	 /* folders; the n-th at dir/EB_UV_SEE/n */
	int status;		 /* filled */
	struct eb_buf *out;	 /* filled: both of its outputs */
};
/* 0; 1: no Python of that environment can run here, so nothing was called; -1
 */
typedef int eb_uv_elsewhere_fn(void *data, struct eb_uv_call *call,
			       struct eb_error *err);

struct eb_pip_request {
	const struct eb_pip_set *set; /* `remote` was fetched */
	struct eb_python_target target;
	const struct eb_indexes *indexes;
	const struct eb_installed *installed; /* sorted by name */
	size_t n_installed;
	bool replace;	      /* conda's may be replaced (--pip-replace) */
	const char *as_of;    /* RFC 3339 date or time, or NULL */
	const char *tmp;      /* scratch */
	const char *cache;    /* uv's cache, kept between runs */
	struct eb_http *http; /* for pages and sizes */
	bool offline;
	bool refresh;	 /* the resolver is asked whatever it answered before */
	unsigned time_s; /* of one call of the resolver; 0: 600 */
	eb_uv_elsewhere_fn *elsewhere; /* NULL: there is none */
	void *data;
	const char *python; /* in elsewhere's root; NULL: EB_UV_PYTHON */
	const struct eb_strv *build_variables; /* as given; or NULL */
};

struct eb_pip_result {
	struct eb_pin *pin; /* sorted by name; not what conda's satisfies */
	size_t n;
	struct eb_strv replaced; /* conda packages whose projects are */
	bool built_metadata;	 /* `elsewhere` ran */
	char *resolver;		 /* "uv 0.13.8" */
};
/* EB_NO: cannot be had together, or not at all; the message explains one kind
 * of failure (no such project, no such version, yanked, wrong Python, wrong
 * platform, conflict with both chains, hash mismatch, needs compiling), at the
 * line that asked for it. EB_MACHINE: no uv; EB_NETWORK, EB_INPUT. */
int eb_pip_resolve(const struct eb_pip_request *r, struct eb_events *events,
		   struct eb_pip_result *out, struct eb_error *err);
void eb_pip_result_release(struct eb_pip_result *r);

/* The metadata of the wheel that an sdist of the index became for that Python:
 * later resolutions with this `cache` and the same variables need not ask for
 * it. */
void eb_pip_built(const char *cache, const struct eb_python_target *t,
		  const struct eb_strv *variables, const struct eb_pin *pin,
		  const char *metadata, size_t len);

/* The same for what an isolated build asks for (`requires` of a pyproject):
 * wheels alone, no `elsewhere`. */
int eb_pip_resolve_build(const struct eb_pip_request *r,
			 const struct eb_strv *requires, const char *what,
			 struct eb_events *events, struct eb_pip_result *out,
			 struct eb_error *err);

/* Path of uv: ENVBUILD_UV ("none": there is none), beside this program in
 * libexec, PATH; its version is checked. Caller frees. EB_MACHINE with advice.
 */
char *eb_find_uv(char **version, struct eb_error *err);

/* The same for a lock of others: its pins for the target as they are, less what
 * conda's packages give, sizes asked for where it has none. Of the request
 * target, indexes, installed, cache and http count. EB_NO, at the lock's line:
 * it is for another Python or machine, or has no file that fits. */
int eb_pylock_resolve(const struct eb_pip_request *r,
		      const struct eb_pylock *lock, struct eb_events *events,
		      struct eb_pip_result *out, struct eb_error *err);

#endif
