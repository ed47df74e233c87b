/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MatchSpec (CEP 29) in all its spellings: "numpy=1.11", "numpy >=1.8,<2",
 * "conda-forge::python 3.8.* *_cpython", "x[build_number='>=2']", URLs.
 * What a user wrote is parsed EB_STRICT (two spaces after an operator are
 * fine; `name[extras]` without `=` is an error that names the pip section;
 * `name=>1` suggests `>=`); what repodata holds EB_LENIENT. Where tools do
 * not agree on a form, envbuild-matchspec(5) says which meaning it has here.
 *
 * Of repodata v3 there are `when` (CEP 43), `extras` (CEP 44) and `flags` (CEP
 * 45). A condition has at most 64 parts; its parentheses go 16 deep.
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
/* URL of an explicit package file, or NULL. Behind a "#" it may have a hash
 * (CEP 23), which then counts as md5= or sha256= does. */
const char *eb_matchspec_url(const struct eb_matchspec *m);
/* The SHA-256 that a package has to have, else the MD5, as digits; or NULL. */
const char *eb_matchspec_hash(const struct eb_matchspec *m);

/* Groups of optional dependencies that it asks for, as written; maybe none. */
const struct eb_strv *eb_matchspec_extras(const struct eb_matchspec *m);
/* The condition of when=, as written, or NULL; a blank one is none. */
const char *eb_matchspec_when(const struct eb_matchspec *m);

/* Does the record satisfy everything but the channel and `when`? `version` is
 * the record's parsed version (callers keep it). A group that the record does
 * not have is no hindrance (CEP 44). */
bool eb_matchspec_match(const struct eb_matchspec *m, const struct eb_record *r,
			const struct eb_version *version);
/* Does the record have all groups that the spec asks for? conda's own match
 * wants that, too. */
bool eb_matchspec_has_extras(const struct eb_matchspec *m,
			     const struct eb_record *r);
/* The same in parts, for the many records of one name: the version alone; what
 * is neither name, version nor channel; does it ask for any of that, or for a
 * channel? */
bool eb_matchspec_fits_version(const struct eb_matchspec *m,
			       const struct eb_version *version);
/* Of sorted versions, all different: the first that fits, and one behind the
 * last. false: this constraint may fit some with others between. */
bool eb_matchspec_version_range(const struct eb_matchspec *m,
				const struct eb_version *const *version,
				size_t n, size_t *first, size_t *end);
bool eb_matchspec_fits_more(const struct eb_matchspec *m,
			    const struct eb_record *r);
bool eb_matchspec_asks_more(const struct eb_matchspec *m);
/* Does the spec's channel (if any) name this canonical channel URL? Short
 * names stand for a channel below `alias`. */
bool eb_matchspec_channel_is(const struct eb_matchspec *m,
			     const char *channel_url, const char *alias);

#endif
