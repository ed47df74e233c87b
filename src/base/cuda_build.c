/* SPDX-License-Identifier: Apache-2.0 */
/* What build strings of conda and suffixes of wheels say about CUDA. */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

/* Digits without a dot: the last one is the minor (126, 101); two are the
 * whole of an old one (80, 92), else a major alone. */
static char *minor_of_digits(const char *digits, size_t n)
{
	if (n == 3)
		return eb_asprintf("%.2s.%c", digits, digits[2]);
	if (n == 2 && (*digits == '8' || *digits == '9'))
		return eb_asprintf("%c.%c", digits[0], digits[1]);
	return NULL;
}

/* "12.1", "10.1.243", "126"; others say nothing. */
static char *minor_behind(const char *at)
{
	size_t n = strspn(at, "0123456789");

	if (n && at[n] == '.' && isdigit((unsigned char)at[n + 1])) {
		eb_autofree char *all =
			eb_strndup(at, strspn(at, "0123456789."));

		return eb_cuda_minor(all);
	}
	return minor_of_digits(at, n);
}

/* A word stands alone: between signs that are no letters. */
static const char *find_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word))) {
		bool before = at > text && isalpha((unsigned char)at[-1]);

		if (!before && !isalpha((unsigned char)at[n]))
			return at;
		at++;
	}
	return NULL;
}

static bool says_cpu(const char *build)
{
	static const char *const words[] = { "cpu", "mkl", "eigen" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (find_word(build, words[i]))
			return true;
	return false;
}

int eb_build_says(const char *build, char **minor)
{
	const char *at;

	*minor = NULL;
	if (!build)
		return 0;
	at = find_word(build, "cuda");
	if (at) {
		at += strlen("cuda");
		*minor = minor_behind(at + (*at == '_'));
		return 1;
	}
	if (find_word(build, "gpu"))
		return 1;
	return says_cpu(build) ? -1 : 0;
}

int eb_suffix_says(const char *word, char **minor)
{
	*minor = NULL;
	if (strcmp(word, "cpu") == 0)
		return -1;
	if (strncmp(word, "cu", 2) != 0 || !isdigit((unsigned char)word[2]))
		return 0;
	*minor = minor_of_digits(word + 2, strspn(word + 2, "0123456789"));
	return 1;
}
