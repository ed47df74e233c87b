/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wheels become layers without being unpacked (binary distribution format;
 * facts 4).
 *
 * A wheel is a zip of deflate streams. eb_wheel_open() reads its central
 * directory, WHEEL, METADATA, RECORD and entry_points.txt; eb_wheel_payload()
 * gives entries whose content still lies deflated in the file, with the sha256
 * that RECORD declares: who writes them (part.h) inflates each once to verify
 * it. Verified here: one dist-info that fits the file's name; every member in
 * RECORD and the other way round, by sha256; names (eb_path_check), sizes,
 * methods, overlaps; the limits and the growth rule of package.h. Bytes that
 * differ or break off: EB_INTEGRITY; what is malformed: EB_INPUT.
 */
#ifndef EB_WHEEL_H
#define EB_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#include <envbuild/digest.h>
#include <envbuild/entry.h>
#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/mem.h>

struct eb_wheel_limits {
	uint64_t members;     /* package-members */
	uint64_t member_size; /* member-size, bytes */
	uint64_t metadata;    /* metadata-size, bytes, of one file */
};
extern const struct eb_wheel_limits eb_wheel_default_limits;

struct eb_wheel;
/* `fd` (any offset; pread) stays the caller's and open while the wheel or its
 * entries are used; `file` is its name. */
int eb_wheel_open(int fd, const char *file,
		  const struct eb_wheel_limits *limits, struct eb_wheel **out,
		  struct eb_error *err);
void eb_wheel_free(struct eb_wheel *w);
EB_AUTOPTR(struct eb_wheel, eb_wheel_free)
const char *eb_wheel_project(const struct eb_wheel *w); /* normal name */
const char *eb_wheel_version(const struct eb_wheel *w); /* normal */
const char *eb_wheel_metadata(const struct eb_wheel *w, size_t *len);

struct eb_wheel_target {
	const char *prefix;	   /* "/opt/env" */
	const char *python_minor;  /* "3.7" */
	const char *site_packages; /* "lib/python3.7/site-packages" */
	int64_t source_date_epoch; /* 0: not set */
};

/* Of the wheel's sha256 and the target. */
void eb_wheel_key(const struct eb_digest *sha256,
		  const struct eb_wheel_target *t, struct eb_digest *key);
/* All but what says that it is installed, at "opt/env/...": .data mapped,
 * scripts' first lines, launchers of entry points; mtime EB_FIXED_MTIME. */
int eb_wheel_payload(struct eb_wheel *w, const struct eb_wheel_target *t,
		     struct eb_entries *out, struct eb_events *events,
		     struct eb_error *err);

/* What says that it is installed: RECORD, INSTALLER, REQUESTED,
 * direct_url.json, from the payload's path list (sorted, with digests and
 * sizes) and the bytecode's (NULL without; names alone). `direct_url` is the
 * text of that file, or NULL. */
int eb_wheel_record(const char *project, const struct eb_entries *payload,
		    const struct eb_entries *bytecode, bool requested,
		    const char *direct_url, const struct eb_wheel_target *t,
		    struct eb_entries *out, struct eb_error *err);
void eb_wheel_record_key(const struct eb_digest *payload_key,
			 const struct eb_digest *bytecode_key, /* or NULL */
			 bool requested, const char *direct_url,
			 struct eb_digest *key);

/* Projects that a payload's path list installs (conda packages bring some):
 * paths of METADATA, PKG-INFO or a bare .egg-info below site-packages. */
struct eb_strv;
void eb_wheel_find_metadata(const struct eb_entries *payload,
			    const struct eb_wheel_target *t,
			    struct eb_strv *paths);
/* Name (normal) and version of such a text; caller frees both. */
int eb_wheel_read_metadata(const char *text, size_t len, const char *what,
			   char **name, char **version, struct eb_error *err);

#endif
