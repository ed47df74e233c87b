/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Environments of the team's catalogue as they are written down: the blob of
 * its artifact, which holds what a version is and neither its name nor when it
 * was registered, so that clones share it. JSON: the object
 *
 *	{"file", "files", "format": 1, "options": [[NAME, VALUE], ...], "text",
 *	 "variables": [[NAME, VALUE], ...]}
 *
 * and what is kept of them in the store. Needs no client of a registry.
 */
#ifndef EB_ENV_CATALOG_H
#define EB_ENV_CATALOG_H

#include <envbuild/build.h>
#include <envbuild/buf.h>

#define EB_MAX_ENVIRONMENT ((size_t)8 << 20)

/* Canonical; what is longer than EB_MAX_ENVIRONMENT sets out->overflow. */
void eb_environment_format(const struct eb_named *e, struct eb_buf *out);
/* EB_INTEGRITY: it is none; EB_MACHINE: of a newer format; EB_INPUT: as
 * eb_environment_reach(). Whether `text` is a definition is for its reader to
 * say. */
int eb_environment_parse(const char *text, size_t len, const char *what,
			 struct eb_named **out, struct eb_error *err);
/* May everybody read it? EB_INPUT with its place: a URL in it has a login or a
 * token, or it is longer than EB_MAX_ENVIRONMENT. */
int eb_environment_check(const struct eb_named *e, struct eb_error *err);

/* EB_INPUT with its place: it needs a file, folder or base that only the
 * machine has on which it is built. (env_reach.c) */
int eb_environment_reach(const struct eb_named *e, struct eb_error *err);

/* What was got for `ref`, for later calls with --local; a failure is told. */
void eb_environment_keep(const struct eb_config *config,
			 const struct eb_env_ref *ref, const struct eb_named *e,
			 struct eb_events *events);

#endif
