/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolving a pip section: by uv, for the target's Python, platform and C
 * library (DESIGN "Resolving"; facts 2). Nothing of a package is executed
 * here: uv runs confined, with build constraints that nothing satisfies; where
 * it stops at an sdist whose metadata needs a build, the caller's `elsewhere`
 * runs the same call in the environment's own root.
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
#include <envbuild/tags.h>

#define EB_UV_MINIMUM "0.9.0" /* of uv */
#define EB_UV_PYTHON "/opt/env/bin/python"

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
	const char *uv;		 /* the program */
	int status;		 /* filled */
	struct eb_buf *out;	 /* filled: both of its outputs */
};
typedef int eb_uv_elsewhere_fn(void *data, struct eb_uv_call *call,
			       struct eb_error *err);

struct eb_pip_request {
	const struct eb_pip_set *set;
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
	eb_uv_elsewhere_fn *elsewhere; /* NULL: there is none */
	void *data;
	const char *python; /* in elsewhere's root; NULL: EB_UV_PYTHON */
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

/* The same for what an isolated build asks for (`requires` of a pyproject):
 * wheels alone, no `elsewhere`. */
int eb_pip_resolve_build(const struct eb_pip_request *r,
			 const struct eb_strv *requires, const char *what,
			 struct eb_events *events, struct eb_pip_result *out,
			 struct eb_error *err);

/* Path of uv: ENVBUILD_UV, beside this program in libexec, PATH; its version
 * is checked. Caller frees. EB_MACHINE with advice. */
char *eb_find_uv(char **version, struct eb_error *err);

/* A lock of others as a set of pins: pylock.toml (PEP 751), or requirements
 * with hashes of pip-tools, uv, poetry. Files that do not fit the target are
 * left out. */
int eb_pylock_read(const char *text, size_t len, const char *name,
		   const struct eb_python_target *t, struct eb_pip_result *out,
		   struct eb_error *err);

#endif
