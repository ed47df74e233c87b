/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions of Python projects and what is asked of them (PEP 440, version
 * specifiers specification; facts 5.3).
 */
#ifndef EB_PEP440_H
#define EB_PEP440_H

#include <stdbool.h>
#include <stddef.h>

#include <envbuild/error.h>
#include <envbuild/str.h>

struct eb_pep440 {
	char *text;	 /* normal: 1.0rc1, 1!2.0.post3+a.7 */
	char *canonical; /* that without trailing zeros of the release */
	unsigned n_release;
	bool has_suffix; /* pre, post or dev */
	bool has_local;
};

/* -1 when the `n` bytes are no version; white space is none. */
int eb_pep440_parse(const char *s, size_t n, struct eb_pep440 *out);
void eb_pep440_release(struct eb_pep440 *v);

/* *order: -1, 0, 1. EB_INPUT that names the text which is no version. White
 * space around is left out. Numbers have no upper bound. */
int eb_pep440_compare(const char *a, const char *b, int *order,
		      struct eb_error *err);
bool eb_pep440_is_pre(const char *version); /* pre-release or dev; false when
					     * it is no version */

/*
 * Version specifiers from `*at` on (`>=1, <2`), as far as they go; `*at` is
 * moved behind them. Each is added to `out` in the form that is hashed:
 * operator and version without trailing zeros (kept behind `~=`, and where
 * the version ends in `.*`; behind `===` the text as it is).
 */
int eb_specifiers_parse(const char **at, struct eb_strv *out,
			struct eb_error *err);

enum eb_pre {
	EB_PRE_DENY,  /* no pre-release, whatever the specifiers say */
	EB_PRE_ALLOW, /* all that are in range */
	/* By the specifiers: those that name a pre-release admit all in range;
	 * else they come in only where nothing else is in range, as with a
	 * version that is looked at alone. */
	EB_PRE_LONE,
};
/* Is the version in range of the whole text (`>=1, <2`; empty: all are)? 1, 0,
 * -1: EB_INPUT, these are no specifiers. What is no version is in range of ===
 * and of an empty text alone. */
int eb_specifiers_contain(const char *specifiers, const char *version,
			  enum eb_pre pre, struct eb_error *err);
/* Those of a list that are admitted; `keep` has one place a version. */
int eb_specifiers_filter(const char *specifiers, const struct eb_strv *versions,
			 enum eb_pre pre, bool *keep, struct eb_error *err);

#endif
