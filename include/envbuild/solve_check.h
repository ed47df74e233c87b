/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a set of records an answer to what was asked? A straight reading of the
 * rules (CEP 26, 29, 30, 34, 36), record by record; nothing of how eb_solve()
 * searches is in it, so that each can be held against the other.
 */
#ifndef EB_SOLVE_CHECK_H
#define EB_SOLVE_CHECK_H

#include <envbuild/solve.h>

/* What is checked; all of it stays the caller's. */
struct eb_set {
	const struct eb_record *const *record;
	size_t n;
	/* What was asked for; none: nothing is known of that. */
	const struct eb_matchspec *const *spec;
	size_t n_specs;
	/* What else may not be of these names (conda's pinned packages). */
	const struct eb_matchspec *const *pin;
	size_t n_pins;
	/* The machine. NULL: it is not known, and what needs it is a note, of
	 * the first that does. Of several of one name, one has to do. */
	const struct eb_virtual *virtuals;
	size_t n_virtuals;
	const char *subdir; /* "linux-64"; NULL: any platform is right */
	/* For "channel::name" and for priority, in order; or NULL. */
	const struct eb_channels *channels;
	const char *alias;		    /* NULL: EB_CHANNEL_ALIAS */
	const struct eb_repodata *repodata; /* of these channels; or NULL */
	enum eb_priority priority; /* strict is checked, with repodata */
};

/* One thing that is wrong, or (note) that one may want to know. */
struct eb_set_problem {
	bool note;
	/* "twice", "platform", "version", "depends", "constrains", "machine",
	 * "features", "priority", "channel", "request", "pin", "unneeded" */
	const char *check;
	char *subject; /* "numpy 1.19.2 py38_0", or a spec */
	char *text;    /* goes on where the subject ends */
};
struct eb_set_problems {
	struct eb_set_problem *v;
	size_t n, alloc;
	size_t bad; /* those that are no notes */
};
void eb_set_problems_release(struct eb_set_problems *p);

/*
 * Everything that is wrong is added to `out`:
 *
 *	twice	    two records of one name
 *	platform    a record of another subdir than this and noarch
 *	version	    one that is no version: nothing can match it
 *	depends	    a dependency that nothing there satisfies
 *	constrains  a record that another one does not allow
 *	machine	    either, of a virtual package
 *	features    a build with a feature that nothing there tracks, where the
 *		    same version has another one which fits as well (a note
 *		    where there is none)
 *	channel	    a record of a channel that is not among `channels`
 *	priority    a channel before its own has the name (strict alone; not
 *		    where a spec names the channel)
 *	request	    a spec that nothing there satisfies
 *	pin	    a record that a pin does not allow
 *	unneeded    a note: no spec leads to it
 *
 * A dependency with a condition (when=, CEP 43) counts where the set fulfils
 * the condition; those of a group (extras=, CEP 44) where something asks for
 * the group. One that cannot be read is a note, as every solver ignores it.
 */
void eb_set_check(const struct eb_set *set, struct eb_set_problems *out);

#endif
