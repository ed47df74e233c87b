/* SPDX-License-Identifier: Apache-2.0 */
/* conda's version order and version specs (CEP 33, CEP 29). Where tools do not
 * agree: envbuild-matchspec(5). */
#ifndef EB_VERSION_H
#define EB_VERSION_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/mem.h>

struct eb_version; /* immutable, may be shared between threads */

/* Accepts what CEP 33 accepts, white space around it stripped; NULL with
 * EB_INPUT naming the text and the first thing wrong with it. Length at most
 * 1,024 bytes. Digit runs have no upper bound. */
struct eb_version *eb_version_parse(const char *text, struct eb_error *err);
void eb_version_free(struct eb_version *v);
EB_AUTOPTR(struct eb_version, eb_version_free)
/* -1, 0, 1; total and transitive. */
int eb_version_compare(const struct eb_version *a, const struct eb_version *b);
/* conda's startswith: the fuzzy match of `=1.2` and `1.2.*`. */
bool eb_version_starts_with(const struct eb_version *v,
			    const struct eb_version *prefix);
const char *eb_version_text(const struct eb_version *v); /* as given */

/* A constraint such as ">=1.8,<2|1.9.*" ("," binds tighter than "|";
 * parentheses allowed; blanks beside operators mean nothing). Also taken, in
 * conda's meaning, are the odd forms that repodata holds (2.7.*.*, ">=2.*.*",
 * "0.2.18.*."). Strict is for what a user wrote; lenient takes an empty text
 * for "*", too. */
struct eb_verspec;
enum eb_strictness { EB_STRICT, EB_LENIENT };
struct eb_verspec *eb_verspec_parse(const char *text, enum eb_strictness how,
				    struct eb_error *err);
void eb_verspec_free(struct eb_verspec *s);
EB_AUTOPTR(struct eb_verspec, eb_verspec_free)
bool eb_verspec_match(const struct eb_verspec *s, const struct eb_version *v);
/* Spec as conda's canonical text ("1.2.*" for "=1.2"). */
const char *eb_verspec_text(const struct eb_verspec *s);
/* The same for all spellings that mean the same: terms sorted, each once. */
const char *eb_verspec_normal(const struct eb_verspec *s);

#endif
