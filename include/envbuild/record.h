/* SPDX-License-Identifier: Apache-2.0 */
/* One package record of a channel (CEP 34, 36). */
#ifndef EB_RECORD_H
#define EB_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <envbuild/digest.h>
#include <envbuild/error.h>
#include <envbuild/str.h>

enum eb_noarch { EB_NOARCH_NONE, EB_NOARCH_GENERIC, EB_NOARCH_PYTHON };

/* A group of optional dependencies (CEP 44). */
struct eb_extra {
	char *name;
	struct eb_strv depends;
};

/*
 * Strings are owned by the record (eb_record_release) unless it comes from a
 * repodata index, which then owns all of them.
 */
struct eb_record {
	char *name, *version, *build;
	uint64_t build_number;
	char *subdir;
	char *fn;      /* file name with its ending */
	char *channel; /* canonical, credential-free channel URL */
	char *url;     /* credential-free URL of the file */
	struct eb_strv depends, constrains;
	struct eb_strv flags;	/* CEP 45 */
	struct eb_extra *extra; /* each name once */
	size_t n_extras;
	char *track_features; /* space separated, or NULL */
	char *features;
	enum eb_noarch noarch;
	int64_t timestamp; /* milliseconds, 0 = unknown */
	bool has_sha256;
	struct eb_digest sha256;
	char md5[33];  /* "" = unknown */
	uint64_t size; /* packed bytes, 0 = unknown */
	char *license, *license_family;
	char *python_site_packages_path; /* CEP 17, or NULL */
};

void eb_record_release(struct eb_record *r);
/* The group of that name, or NULL. */
const struct eb_extra *eb_record_extra(const struct eb_record *r,
				       const char *name);
/* "[a-z0-9_.+-]{1,64}" is a group (CEP 44); "[a-z0-9_]+(:[a-z0-9_]+)?" a flag
 * (CEP 45), which in a spec may have "*", too. */
bool eb_is_extra(const char *name);
bool eb_is_flag(const char *flag, bool globs);
void eb_record_copy(struct eb_record *to, const struct eb_record *from);
/* From one value of a repodata map (or a conda-meta / index.json object);
 * unknown keys ignored. Groups of optional dependencies are "extra_depends",
 * as repodata and rattler spell it, or "extra-depends", as index.json (CEP 44),
 * or "extras-depends", as conda's tests. EB_INPUT that names the file and the
 * field. */
int eb_record_from_json(const json_t *j, const char *fn, const char *subdir,
			struct eb_record *out, struct eb_error *err);
/* From conda-meta/NAME-VERSION-BUILD.json of an environment (CEP 32), as
 * conda, mamba, pixi and envbuild write it. File name and channel are those of
 * the URL. EB_INPUT, too: it has no URL, so nobody can have it again; one that
 * is longer than 4,096 bytes. */
int eb_record_installed(const json_t *j, const char *file,
			struct eb_record *out, struct eb_error *err);
/* What the URL or the path of a package file tells (CEP 23: `$VAR`, `${VAR}`
 * and "~/" are expanded, other paths are relative to the working folder): name,
 * version and build by the file's name (CEP 26), channel, URL, and the subdir
 * where its folder is called like one. `*channel` is where the channel is to be
 * fetched: with the login or token that the URL had; caller frees. EB_INPUT. */
int eb_record_of_place(const char *text, struct eb_record *out, char **channel,
		       struct eb_error *err);
/* Does it say itself that it was asked for by name? */
bool eb_record_was_requested(const json_t *j);
/* The fields above that say something, as repodata spells them; new
 * reference. The form is stable: it goes into locks and conda-meta. */
json_t *eb_record_to_json(const struct eb_record *r);

#endif
