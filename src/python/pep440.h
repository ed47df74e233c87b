/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of Python projects (PEP 440): reading and normal texts. */
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

/*
 * Version specifiers from `*at` on (`>=1, <2`), as far as they go; `*at` is
 * moved behind them. Each is added to `out` in the form that is hashed:
 * operator and version without trailing zeros (kept behind `~=`, and where
 * the version ends in `.*`; behind `===` the text as it is).
 */
int eb_specifiers_parse(const char **at, struct eb_strv *out,
			struct eb_error *err);

#endif
