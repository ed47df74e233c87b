/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of an image that differ in case alone: both are there, and a file
 * system that folds case shows one of them. */
#include <string.h>

#include <envbuild/plan.h>

#include "verify_claims.h"

#define CHECK "case"

/* The claims of each owner, as what it would put into an image. */
static struct eb_clash_member *members(const struct eb_claims *c,
				       struct eb_entries *paths)
{
	struct eb_clash_member *m = eb_calloc(c->owner.n + 1, sizeof *m);

	for (size_t i = 0; i < c->owner.n; i++) {
		m[i].name = c->owner.v[i];
		m[i].paths = &paths[i];
	}
	for (size_t i = 0; i < c->n; i++)
		eb_entries_add(&paths[c->v[i].owner], c->v[i].path,
			       EB_ENTRY_FILE);
	return m;
}

void eb_verify_case(struct eb_claims *c)
{
	EB_CLEANUP(eb_clashes_release) struct eb_clashes found = { 0 };
	eb_autofree struct eb_entries *paths =
		eb_calloc(c->owner.n + 1, sizeof *paths);
	eb_autofree struct eb_clash_member *m = members(c, paths);

	eb_clashes_find_cased(m, c->owner.n, &found);
	for (size_t i = 0; i < found.n_cased; i++) {
		const struct eb_case_clash *one = &found.cased[i];

		eb_finding_note(c->out, CHECK, one->path,
				"of %s and \"%s\" of %s differ in case alone",
				m[one->member].name, one->other,
				m[one->other_member].name);
	}
	if (found.cased_within)
		eb_finding_note(c->out, CHECK, NULL,
				"%zu path%s within one package that differ%s "
				"in case alone from another",
				found.cased_within,
				found.cased_within == 1 ? "" : "s",
				found.cased_within == 1 ? "s" : "");
	for (size_t i = 0; i < c->owner.n; i++)
		eb_entries_release(&paths[i]);
}
