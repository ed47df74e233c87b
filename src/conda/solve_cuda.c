/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frameworks that come in builds for CUDA and for the CPU. Where CUDA is asked
 * for, by the machine that the image is for or by a spec, the former come
 * first, whatever their versions: a solver that only looks for the newest
 * ends on the CPU in silence, or beside the libraries of a CUDA that nothing
 * uses. Where that cannot be had it is said.
 */
#include <ctype.h>
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "solve_int.h"

static bool is_framework(const char *name)
{
	static const char *const names[] = {
		"jaxlib",	   "libtorch",	 "mxnet",      "pytorch",
		"tensorflow-base", "tensorflow", "torchaudio", "torchvision",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* "cuda118_py310", "py3.8_cuda11.1_cudnn8", "gpu_py37", "py39_cu117" */
static bool is_for_cuda(const char *build)
{
	const char *cu = strstr(build, "cu1");

	return strstr(build, "cuda") || strstr(build, "gpu") ||
	       (cu && isdigit((unsigned char)cu[3]));
}

/* --- is CUDA asked for? ---------------------------------------------- */

static bool asks(const struct eb_matchspec *m)
{
	const char *name = eb_matchspec_name(m);
	const char *build = eb_matchspec_build(m);

	if (build && is_for_cuda(build))
		return true;
	return name &&
	       (!strcmp(name, "pytorch-cuda") ||
		!strcmp(name, "cuda-version") ||
		!strcmp(name, "cuda-toolkit") || !strcmp(name, "cudatoolkit") ||
		!strcmp(name, "cudnn") || eb_ends(name, "-gpu"));
}

static bool is_asked_for(const struct eb_sv *sv)
{
	for (size_t i = 0; i < sv->q->n_virtuals; i++)
		if (!strcmp(sv->q->virtuals[i].name, "__cuda"))
			return true;
	for (uint32_t i = 0; i < sv->n_user; i++)
		if (asks(sv->spec[sv->user[i]].m))
			return true;
	return false;
}

/* --- candidates ------------------------------------------------------ */

static bool has_cuda(const struct eb_sv *sv, const struct eb_sv_name *name)
{
	for (uint32_t i = name->first; i < name->first + name->n; i++)
		if (is_for_cuda(sv->cand[i].r->build))
			return true;
	return false;
}

void eb_sv_prefer_cuda(struct eb_sv *sv)
{
	if (!is_asked_for(sv))
		return;
	for (uint32_t i = 0; i < sv->n_names; i++) {
		const struct eb_sv_name *name = &sv->name[i];

		if (!is_framework(name->name) || !has_cuda(sv, name))
			continue;
		for (uint32_t k = name->first; k < name->first + name->n; k++)
			sv->cand[k].on_cpu = !is_for_cuda(sv->cand[k].r->build);
	}
}

void eb_sv_tell_cpu(const struct eb_sv *sv, struct eb_events *events)
{
	for (uint32_t i = 0; i < sv->n_chosen; i++) {
		const struct eb_sv_cand *c = &sv->cand[sv->chosen[i]];

		if (c->on_cpu)
			eb_warn(events,
				"\"%s\" is a build for the CPU, though CUDA is "
				"asked for: with the rest none of its builds "
				"for CUDA can be had",
				c->r->fn);
	}
}
