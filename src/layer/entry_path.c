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
	shown = eb_printable_line(path);
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", the path \"%s\" cannot enter an image: %s",
			  what, shown, why);
}

/* The end of a name sorts first, then the slash, then all other bytes. */
static int rank(char c)
{
	if (c == '\0')
		return 0;
	return c == '/' ? 1 : 2 + (unsigned char)c;
}

int eb_path_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return rank(*a) - rank(*b);
}

bool eb_path_is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && path[n] == '/';
}

int eb_path_refuse_below(const char *path, const char *file, const char *what,
			 struct eb_error *err)
{
	eb_autofree char *shown = eb_printable_line(path);
	eb_autofree char *above = eb_printable_line(file);

	return eb_err_set(err, EB_INPUT,
			  "\"%s\" has a member \"%s\" below \"%s\", which is a "
			  "file",
			  what, shown, above);
}
