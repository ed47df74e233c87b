/* SPDX-License-Identifier: Apache-2.0 */
/* The row of the base: what is wanted of it, what is taken, and what is said
 * when there is none. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_image.h"

/* ---- what is wanted -------------------------------------------------------*/

static const char *family_of(const struct eb_case *c)
{
	if (c->r->family)
		return c->r->family;
	return c->d->flavour == EB_FLAVOUR_NONE ? "debian" : "nvidia";
}

static bool is_plain(const char *family)
{
	return strcmp(family, "debian") == 0 || strcmp(family, "ubuntu") == 0;
}

static struct eb_row_want wanted(const struct eb_case *c, const char *family)
{
	const struct eb_decision *d = c->d;
	bool with_cuda = d->gpu && d->cuda && !is_plain(family);

	return (struct eb_row_want){
		.family = family,
		.cuda = with_cuda ? d->cuda : NULL,
		.patch = with_cuda && c->r->cuda &&
					 strcmp(c->r->cuda, d->cuda) != 0
				 ? c->r->cuda
				 : NULL,
		.cudnn = c->need_cudnn ? c->cudnn : NULL,
		.glibc = c->glibc,
		.glibc_by = c->glibc_by,
		.flavour = d->flavour,
	};
}

static const struct eb_framework *framework_for(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++)
		if (c->framework[i].brings &&
		    strcmp(c->framework[i].brings, "base") == 0)
			return &c->framework[i];
	return NULL;
}

/* What has everything but the CUDA: the row of the nearest one on a side. */
static void add_neighbour(struct eb_case *c, const struct eb_row_want *w,
			  int step)
{
	struct eb_row_want other = *w;
	struct eb_base_row row = { 0 };
	int at = 0, n = (int)c->u.n;

	other.patch = NULL;
	while (at < n && strcmp(c->u.minor[at], w->cuda) != 0)
		at++;
	for (at += step; at >= 0 && at < n && !row.tag; at += step) {
		other.cuda = c->u.minor[at];
		eb_base_row_release(&row);
		eb_row_choose(&other, NULL, &row);
	}
	if (row.tag) {
		eb_autofree char *name =
			eb_asprintf("%s:%s", row.repository, row.tag);

		eb_add_refused(c->d, name,
			       eb_asprintf("it has CUDA %s, and CUDA %s is "
					   "needed",
					   row.cuda, w->cuda));
	}
	eb_base_row_release(&row);
}

/* The nearest row to name: not deleted, of that CUDA. */
static void advise_nearest(struct eb_case *c, const struct eb_row_want *w)
{
	struct eb_row_want nearer = { .family = w->family,
				      .cuda = w->cuda,
				      .flavour = w->flavour };
	const struct eb_framework *f = framework_for(c);
	const char *libraries = f ? f->cell[FRAMEWORK_LIBRARIES] : NULL;
	struct eb_base_row row = { 0 };

	if (libraries && strcmp(libraries, "extra") == 0 &&
	    strcmp(f->name, "tensorflow") == 0)
		eb_advise(c, "write \"tensorflow[and-cuda]\", whose wheels "
			     "bring the libraries");
	else if (w->cuda && eb_row_choose(&nearer, NULL, &row))
		eb_advise(
			c,
			"the nearest row is %s:%s; it is not taken by itself: "
			"--base names it",
			row.repository, row.tag);
	else
		eb_advise(c, "take another --base-family, or name an image "
			     "with --base");
	eb_base_row_release(&row);
}

static int no_row(struct eb_case *c, const struct eb_row_want *w)
{
	const struct eb_framework *who = framework_for(c);
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (w->cuda)
		eb_buf_addf(&text, " with CUDA %s",
			    w->patch ? w->patch : w->cuda);
	if (w->cudnn)
		eb_buf_addf(&text, " and cuDNN %.*s",
			    (int)strcspn(w->cudnn, "."), w->cudnn);
	if (w->glibc)
		eb_buf_addf(&text, "%s glibc %s or newer",
			    text.len ? " and" : " with", w->glibc);
	if (who)
		eb_buf_addf(&text, ", which \"%s\" needs", who->item->shown);
	eb_refuse(c, "no image of the family \"%s\" is known%s", w->family,
		  text.data);
	if (w->cuda && !w->patch) {
		add_neighbour(c, w, -1);
		add_neighbour(c, w, 1);
	}
	advise_nearest(c, w);
	return -1;
}

static int plain_cannot(struct eb_case *c, const char *family)
{
	const struct eb_framework *who = framework_for(c);

	if (who)
		eb_refuse(c,
			  "\"%s\" loads CUDA's libraries from the base, and "
			  "the family \"%s\" has none",
			  who->item->shown, family);
	else
		eb_refuse(c,
			  "the flavour \"%s\" is needed, and the family \"%s\" "
			  "has nothing of CUDA",
			  eb_flavour_name(c->d->flavour), family);
	eb_advise(c, "take --base-family nvidia");
	return -1;
}

/* ---- what is taken --------------------------------------------------------*/

void eb_plain_variables(struct eb_case *c)
{
	struct eb_decision *d = c->d;

	if (!d->gpu)
		return;
	eb_strv_add(&d->variable, "NVIDIA_VISIBLE_DEVICES=all");
	eb_strv_add(&d->variable, "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
	if (d->driver_floor)
		eb_strv_addf(&d->variable, "NVIDIA_REQUIRE_CUDA=driver>=%s",
			     d->driver_floor);
}

void eb_take_row(struct eb_case *c, const struct eb_base_row *row)
{
	struct eb_decision *d = c->d;

	d->image = eb_asprintf("%s:%s", row->repository, row->tag);
	d->image_cuda = eb_strdup(row->cuda);
	d->image_flavour = row->flavour;
	d->glibc = eb_strdup(row->glibc);
	d->os = eb_strdup(row->os);
	d->has_digest =
		row->digest && eb_digest_parse(row->digest, &d->digest) == 0;
	if (c->need_cudnn && row->cudnn) {
		free(d->cudnn);
		d->cudnn = eb_strdup(row->cudnn);
	}
	if (!d->gpu || !row->cuda)
		return;
	free(d->toolkit_driver);
	d->toolkit_driver = eb_cuda_toolkit_driver(row->cuda);
}

static void say_row(struct eb_case *c, const struct eb_base_row *row)
{
	struct eb_decision *d = c->d;

	if (row->flavour > d->flavour && d->flavour != EB_FLAVOUR_NONE)
		eb_strv_addf(&d->assumption,
			     "The flavour \"%s\" would do; the tables hold "
			     "%s of this CUDA as \"%s\" alone, which has it "
			     "all.",
			     eb_flavour_name(d->flavour), row->repository,
			     eb_flavour_name(row->flavour));
	if (row->deleted < 0 && !row->deprecated)
		eb_strv_addf(&d->warning,
			     "The tag of %s was seen once (%s); whether it can "
			     "still be pulled only the registry knows.",
			     d->image, row->source);
	if (row->deprecated)
		eb_strv_addf(&d->warning,
			     "%s is deprecated by those who publish it, and "
			     "may go at any time.",
			     d->image);
	if (row->cuda && strcmp(row->family, "azureml") == 0)
		eb_strv_addf(&d->warning,
			     "%s is licensed for use on Azure only.", d->image);
}

/* Where the image itself has no nvcc: one whose glibc is not newer, so that
 * what is compiled there runs here. */
void eb_find_build_image(struct eb_case *c)
{
	struct eb_decision *d = c->d;
	struct eb_row_want w = { .family = "nvidia",
				 .cuda = d->cuda,
				 .glibc_most = d->glibc,
				 .flavour = EB_FLAVOUR_DEVEL };
	struct eb_base_row row;

	if (d->build_flavour <= d->image_flavour || !d->cuda)
		return;
	if (eb_row_choose(&w, NULL, &row))
		d->build_image = eb_asprintf("%s:%s", row.repository, row.tag);
	eb_base_row_release(&row);
}

int eb_cuda_rows(struct eb_case *c)
{
	const char *family = family_of(c);
	struct eb_row_want w = wanted(c, family);
	struct eb_base_row row;

	if (is_plain(family) && c->d->flavour != EB_FLAVOUR_NONE)
		return plain_cannot(c, family);
	if (!eb_row_choose(&w, c->d, &row)) {
		eb_base_row_release(&row);
		return no_row(c, &w);
	}
	eb_take_row(c, &row);
	say_row(c, &row);
	if (!row.cuda)
		eb_plain_variables(c);
	eb_base_row_release(&row);
	eb_find_build_image(c);
	return 0;
}
