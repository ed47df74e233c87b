/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local files and folders that a call of uv reads: on this machine they are
 * seen where they are; for a call elsewhere they are copied into its folder.
 */
#include <errno.h>
#include <string.h>

#include <envbuild/file.h>

#include "uv.h"

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *eb_uv_stage(const struct eb_uv_call_plan *plan,
		  struct eb_uv_call_made *out, const char *path,
		  struct eb_error *err)
{
	eb_autofree char *real = realpath(path, NULL), *name = NULL,
			 *folder = NULL, *to = NULL;

	if (!real) {
		eb_err_errno(err, EB_INPUT, errno, "\"%s\", looking for it",
			     path);
		return NULL;
	}
	if (!plan->away) {
		eb_strv_add(&out->see, real);
		return eb_strdup(path);
	}
	name = eb_asprintf("local-%zu", out->local.n);
	folder = eb_path_join(out->dir, name);
	to = eb_path_join(folder, base_of(real));
	if (eb_mkdirs(folder, 0700, err) < 0 || eb_copy_tree(real, to, err) < 0)
		return NULL;
	eb_strv_add(&out->local, path);
	eb_strv_addf(&out->staged, "%s/%s", name, base_of(real));
	return eb_asprintf("%s/%s", name, base_of(real));
}

/* --- in a line ------------------------------------------------------- */

bool eb_uv_local_in(const struct eb_pip_line *l, size_t *at, size_t *n)
{
	const char *url = strstr(l->text, "file://");

	*at = 0;
	if (l->path && eb_starts(l->text, l->path)) {
		*n = strlen(l->path);
		return true;
	}
	/* what stands in a repository's URL is no file that is read */
	if (!l->path || !url || (url > l->text && url[-1] == '+'))
		return false;
	*at = (size_t)(url - l->text);
	*n = strcspn(url, "#?;[\t ");
	return true;
}
