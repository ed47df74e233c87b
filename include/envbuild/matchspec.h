/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MatchSpec (CEP 29) in all its spellings: "numpy=1.11", "numpy >=1.8,<2",
 * "conda-forge::python 3.8.* *_cpython", "x[build_number='>=2']", URLs.
 * What a user wrote is parsed EB_STRICT (two spaces after an operator are
 * fine; `name[extras]` without `=` is an error that names the pip section;
 * `name=>1` suggests `>=`); what repodata holds EB_LENIENT.
 */
#ifndef EB_MATCHSPEC_H
#define EB_MATCHSPEC_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>
#include <envbuild/record.h>
#include <envbuild/version.h>

struct eb_matchspec; /* immutable */

struct eb_matchspec *eb_matchspec_parse(const char *text,
					enum eb_strictness how,
					struct eb_error *err);
void eb_matchspec_free(struct eb_matchspec *m);
EB_AUTOPTR(struct eb_matchspec, eb_matchspec_free)

/* conda's canonical text, as data/vectors/matchspec_canonical.tsv has it, for
 * people. Parsing it again gives the same text, but it leaves things out as
 * conda does: the URL of a file in a channel, `*.*`, which member of
 * "defaults". Where that matters: the normal text. */
const char *eb_matchspec_text(const struct eb_matchspec *m);
/* As definitions are hashed: `name[build='...',version='1.2.*']` with sorted
 * keys; spellings that mean the same give one text, and parsing it gives an
 * equal spec. A channel stands as written, less credentials. */
const char *eb_matchspec_normal(const struct eb_matchspec *m);
/* Lower-case name, or NULL where it is a glob or regular expression. */
const char *eb_matchspec_name(const struct eb_matchspec *m);
/* As written before "::" or in channel=, or NULL; subdir likewise. */
const char *eb_matchspec_channel(const struct eb_matchspec *m);
const char *eb_matchspec_subdir(const struct eb_matchspec *m);
/* Version constraint as text, or NULL when any. */
const char *eb_matchspec_version(const struct eb_matchspec *m);
/* Build as written, a glob or regular expression too, or NULL when any. */
const char *eb_matchspec_build(const struct eb_matchspec *m);
bool eb_matchspec_is_bare(const struct eb_matchspec *m); /* a name alone */
/* URL of an explicit package file, or NULL. */
const char *eb_matchspec_url(const struct eb_matchspec *m);

/* Does the record satisfy everything but the channel? `version` is the
 * record's parsed version (callers keep it). */
bool eb_matchspec_match(const struct eb_matchspec *m, const struct eb_record *r,
			const struct eb_version *version);
/* Does the spec's channel (if any) name this canonical channel URL? Short
 * names stand for a channel below `alias`. */
bool eb_matchspec_channel_is(const struct eb_matchspec *m,
			     const char *channel_url, const char *alias);

#endif
