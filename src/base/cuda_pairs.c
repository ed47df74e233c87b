/* SPDX-License-Identifier: Apache-2.0 */
/* torch, torchvision and torchaudio go together: each release of one is
 * compiled against one release of the other. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/pep440.h>

#include "cuda_int.h"

static const struct eb_framework *find_torch(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++)
		if (strcmp(c->framework[i].name, "torch") == 0)
			return &c->framework[i];
	return NULL;
}

static bool allows(const struct eb_item *i, const char *version)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (i->version)
		return eb_cuda_compare(i->version, version) == 0;
	if (!i->constraint)
		return true;
	if (!i->python_side)
		return eb_cuda_fits(version, i->constraint);
	return eb_specifiers_contain(i->constraint, version, EB_PRE_DENY,
				     &ignored) > 0;
}

/* Is it the partner of a torch that is in the table? */
static bool is_partner(const char *version, unsigned cell)
{
	struct eb_table t;
	bool found = false;

	eb_table_open(&t, eb_frameworks_tsv);
	while (!found && eb_table_next(&t)) {
		const char *partner = t.row.cell[cell];

		found = partner &&
			strcmp(t.row.cell[FRAMEWORK_NAME], "torch") == 0 &&
			eb_cuda_compare(version, partner) == 0;
	}
	eb_table_close(&t);
	return found;
}

/* One patch of the same release, which the table gives to no other torch, may
 * be for this one: not all of them are listed. */
static bool allows_sibling(const struct eb_item *i, const char *partner,
			   unsigned cell)
{
	const char *dot = strrchr(partner, '.');

	if (!dot || strchr(partner, '.') == dot)
		return false;
	for (unsigned patch = 0; patch < 10; patch++) {
		eb_autofree char *sibling = eb_asprintf(
			"%.*s.%u", (int)(dot - partner), partner, patch);

		if (allows(i, sibling) && !is_partner(sibling, cell))
			return true;
	}
	return false;
}

static void check(struct eb_case *c, const struct eb_framework *torch,
		  const char *name, unsigned cell)
{
	const struct eb_item *i = eb_item_find(c, name);
	const char *partner = torch->cell[cell];

	if (!i || !partner || allows(i, partner) ||
	    allows_sibling(i, partner, cell))
		return;
	eb_strv_addf(&c->d->warning,
		     "torch %s goes with %s %s, and \"%s\" is another: either "
		     "nothing is found to install, or its compiled operators "
		     "do not load.",
		     torch->version, name, partner, i->shown);
	eb_warning_rule(c, "torch-pairing");
}

static bool same_build(const struct eb_item *a, const struct eb_item *b)
{
	return !a || !b || !a->local || !b->local ||
	       strcmp(a->local, b->local) == 0;
}

void eb_cuda_pairs(struct eb_case *c)
{
	const struct eb_framework *torch = find_torch(c);
	const struct eb_item *vision = eb_item_find(c, "torchvision");

	if (!torch)
		return;
	if (!torch->assumed) {
		check(c, torch, "torchvision", FRAMEWORK_VISION);
		check(c, torch, "torchaudio", FRAMEWORK_AUDIO);
	}
	if (same_build(torch->item, vision))
		return;
	eb_strv_addf(&c->d->warning,
		     "\"%s\" and \"%s\" are builds for different "
		     "hardware: the operators of the second do not "
		     "load.",
		     torch->item->shown, vision->shown);
	eb_warning_rule(c, "torch-pairing");
}
