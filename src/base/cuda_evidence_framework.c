/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables know about a framework, as evidence: the weakest, left out
 * where something of its own says which CUDA. */
#include <string.h>

#include <envbuild/mem.h>

#include "cuda_evidence.h"

/* Is there something of its own that says which CUDA? */
static bool says_itself(const struct eb_case *c, const struct eb_framework *f)
{
	bool torch = strcmp(f->name, "torch") == 0;

	for (size_t i = 0; i < c->n_evidence; i++) {
		const struct eb_evidence *e = &c->evidence[i];

		if (!e->pinned)
			continue;
		if (strcmp(e->package, f->item->name) == 0 ||
		    (torch && strcmp(e->package, "torch") == 0) ||
		    (torch && strcmp(e->package, "pytorch-cuda") == 0))
			return true;
	}
	return false;
}

bool eb_cuda_is_meant(const struct eb_case *c)
{
	if (c->d->gpu_asked || c->d->image_cuda)
		return true;
	for (size_t i = 0; i < c->n_evidence; i++)
		if (c->evidence[i].toolkit ||
		    strcmp(c->evidence[i].package, "cuda-version") == 0)
			return true;
	return false;
}

static bool is_plain_wheel(const struct eb_case *c,
			   const struct eb_framework *f)
{
	return f->item->python_side && f->cell[FRAMEWORK_DEFAULT] &&
	       !c->n_index;
}

void eb_evidence_framework(struct eb_case *c, struct eb_framework *f)
{
	eb_cudas set = f->builds;
	struct eb_evidence *e;
	const char *made = f->item->python_side ? "has wheels" : "is made";

	f->exact = says_itself(c, f);
	if (!f->known || f->exact || f->variant == EB_VARIANT_CPU ||
	    (f->variant == EB_VARIANT_UNSAID && !eb_cuda_is_meant(c)))
		return;
	if (is_plain_wheel(c, f)) {
		set = eb_cudas_of(&c->u, f->cell[FRAMEWORK_DEFAULT]);
		made = "without a suffix is a wheel";
	}
	e = eb_evidence_add(c, f->item, f->item->name, set);
	e->gpu = false;
	e->soft = !f->item->python_side;
	e->why = eb_asprintf("\"%s\": %s %s %s for %s", f->item->shown, f->name,
			     f->version, made, e->what);
}
