/* SPDX-License-Identifier: Apache-2.0 */
/* MatchSpecs: parsing the canonical or the normal text again gives the same
 * text, and what is matched by one is matched by the other. */
#include <envbuild/matchspec.h>

#include "fuzz.h"

static const struct eb_record record = {
	.name = "numpy",
	.version = "1.19.2",
	.build = "py37h54aff64_0",
	.subdir = "linux-64",
	.fn = "numpy-1.19.2-py37h54aff64_0.tar.bz2",
	.channel = "https://c.example/conda-forge",
	.url = "https://c.example/conda-forge/linux-64/"
	       "numpy-1.19.2-py37h54aff64_0.tar.bz2",
	.build_number = 0,
};

static void normal_again(const struct eb_matchspec *m,
			 const struct eb_version *v)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *n =
		eb_matchspec_parse(eb_matchspec_normal(m), EB_LENIENT, &err);

	FUZZ_CHECK(n);
	FUZZ_CHECK(!strcmp(eb_matchspec_normal(n), eb_matchspec_normal(m)));
	FUZZ_CHECK(eb_matchspec_match(n, &record, v) ==
		   eb_matchspec_match(m, &record, v));
}

/* Of "*.*" conda's text leaves "=*", which is any version; "==" before the
 * first of several terms is taken away when it is read again. */
static bool conda_rereads(const char *version)
{
	return !strcmp(version, "*.*") || !strncmp(version, "==", 2);
}

static void text_again(const struct eb_matchspec *m)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *t =
		eb_matchspec_parse(eb_matchspec_text(m), EB_LENIENT, &err);

	FUZZ_CHECK(t);
	if (eb_matchspec_version(m) && conda_rereads(eb_matchspec_version(m)))
		return;
	FUZZ_CHECK(!strcmp(eb_matchspec_text(t), eb_matchspec_text(m)));
}

static void parse(const char *text, enum eb_strictness how)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *v = eb_version_parse(record.version, &err);
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(text, how, &err);

	fuzz_verdict(m ? 0 : -1, &err);
	if (!m)
		return;
	eb_matchspec_match(m, &record, v);
	eb_matchspec_channel_is(m, record.channel, "https://c.example");
	text_again(m);
	normal_again(m, v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	eb_autofree char *text = eb_strndup((const char *)data, size);

	parse(text, EB_STRICT);
	parse(text, EB_LENIENT);
	return 0;
}
