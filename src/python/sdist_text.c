/* SPDX-License-Identifier: Apache-2.0 */
/* Which files of a source distribution tell something of its build. */
#include <string.h>

#include "sdist_int.h"

/* Folders that lie between the top and a path's last component. */
static unsigned depth(const char *path)
{
	unsigned n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

static const char *last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "src/x.egg-info" of "src/x.egg-info/requires.txt", at most three deep; NULL
 * for other paths. Caller frees. */
static char *egg_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	eb_autofree char *folder =
		slash ? eb_strndup(path, (size_t)(slash - path)) : NULL;

	if (!folder || !eb_ends(folder, ".egg-info") || depth(folder) > 2)
		return NULL;
	return eb_steal(folder);
}

/* Is it this one, or one nearer to the top? Then what was read goes. */
static bool take_egg(struct eb_sdist_texts *t, char *egg)
{
	if (t->egg && !strcmp(t->egg, egg))
		return true;
	if (t->egg && depth(t->egg) <= depth(egg))
		return false;
	free(t->egg);
	free(eb_steal(t->requires));
	free(eb_steal(t->setup_requires));
	t->egg = eb_strdup(egg);
	return true;
}

char **eb_sdist_text_place(struct eb_sdist_texts *t, const char *path)
{
	eb_autofree char *egg = egg_of(path);

	if (!strcmp(path, "PKG-INFO"))
		return &t->pkg_info;
	if (!strcmp(path, "pyproject.toml"))
		return &t->pyproject;
	if (!strcmp(path, "setup.py"))
		return &t->setup_py;
	if (!strcmp(path, "setup.cfg"))
		return &t->setup_cfg;
	if (!egg || !take_egg(t, egg))
		return NULL;
	if (!strcmp(last(path), "requires.txt"))
	return &t->requires;
	if (!strcmp(last(path), "setup_requires.txt"))
		return &t->setup_requires;
	return NULL;
}

static bool in_list(const char *text, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncmp(*list, text, n))
			return true;
	return false;
}

/* Sources that come along, but are not of the project itself. */
static bool is_beside(const char *path)
{
	static const char *const folders[] = {
		"test",	    "tests",	  "doc",   "docs", "example",
		"examples", "benchmarks", "bench", NULL
	};
	const char *slash;

	for (; (slash = strchr(path, '/')); path = slash + 1)
		if (in_list(path, (size_t)(slash - path), folders))
			return true;
	return false;
}

void eb_sdist_note_source(struct eb_sdist_texts *t, const char *path)
{
	static const char *const endings[] = {
		"c",   "cc",  "cpp", "cxx", "c++", "C", "pyx", "f",  "F", "for",
		"f77", "f90", "f95", "F90", "cu",  "m", "mm",  "rs", NULL
	};
	const char *dot = strrchr(last(path), '.');

	if (t->c_file || !dot || !in_list(dot + 1, strlen(dot + 1), endings) ||
	    is_beside(path))
		return;
	t->c_file = eb_strdup(path);
}

void eb_sdist_texts_release(struct eb_sdist_texts *t)
{
	free(t->pkg_info);
	free(t->pyproject);
	free(t->setup_py);
	free(t->setup_cfg);
	free(t->requires);
	free(t->setup_requires);
	free(t->egg);
	free(t->c_file);
	memset(t, 0, sizeof *t);
}
