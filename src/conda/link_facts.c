/* SPDX-License-Identifier: Apache-2.0 */
/* What the paths of a payload tell: scripts that want to be run. */
#include <string.h>

#include <envbuild/link.h>

static bool is_file_in(const char *path, const char *folder, const char *end)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && !strchr(path + n, '/') &&
	       eb_ends(path, end);
}

void eb_link_facts(const struct eb_entries *paths, const struct eb_record *r,
		   const struct eb_link_target *t, struct eb_link_facts *out)
{
	eb_autofree char *post = eb_asprintf("bin/.%s-post-link.sh", r->name);
	eb_autofree char *pre = eb_asprintf("bin/.%s-pre-link.sh", r->name);
	size_t root = strlen(t->prefix + 1);

	*out = (struct eb_link_facts){ 0 };
	for (size_t i = 0; i < paths->n; i++) {
		const char *path = paths->entry[i].path;

		if (strncmp(path, t->prefix + 1, root) != 0 ||
		    path[root] != '/' || paths->entry[i].type == EB_ENTRY_DIR)
			continue;
		path += root + 1;
		out->post_link |= strcmp(path, post) == 0;
		out->pre_link |= strcmp(path, pre) == 0;
		out->n_activate +=
			is_file_in(path, "etc/conda/activate.d/", ".sh");
		out->n_env_vars +=
			is_file_in(path, "etc/conda/env_vars.d/", ".json");
	}
}
