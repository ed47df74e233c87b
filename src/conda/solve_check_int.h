/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of the checker of sets: the rules (solve_check.c), what
 * does for a spec (solve_check_fits.c), what was asked for
 * (solve_check_request.c), what the channels have besides
 * (solve_check_channels.c). */
#ifndef EB_SOLVE_CHECK_INT_H
#define EB_SOLVE_CHECK_INT_H

#include <envbuild/solve_check.h>

struct eb_sc_member {
	const struct eb_record *r;
	struct eb_version *version; /* NULL: it is none */
	bool reached;
};

struct eb_sc {
	const struct eb_set *set;
	const char *alias;
	struct eb_sc_member *member; /* sorted by name */
	size_t n;
	struct eb_sc_member *virtuals; /* in their order */
	struct eb_record *virtual_record;
	struct eb_strv unknown; /* what the first of several needs of a machine
				 * that is not known */
	struct eb_strv group;	/* "NAME[GROUP]" that were looked at */
	struct eb_set_problems *out;
};

/* "numpy 1.19.2 py38_0"; caller frees. */
char *eb_sc_label(const struct eb_record *r);
void eb_sc_add(struct eb_sc *c, const char *check, const char *subject,
	       const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void eb_sc_note(struct eb_sc *c, const char *check, const char *subject,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The members of a name: the first, and how many. */
struct eb_sc_member *eb_sc_find(const struct eb_sc *c, const char *name,
				size_t *n);
/* Does the record satisfy all of the spec, its channel too? */
bool eb_sc_fits(const struct eb_sc *c, const struct eb_matchspec *m,
		const struct eb_record *r, const struct eb_version *version);

bool eb_sc_is_virtual(const char *name);
/* Does the condition of a dependency hold? One without any holds. */
bool eb_sc_counts(const struct eb_sc *c, const struct eb_matchspec *m);

/* What becomes of one dependency or constraint. */
enum eb_sc_verdict {
	EB_SC_FITS,
	EB_SC_MISSING, /* nothing of that name */
	EB_SC_OTHER,   /* the name, but not so */
	EB_SC_UNKNOWN, /* a virtual package of a machine that is not known */
	EB_SC_UNREADABLE,
};
/* `any`: one of the name is enough; otherwise each has to do, and *other is one
 * that does not. */
enum eb_sc_verdict eb_sc_spec(const struct eb_sc *c,
			      const struct eb_matchspec *m, bool any,
			      const struct eb_sc_member **other);
enum eb_sc_verdict eb_sc_needs(const struct eb_sc *c, const char *text,
			       const struct eb_sc_member **other);
enum eb_sc_verdict eb_sc_allows(const struct eb_sc *c, const char *text,
				const struct eb_sc_member **other);

/* The groups that a spec asks for are looked at later, each once. */
void eb_sc_ask_groups(struct eb_sc *c, const struct eb_matchspec *m);

/* solve_check_request.c: specs and pins; what no spec leads to. */
void eb_sc_request(struct eb_sc *c);
void eb_sc_reach(struct eb_sc *c);
/* solve_check_channels.c: features, channels, priority. */
void eb_sc_channels(struct eb_sc *c);

#endif
