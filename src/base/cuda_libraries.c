/* SPDX-License-Identifier: Apache-2.0 */
/* Who brings CUDA's libraries: packages of conda, wheels, or the base; and so
 * how large the base has to be. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

static const char *const conda_runtime[] = {
	"cudatoolkit",	  "pytorch-cuda", "cuda-toolkit",
	"cuda-runtime",	  "cuda-cudart",  "cuda",
	"cuda-libraries", "libcublas",	  "libcudart",
};

static const struct eb_item *find_conda(const struct eb_case *c,
					const char *name)
{
	for (size_t i = 0; i < c->n_items; i++)
		if (!c->item[i].python_side &&
		    strcmp(c->item[i].name, name) == 0)
			return &c->item[i];
	return NULL;
}

static const struct eb_item *conda_carrier(const struct eb_case *c)
{
	size_t n = sizeof conda_runtime / sizeof *conda_runtime;

	for (size_t i = 0; i < n; i++) {
		const struct eb_item *item = find_conda(c, conda_runtime[i]);

		if (item)
			return item;
	}
	return NULL;
}

static const struct eb_item *wheel_carrier(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_items; i++)
		if (c->item[i].python_side &&
		    (eb_starts(c->item[i].name, "nvidia-cuda-runtime") ||
		     eb_starts(c->item[i].name, "nvidia-cublas")))
			return &c->item[i];
	return NULL;
}

static bool asks_for_wheels(const struct eb_item *i)
{
	for (size_t e = 0; e < i->extras.n; e++) {
		const char *extra = i->extras.v[e];

		if (strcmp(extra, "and-cuda") == 0 ||
		    (eb_starts(extra, "cuda") && !strstr(extra, "local")))
			return true;
	}
	return false;
}

/* conda's runtime serves a wheel when cuDNN is there, too. */
static const char *of_python_side(const struct eb_case *c,
				  const struct eb_framework *f)
{
	const char *cell = f->cell[FRAMEWORK_LIBRARIES];

	if (!cell)
		return NULL;
	if (strcmp(cell, "wheel") == 0)
		return "wheel";
	if (strcmp(cell, "extra") == 0 &&
	    (asks_for_wheels(f->item) || wheel_carrier(c)))
		return "wheel";
	return conda_carrier(c) && find_conda(c, "cudnn") ? "conda" : "base";
}

static void say_who(struct eb_case *c, const struct eb_framework *f)
{
	const char *shown = f->item->shown;

	if (strcmp(f->brings, "wheel") == 0)
		eb_strv_addf(&c->d->libraries,
			     "The wheels of \"%s\" bring CUDA's libraries: it "
			     "needs the driver of the host, and of the base "
			     "nothing.",
			     shown);
	else if (strcmp(f->brings, "base") == 0)
		eb_strv_addf(&c->d->libraries,
			     "\"%s\" brings no CUDA libraries: it loads those "
			     "of the base, of exactly its CUDA and with its "
			     "cuDNN.",
			     shown);
	else if (f->item->python_side)
		eb_strv_addf(&c->d->libraries,
			     "\"%s\" loads the CUDA libraries that packages "
			     "of conda bring: of the base it needs nothing.",
			     shown);
	else
		eb_strv_addf(&c->d->libraries,
			     "Packages of conda bring CUDA's libraries for "
			     "\"%s\": of the base it needs nothing.",
			     shown);
}

static void warn_of_path(struct eb_case *c, const struct eb_framework *f)
{
	if (!f->item->python_side || strcmp(f->brings, "conda") != 0)
		return;
	eb_strv_addf(&c->d->warning,
		     "\"%s\" is a wheel that looks for CUDA's libraries on "
		     "the system: it finds those of conda only when "
		     "LD_LIBRARY_PATH names the environment's lib folder.",
		     f->item->shown);
}

static void raise_to(struct eb_case *c, enum eb_flavour f)
{
	if (c->d->flavour < f)
		c->d->flavour = f;
}

static void of_framework(struct eb_case *c, struct eb_framework *f)
{
	const char *by;

	if (f->cell[FRAMEWORK_NEEDS] || f->variant == EB_VARIANT_CPU ||
	    (f->variant == EB_VARIANT_UNSAID && !eb_cuda_is_meant(c)))
		return;
	by = f->item->python_side ? of_python_side(c, f) : "conda";
	if (!by)
		return;
	f->brings = eb_strdup(by);
	say_who(c, f);
	warn_of_path(c, f);
	if (strcmp(by, "base") != 0)
		return;
	c->need_cudnn = true;
	raise_to(c, EB_FLAVOUR_RUNTIME);
}

/* ---- what compiles --------------------------------------------------------*/

static bool has_nccl(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_items; i++)
		if (strcmp(c->item[i].name, "nccl") == 0 ||
		    eb_starts(c->item[i].name, "nvidia-nccl"))
			return true;
	return false;
}

static bool has_nvcc(const struct eb_case *c)
{
	return find_conda(c, "cuda-nvcc") || find_conda(c, "cudatoolkit-dev");
}

static bool compiles_cuda(const struct eb_framework *f)
{
	return eb_cell_has(f->cell[FRAMEWORK_NEEDS], "NCCL") ||
	       eb_cell_has(f->cell[FRAMEWORK_NEEDS], "nvcc");
}

static void at_build(struct eb_case *c, const struct eb_framework *f)
{
	if (!f->item->python_side || !compiles_cuda(f))
		return;
	c->d->build_flavour = EB_FLAVOUR_DEVEL;
	eb_strv_addf(&c->d->libraries,
		     "\"%s\" is compiled against CUDA: the step that builds "
		     "it needs a base with headers and nvcc (--build-base), "
		     "the image does not.",
		     f->item->shown);
	if (!eb_cell_has(f->cell[FRAMEWORK_NEEDS], "NCCL") || has_nccl(c))
		return;
	raise_to(c, EB_FLAVOUR_RUNTIME);
	eb_strv_addf(&c->d->libraries,
		     "\"%s\" loads NCCL, and no package brings it: the base "
		     "does.",
		     f->item->shown);
}

static void at_run(struct eb_case *c, const struct eb_framework *f)
{
	if (has_nvcc(c))
		return;
	raise_to(c, EB_FLAVOUR_DEVEL);
	c->d->build_flavour = EB_FLAVOUR_DEVEL;
	eb_strv_addf(&c->d->libraries,
		     "\"%s\" compiles its operators when they are first used, "
		     "and no package brings nvcc: the base does.",
		     f->item->shown);
}

static void of_compiled(struct eb_case *c, const struct eb_framework *f)
{
	const char *cell = f->cell[FRAMEWORK_LIBRARIES];

	if (!f->cell[FRAMEWORK_NEEDS] || !cell || c->implicit)
		return;
	if (strcmp(cell, "build") == 0)
		at_build(c, f);
	else if (strcmp(cell, "run") == 0)
		at_run(c, f);
}

/* ---- all ------------------------------------------------------------------*/

static bool somebody_brings(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++)
		if (c->framework[i].brings)
			return true;
	return c->carried;
}

/* --cuda has no meaning where nothing uses CUDA but the user's own code. */
static void of_option(struct eb_case *c)
{
	if (!c->r->cuda || somebody_brings(c))
		return;
	raise_to(c, EB_FLAVOUR_RUNTIME);
	eb_strv_addf(&c->d->libraries,
		     "CUDA %s is asked for, and no package brings it: the "
		     "base does.",
		     c->r->cuda);
}

static const char *of_none(const struct eb_case *c)
{
	return c->r->base && c->d->image_cuda
		       ? "No package that is known uses CUDA's libraries: "
			 "the base's are there for what comes later."
		       : "No package that is known uses CUDA's libraries, and "
			 "so none are in the base.";
}

int eb_cuda_libraries(struct eb_case *c)
{
	const struct eb_item *carrier = conda_carrier(c);

	if (!carrier)
		carrier = wheel_carrier(c);
	c->carried = carrier != NULL;
	if (!c->d->gpu)
		return 0;
	for (size_t i = 0; i < c->n_frameworks; i++)
		of_framework(c, &c->framework[i]);
	for (size_t i = 0; i < c->n_frameworks; i++)
		of_compiled(c, &c->framework[i]);
	if (carrier && !c->d->libraries.n)
		eb_strv_addf(&c->d->libraries,
			     "\"%s\" brings CUDA's libraries: of the base "
			     "nothing is needed.",
			     carrier->shown);
	of_option(c);
	if (!c->d->libraries.n)
		eb_strv_add(&c->d->libraries, of_none(c));
	return 0;
}
