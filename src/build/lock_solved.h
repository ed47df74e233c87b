/* SPDX-License-Identifier: Apache-2.0 */
/* What the solver was asked, in the commentary of a lock. */
#ifndef EB_LOCK_SOLVED_H
#define EB_LOCK_SOLVED_H

#include <jansson.h>

#include <envbuild/config.h>
#include <envbuild/solve.h>

/* channels, priority, specs, pins and virtual packages; URLs without
 * credentials. New reference. */
json_t *eb_solved_json(const struct eb_solve_request *q);

/* The same read back. */
struct eb_solved {
	struct eb_channels channels;
	char *alias; /* NULL: conda's own */
	enum eb_priority priority;
	struct eb_matchspec **spec, **pin;
	size_t n_specs, n_pins;
	struct eb_virtual *virtuals; /* NULL: not known */
	size_t n_virtuals;
};
/* `what` for messages; EB_INPUT. */
int eb_solved_read(const json_t *j, const char *what, struct eb_solved *out,
		   struct eb_error *err);
void eb_solved_release(struct eb_solved *s);

/* resolve_packages.c: the virtual packages of the machine that the options and
 * CONDA_OVERRIDE_* tell of, where there is no base to ask; NULL: they say
 * nothing. The caller frees it and its strings. */
struct eb_virtual *eb_target_virtuals(const struct eb_config *config,
				      size_t *n);

#endif
