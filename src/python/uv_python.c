/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What uv is told of machines: the Python that it looks at, and the platform
 * that it resolves for.
 *
 * uv wants to see an interpreter before it resolves, whatever the target. It
 * runs a script of its own in it, isolated (-I), so one of the system's will
 * do; for anything else that Python does not start at all (PYTHONHOME, set by
 * the call).
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/process.h>

#include "uv.h"

static const char *const usual[] = {
	"/usr/bin/python3",
	"/bin/python3",
	"/usr/local/bin/python3",
};

/* A shell script in its place (pyenv's shims) would run another program. */
bool eb_uv_is_elf(const char *path)
{
	char start[4] = "";
	FILE *f = fopen(path, "re");
	bool yes = f && fread(start, 1, 4, f) == 4 &&
		   memcmp(start, "\177ELF", 4) == 0;

	if (f)
		fclose(f);
	return yes;
}

/* Of PREFIX/bin/python3.11 that is PREFIX. */
static char *folder_of(const char *real)
{
	const char *end = strrchr(real, '/');

	while (end && end > real && end[-1] != '/')
		end--;
	if (!end || end - real < 2)
		return NULL;
	return eb_strndup(real, (size_t)(end - real) - 1);
}

static char *in_path(char **folder)
{
	eb_autofree char *found = eb_find_program("python3");
	eb_autofree char *real = found ? realpath(found, NULL) : NULL;

	if (!real || !eb_uv_is_elf(real))
		return NULL;
	*folder = folder_of(real);
	return eb_steal(real);
}

char *eb_uv_python(char **folder, struct eb_error *err)
{
	char *found;

	*folder = NULL;
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (access(usual[i], X_OK) == 0 && eb_uv_is_elf(usual[i]))
			return eb_strdup(usual[i]);
	found = in_path(folder);
	if (found)
		return found;
	eb_err_set(err, EB_MACHINE,
		   "\"python3\", which uv has to look at, is not on this "
		   "machine");
	eb_err_hint(err, "install the system's python3; any version will do, "
			 "it is only asked what it is");
	return NULL;
}

/* What uv has names for, of glibc 2. */
static const unsigned known[] = { 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 28 };

char *eb_uv_platform(const struct eb_python_target *t)
{
	unsigned major = 0, minor = 0;
	size_t i;

	if (strcmp(t->arch, "x86_64") && strcmp(t->arch, "aarch64"))
		return NULL;
	if (t->musl) /* 1.2; a newer one's wheels are passed by */
		return eb_asprintf("%s-unknown-linux-musl", t->arch);
	if (sscanf(t->glibc, "%u.%u", &major, &minor) != 2 || major < 2)
		return NULL;
	for (i = 0; i < sizeof known / sizeof *known; i++)
		if (major > 2 || minor >= known[i])
			return eb_asprintf("%s-manylinux_2_%u", t->arch,
					   known[i]);
	return eb_asprintf("%s-manylinux_2_17", t->arch);
}
