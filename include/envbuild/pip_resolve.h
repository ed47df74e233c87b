/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolving a pip section: by uv, for the target's Python, platform and C
 * library (DESIGN "Resolving"; facts 2); where there is no uv, by a pip of the
 * environment in its own root. Nothing of a package is executed
 * here: uv runs confined, with build constraints that nothing satisfies; where
 * it stops at an sdist whose metadata needs a build, the caller's `ask` has
 * that made, away from any network, and uv is told the answer; where no Python
 * of the environment runs here, what the sdist says of itself is believed,
 * said, and marked in its pin. A target that uv can be told of by its Python
 * alone is resolved by the caller's `elsewhere`, where nothing is built either.
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

/* The METADATA of a project that is no wheel, made by its own code, which has
 * no network (PEP 517). `pin`: its source; of an index name and version, else
 * what is known of them; `build` says how, and is filled in. `fd`: the archive
 * of an sdist, whose sha256 and size are known; else -1. 0; 1: no Python of
 * that environment can run here; -1: EB_STEP with the log's end, and what
 * fetching what it needs for that may give. */
typedef int eb_pip_ask_fn(void *data, struct eb_pin *pin, int fd,
			  struct eb_buf *metadata, struct eb_error *err);

/* The commit of a repository of git, and its tree. `url` may hold a login;
 * `pin` has its URL without one, and the revision that is asked for or NULL;
 * its commit is filled in, and its version as far as tags tell it. `*dir`: a
 * real path, which stays as long as the caller of the resolver wants; freed by
 * the resolver. EB_MACHINE: there is no git, or no ssh; EB_REFUSED: the login
 * or the host's key; EB_NO: no such revision; EB_NETWORK. */
typedef int eb_pip_checkout_fn(void *data, const char *url, struct eb_pin *pin,
			       char **dir, struct eb_error *err);

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
	eb_pip_ask_fn *ask;	       /* NULL: nobody can be asked */
	eb_pip_checkout_fn *checkout;  /* NULL: uv's own git fetches */
	void *data;		       /* of all three */
	const char *python; /* in elsewhere's root; NULL: EB_UV_PYTHON */
	const struct eb_strv *build_variables; /* as given; or NULL */
};

struct eb_pip_result {
	struct eb_pin *pin; /* sorted by name; not what conda's satisfies */
	size_t n;
	struct eb_strv replaced; /* conda packages whose projects are */
	bool built_metadata;	 /* `elsewhere` ran, or `ask` */
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
