/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock of Python projects that somebody else made: pylock.toml (PEP 751). As
 * a definition it says which files are installed where; nothing of it is
 * resolved again. No extras are asked for, and its default groups alone.
 */
#ifndef EB_PYLOCK_H
#define EB_PYLOCK_H

#include <jansson.h>
#include <stdbool.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

struct eb_pylock {
	char *name; /* of the file; its paths are relative to its folder */
	json_t *root;
	const json_t *packages;
	unsigned *line; /* where each of the packages begins */
	bool of_lock;	/* a part of a lock that has a Python */
};

/* EB_INPUT with the place: no TOML, no lock of this kind, a package that is
 * none; EB_MACHINE: of a newer format than 1.x. A newer 1.x is warned of. */
int eb_pylock_parse(const char *text, size_t len, const char *name,
		    struct eb_events *events, struct eb_pylock **out,
		    struct eb_error *err);
/* One of what another tool's lock has for pip: a list of packages as PEP 751
 * has them, and the line where each begins; takes both. `by` made it. Its
 * Python is that of the lock that it is a part of. */
struct eb_pylock *eb_pylock_new(const char *name, json_t *packages,
				unsigned *line, const char *by);
void eb_pylock_free(struct eb_pylock *l);
EB_AUTOPTR(struct eb_pylock, eb_pylock_free)

/* What it says of Python (">=3.9", normal), added to `out`, one a line. */
int eb_pylock_python(const struct eb_pylock *l, struct eb_strv *out,
		     struct eb_error *err);

/* What is at an absolute path, by content. */
typedef int eb_pylock_content_fn(void *data, const char *path,
				 struct eb_digest *out, struct eb_error *err);
/* What counts of it, a JSON text a line, in any order: packages by names,
 * versions, markers and hashes; archives and repositories by their URL without
 * credentials; files and folders of this machine by content where no hash is
 * there. Not: where an index has a file, sizes, times, who made it, what tools
 * noted, attestations. */
int eb_pylock_normal(const struct eb_pylock *l, eb_pylock_content_fn *content,
		     void *data, struct eb_strv *out, struct eb_error *err);

#endif
