/* SPDX-License-Identifier: Apache-2.0 */
/* Is it for a GPU? By the options, else by what the packages say. A GPU that
 * is asked for never becomes the CPU unless that is allowed. */
#include <string.h>

#include <envbuild/mem.h>

#include "cuda_int.h"

static bool is_one(const struct eb_framework *f)
{
	return !f->cell[FRAMEWORK_NEEDS];
}

static const struct eb_framework *with_variant(const struct eb_case *c,
					       int variant)
{
	for (size_t i = 0; i < c->n_frameworks; i++)
		if (is_one(&c->framework[i]) &&
		    (int)c->framework[i].variant == variant)
			return &c->framework[i];
	return NULL;
}

static bool says_gpu(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_evidence; i++)
		if (c->evidence[i].gpu)
			return true;
	return false;
}

static void advise_build(struct eb_case *c, const struct eb_framework *f)
{
	if (f->item->solved && !f->item->python_side)
		eb_advise(c,
			  "solve with __cuda set (--gpu does), ask for a build "
			  "with \"cuda\" in its name, or take --allow-cpu");
	else if (strcmp(f->name, "jax") == 0)
		eb_advise(c, "write \"jax[cuda12]\", or take --allow-cpu");
	else if (strcmp(f->name, "mxnet") == 0)
		eb_advise(c, "write \"mxnet-cu112\" or another of its GPU "
			     "packages, or take --allow-cpu");
	else if (strcmp(f->name, "tensorflow") == 0)
		eb_advise(c, "write \"tensorflow-gpu\" for this version, or "
			     "take --allow-cpu");
	else
		eb_advise(c, "remove what asks for the CPU's build, or take "
			     "--allow-cpu");
}

/* Nothing but CPU builds where a GPU is asked for. */
static int only_cpu(struct eb_case *c, const struct eb_framework *f)
{
	if (c->r->allow_cpu) {
		eb_strv_addf(&c->d->warning,
			     "A GPU was asked for, and \"%s\" is a build of %s "
			     "for the CPU: it will not use a GPU "
			     "(--allow-cpu).",
			     f->variant_by, f->name);
		return 0;
	}
	if (f->item->solved)
		eb_refuse(c,
			  "a GPU is asked for, and what was solved is a build "
			  "of %s for the CPU: \"%s\"",
			  f->name, f->variant_by);
	else
		eb_refuse(c,
			  "a GPU is asked for, and \"%s\" is a build of %s for "
			  "the CPU",
			  f->variant_by, f->name);
	advise_build(c, f);
	return -1;
}

static void warn_of_some(struct eb_case *c, const struct eb_framework *gpu)
{
	for (size_t i = 0; i < c->n_frameworks; i++) {
		const struct eb_framework *f = &c->framework[i];

		if (!is_one(f) || f == gpu || f->variant != EB_VARIANT_CPU)
			continue;
		eb_strv_addf(&c->d->warning,
			     "\"%s\" is a build of %s for the CPU: beside %s "
			     "it will not use the GPU.",
			     f->variant_by, f->name, gpu->name);
	}
}

static void warn_of_unsaid(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++) {
		const struct eb_framework *f = &c->framework[i];

		if (!is_one(f) || f->variant != EB_VARIANT_UNSAID)
			continue;
		eb_strv_addf(&c->d->warning,
			     "\"%s\" can use a GPU, and no GPU is asked for: "
			     "on a base without CUDA it runs on the CPU. "
			     "--gpu chooses one with CUDA, --cpu says that "
			     "the CPU is meant.",
			     f->item->shown);
		eb_warning_rule(c, "gpu-on-cpu-base");
	}
}

static int for_cpu(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_evidence; i++) {
		const struct eb_evidence *e = &c->evidence[i];

		if (!e->gpu || c->r->gpu != EB_GPU_NO)
			continue;
		eb_strv_addf(&c->d->warning,
			     "The CPU is asked for (--cpu), and %s: its "
			     "libraries will be in the image for nothing.",
			     e->why);
	}
	return 0;
}

int eb_cuda_gpu(struct eb_case *c)
{
	const struct eb_framework *gpu = with_variant(c, EB_VARIANT_GPU);
	const struct eb_framework *cpu = with_variant(c, EB_VARIANT_CPU);
	const struct eb_framework *either = with_variant(c, EB_VARIANT_UNSAID);

	if (c->r->gpu == EB_GPU_NO)
		return for_cpu(c);
	if (cpu && !gpu && !either && c->d->gpu_asked)
		return only_cpu(c, cpu);
	c->implicit = !c->d->gpu_asked && !c->d->image_cuda && !says_gpu(c);
	c->d->gpu = c->d->gpu_asked || gpu || (either && c->d->image_cuda) ||
		    (says_gpu(c) && !(cpu && !either));
	if (c->d->gpu && (gpu || either))
		warn_of_some(c, gpu ? gpu : either);
	if (!c->d->gpu || !eb_cuda_is_meant(c))
		warn_of_unsaid(c);
	return 0;
}
