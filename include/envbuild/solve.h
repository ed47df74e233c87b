/* SPDX-License-Identifier: Apache-2.0 */
/* Solving: which records satisfy the specs (facts: candidate order, libsolv
 * encoding without conda support). The answer does not depend on the order of
 * specs or records. */
#ifndef EB_SOLVE_H
#define EB_SOLVE_H

#include <stdbool.h>

#include <envbuild/error.h>
#include <envbuild/event.h>
#include <envbuild/matchspec.h>
#include <envbuild/repodata.h>

enum eb_priority {
	EB_PRIORITY_STRICT,
	EB_PRIORITY_FLEXIBLE,
	EB_PRIORITY_DISABLED
};

/* The machine that will run the image, not the one that builds it. */
struct eb_virtual {
	char *name, *version, *build; /* "__glibc", "2.36", "0" */
};

struct eb_solve_request {
	const struct eb_repodata *repodata;
	const struct eb_matchspec *const *spec;
	size_t n_specs;
	const struct eb_virtual *virtuals;
	size_t n_virtuals;
	enum eb_priority priority;
	const struct eb_channels *channels; /* for channel:: specs; or NULL */
	const char *alias;		    /* NULL: EB_CHANNEL_ALIAS */
	bool pip_beside_python; /* python in the answer brings pip, when the
				 * repodata has one (conda's default) */
};

struct eb_solution {
	size_t *record;	 /* indexes into the repodata, in link order:
			  * dependencies first, ties by name */
	bool *requested; /* a spec names it */
	size_t n;
};

/* EB_NO: no solution; the message names the specs that cannot be had and
 * why, in the user's words (no internal ids). */
int eb_solve(const struct eb_solve_request *request, struct eb_solution *out,
	     struct eb_events *events, struct eb_error *err);
void eb_solution_release(struct eb_solution *s);

/* The link order of a set of records: order[i] is the index of the i-th. Two
 * of one name: EB_INPUT. */
int eb_link_order(const struct eb_record *const *record, size_t n,
		  size_t *order, struct eb_error *err);

#endif
