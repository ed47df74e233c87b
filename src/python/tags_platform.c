/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms of a target: linux, then manylinux or musllinux down from the
 * version of its C library. */
#include <string.h>

#include "tags_platform.h"

#define MAX_MINOR 199 /* so that a list stays short */

static const char *number(const char *p, unsigned *out)
{
	const char *from = p;

	for (*out = 0; *p >= '0' && *p <= '9'; p++) {
		if (p - from == 3)
			return NULL;
		*out = *out * 10 + (unsigned)(*p - '0');
	}
	return p > from ? p : NULL;
}

const char *eb_tags_numbers(const char *text, unsigned *major, unsigned *minor)
{
	const char *p = number(text, major);

	return p && *p == '.' ? number(p + 1, minor) : NULL;
}

/* "2.31", "2.12.1": the two first numbers. */
static int read_libc(const char *what, const char *text, unsigned major,
		     unsigned *minor, struct eb_error *err)
{
	unsigned found;
	const char *end = eb_tags_numbers(text, &found, minor);

	if (end && (!*end || *end == '.') && found == major &&
	    *minor <= MAX_MINOR)
		return 0;
	return eb_err_set(err, EB_INPUT, "%s \"%s\": not a version %u.x", what,
			  text, major);
}

static int check_arch(const char *arch, struct eb_error *err)
{
	if (arch && *arch && strlen(arch) <= 32 &&
	    !arch[strspn(arch, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return 0;
	return eb_err_set(err, EB_INPUT, "\"%s\": not the name of a machine",
			  arch ? arch : "");
}

static bool is_intel(const char *arch)
{
	return strcmp(arch, "x86_64") == 0 || strcmp(arch, "i686") == 0;
}

/* Each older name stands right behind its number. */
static void manylinux(struct eb_strv *out, unsigned minor, const char *arch)
{
	unsigned least = is_intel(arch) ? 5 : 17;

	for (; minor >= least; minor--) {
		eb_strv_addf(out, "manylinux_2_%u_%s", minor, arch);
		if (minor == 17)
			eb_strv_addf(out, "manylinux2014_%s", arch);
		else if (minor == 12)
			eb_strv_addf(out, "manylinux2010_%s", arch);
		else if (minor == 5)
			eb_strv_addf(out, "manylinux1_%s", arch);
	}
}

int eb_tags_platforms(const struct eb_python_target *t, struct eb_strv *out,
		      struct eb_error *err)
{
	unsigned minor = 0;

	if (check_arch(t->arch, err) < 0)
		return -1;
	if (t->musl ? read_libc("musl", t->musl, 1, &minor, err)
		    : read_libc("glibc", t->glibc ? t->glibc : "", 2, &minor,
				err))
		return -1;
	eb_strv_addf(out, "linux_%s", t->arch);
	if (!t->musl) {
		manylinux(out, minor, t->arch);
		return 0;
	}
	for (unsigned m = minor + 1; m-- > 0;)
		eb_strv_addf(out, "musllinux_1_%u_%s", m, t->arch);
	return 0;
}
