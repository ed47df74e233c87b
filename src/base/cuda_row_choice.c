/* SPDX-License-Identifier: Apache-2.0 */
/* Which row: of a family, with the CUDA and the cuDNN that are needed, nothing
 * older than the packages' glibc; of those the newest patch, the smallest
 * flavour, the newest distribution. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_image.h"

/* ---- one row --------------------------------------------------------------*/

static bool same_cuda(const struct eb_row_want *w, const struct eb_base_row *r)
{
	eb_autofree char *minor = r->cuda ? eb_cuda_minor(r->cuda) : NULL;

	if (!w->cuda || !minor)
		return !w->cuda && !minor;
	return strcmp(w->cuda, minor) == 0;
}

static char *why_not_library(const struct eb_row_want *w,
			     const struct eb_base_row *r)
{
	if (w->cudnn && r->cudnn && !eb_same_major(w->cudnn, r->cudnn))
		return eb_asprintf("it has cuDNN %s, and cuDNN %.*s is needed",
				   r->cudnn, (int)strcspn(w->cudnn, "."),
				   w->cudnn);
	if (w->cudnn && !r->cudnn && strcmp(w->family, "nvidia") == 0)
		return eb_strdup("it has no cuDNN");
	if (r->flavour < w->flavour)
		return eb_asprintf("its flavour is %s, and %s is needed",
				   eb_flavour_name(r->flavour),
				   eb_flavour_name(w->flavour));
	return NULL;
}

static char *why_not_glibc(const struct eb_row_want *w,
			   const struct eb_base_row *r)
{
	if (w->glibc && r->glibc && eb_cuda_compare(r->glibc, w->glibc) < 0)
		return eb_asprintf("its glibc is %s, and %s needs %s", r->glibc,
				   w->glibc_by, w->glibc);
	if (w->glibc_most && r->glibc &&
	    eb_cuda_compare(r->glibc, w->glibc_most) > 0)
		return eb_asprintf("its glibc is %s, and what is compiled "
				   "there would not run on %s",
				   r->glibc, w->glibc_most);
	return NULL;
}

static char *why_not(const struct eb_row_want *w, const struct eb_base_row *r)
{
	char *why;

	if (w->patch && r->cuda && strcmp(w->patch, r->cuda) != 0)
		return eb_asprintf("it has CUDA %s, and %s is asked for",
				   r->cuda, w->patch);
	if (r->deleted > 0)
		return eb_strdup("its tag was deleted upstream");
	why = why_not_library(w, r);
	return why ? why : why_not_glibc(w, r);
}

/* ---- the best -------------------------------------------------------------*/

/* Plain images stand in the order of preference. */
static bool is_better(const struct eb_base_row *a, const struct eb_base_row *b)
{
	int order;

	if (!b->tag)
		return true;
	if (a->deprecated != b->deprecated)
		return b->deprecated;
	if (!a->cuda || !b->cuda)
		return false;
	order = eb_cuda_compare(a->cuda, b->cuda);
	if (order)
		return order > 0;
	if (a->flavour != b->flavour)
		return a->flavour < b->flavour;
	return a->glibc && b->glibc && eb_cuda_compare(a->glibc, b->glibc) > 0;
}

static void consider(const struct eb_row_want *w, struct eb_decision *d,
		     const char *const *cell, struct eb_base_row *best)
{
	struct eb_base_row r;
	eb_autofree char *name = eb_cuda_image_name(cell);
	char *why;

	eb_base_row_read(cell, &r);
	if (!same_cuda(w, &r)) {
		eb_base_row_release(&r);
		return;
	}
	why = why_not(w, &r);
	if (why && d)
		eb_add_refused(d, name, why);
	else
		free(why);
	if (!why && is_better(&r, best)) {
		eb_base_row_release(best);
		*best = r;
		return;
	}
	eb_base_row_release(&r);
}

bool eb_row_choose(const struct eb_row_want *w, struct eb_decision *d,
		   struct eb_base_row *best)
{
	struct eb_table t;

	*best = (struct eb_base_row){ 0 };
	eb_table_open(&t, eb_images_tsv);
	while (eb_table_next(&t))
		if (strcmp(t.row.cell[IMAGE_FAMILY], w->family) == 0)
			consider(w, d, t.row.cell, best);
	eb_table_close(&t);
	return best->tag != NULL;
}
