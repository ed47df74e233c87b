/* SPDX-License-Identifier: Apache-2.0 */
/* registries.conf: the reader of its TOML, and what it says of registries. */
#ifndef EB_REGISTRIES_CONF_H
#define EB_REGISTRIES_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/error.h>
#include <envbuild/str.h>

enum eb_toml_kind {
	EB_TOML_TEXT,
	EB_TOML_BOOLEAN,
	EB_TOML_OTHER, /* read over: numbers, dates, arrays, inline tables */
};
struct eb_toml_value {
	enum eb_toml_kind kind;
	char *text; /* of a text */
	bool yes;   /* of a boolean */
};
/* Called for each header ("[[registry.mirror]]": path of two, array) and for
 * each `key = value` behind it, in order. -1 with err ends the reading; the
 * file and line are put into it. */
struct eb_toml_calls {
	int (*table)(void *data, const struct eb_strv *path, bool array,
		     unsigned line, struct eb_error *err);
	int (*value)(void *data, const struct eb_strv *key,
		     const struct eb_toml_value *value, struct eb_error *err);
};
/* EB_INPUT with file:line:column for what is no TOML. */
int eb_toml_read(const char *text, size_t len, const char *name,
		 const struct eb_toml_calls *calls, void *data,
		 struct eb_error *err);

enum eb_mirror_use { EB_MIRROR_ALL, EB_MIRROR_DIGEST, EB_MIRROR_TAG };
struct eb_mirror_conf {
	char *location;
	bool insecure;
	enum eb_mirror_use use;
};
struct eb_registry_conf {
	char *prefix, *location; /* location NULL: as it was asked for */
	bool insecure, blocked, mirror_by_digest_only;
	struct eb_mirror_conf *mirror;
	size_t n_mirrors, mirrors_alloc;
	char *file;
	unsigned line;
};
struct eb_registries_conf {
	struct eb_registry_conf *registry; /* one a prefix */
	size_t n, alloc;
};
/* Adds what a file says; a prefix that is known already is replaced. */
int eb_registries_conf_add(struct eb_registries_conf *c, const char *text,
			   size_t len, const char *name, struct eb_error *err);
/* The one with the longest prefix; NULL: none. `length`: how much of
 * host/repository its prefix is. */
const struct eb_registry_conf *
eb_registries_conf_match(const struct eb_registries_conf *c,
			 const char *reference, size_t *length);
void eb_registries_conf_release(struct eb_registries_conf *c);

#endif
