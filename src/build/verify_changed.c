/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that post-link scripts changed or removed, by the list that their layer
 * has: what packages say of these is not true any more. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "build_private.h"
#include "verify_claims.h"

static size_t mark(struct eb_claims *c, const struct eb_strv *sorted)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		c->v[i].changed = eb_in_sorted(sorted, c->v[i].path);
		n += c->v[i].changed &&
		     (i == 0 || strcmp(c->v[i - 1].path, c->v[i].path) != 0);
	}
	return n;
}

static bool is_there(const struct eb_claims *c)
{
	eb_autofree char *path = eb_path_join(c->prefix, EB_POST_LINK_CHANGED);
	eb_autofd int fd = eb_inside(c->root, path, O_PATH, false);

	return fd >= 0;
}

int eb_verify_changed(struct eb_claims *c, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv path = { 0 };
	EB_AUTOBUF(text, EB_MAX_PATHLIST);
	size_t n;

	if (!is_there(c))
		return 0;
	if (eb_claims_read(c, EB_POST_LINK_CHANGED, &text, err) < 0)
		return -1;
	eb_strv_split(&path, text.data, "\n");
	eb_strv_sort(&path);
	n = mark(c, &path);
	if (n)
		eb_finding_note(c->out, "files", NULL,
				"%zu files of packages were changed or removed "
				"by post-link scripts",
				n);
	return 0;
}
