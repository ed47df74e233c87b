/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Projects that are installed somewhere, by what they say of themselves: the
 * rows of RECORD (binary distribution format), what METADATA requires, and
 * whether those requirements hold, as `pip check` asks it.
 */
#ifndef EB_INSTALLED_H
#define EB_INSTALLED_H

#include <stddef.h>

#include <envbuild/error.h>
#include <envbuild/str.h>
#include <envbuild/tags.h>

/* A row: absent fields are "". 0 to go on, -1. */
typedef int eb_installed_row_fn(void *data, const char *path, const char *hash,
				const char *size, struct eb_error *err);
/* The rows of a RECORD, in their order. EB_INPUT: a quote is not closed. */
int eb_installed_rows(const char *text, size_t len, const char *what,
		      eb_installed_row_fn *fn, void *data,
		      struct eb_error *err);
/* The folder of a row's path made one from `top` on, both relative:
 * "../../bin/x" in "lib/y" is "bin/x". An absolute one has to lie below `top`
 * ("/opt/env"). NULL: it leads out; caller frees. */
char *eb_installed_path(const char *top, const char *folder, const char *path);

struct eb_installed {
	char *name, *version;	 /* normal */
	struct eb_strv requires; /* Requires-Dist, as they stand */
};
/* Of a METADATA or PKG-INFO. */
int eb_installed_parse(const char *text, size_t len, const char *what,
		       struct eb_installed *out, struct eb_error *err);
void eb_installed_release(struct eb_installed *p);

/* Where it came from, by its direct_url.json (PEP 610), as a requirement of
 * pip: "NAME @ git+URL@COMMIT", "NAME @ URL#sha256=...", without credentials.
 * *line is NULL where it came from this machine (a folder, a file), so that it
 * cannot be had elsewhere. Caller frees. EB_INPUT: that file is none. */
int eb_installed_origin(const char *name, const char *text, size_t len,
			const char *what, char **line, struct eb_error *err);

/* Each requirement whose marker holds and that no project fulfils becomes a
 * line of `out`, with those that cannot be understood. */
void eb_installed_check(const struct eb_installed *project, size_t n,
			const struct eb_marker_env *env, struct eb_strv *out);

#endif
