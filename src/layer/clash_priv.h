/* SPDX-License-Identifier: Apache-2.0 */
/* Claims: which member has which path, as what. */
#ifndef EB_CLASH_PRIV_H
#define EB_CLASH_PRIV_H

#include <envbuild/plan.h>

struct eb_claim {
	uint64_t hash;
	const char *path; /* not ended by NUL where it is a directory above */
	size_t len;
	uint32_t member;
	bool may_fold;		      /* its name has what folding may change */
	const struct eb_entry *entry; /* NULL: a directory above an entry */
};

/* Every claim of every member, those of one path together, by member. The
 * caller frees. */
struct eb_claim *eb_claims_make(const struct eb_clash_member *m, size_t n,
				size_t *n_claims);
/* How many claims from the first on are of its path; at most `left`. */
size_t eb_claims_run(const struct eb_claim *c, size_t left);
/* The claims of this path, NULL: there are none. Its hash. */
const struct eb_claim *eb_claims_of(const struct eb_claim *c, size_t n,
				    const char *path, size_t len,
				    uint64_t *hash);
/* clash_case.c: paths that differ in case alone, added to `out`. */
void eb_cases_find(const struct eb_claim *c, size_t n, struct eb_clashes *out);
bool eb_claim_is_leaf(const struct eb_claim *c); /* a file or link */

/* Where a symbolic link at `path` leads: a path as entries have it; NULL when
 * it leaves the prefix ("/opt/env" or "opt/env"). */
char *eb_link_target(const char *path, const char *target, const char *prefix);
bool eb_path_within(const char *path, const char *prefix);

#endif
