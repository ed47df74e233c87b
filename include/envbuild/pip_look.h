/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a pip section, each by itself, held against the indexes: what
 * keeps it from being had whatever the other lines ask for. Nothing is
 * resolved, no file is fetched; a lack is one that no resolver gets over.
 */
#ifndef EB_PIP_LOOK_H
#define EB_PIP_LOOK_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/http.h>
#include <envbuild/index.h>
#include <envbuild/pip_set.h>

enum eb_pip_lack {
	EB_LACK_UNKNOWN, /* not looked up (a URL, a folder, a marker that does
			  * not hold), or an index did not answer */
	EB_LACK_NOTHING,
	EB_LACK_PROJECT, /* no index has it */
	EB_LACK_VERSION, /* none in range, or that may be taken */
	EB_LACK_PYTHON,	 /* none for these Pythons */
	EB_LACK_MACHINE, /* wheels for other machines alone */
};

struct eb_pip_looked {
	enum eb_pip_lack lack;
	char *what, *fix; /* of a lack: the words of a resolver; fix or NULL */
	/* Without a lack: the version that this line alone leads to; NULL where
	 * the Python is not known. */
	char *version;
	bool source;	 /* there is no wheel of it that fits: it is built */
	char *withdrawn; /* it was: the reason, or ""; or NULL */
	char *index;	 /* that decides, without credentials; or NULL */
	char *other;	 /* that has a project of this name, too; or NULL */
};
void eb_pip_looked_release(struct eb_pip_looked *l);

struct eb_pip_look { /* everything is borrowed */
	const struct eb_pip_set *set;
	const struct eb_indexes *indexes;
	const struct eb_http_options *http;
	/* "3.11.4", the one that is wanted most first; empty: not known, then
	 * neither Python nor machine count */
	const struct eb_strv *python;
	const char *glibc, *arch; /* "2.36", "x86_64" */
	const char *as_of;	  /* RFC 3339 date or time, or NULL */
	/* filled: indexes that did not answer, each asked once in vain, and
	 * what was said; of those in `refused` it was 401, 403 or the like */
	struct eb_strv silent, refused;
};
/* `out` has a place for each requirement of the set. All pages are asked for at
 * once. -1: EB_MACHINE, no loop can be run. */
int eb_pip_look(struct eb_pip_look *look, struct eb_pip_looked *out,
		struct eb_error *err);
void eb_pip_look_release(struct eb_pip_look *look);

#endif
