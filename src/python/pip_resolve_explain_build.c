/* SPDX-License-Identifier: Apache-2.0 */
/* An sdist whose metadata has to be built, where that cannot be. */
#include "pip_resolve_int.h"

#include <string.h>

/* "future==0.17.1" or "horovod @ https://...": the name. */
static char *name_of(const char *stop)
{
	eb_autofree char *raw = eb_strndup(stop, strcspn(stop, "=[ @"));

	return eb_project_name(raw);
}

int eb_resolve_at_project(struct eb_resolving *z, const char *name,
			  struct eb_error *err)
{
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; i < set->n; i++) {
		const struct eb_pip_line *l = &set->requirement[i];
		const char *is = eb_resolve_line_name(z, l);

		if (is && strcmp(is, name) == 0)
			return eb_err_at(err, l->file, l->line, l->column);
	}
	for (size_t i = 0; i < z->log.n; i++)
		if (strcmp(z->log.edge[i].name, name) == 0)
			return eb_resolve_at(z, &z->log.edge[i], err);
	return -1;
}

int eb_resolve_explain_build(struct eb_resolving *z, struct eb_error *err)
{
	eb_autofree char *name = name_of(z->stop);

	eb_err_set(err, EB_NO,
		   "\"%s\" has no wheel, and only building it tells what it "
		   "requires",
		   z->stop);
	eb_err_hint(err, z->what ? "a build takes wheels alone"
				 : "that takes the environment's own Python in "
				   "a sandbox, which cannot be had here");
	if (z->what)
		eb_err_prefix(err, "%s", z->what);
	return eb_resolve_at_project(z, name, err);
}
