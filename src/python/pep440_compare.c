/* SPDX-License-Identifier: Apache-2.0 */
/* Two texts as versions: which is the newer. */
#include <string.h>

#include "pep440_key.h"

static int read_version(const char *text, struct eb_pep440_key *out,
			struct eb_error *err)
{
	if (eb_pep440_key_read(text, strlen(text), out) == 0)
		return 0;
	return eb_err_set(err, EB_INPUT, "\"%s\" is no version (PEP 440)",
			  text);
}

int eb_pep440_compare(const char *a, const char *b, int *order,
		      struct eb_error *err)
{
	struct eb_pep440_key x EB_CLEANUP(eb_pep440_key_release) = { 0 };
	struct eb_pep440_key y EB_CLEANUP(eb_pep440_key_release) = { 0 };

	if (read_version(a, &x, err) < 0 || read_version(b, &y, err) < 0)
		return -1;
	*order = eb_pep440_key_compare(&x, &y);
	return 0;
}

bool eb_pep440_is_pre(const char *version)
{
	struct eb_pep440_key k EB_CLEANUP(eb_pep440_key_release) = { 0 };

	return eb_pep440_key_read(version, strlen(version), &k) == 0 &&
	       eb_pep440_key_is_pre(&k);
}
