/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a channel says about a package becomes parts of paths and URLs: only
 * what cannot lead elsewhere is taken.
 */
#include <ctype.h>
#include <string.h>

#include <envbuild/version.h>

#include "repodata_int.h"

#define MAX_PART 255

static bool all_of(const char *s, size_t n, const char *also)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr(also, s[i]))
			return false;
	return true;
}

const char *eb_rd_bad_name(const char *name, size_t n)
{
	if (!n)
		return "its name is empty";
	if (n > MAX_PART || *name == '.' || *name == '-' ||
	    !all_of(name, n, "._-+"))
		return "its name is none that a package can have";
	return NULL;
}

const char *eb_rd_bad_build(const char *build, size_t n)
{
	if (!n)
		return "its build is empty";
	if (n > MAX_PART || *build == '.' || !all_of(build, n, "._-+!~=@,"))
		return "its build string has characters that no file name "
		       "should have";
	return NULL;
}

const char *eb_rd_bad_fn(const char *fn, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)fn[i] <= ' ' ||
		    strchr("/\\?#%\"\x7f", fn[i]))
			return "its file name leads elsewhere";
	if (n > MAX_PART || *fn == '.' || *fn == '-')
		return "its file name cannot be one";
	if ((n > 6 && !memcmp(fn + n - 6, ".conda", 6)) ||
	    (n > 8 && !memcmp(fn + n - 8, ".tar.bz2", 8)))
		return NULL;
	return "its file is neither .conda nor .tar.bz2";
}

const char *eb_rd_bad_version(const char *version)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_version *v = eb_version_parse(version, &err);
	bool odd = strpbrk(version, "/\\ \t\n\"") != NULL;

	eb_err_release(&err);
	eb_version_free(v);
	return v && !odd ? NULL : "its version is none";
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int eb_rd_hex(const char *text, size_t n, uint8_t *out, size_t out_n)
{
	if (n != 2 * out_n)
		return -1;
	for (size_t i = 0; i < out_n; i++) {
		int hi = digit(text[2 * i]), lo = digit(text[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return -1;
		out[i] = (uint8_t)(hi << 4 | lo);
	}
	return 0;
}
