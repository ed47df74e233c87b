/* SPDX-License-Identifier: Apache-2.0 */
/* What does not belong together within an environment. */
#include <stdio.h>
#include <string.h>

#include "contents.h"

/* What a base brings may be replaced by what comes on top of it. */
static bool is_exact(const struct eb_content *c)
{
	return c && !c->of_base &&
	       (!strcmp(c->op, "==") || !strcmp(c->op, "=") ||
		!strcmp(c->op, "~="));
}

/* Of torch 1.2 and newer: each minor has one of torchvision; two early ones
 * share theirs. */
static void torch_and_vision(const struct eb_contents *has, struct eb_strv *out)
{
	const struct eb_content *torch = eb_contents_find(has, "torch");
	const struct eb_content *vision = eb_contents_find(has, "torchvision");
	unsigned major, minor, got;

	if (!is_exact(torch) || !is_exact(vision) ||
	    sscanf(torch->version, "%u.%u", &major, &minor) != 2 ||
	    sscanf(vision->version, "0.%u", &got) != 1 ||
	    (major == 1 && minor < 2) || major < 1 || major > 2)
		return;
	minor = major == 2 ? minor + 15 : minor < 4 ? 4 : minor + 1;
	if (minor != got)
		eb_strv_addf(out,
			     "torchvision %s belongs to another torch: %s has "
			     "0.%u",
			     vision->version, torch->version, minor);
}

/* CUDA that TensorFlow's wheels take from the system, by the first version. */
static const struct {
	const char *from, *cuda;
} tensorflows[] = {
	{ "2.14", NULL },  { "2.12", "11.8" }, { "2.5", "11.2" },
	{ "2.4", "11.0" }, { "2.1", "10.1" },  { "1.13", "10.0" },
	{ "1.5", "9.0" },
};

static const char *tensorflow_cuda(const char *version)
{
	for (size_t i = 0; i < sizeof tensorflows / sizeof *tensorflows; i++)
		if (eb_version_heads(version, tensorflows[i].from) >= 0)
			return tensorflows[i].cuda;
	return NULL;
}

static void tensorflow_and_base(const struct eb_contents *has,
				struct eb_strv *out)
{
	const struct eb_content *tf = eb_contents_find(has, "tensorflow");
	const char *needs = is_exact(tf) && !eb_ends(tf->name, "-cpu") &&
					    !strstr(tf->extras, "cuda")
				    ? tensorflow_cuda(tf->version)
				    : NULL;

	if (needs && has->cuda && eb_version_heads(needs, has->cuda))
		eb_strv_addf(out, "%s %s needs CUDA %s, and its base has %s",
			     tf->name, tf->version, needs, has->cuda);
}

/* The base, wheels with a local version, toolkits of conda: all of one. */
static void one_cuda(const struct eb_contents *has, struct eb_strv *out)
{
	const struct eb_content *other = NULL;
	eb_autofree char *first = NULL;

	for (size_t i = 0; i < has->n; i++) {
		const struct eb_content *c = &has->item[i];
		eb_autofree char *cuda = eb_content_cuda(c);

		if (!cuda)
			continue;
		if (has->cuda && eb_version_heads(cuda, has->cuda))
			eb_strv_addf(out,
				     "%s is not of CUDA %s, which its "
				     "base has",
				     c->line, has->cuda);
		if (first && eb_version_heads(cuda, first))
			eb_strv_addf(out, "%s and %s are of two CUDAs",
				     other->line, c->line);
		if (!first) {
			first = eb_steal(cuda);
			other = c;
		}
	}
}

void eb_claims_pairs(const struct eb_contents *has, struct eb_strv *out)
{
	torch_and_vision(has, out);
	tensorflow_and_base(has, out);
	one_cuda(has, out);
}
