/* SPDX-License-Identifier: Apache-2.0 */
/* What distributed training needs of an image beside CUDA: MPI, compilers,
 * NCCL, ssh, the libraries of InfiniBand; who brings each, or that nobody
 * does. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_image.h"

/* Packages of conda that bring something (a prefix where it ends in "*"). */
static const struct {
	const char *what, *package;
} bringers[] = {
	{ "MPI", "openmpi" },	     { "MPI", "mpich" },
	{ "MPI", "impi_rt" },	     { "NCCL", "nccl" },
	{ "NCCL", "nvidia-nccl*" },  { "compiler", "gxx_linux-64" },
	{ "compiler", "gxx" },	     { "compiler", "cxx-compiler" },
	{ "compiler", "compilers" }, { "cmake", "cmake" },
	{ "nvcc", "cuda-nvcc" },     { "nvcc", "cudatoolkit-dev" },
	{ "ssh", "openssh" },	     { "InfiniBand", "rdma-core" },
	{ "InfiniBand", "ucx" },
};

static const struct {
	const char *what, *advice;
} advices[] = {
	{ "MPI", "add \"openmpi\" of conda-forge, or take --base-family "
		 "azureml" },
	{ "NCCL", "add \"nccl\" of conda-forge, or take a base of the flavour "
		  "\"runtime\"" },
	{ "compiler", "name a --build-base with compilers, or add "
		      "\"cxx-compiler\"" },
	{ "cmake", "add \"cmake\"" },
	{ "nvcc", "name a --build-base of the flavour \"devel\", or add "
		  "\"cuda-nvcc\"" },
	{ "ssh", "add \"openssh\", or --apt openssh-server; launching by MPI "
		 "needs none" },
	{ "InfiniBand", "add \"rdma-core\" and \"ucx\"; without InfiniBand "
			"nothing is missing" },
	{ "framework-first", "list torch or tensorflow, so that it is there "
			     "when horovod is compiled" },
};

static const char *advice_for(const char *what)
{
	for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
		if (strcmp(advices[i].what, what) == 0)
			return advices[i].advice;
	return NULL;
}

static bool is_called(const char *name, const char *package)
{
	size_t n = strlen(package);

	return package[n - 1] == '*' ? strncmp(name, package, n - 1) == 0
				     : strcmp(name, package) == 0;
}

static const char *package_with(const struct eb_case *c, const char *what)
{
	for (size_t b = 0; b < sizeof bringers / sizeof *bringers; b++) {
		if (strcmp(bringers[b].what, what) != 0)
			continue;
		for (size_t i = 0; i < c->n_items; i++)
			if (is_called(c->item[i].name, bringers[b].package))
				return c->item[i].name;
	}
	return NULL;
}

static const char *framework_with(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++)
		if (!c->framework[i].cell[FRAMEWORK_NEEDS])
			return c->framework[i].name;
	return NULL;
}

/* What an image has: its flavour, and what its row says. */
static bool image_has(const char *image, const char *what)
{
	struct eb_base_row row = { 0 };
	bool has = false;

	if (!image || !eb_base_row_find(image, &row)) {
		eb_base_row_release(&row);
		return false;
	}
	if (strcmp(what, "MPI") == 0)
		has = row.mpi != NULL;
	else if (strcmp(what, "NCCL") == 0)
		has = row.nccl || row.flavour >= EB_FLAVOUR_RUNTIME;
	else if (strcmp(what, "nvcc") == 0 || strcmp(what, "compiler") == 0)
		has = row.flavour == EB_FLAVOUR_DEVEL;
	else if (strcmp(what, "ssh") == 0)
		has = strcmp(row.family, "azureml") == 0;
	else if (strcmp(what, "InfiniBand") == 0)
		has = row.rdma && strcmp(row.rdma, "none") != 0;
	eb_base_row_release(&row);
	return has;
}

static const char *find(const struct eb_case *c, const char *what,
			bool at_build)
{
	const struct eb_decision *d = c->d;
	const char *by = strcmp(what, "framework-first") == 0
				 ? framework_with(c)
				 : package_with(c, what);

	if (by)
		return by;
	if (image_has(d->image, what))
		return d->image;
	return at_build && image_has(d->build_image, what) ? d->build_image
							   : NULL;
}

static void add(struct eb_case *c, const struct eb_framework *f,
		const char *what, bool at_build)
{
	struct eb_decision *d = c->d;
	const char *by = find(c, what, at_build);

	EB_GROW(d->condition, d->n_conditions, d->alloc_conditions);
	d->condition[d->n_conditions++] = (struct eb_condition){
		.what = eb_strdup(what),
		.package = eb_strdup(f->item->name),
		.by = eb_strdup(by),
		.advice = by ? NULL : eb_strdup(advice_for(what)),
		.at_build = at_build,
	};
}

static bool at_build_alone(const struct eb_framework *f, const char *what)
{
	const char *cell = f->cell[FRAMEWORK_LIBRARIES];

	if (!cell || strcmp(cell, "build") != 0)
		return false;
	return strcmp(what, "MPI") != 0 && strcmp(what, "NCCL") != 0;
}

static bool is_for_gpu(const char *what)
{
	return strcmp(what, "NCCL") == 0 || strcmp(what, "nvcc") == 0;
}

/* conda's packages are compiled, and depend on what they need. */
static void of_framework(struct eb_case *c, const struct eb_framework *f)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv need = { 0 };
	bool gpu = c->d->gpu && !c->implicit;

	if (!f->cell[FRAMEWORK_NEEDS] || !f->item->python_side)
		return;
	eb_strv_split(&need, f->cell[FRAMEWORK_NEEDS], " ");
	for (size_t i = 0; i < need.n; i++)
		if (gpu || !is_for_gpu(need.v[i]))
			add(c, f, need.v[i], at_build_alone(f, need.v[i]));
	if (strcmp(f->name, "apex") != 0 && strcmp(f->name, "mpi4py") != 0 &&
	    gpu)
		add(c, f, "InfiniBand", false);
}

void eb_cuda_conditions(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++)
		of_framework(c, &c->framework[i]);
}
