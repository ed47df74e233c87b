/* SPDX-License-Identifier: Apache-2.0 */
/* The base of a lock that is made: given, or decided (decision.h). */
#ifndef EB_RESOLVE_BASE_H
#define EB_RESOLVE_BASE_H

#include <envbuild/decision.h>

#include "build_private.h"

/* What a decision is made of, beside the options. Any may be NULL. */
struct eb_deciding {
	const char *cuda;	    /* instead of --cuda */
	const struct eb_base *base; /* the one that the user names, opened */
	const struct eb_lock *lock; /* the packages; NULL: the lines alone */
};
/* -1: EB_USAGE. A refusal is a decision. */
int eb_decide_base(const struct eb_env *env, const struct eb_config *config,
		   const struct eb_deciding *from, struct eb_decision **out,
		   struct eb_error *err);

/* The base that the user names, or that of the decision; *d is made by the way
 * (`cuda`: instead of --cuda). A refusal is an error, EB_NO. */
int eb_choose_base(struct eb_resolver *r, const char *cuda,
		   struct eb_base **out, struct eb_decision **d,
		   struct eb_error *err);
/* The base of a decision. */
int eb_open_decided(struct eb_resolver *r, struct eb_decision *d,
		    struct eb_base **out, struct eb_error *err);
/* resolve_nearest.c: a base that its registry has not: the nearest one into the
 * error's hint, where there is one. Always -1. */
int eb_name_nearest(struct eb_resolver *r, const char *reference,
		    struct eb_error *err);
/* resolve.c: the lock for a base, by r->decision. *solved: conda's part is
 * done, whatever the pip section says. */
int eb_resolve_with_base(struct eb_resolver *r, const struct eb_base *base,
			 struct eb_lock **out, bool *solved,
			 struct eb_error *err);

/* Its variables and labels into the image's settings, all of it into the
 * commentary; nothing of one that changes nothing. */
void eb_lock_take_decision(struct eb_lock *lock, const struct eb_decision *d);

#endif
