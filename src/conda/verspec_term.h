/* SPDX-License-Identifier: Apache-2.0 */
/* One term of a version constraint: ">=1.8", "1.2.*", "!=1.0", "^1\..*$". */
#ifndef EB_CONDA_VERSPEC_TERM_H
#define EB_CONDA_VERSPEC_TERM_H

#include "pattern.h"
#include <envbuild/version.h>

enum eb_term_op {
	EB_TERM_ANY,
	EB_TERM_EQ,
	EB_TERM_NE,
	EB_TERM_LT,
	EB_TERM_LE,
	EB_TERM_GT,
	EB_TERM_GE,
	EB_TERM_STARTS,
	EB_TERM_NOT_STARTS,
	EB_TERM_COMPATIBLE, /* at least `version`, starts with `prefix` */
	EB_TERM_PATTERN,    /* of the version's text */
};

struct eb_term {
	enum eb_term_op op;
	struct eb_version *version, *prefix;
	struct eb_pattern pattern;
	char *text;   /* as conda writes it back */
	char *normal; /* one text for all spellings of it */
};

/* `text` without white space; not empty. */
int eb_term_parse(const char *text, struct eb_term *out, struct eb_error *err);
void eb_term_release(struct eb_term *t);
bool eb_term_match(const struct eb_term *t, const struct eb_version *v);

/* Of a constraint that is one row of <, <=, >, >= and ==, or one of them, or
 * none: its terms, at most `most`; how many. -1: it is another. */
int eb_verspec_row(const struct eb_verspec *s, const struct eb_term **term,
		   int most);

#endif
