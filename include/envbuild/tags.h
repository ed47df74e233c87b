/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a wheel fits: names of files, compatibility tags, markers (PEP 425,
 * 427, 600, 656, 508; facts 4.1, 5.4, 6). Everything is asked of the target,
 * never of this machine.
 */
#ifndef EB_TAGS_H
#define EB_TAGS_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/str.h>

struct eb_python_target {
	const char *version; /* "3.7.0", all of it */
	bool free_threaded;
	const char *glibc; /* "2.31", of the base */
	const char *musl;  /* "1.2": of a musl base; glibc is not looked at */
	const char *arch;  /* "x86_64", "aarch64" */
};

/* Tags of the target, best first ("cp37-cp37m-manylinux_2_17_x86_64").
 * EB_INPUT: no such Python or C library. */
int eb_tags_of(const struct eb_python_target *t, struct eb_strv *out,
	       struct eb_error *err);

struct eb_wheel_name {
	char *name;	     /* normal */
	char *version;	     /* normal */
	char *build;	     /* "1local", or NULL */
	struct eb_strv tags; /* each product of the three sets, sorted */
};
/* EB_INPUT that says what is wrong with the name. */
int eb_wheel_name_parse(const char *file, struct eb_wheel_name *out,
			struct eb_error *err);
void eb_wheel_name_release(struct eb_wheel_name *w);
/* Name and version of an sdist's file (.tar.gz or .zip); normal, the
 * caller frees both. */
int eb_sdist_name_parse(const char *file, char **name, char **version,
			struct eb_error *err);
/* Place of its best tag in the list, -1 where it does not fit. */
long eb_wheel_rank(const struct eb_wheel_name *w, const struct eb_strv *tags);
/* Those that fit, best first: highest version, best tag, build. `order` has
 * room for all; *n is how many. Names that are no wheels are left out. */
void eb_wheel_choice(const struct eb_strv *files, const struct eb_strv *tags,
		     size_t *order, size_t *n);

/* --- markers ----------------------------------------------------------- */
/* The environment of a marker: names and values (`python_version`, ...). */
struct eb_marker_env {
	struct eb_strv name, value;
};
void eb_marker_env_of(const struct eb_python_target *t,
		      struct eb_marker_env *out);
void eb_marker_env_release(struct eb_marker_env *e);
/* 1, 0; -1: EB_INPUT, no marker, nested deeper than 100, or a comparison that
 * has no meaning. `extra` may be NULL: then the environment's counts, else "".
 * platform_release and platform_version are known only when the image runs:
 * without a value in the environment they are "", and where the answer depends
 * on them *unknown (may be NULL) is true. */
int eb_marker_holds(const char *marker, const struct eb_marker_env *env,
		    const char *extra, bool *unknown, struct eb_error *err);

#endif
