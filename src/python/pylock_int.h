/* SPDX-License-Identifier: Apache-2.0 */
/* pylock.toml (PEP 751): what a resolver answers, and locks of others. */
#ifndef EB_PYTHON_PYLOCK_INT_H
#define EB_PYTHON_PYLOCK_INT_H

#include <jansson.h>

#include <envbuild/pip_resolve.h>
#include <envbuild/pylock.h>

#define EB_PYLOCK_PACKAGES 20000

struct eb_pylock_reader {
	const char *name;	    /* of the lock, for messages */
	const char *dir;	    /* that its paths are relative to */
	const struct eb_strv *tags; /* of the target, best first */
	const struct eb_python_target *target; /* for messages */
	/* What may be taken of a project; NULL or empty: anything. */
	const struct eb_strv *(*hashes)(void *data, const char *name);
	/* Where a path of the answer really is; NULL: there. Caller frees. */
	char *(*place)(void *data, const char *path);
	void *data;
};
/* One of [[packages]]; what it does not say stays empty. EB_NO: no file of it
 * fits the target, or none has the hash; EB_INPUT. */
int eb_pylock_pin(const struct eb_pylock_reader *l, const json_t *package,
		  struct eb_pin *out, struct eb_error *err);

/* A marker of a lock without its questions for extras and groups: none is
 * asked for but the groups of `groups`. Caller frees. */
char *eb_pylock_marker(const char *marker, const json_t *groups);

/* "%2B" as "+"; the last component of a URL's or file's path. Caller frees. */
char *eb_pylock_file_name(const char *url);

/* The folder that a lock of this name lies in. Caller frees. */
char *eb_pylock_folder(const char *name);
/* What the lock has for the target. EB_NO: it is for others; EB_INPUT. */
int eb_pylock_pins(const struct eb_pylock *l, const struct eb_python_target *t,
		   struct eb_pip_result *out, struct eb_error *err);

/* --- files of a package (pylock_file.c) ----------------------------------- */
/* EB_INPUT; always -1. */
int eb_pylock_bad(const struct eb_pylock_reader *l, const char *package,
		  const char *what, struct eb_error *err);
char *eb_pylock_name_of(const json_t *file); /* or NULL; caller frees */
/* "sha256:<hex>", "sha512:...", "sha384:...": those of a file, best first. */
void eb_pylock_hashes(const json_t *file, struct eb_strv *out);
/* Is its "sha256:<hex>" among those that are asked for, where any are? Those
 * that have another kind of hash alone are told by their bytes, later. */
bool eb_pylock_is_wanted(const json_t *file, const struct eb_strv *wanted);
void eb_pylock_set_url(const struct eb_pylock_reader *l, const json_t *file,
		       struct eb_pin *out);
/* Name, URL, hash, size and time; a hash has to be there, and what is none of
 * sha256 waits in out->hash. */
int eb_pylock_take_file(const struct eb_pylock_reader *l, const json_t *file,
			struct eb_pin *out, struct eb_error *err);

#endif
