/* SPDX-License-Identifier: Apache-2.0 */
/* Is the build of a framework one for a GPU or for the CPU? Said by names,
 * build strings, suffixes, extras, index lines, and what it depends on. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_framework.h"

/* 1 a GPU's, -1 the CPU's, 0 nothing is said. */
static int name_says(const char *name)
{
	if (eb_ends(name, "-gpu") || strstr(name, "-gpu-") ||
	    eb_starts(name, "mxnet-cu"))
		return 1;
	if (eb_ends(name, "-cpu") || eb_ends(name, "-mkl") ||
	    eb_ends(name, "-eigen"))
		return -1;
	return 0;
}

static int extras_say(const struct eb_item *i)
{
	for (size_t e = 0; e < i->extras.n; e++)
		if (eb_starts(i->extras.v[e], "cuda") ||
		    strcmp(i->extras.v[e], "and-cuda") == 0)
			return 1;
	return 0;
}

static int depends_say(const struct eb_item *i)
{
	for (size_t n = 0; !i->python_side && i->depends && n < i->depends->n;
	     n++) {
		const char *d = i->depends->v[n];

		if (eb_starts(d, "__cuda") || eb_starts(d, "cudatoolkit") ||
		    eb_starts(d, "cuda-"))
			return 1;
	}
	return 0;
}

static int local_says(const char *local)
{
	eb_autofree char *minor = NULL;
	int says;

	if (!local)
		return 0;
	says = eb_suffix_says(local, &minor);
	if (says)
		return says;
	return eb_build_says(local, &minor);
}

static int item_says(const struct eb_item *i)
{
	eb_autofree char *minor = NULL;
	int says = name_says(i->name);

	if (!says)
		says = local_says(i->local);
	if (!says && !i->python_side)
		says = eb_build_says(i->build, &minor);
	if (!says)
		says = extras_say(i);
	return says ? says : depends_say(i);
}

/* Packages that choose a variant and are nothing else. */
static int chooser_says(const struct eb_framework *f, const struct eb_item *i)
{
	eb_autofree char *minor = NULL;
	bool torch = strcmp(f->name, "torch") == 0;

	if (torch && strcmp(i->name, "cpuonly") == 0)
		return -1;
	if (torch && strcmp(i->name, "pytorch-cuda") == 0)
		return 1;
	if ((torch && strcmp(i->name, "pytorch-mutex") == 0) ||
	    (strcmp(f->name, "tensorflow") == 0 &&
	     strcmp(i->name, "_tflow_select") == 0))
		return eb_build_says(i->build, &minor);
	if (strcmp(f->name, "jax") == 0 && eb_starts(i->name, "jax-cuda"))
		return 1;
	return 0;
}

static int index_says(const struct eb_case *c, const struct eb_framework *f)
{
	eb_autofree char *minor = NULL;

	if (strcmp(f->name, "torch") != 0 || !f->item->python_side ||
	    f->item->solved || !c->n_index)
		return 0;
	return eb_suffix_says(c->index[0].word, &minor);
}

/* What the plain package of a package index is. */
static int plain_says(const struct eb_framework *f)
{
	const char *package = f->cell[FRAMEWORK_PACKAGE];

	if (!f->item->python_side)
		return 0;
	if (strcmp(f->name, "torch") == 0)
		return 1;
	if (strcmp(f->name, "jax") == 0 || strcmp(f->name, "mxnet") == 0)
		return -1;
	if (package && strcmp(f->name, "tensorflow") == 0 &&
	    strcmp(package, f->item->name) != 0)
		return -1;
	return 0;
}

static int all_say(const struct eb_case *c, struct eb_framework *f)
{
	int says = 0;

	for (size_t i = 0; i < c->n_items && !says; i++) {
		const struct eb_item *item = &c->item[i];
		const char *of = eb_framework_of(item);

		if (of && strcmp(of, f->name) == 0)
			says = item_says(item);
		if (!says)
			says = chooser_says(f, item);
		if (says)
			f->variant_by = item->shown;
	}
	if (!says && (says = index_says(c, f)))
		f->variant_by = c->index[0].shown;
	if (!says && (says = plain_says(f)))
		f->variant_by = f->item->shown;
	return says;
}

void eb_framework_variant(const struct eb_case *c, struct eb_framework *f)
{
	int says;

	if (f->cell[FRAMEWORK_NEEDS])
		return;
	says = all_say(c, f);
	f->variant = says > 0	? EB_VARIANT_GPU
		     : says < 0 ? EB_VARIANT_CPU
				: EB_VARIANT_UNSAID;
}
