/* SPDX-License-Identifier: Apache-2.0 */
/* Versions and version specs: two lines, A and B. The order is antisymmetric,
 * a spec's canonical text means what the spec means. */
#include <envbuild/version.h>

#include "fuzz.h"

static void order(const char *a, const char *b)
{
	struct eb_error ea EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_error eb EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *x = eb_version_parse(a, &ea);
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *y = eb_version_parse(b, &eb);

	fuzz_verdict(x ? 0 : -1, &ea);
	fuzz_verdict(y ? 0 : -1, &eb);
	if (x)
		FUZZ_CHECK(eb_version_compare(x, x) == 0);
	if (x && y)
		FUZZ_CHECK(eb_version_compare(x, y) ==
			   -eb_version_compare(y, x));
}

static void match(const char *version, const char *spec, enum eb_strictness how)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *v = eb_version_parse(version, &ignored);
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *s = eb_verspec_parse(spec, how, &err);
	EB_CLEANUP(eb_verspec_free_ptr) struct eb_verspec *again = NULL;

	fuzz_verdict(s ? 0 : -1, &err);
	if (!s)
		return;
	again = eb_verspec_parse(eb_verspec_normal(s), how, &err);
	FUZZ_CHECK(again);
	FUZZ_CHECK(!strcmp(eb_verspec_normal(again), eb_verspec_normal(s)));
	if (v)
		FUZZ_CHECK(eb_verspec_match(s, v) ==
			   eb_verspec_match(again, v));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	eb_autofree char *text = eb_strndup((const char *)data, size);
	char *line = strchr(text, '\n');

	if (line)
		*line++ = '\0';
	order(text, line ? line : "");
	match(text, line ? line : "", EB_STRICT);
	match(text, line ? line : "", EB_LENIENT);
	return 0;
}
