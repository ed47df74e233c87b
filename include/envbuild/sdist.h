/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source distributions: what one says of its build, before anything of it
 * runs (PEP 517, 518, 621, 625, 643, 706; facts 9).
 */
#ifndef EB_SDIST_H
#define EB_SDIST_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>
#include <envbuild/wheel.h>

struct eb_sdist {
	/* Normal; of PKG-INFO, of the file's name or of pyproject.toml; NULL
	 * where none of them tells. */
	char *name, *version;
	char *top;		 /* the one folder of the archive; of a folder
				  * NULL */
	bool legacy;		 /* no build-backend is named: setuptools' */
	struct eb_strv requires; /* of the build, as written; with what
				  * setuptools takes for granted, and what the
				  * archive's setup_requires.txt names */
	char *backend;		 /* "setuptools.build_meta:__legacy__" */
	struct eb_strv path;	 /* backend-path, below top */
	bool asks;		 /* its backend may require more than that,
				  * which it tells when it is asked */
	bool has_build;		 /* one of the files that say how */
	bool static_metadata;	 /* its dependencies can be believed */
	struct eb_strv depends;	 /* Requires-Dist, or of egg-info */
	char *requires_python;	 /* or NULL */
	const char *metadata;	 /* what tells them: "PKG-INFO",
				  * "pyproject.toml", "egg-info", "setup.py"
				  * (of distutils, without any); or NULL */
	bool has_c;		 /* .c, .cpp, .pyx, .f ... to be compiled */
	char *c_file;		 /* the first of them, or NULL */
};
/* Reads the archive in one pass (.tar.gz, .zip and what else tar is packed
 * with; libarchive); the same limits as a wheel's. EB_INPUT: links or paths
 * that leave it, devices, two folders at the top; EB_INTEGRITY: broken. */
int eb_sdist_read(int fd, const char *file,
		  const struct eb_wheel_limits *limits, struct eb_sdist *out,
		  struct eb_error *err);
void eb_sdist_release(struct eb_sdist *s);
/* The same of a folder; what is left there by builds (egg-info) does not
 * count. */
int eb_sdist_read_dir(const char *dir, struct eb_sdist *out,
		      struct eb_error *err);
/* What lies in its one folder, below `dir`, which exists and is empty; modes
 * 0644 and 0755, times as in the archive. */
int eb_sdist_unpack(int fd, const char *file,
		    const struct eb_wheel_limits *limits, const char *dir,
		    struct eb_error *err);

#endif
