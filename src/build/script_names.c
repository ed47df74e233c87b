/* SPDX-License-Identifier: Apache-2.0 */
/* Who has scripts, by path lists alone. */
#include <string.h>

#include "build_private.h"

bool eb_is_post_link(const struct eb_build *b, const struct eb_work *w)
{
	return w->package && w->facts.post_link &&
	       !strcmp(b->lock->post_link, "run");
}

bool eb_has_post_link(const struct eb_build *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (eb_is_post_link(b, &b->work[i]))
			return true;
	return false;
}

/* "opt/env/etc/conda/activate.d/NAME.sh" */
static bool is_sourced(const char *path, const char *folder)
{
	return eb_path_is_below(path, folder) &&
	       !strchr(path + strlen(folder) + 1, '/') && eb_ends(path, ".sh");
}

static char *folder_of(const char *prefix)
{
	return eb_asprintf("%s/etc/conda/activate.d", prefix + 1);
}

bool eb_is_activated(const struct eb_work *w, const char *prefix)
{
	eb_autofree char *folder = folder_of(prefix);

	for (size_t i = 0; i < w->paths.n; i++)
		if (is_sourced(w->paths.entry[i].path, folder))
			return true;
	return false;
}

bool eb_has_activation(const struct eb_build *b)
{
	eb_autofree char *folder = folder_of(b->lock->prefix);

	if (strcmp(b->lock->activation, "env"))
		return false;
	for (size_t i = 0; i < b->n; i++)
		if (eb_is_activated(&b->work[i], b->lock->prefix))
			return true;
	for (size_t i = 0; i < b->post_link.path.n; i++)
		if (is_sourced(b->post_link.path.v[i], folder))
			return true;
	return false;
}
