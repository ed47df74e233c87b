/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about CUDA, strongest first, each with who says it and where:
 * options, packages of the runtime, builds and suffixes, index lines, and
 * last what the tables know about a framework. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_evidence.h"

void eb_evidence_release(struct eb_evidence *e)
{
	free(e->what);
	free(e->why);
	free(e->package);
}

struct eb_evidence *eb_evidence_add(struct eb_case *c, const struct eb_item *i,
				    const char *package, eb_cudas allows)
{
	struct eb_evidence *e;

	EB_GROW(c->evidence, c->n_evidence, c->alloc_evidence);
	e = &c->evidence[c->n_evidence++];
	*e = (struct eb_evidence){ .allows = allows,
				   .gpu = true,
				   .package = eb_strdup(package) };
	if (i) {
		e->file = i->file;
		e->line = i->line;
		e->column = i->column;
	}
	if (allows == EB_CUDAS_ALL)
		e->what = eb_strdup("a GPU");
	else
		e->what = eb_cudas_text(&c->u, allows);
	return e;
}

static eb_cudas one(const struct eb_case *c, const char *minor)
{
	return eb_cudas_of(&c->u, minor);
}

/* ---- options --------------------------------------------------------------*/

static void of_option(struct eb_case *c)
{
	struct eb_evidence *e;

	if (!c->cuda_minor)
		return;
	e = eb_evidence_add(c, NULL, "--cuda", one(c, c->cuda_minor));
	e->pinned = true;
	free(e->what);
	e->what = eb_asprintf("CUDA %s", c->cuda_minor);
	e->why = eb_asprintf("\"--cuda %s\" asks for CUDA %s", c->r->cuda,
			     c->cuda_minor);
}

/* ---- packages of the runtime ----------------------------------------------*/

static const char *const runtime[] = {
	"cuda-version", "pytorch-cuda", "cudatoolkit",	  "cuda-toolkit",
	"cuda-runtime", "cuda-cudart",	"cuda-libraries", "cuda",
};

static bool is_runtime(const struct eb_item *i)
{
	for (size_t n = 0; n < sizeof runtime / sizeof *runtime; n++)
		if (!i->python_side && strcmp(i->name, runtime[n]) == 0)
			return true;
	return false;
}

static char *named_text(const struct eb_item *i, eb_cudas set)
{
	if (set)
		return NULL;
	return eb_asprintf("CUDA %s", i->version      ? i->version
				      : i->constraint ? i->constraint
						      : "*");
}

/* A later minor of the same major? */
static bool is_later(const struct eb_case *c, eb_cudas set, eb_cudas than)
{
	const char *low = eb_cudas_lowest(&c->u, set);
	const char *high = eb_cudas_highest(&c->u, than);

	return low && high && eb_cuda_compare(low, high) > 0 &&
	       strtoul(low, NULL, 10) == strtoul(high, NULL, 10);
}

/* cuda-version also comes along with tools that are newer than the toolkit
 * (pytorch-cuda=12.1 brings cuda-cccl 12.9): what the toolkit itself says
 * counts. The package that does; NULL: nothing says otherwise. An older one, or
 * one of another major, contradicts. */
static const struct eb_item *toolkit_says(const struct eb_case *c,
					  const struct eb_item *i, eb_cudas set)
{
	if (strcmp(i->name, "cuda-version") != 0 || !set)
		return NULL;
	for (size_t n = 0; n < c->n_items; n++) {
		const struct eb_item *o = &c->item[n];
		eb_cudas other;

		if (!is_runtime(o) || strcmp(o->name, i->name) == 0)
			continue;
		other = eb_cudas_that_fit(&c->u, o->constraint, false);
		if (is_later(c, set, other))
			return o;
	}
	return NULL;
}

static void of_runtime(struct eb_case *c, const struct eb_item *i)
{
	eb_cudas set = eb_cudas_that_fit(&c->u, i->constraint, false);
	const struct eb_item *toolkit = toolkit_says(c, i, set);
	struct eb_evidence *e;
	char *named;

	if (toolkit) {
		eb_strv_addf(&c->d->assumption,
			     "\"%s\" comes along with newer tools; the CUDA is "
			     "that of \"%s\".",
			     i->shown, toolkit->shown);
		return;
	}
	e = eb_evidence_add(c, i, i->name, set);
	named = named_text(i, set);
	if (named) {
		free(e->what);
		e->what = named;
	}
	e->toolkit = strcmp(i->name, "cuda-version") != 0;
	e->pinned = set && !(set & (set - 1));
	if (set == EB_CUDAS_ALL)
		e->why = eb_asprintf("\"%s\" asks for CUDA, whichever",
				     i->shown);
	else
		e->why = eb_asprintf("\"%s\" is for %s", i->shown, e->what);
}

/* ---- builds and suffixes --------------------------------------------------*/

static bool has_build(const struct eb_item *i)
{
	return eb_framework_of(i) || strcmp(i->name, "torchvision") == 0 ||
	       strcmp(i->name, "torchaudio") == 0 ||
	       strcmp(i->name, "pytorch-mutex") == 0;
}

static void pinned(struct eb_case *c, const struct eb_item *i, eb_cudas set,
		   const char *how)
{
	struct eb_evidence *e = eb_evidence_add(c, i, i->name, set);

	e->pinned = set != EB_CUDAS_ALL;
	e->why = set == EB_CUDAS_ALL
			 ? eb_asprintf("\"%s\" %s for a GPU", i->shown, how)
			 : eb_asprintf("\"%s\" %s for %s", i->shown, how,
				       e->what);
}

static void of_build(struct eb_case *c, const struct eb_item *i)
{
	eb_autofree char *minor = NULL;

	if (i->python_side || !has_build(i) ||
	    eb_build_says(i->build, &minor) <= 0)
		return;
	pinned(c, i, minor ? one(c, minor) : EB_CUDAS_ALL, "is a build");
}

/* "cuda11.cudnn86", "cuda12": the major alone. */
static eb_cudas major_of_word(const struct eb_case *c, const char *word)
{
	unsigned major;
	char end = 0;

	if (sscanf(word, "cuda%2u%c", &major, &end) < 1 ||
	    isdigit((unsigned char)end))
		return 0;
	return eb_cudas_major(&c->u, major);
}

static void of_local(struct eb_case *c, const struct eb_item *i)
{
	eb_autofree char *minor = NULL;
	eb_cudas set;

	if (!i->python_side || !i->local)
		return;
	set = major_of_word(c, i->local);
	if (set)
		pinned(c, i, set, "is a wheel");
	else if (eb_suffix_says(i->local, &minor) > 0)
		pinned(c, i, minor ? one(c, minor) : EB_CUDAS_ALL,
		       "is a wheel");
}

static void of_extras(struct eb_case *c, const struct eb_item *i)
{
	for (size_t e = 0; i->python_side && e < i->extras.n; e++) {
		const char *extra = i->extras.v[e];
		eb_cudas set = major_of_word(c, extra);

		if (strcmp(extra, "and-cuda") == 0 && !i->solved)
			pinned(c, i, EB_CUDAS_ALL, "asks for wheels");
		else if (set && eb_framework_of(i))
			pinned(c, i, set, "asks for wheels");
	}
}

/* ---- names of wheels ------------------------------------------------------*/

/* Those whose version is CUDA's. */
static bool is_cuda_itself(const char *name)
{
	return eb_starts(name, "nvidia-cuda-runtime") ||
	       eb_starts(name, "nvidia-cuda-nvrtc") ||
	       eb_starts(name, "nvidia-cuda-cupti");
}

/* Libraries of a later minor do for programs of an earlier one. */
static eb_cudas not_later(const struct eb_case *c, eb_cudas one, unsigned major)
{
	return one ? eb_cudas_major(&c->u, major) & ((one << 1) - 1) : 0;
}

/* nvidia-cublas-cu12 is for one major; nvidia-cuda-runtime-cu12 12.6.77 says
 * the minor, too. */
static void of_nvidia(struct eb_case *c, const struct eb_item *i)
{
	const char *tail = strstr(i->name, "-cu1");
	eb_cudas set;
	unsigned major = 0;

	if (is_cuda_itself(i->name) && i->constraint)
		set = eb_cudas_that_fit(&c->u, i->constraint, true);
	else if (tail && sscanf(tail, "-cu%2u", &major) == 1)
		set = eb_cudas_major(&c->u, major);
	else
		return;
	pinned(c, i, set, "is made");
	if (i->solved && is_cuda_itself(i->name) && tail &&
	    sscanf(tail, "-cu%2u", &major) == 1 && !(set & (set - 1)))
		c->evidence[c->n_evidence - 1].serves =
			not_later(c, set, major);
}

/* mxnet-cu102, mxnet-cu102mkl */
static void of_name(struct eb_case *c, const struct eb_item *i)
{
	eb_autofree char *minor = NULL;

	if (!i->python_side)
		return;
	if (eb_starts(i->name, "nvidia-"))
		of_nvidia(c, i);
	else if (eb_starts(i->name, "mxnet-cu") &&
		 eb_suffix_says(i->name + strlen("mxnet-"), &minor) > 0 &&
		 minor)
		pinned(c, i, one(c, minor), "is made");
	else if (eb_starts(i->name, "jax-cuda"))
		pinned(c, i, major_of_word(c, i->name + strlen("jax-")),
		       "is made");
	else if (strcmp(i->name, "tensorflow-gpu") == 0)
		pinned(c, i, EB_CUDAS_ALL, "is made");
}

static void of_conda_name(struct eb_case *c, const struct eb_item *i)
{
	if (!i->python_side && eb_framework_of(i) && eb_ends(i->name, "-gpu"))
		pinned(c, i, EB_CUDAS_ALL, "is made");
}

/* ---- index lines ----------------------------------------------------------*/

static eb_cudas all_of_index(const struct eb_case *c)
{
	eb_cudas set = 0;

	for (size_t i = 0; i < c->n_index; i++) {
		eb_autofree char *minor = NULL;

		if (eb_suffix_says(c->index[i].word, &minor) > 0 && minor)
			set |= one(c, minor);
	}
	return set;
}

/* An index counts for a torch that is still to be chosen from it. */
static void of_index(struct eb_case *c)
{
	const struct eb_item *torch = eb_item_find(c, "torch");
	eb_cudas set = all_of_index(c);

	if (!set || !torch || !torch->python_side || torch->solved ||
	    torch->local)
		return;
	for (size_t i = 0; i < c->n_index; i++) {
		const struct eb_index_line *x = &c->index[i];
		struct eb_evidence *e;

		if (strcmp(x->word, "cpu") == 0)
			continue;
		e = eb_evidence_add(c, NULL, "torch", set);
		e->pinned = true;
		e->file = x->file;
		e->line = x->line;
		e->column = x->column;
		e->why = eb_asprintf("the index of \"%s\" has builds of torch "
				     "for %s",
				     x->shown, e->what);
	}
}

/* ---- all ------------------------------------------------------------------
 */

static void record(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_evidence; i++) {
		const struct eb_evidence *e = &c->evidence[i];
		struct eb_decision *d = c->d;

		EB_GROW(d->forced, d->n_forced, d->alloc_forced);
		d->forced[d->n_forced++] = (struct eb_forced){
			.what = eb_strdup(e->what),
			.why = eb_strdup(e->why),
			.package = eb_strdup(e->package),
			.file = eb_strdup(e->file),
			.line = e->line,
			.column = e->column,
		};
	}
}

void eb_evidence_collect(struct eb_case *c)
{
	of_option(c);
	for (size_t i = 0; i < c->n_items; i++)
		if (is_runtime(&c->item[i]))
			of_runtime(c, &c->item[i]);
	for (size_t i = 0; i < c->n_items; i++) {
		of_build(c, &c->item[i]);
		of_local(c, &c->item[i]);
		of_extras(c, &c->item[i]);
		of_name(c, &c->item[i]);
		of_conda_name(c, &c->item[i]);
	}
	of_index(c);
	for (size_t f = 0; f < c->n_frameworks; f++)
		eb_evidence_framework(c, &c->framework[f]);
	record(c);
}
