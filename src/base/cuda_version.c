/* SPDX-License-Identifier: Apache-2.0 */
/* Versions as the tables and packages spell them. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT

int eb_cuda_compare(const char *a, const char *b)
{
	AUTOERR(ignored);
	AUTOERR(ignored_too);
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *va = eb_version_parse(a, &ignored);
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *vb = eb_version_parse(b, &ignored_too);

	return va && vb ? eb_version_compare(va, vb) : strcmp(a, b);
}

bool eb_cuda_fits(const char *version, const char *spec)
{
	AUTOERR(ignored);
	AUTOERR(ignored_too);
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *v = eb_version_parse(version, &ignored);
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *s = eb_verspec_parse(spec, EB_LENIENT, &ignored_too);

	return v && s && eb_verspec_match(s, v);
}

char *eb_cuda_minor(const char *version)
{
	size_t n = strcspn(version, ".");

	if (version[n] == '.')
		n += 1 + strspn(version + n + 1, "0123456789");
	return eb_strndup(version, n);
}

bool eb_same_major(const char *a, const char *b)
{
	size_t n = strspn(a, "0123456789");

	return n == strspn(b, "0123456789") && memcmp(a, b, n) == 0;
}

bool eb_is_numbers(const char *text)
{
	size_t n = strspn(text, "0123456789.");

	return n && !text[n] && text[0] != '.' && text[n - 1] != '.' &&
	       !strstr(text, "..") && n < 32;
}
