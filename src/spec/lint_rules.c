/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of lint: one table, which envbuild-lint(5) explains. */
#include <string.h>

#include <envbuild/lint.h>

#define E EB_LEVEL_ERROR, EB_RULE_TEXT
#define W EB_LEVEL_WARNING, EB_RULE_TEXT
#define N EB_LEVEL_NOTE, EB_RULE_TEXT
#define BASE_E EB_LEVEL_ERROR, EB_RULE_BASE
#define BASE_W EB_LEVEL_WARNING, EB_RULE_BASE
#define BASE_N EB_LEVEL_NOTE, EB_RULE_BASE
#define INDEX_E EB_LEVEL_ERROR, EB_RULE_INDEX
#define INDEX_W EB_LEVEL_WARNING, EB_RULE_INDEX
#define INDEX_N EB_LEVEL_NOTE, EB_RULE_INDEX

static const struct eb_rule rules[] = {
	/* the file */
	{ "unreadable", E, "a definition that cannot be read" },
	{ "odd-form", W, "keys and values that mean nothing" },
	{ "not-utf-8", E, "bytes that are no UTF-8" },
	/* names */
	{ "reserved-name", E, "a name that only curated environments have" },
	{ "name-too-long", E, "a name of more than 255 characters" },
	/* conda and pip lines */
	{ "bad-conda-spec", E, "a line that is no package of conda" },
	{ "bad-pip-requirement", E, "a line that pip does not take" },
	{ "bad-wheel-name", E, "a file that is called a wheel and is none" },
	{ "expired-url", E, "a signed URL whose time is over" },
	{ "no-dependencies", E, "a conda file without dependencies" },
	{ "no-channels", N, "a conda file without channels" },
	{ "mixed-channels", W, "defaults and conda-forge in one environment" },
	{ "channel-for-pytorch-cuda", E,
	  "pytorch-cuda without the channel nvidia" },
	{ "duplicate-package", W, "a package asked for twice, or by both" },
	{ "unpinned", N, "packages without a version" },
	{ "pip-not-listed", N, "a pip section without pip" },
	{ "pip-not-pinned", N, "pip without a version" },
	/* Python */
	{ "no-python", W, "no line that says which Python" },
	{ "several-pythons", W, "two lines that say which Python" },
	{ "python-end-of-life", W, "a Python that gets no fixes any more" },
	{ "python-patch-too-low", W, "a Python too old for a wheel" },
	/* the base */
	{ "no-base", E, "neither an image nor a Dockerfile" },
	{ "several-bases", E, "more than one of image, Dockerfile, context" },
	{ "base-not-pinned", W, "an image without tag or digest, or latest" },
	{ "base-deprecated", BASE_W, "an image that its maker gave up" },
	{ "base-deleted", BASE_E, "an image that is not to be had any more" },
	{ "base-has-conda", BASE_N, "an image with a conda of its own" },
	{ "registry-login", E, "one half of a login, or two logins" },
	{ "secret", E, "a password in a definition" },
	/* Azure's definitions */
	{ "deprecated-attribute", W, "attributes that Azure gave up" },
	{ "variables-in-definition", N, "variables that belong to a job" },
	{ "base-conda-environment", W, "a conda environment of the base" },
	{ "r-section", W, "a section for R" },
	{ "context-location", E, "a build context that lies nowhere" },
	{ "context-with-others", E, "what a build context excludes" },
	{ "windows", E, "an image for Windows" },
	/* Dockerfiles */
	{ "dockerfile-too-long", E, "a Dockerfile over 102,400 characters" },
	{ "dockerfile-missing", E, "a Dockerfile that is not there" },
	{ "dockerfile-instruction", E, "an instruction that there is not" },
	{ "dockerfile-copy", E, "a file to copy that is not there" },
	{ "dockerfile-apt", E, "an apt-get that asks, or knows no packages" },
	{ "dockerfile-conda", E, "a conda that no line and no base brings" },
	{ "dockerfile-old-system", W, "a distribution that gets no fixes" },
	/* frameworks */
	{ "torch-pairing", BASE_E, "torch and torchvision that do not fit" },
	{ "cuda-mismatch", BASE_E,
	  "packages that were built for several CUDAs" },
	{ "gpu-on-cpu-base", BASE_W,
	  "a GPU's framework on a base without CUDA" },
	{ "base-cuda", BASE_W, "a base's CUDA that is not the packages'" },
	{ "glibc-too-old", BASE_E, "wheels that need a newer glibc" },
	{ "training-needs", BASE_W, "what distributed training lacks" },
	{ "build-needs", BASE_W, "what a build from source lacks" },
	{ "name-claims", BASE_W, "a name that promises something else" },
	{ "cuda-refused", BASE_E, "no CUDA that serves all packages" },
	{ "infiniband", BASE_W, "what InfiniBand lacks in the image" },
	/* indexes */
	{ "no-such-package", INDEX_E, "a name that no channel or index has" },
	{ "no-such-channel", INDEX_E, "a channel that there is not" },
	{ "other-channel", INDEX_E,
	  "a package of a channel that is not asked" },
	{ "other-platform", INDEX_E, "a package for other machines alone" },
	{ "no-such-version", INDEX_E, "a version that there is not" },
	{ "no-such-build", INDEX_E, "a build that there is not" },
	{ "requires-python", INDEX_E, "a version for other Pythons alone" },
	{ "withdrawn", INDEX_W, "a version that its maker took back" },
	{ "source-only", INDEX_W, "a project without a wheel, no compiler" },
	{ "several-indexes", INDEX_W, "a name that two indexes have" },
	{ "index-login", INDEX_E, "an index that wants another login" },
	{ "index-silent", INDEX_N, "an index that did not answer" },
};

const struct eb_rule *eb_rule_at(size_t i)
{
	return i < sizeof rules / sizeof *rules ? &rules[i] : NULL;
}

const struct eb_rule *eb_rule_find(const char *name)
{
	for (size_t i = 0; eb_rule_at(i); i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}

const char *eb_level_name(enum eb_level level)
{
	static const char *const names[] = { "note", "warning", "error" };

	return names[level];
}
