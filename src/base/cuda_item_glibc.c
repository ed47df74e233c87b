/* SPDX-License-Identifier: Apache-2.0 */
/* Which glibc a package asks for: a wheel by its tags, a package of conda by
 * __glibc among what it depends on. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>
#include <envbuild/tags.h>

#include "cuda_item.h"

static const struct {
	const char *tag, *glibc;
} aliases[] = {
	{ "manylinux1_", "2.5" },
	{ "manylinux2010_", "2.12" },
	{ "manylinux2014_", "2.17" },
};

static char *of_tag(const char *tag)
{
	const char *at = strstr(tag, "manylinux");
	unsigned major, minor;

	if (!at)
		return NULL;
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (eb_starts(at, aliases[i].tag))
			return eb_strdup(aliases[i].glibc);
	if (sscanf(at, "manylinux_%4u_%4u_", &major, &minor) != 2)
		return NULL;
	return eb_asprintf("%u.%u", major, minor);
}

/* Of several tags the oldest one is enough. */
static char *of_wheel(const char *file)
{
	EB_CLEANUP(eb_wheel_name_release) struct eb_wheel_name w = { 0 };
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	char *least = NULL;

	if (!file || eb_wheel_name_parse(file, &w, &ignored) < 0)
		return NULL;
	for (size_t i = 0; i < w.tags.n; i++) {
		char *one = of_tag(w.tags.v[i]);

		if (one && least && eb_cuda_compare(one, least) >= 0) {
			free(one);
			continue;
		}
		if (one) {
			free(least);
			least = one;
		}
	}
	return least;
}

static char *of_depends(const struct eb_strv *depends)
{
	for (size_t i = 0; depends && i < depends->n; i++) {
		const char *at = depends->v[i];

		if (!eb_starts(at, "__glibc") || !(at = strstr(at, ">=")))
			continue;
		at += 2;
		return eb_strndup(at, strspn(at, "0123456789."));
	}
	return NULL;
}

char *eb_item_glibc(const struct eb_decision_package *p)
{
	return p->python_side ? of_wheel(p->file) : of_depends(p->depends);
}
