/* SPDX-License-Identifier: Apache-2.0 */
/* Which cgroup we are in, and where its folder is. */
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>

#include "sandbox_cgroup.h"

#define LINES_MAX ((size_t)4 << 20) /* of mountinfo, on a busy machine */

static int read_lines(const char *path, struct eb_strv *line)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, LINES_MAX);

	if (eb_read_file(path, LINES_MAX, &text, &err) < 0)
		return -1;
	eb_strv_split(line, text.data, "\n");
	return 0;
}

/* Is it one of the words of a list with commas? */
static bool in_list(const char *list, size_t n, const char *word)
{
	size_t len = strlen(word), part;

	for (; n; list += part, n -= part) {
		part = 0;
		while (part < n && list[part] != ',')
			part++;
		if (part == len && strncmp(list, word, len) == 0)
			return true;
		if (part < n)
			part++;
	}
	return false;
}

/* "4:memory:/a/b", "0::/a/b" -> "/a/b" */
static char *own_path(const char *controller)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };
	size_t i;

	if (read_lines("/proc/self/cgroup", &line) < 0)
		return NULL;
	for (i = 0; i < line.n; i++) {
		const char *list = strchr(line.v[i], ':');
		const char *path = list ? strchr(list + 1, ':') : NULL;
		size_t n;

		if (!path)
			continue;
		n = (size_t)(path - ++list);
		if (controller ? in_list(list, n, controller) : n == 0)
			return eb_strdup(path + 1);
	}
	return NULL;
}

/* "31 23 0:28 ROOT POINT OPTIONS [FIELDS] - TYPE SOURCE SUPER" */
static char *folder_of(const char *line, const char *controller,
		       const char *path)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv left = { 0 }, right = { 0 };
	const char *dash = strstr(line, " - ");
	const char *root, *point, *super;
	size_t n;

	if (!dash)
		return NULL;
	eb_strv_split(&left, line, " ");
	eb_strv_split(&right, dash + 3, " ");
	if (left.n < 6 || right.n < 3 ||
	    strcmp(right.v[0], controller ? "cgroup" : "cgroup2") != 0)
		return NULL;
	super = right.v[2];
	if (controller && !in_list(super, strlen(super), controller))
		return NULL;
	root = left.v[3];
	point = left.v[4];
	n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return eb_asprintf("%s%s", point,
			   strcmp(path + n, "/") == 0 ? "" : path + n);
}

char *eb_cgroup_own(const char *controller)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };
	eb_autofree char *path = own_path(controller);
	size_t i;

	if (!path || strstr(path, "/..") ||
	    read_lines("/proc/self/mountinfo", &line) < 0)
		return NULL;
	for (i = 0; i < line.n; i++) {
		char *folder = folder_of(line.v[i], controller, path);

		if (folder && eb_path_exists(folder))
			return folder;
		free(folder);
	}
	return NULL;
}
