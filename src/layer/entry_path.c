/* SPDX-License-Identifier: Apache-2.0 */
/* Which names may enter an image. */
#include <string.h>

#include "layer_priv.h"

#define PATH_LIMIT 4096
#define NAME_LIMIT 255

static const char *bad_component(const char *p, size_t n)
{
	if (n == 0)
		return "it has an empty component";
	if (n > NAME_LIMIT)
		return "a component is longer than 255 bytes";
	if (p[0] != '.')
		return NULL;
	if (n == 1 || (n == 2 && p[1] == '.'))
		return "it has a component \".\" or \"..\"";
	if (n >= 4 && memcmp(p, ".wh.", 4) == 0)
		return "\".wh.\" marks what a layer removes";
	return NULL;
}

static const char *bad_path(const char *path)
{
	size_t n = strlen(path);
	const char *why = NULL;

	if (n == 0)
		return "it is empty";
	if (path[0] == '/')
		return "it is absolute";
	if (n > PATH_LIMIT)
		return "it is longer than 4096 bytes";
	if (!eb_utf8_valid(path, n))
		return "it is not UTF-8";
	while (!why) {
		n = strcspn(path, "/");
		why = bad_component(path, n);
		if (!path[n])
			return why;
		path += n + 1;
	}
	return why;
}

int eb_path_check(const char *path, const char *what, struct eb_error *err)
{
	const char *why = bad_path(path);
	eb_autofree char *shown = NULL;

	if (!why)
		return 0;
	shown = eb_printable(path);
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", the path \"%s\" cannot enter an image: %s",
			  what, shown, why);
}
