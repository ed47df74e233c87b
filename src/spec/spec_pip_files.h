/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the pip section and of the files that it includes. */
#ifndef EB_SPEC_PIP_FILES_H
#define EB_SPEC_PIP_FILES_H

#include <stdbool.h>
#include <sys/types.h>

#include <envbuild/pip_set.h>
#include <envbuild/spec.h>

struct eb_pip_place {
	const char *dir;  /* what relative paths are relative to */
	const char *file; /* for messages */
	unsigned line, column;
	bool constraint;
};

typedef int eb_pip_line_fn(void *data, const struct eb_requirement *q,
			   const struct eb_pip_place *at, struct eb_error *err);

/* Every line in its order; -r and -c that name a file are replaced by the
 * file's lines, those that name a URL are given as they are. */
int eb_pip_visit(const struct eb_spec *spec, eb_pip_line_fn *fn, void *data,
		 struct eb_error *err);
/* All of them readable, all local sources there? */
int eb_pip_files_check(const struct eb_spec *spec, struct eb_events *events,
		       struct eb_error *err);

/* Path of an argument: of a file: URL, or below `dir`. Caller frees. */
char *eb_pip_path(const char *dir, const char *argument);

/*
 * Content of a file or a folder: sha256 over what is in it, not over where it
 * lies or when it was written. Of a folder count names, executable bits and
 * links, not .git, __pycache__, *.egg-info, what .gitignore files name, `build`
 * and `dist` at the top, and `besides` (a file that is hashed otherwise; NULL).
 */
int eb_local_source(const char *path, const char *besides,
		    struct eb_digest *out, struct eb_error *err);

/* Rules of .gitignore files, the innermost folder's first. */
struct eb_ignore {
	const struct eb_ignore *outer;
	size_t base; /* length of the folder's path, with its "/" */
	struct eb_strv rule;
};
void eb_ignore_add(struct eb_ignore *ig, const char *text);
/* `path` is relative to the outermost folder. */
bool eb_ignore_matches(const struct eb_ignore *ig, const char *path,
		       bool is_dir);
void eb_ignore_release(struct eb_ignore *ig);

#endif
