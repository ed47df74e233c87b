/* SPDX-License-Identifier: Apache-2.0 */
/* What is promised elsewhere: a name that says a CUDA or a GPU, and
 * pytorch-cuda, whose packages come from a channel of their own. */
#include <string.h>
#include <strings.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

/* ---- the name -------------------------------------------------------------*/

/* "12.1" of "acpt-pytorch-2.2-cuda12.1", "11.8" of "...-cu118"; or NULL. */
static char *cuda_in_name(const char *name)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv word = { 0 };
	char *minor = NULL;

	eb_strv_split(&word, name, "-_/: ");
	for (size_t i = 0; i < word.n && !minor; i++) {
		const char *w = word.v[i];

		if (strncasecmp(w, "cuda", 4) == 0 && eb_is_numbers(w + 4))
			minor = eb_strdup(w + 4);
		else
			eb_suffix_says(w, &minor);
	}
	return minor;
}

static bool name_has(const char *name, const char *word)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv all = { 0 };

	eb_strv_split(&all, name, "-_/: ");
	for (size_t i = 0; i < all.n; i++)
		if (strcasecmp(all.v[i], word) == 0)
			return true;
	return false;
}

/* "12" is kept by any 12.x. */
static bool keeps(const char *promised, const char *cuda)
{
	eb_autofree char *minor = eb_cuda_minor(promised);

	return strchr(promised, '.') ? strcmp(minor, cuda) == 0
				     : eb_same_major(promised, cuda);
}

static int broken(struct eb_case *c, const char *promised)
{
	if (c->d->cuda)
		eb_refuse(c,
			  "the name \"%s\" promises CUDA %s, and the packages "
			  "run on CUDA %s",
			  c->r->name, promised, c->d->cuda);
	else
		eb_refuse(c,
			  "the name \"%s\" promises CUDA %s, and nothing in it "
			  "uses CUDA",
			  c->r->name, promised);
	c->d->refusal = "name-claims";
	eb_advise(c, "take a name that says what is in it, or packages that "
		     "keep what it says");
	return -1;
}

static int check_name(struct eb_case *c)
{
	eb_autofree char *promised = NULL;

	if (!c->r->name)
		return 0;
	promised = cuda_in_name(c->r->name);
	if (promised && (c->d->gpu || c->r->gpu != EB_GPU_NO) &&
	    (!c->d->cuda || !keeps(promised, c->d->cuda)))
		return broken(c, promised);
	if (name_has(c->r->name, "gpu") && !c->d->gpu) {
		eb_strv_addf(&c->d->warning,
			     "The name \"%s\" promises a GPU, and the packages "
			     "run on the CPU.",
			     c->r->name);
		eb_warning_rule(c, "name-claims");
	}
	return 0;
}

/* ---- the channel ----------------------------------------------------------*/

static bool is_channel(const char *channel, const char *name)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv part = { 0 };

	eb_strv_split(&part, channel, "/");
	return eb_strv_has(&part, name);
}

/* One whose packages nobody can know from its name. */
static bool is_other(const char *channel)
{
	static const char *const known[] = { "pytorch", "defaults",
					     "conda-forge", "main", "r" };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_channel(channel, known[i]))
			return false;
	return true;
}

static int check_channel(struct eb_case *c)
{
	const struct eb_strv *channels = &c->r->spec->channels;
	const struct eb_item *i = eb_item_find(c, "pytorch-cuda");
	bool other = false;

	if (!i || i->python_side || c->r->solved || !channels->n)
		return 0;
	for (size_t n = 0; n < channels->n; n++) {
		if (is_channel(channels->v[n], "nvidia"))
			return 0;
		other |= is_other(channels->v[n]);
	}
	if (other) {
		eb_strv_addf(&c->d->warning,
			     "\"%s\" wants the cuda-* packages of the channel "
			     "\"nvidia\", which is not among the channels: "
			     "unless another one has them, there is no "
			     "solution.",
			     i->shown);
		return 0;
	}
	eb_refuse(c,
		  "\"%s\" wants the cuda-* packages of the channel "
		  "\"nvidia\", which is not among the channels",
		  i->shown);
	eb_advise(c, "add \"nvidia\" behind \"pytorch\" to the channels");
	return -1;
}

int eb_cuda_claims(struct eb_case *c)
{
	if (c->d->gpu && check_channel(c) < 0)
		return -1;
	return check_name(c);
}
