/* SPDX-License-Identifier: Apache-2.0 */
/* Text patterns of a MatchSpec: exact, glob ("py3*"), regular expression
 * ("^py(36|37).*$"). */
#ifndef EB_CONDA_PATTERN_H
#define EB_CONDA_PATTERN_H

#include <stdbool.h>

#include <envbuild/error.h>

enum eb_pattern_kind {
	EB_PATTERN_NONE, /* not given: matches everything */
	EB_PATTERN_ALL,	 /* "*" */
	EB_PATTERN_EXACT,
	EB_PATTERN_GLOB,
	EB_PATTERN_REGEX,
};

struct eb_pattern {
	enum eb_pattern_kind kind;
	bool fold; /* letter case does not count */
	char *text;
	void *regex;
};

/* `what` is for messages ("build"). A regular expression is extended POSIX
 * with \d, \w, \s; at most 512 bytes, no counts, no back-references. */
int eb_pattern_parse(const char *text, bool fold, const char *what,
		     struct eb_pattern *out, struct eb_error *err);
void eb_pattern_release(struct eb_pattern *p);
/* NULL text is matched by NONE alone. */
bool eb_pattern_match(const struct eb_pattern *p, const char *text);

#endif
