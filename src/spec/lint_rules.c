/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of lint: one table, which envbuild-lint(5) explains. */
#include <string.h>

#include <envbuild/lint.h>

#define E EB_LEVEL_ERROR
#define W EB_LEVEL_WARNING
#define N EB_LEVEL_NOTE

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
	{ "base-deprecated", W, "an image that its maker gave up" },
	{ "base-deleted", E, "an image that is not to be had any more" },
	{ "base-has-conda", N, "an image with a conda of its own" },
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
	{ "dockerfile-old-system", W, "a distribution that gets no fixes" },
	/* frameworks */
	{ "torch-pairing", E, "torch and torchvision that do not fit" },
	{ "cuda-mismatch", E, "packages that were built for several CUDAs" },
	{ "gpu-on-cpu-base", W, "a GPU's framework on a base without CUDA" },
	{ "base-cuda", W, "a base's CUDA that is not the packages'" },
	{ "glibc-too-old", E, "wheels that need a newer glibc" },
	{ "training-needs", W, "what distributed training lacks" },
	{ "build-needs", W, "what a build from source lacks" },
	{ "name-claims", W, "a name that promises something else" },
	{ "cuda-refused", E, "no CUDA that serves all packages" },
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
