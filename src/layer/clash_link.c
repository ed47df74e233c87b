/* SPDX-License-Identifier: Apache-2.0 */
/* Where symbolic links lead, by their text alone. */
#include <string.h>

#include "clash_priv.h"
#include "layer_priv.h"

static const char *without_slash(const char *path)
{
	while (*path == '/')
		path++;
	return path;
}

bool eb_path_within(const char *path, const char *prefix)
{
	size_t n;

	prefix = without_slash(prefix);
	n = strlen(prefix);
	while (n && prefix[n - 1] == '/')
		n--;
	return strncmp(path, prefix, n) == 0 &&
	       (!path[n] || path[n] == '/' || n == 0);
}

/* -1 above the top. */
static int go_up(struct eb_buf *path)
{
	if (path->len == 0)
		return -1;
	while (path->len && path->data[path->len - 1] != '/')
		path->len--;
	if (path->len)
		path->len--;
	path->data[path->len] = '\0';
	return 0;
}

static int go(struct eb_buf *path, const char *name, size_t n)
{
	if (n == 0 || (n == 1 && name[0] == '.'))
		return 0;
	if (n == 2 && name[0] == '.' && name[1] == '.')
		return go_up(path);
	if (path->len)
		eb_buf_addch(path, '/');
	return eb_buf_add(path, name, n);
}

char *eb_link_target(const char *path, const char *target, const char *prefix)
{
	EB_AUTOBUF(at, EB_MAX_METADATA);
	size_t n;

	if (*target != '/') {
		eb_buf_adds(&at, path);
		go_up(&at);
	}
	for (; *target; target += n + !!target[n]) {
		n = strcspn(target, "/");
		if (go(&at, target, n) < 0)
			return NULL;
	}
	if (at.len == 0 || !eb_path_within(at.data, prefix))
		return NULL;
	return eb_buf_steal(&at, &n);
}
