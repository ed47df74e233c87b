/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lint against indexes: what the definition itself asks for, name by name;
 * nothing is solved.
 *
 *	lint_index.c		what is asked, the two sides
 *	lint_index_channels.c	repodata of the channels, and of others
 *	lint_index_conda.c	a package specification against its records
 *	lint_index_python.c	which Pythons there can be, builds for them
 *	lint_index_pip.c	the pip section against pip's indexes
 */
#ifndef EB_LINT_INDEX_H
#define EB_LINT_INDEX_H

#include <envbuild/repodata.h>

#include "build_private.h"

struct eb_looking {
	const struct eb_config *config;
	bool network;
	struct eb_store *store; /* or NULL */
	struct eb_http_options http_options;
	struct eb_http *http;
	struct eb_lint_list *out;
	const struct eb_spec *spec;
	struct eb_channels channels; /* the effective ones */
	bool *there;		     /* of each: its repodata could be had */
	unsigned *channel_at;	     /* place among them of rd's channels */
	bool all;		     /* of all of them */
	struct eb_repodata *rd;	     /* of those; NULL: of none */
	struct eb_strv python;	     /* those that can be meant, newest first */
};

/* A finding at the i-th conda line; where what was seen may be old it is no
 * error. */
struct eb_lint_found *eb_look_add(struct eb_looking *k, size_t spec,
				  const char *rule, const char *fix,
				  const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/* lint_index_channels.c */
void eb_look_channels(struct eb_looking *k);
/* "conda-forge": a channel beside those asked, whose repodata is here, with a
 * package of that name for this platform; NULL. Caller frees. */
char *eb_look_elsewhere(struct eb_looking *k, const char *name);
/* "osx-64, win-64": for which other platforms the channels have it, as far as
 * their repodata is here; NULL. Caller frees. */
char *eb_look_platforms(struct eb_looking *k, const char *name);

/* lint_index_conda.c */
void eb_look_conda(struct eb_looking *k);
/* The records of a name that count: of the channels that may be taken. Caller
 * frees. */
uint32_t *eb_look_rows(const struct eb_looking *k, const struct eb_matchspec *m,
		       size_t *n);
/* Of those: might a channel that could not be had decide otherwise? */
bool eb_look_is_open(const struct eb_looking *k, const struct eb_matchspec *m,
		     const uint32_t *row, size_t n);
/* The nearest of sorted versions to the place where one would stand. */
void eb_look_near(const struct eb_strv *sorted, size_t at, struct eb_buf *out);
/* Versions of records, oldest first, each once. */
void eb_look_versions(const struct eb_looking *k, const uint32_t *row, size_t n,
		      struct eb_strv *out);

/* lint_index_python.c */
void eb_look_python(struct eb_looking *k);
/* Is a record for one of these Pythons? */
bool eb_look_suits(const struct eb_looking *k, const struct eb_record *r);

/* lint_index_pip.c */
int eb_look_pip(struct eb_looking *k, const struct eb_linted *l,
		struct eb_error *err);

#endif
