/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA: the lowest of the stable set whose driver floor fits the fleet
 * and whose kernels cover it. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_choice.h"

bool eb_choice_counts(const struct eb_framework *f)
{
	return f->known && f->variant != EB_VARIANT_CPU;
}

/* ---- which there are to choose from ---------------------------------------*/

/* The user's own base is all that has one. */
static eb_cudas set_of_base(struct eb_case *c)
{
	eb_autofree char *minor =
		c->d->image_cuda ? eb_cuda_minor(c->d->image_cuda) : NULL;
	eb_cudas set = minor ? eb_cudas_of(&c->u, minor) : 0;

	if (set)
		eb_strv_addf(&c->d->assumption,
			     "No package says which CUDA; that of %s is taken.",
			     c->r->base);
	return set;
}

/* Named as a default: what the newest torch of the tables has as its lowest
 * stable build. */
static eb_cudas default_set(struct eb_case *c)
{
	struct eb_table t;
	eb_cudas set = set_of_base(c);

	if (set)
		return set;
	eb_table_open(&t, eb_frameworks_tsv);
	while (!set && eb_table_next(&t)) {
		set = eb_cudas_of(&c->u, t.row.cell[FRAMEWORK_STABLE]);
		if (set)
			eb_strv_addf(&c->d->assumption,
				     "Nothing says which CUDA; the stable "
				     "builds of %s %s are taken as the "
				     "default.",
				     t.row.cell[FRAMEWORK_NAME],
				     t.row.cell[FRAMEWORK_VERSION]);
	}
	eb_table_close(&t);
	return set;
}

static const struct eb_framework *unknown(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++) {
		const struct eb_framework *f = &c->framework[i];

		if (!f->known && !f->cell[FRAMEWORK_NEEDS] &&
		    f->variant != EB_VARIANT_CPU)
			return f;
	}
	return NULL;
}

static int nobody_says(struct eb_case *c, const struct eb_framework *f)
{
	const char *version = f->version ? f->version : "of any version";

	if (!c->d->gpu_asked) {
		eb_strv_addf(&c->d->warning,
			     "No table says which CUDA %s %s is made for, and "
			     "so the driver that it needs is not known.",
			     f->name, version);
		return 1;
	}
	eb_refuse(c,
		  "no table says which CUDA %s %s is made for, and nothing "
		  "else does (\"%s\")",
		  f->name, version, f->item->shown);
	eb_advise(c, "say it with --cuda, a suffix such as \"+cu118\" or an "
		     "index line; or resolve first, so that its wheel "
		     "tells");
	return -1;
}

static eb_cudas stable_of_all(const struct eb_case *c)
{
	eb_cudas set = EB_CUDAS_ALL;

	for (size_t i = 0; i < c->n_frameworks; i++) {
		const struct eb_framework *f = &c->framework[i];

		if (!eb_choice_counts(f) || f->exact)
			continue;
		set &= c->r->experimental ? f->stable | f->experimental
					  : f->stable;
	}
	return set;
}

const struct eb_framework *eb_choice_experimental(const struct eb_case *c,
						  const char *minor)
{
	eb_cudas one = eb_cudas_of(&c->u, minor);

	for (size_t i = 0; i < c->n_frameworks; i++)
		if (eb_choice_counts(&c->framework[i]) &&
		    c->framework[i].experimental & one)
			return &c->framework[i];
	return NULL;
}

/* A list has a lowest; of a range a resolver takes the newest. */
bool eb_choice_from_below(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_frameworks; i++)
		if (eb_choice_counts(&c->framework[i]) &&
		    !c->framework[i].range)
			return true;
	return c->allowed == EB_CUDAS_ALL;
}

/* ---- does one fit the fleet -----------------------------------------------*/

static bool driver_fits(struct eb_case *c, const char *minor, char **why)
{
	eb_autofree char *floor = eb_cuda_floor(minor);

	if (!c->r->driver || !floor || eb_driver_serves(c->r->driver, floor))
		return true;
	*why = eb_asprintf("it needs driver %s or newer, and the fleet has %s",
			   floor, c->r->driver);
	return false;
}

bool eb_choice_fits(struct eb_case *c, const char *minor, char **why)
{
	if (!driver_fits(c, minor, why))
		return false;
	for (size_t i = 0; i < c->arch.n; i++)
		if (eb_arch_covered(c, minor, c->arch.v[i], why) == 0)
			return false;
	return true;
}

char *eb_choice_row(const char *minor)
{
	return eb_asprintf("CUDA %s", minor);
}

/* Goes through the set in its order; what does not fit is written down. */
static const char *first_that_fits(struct eb_case *c, eb_cudas set)
{
	bool up = eb_choice_from_below(c);

	while (set & (((eb_cudas)1 << c->u.n) - 1)) {
		const char *minor = up ? eb_cudas_lowest(&c->u, set)
				       : eb_cudas_highest(&c->u, set);
		eb_autofree char *row = eb_choice_row(minor);
		char *why = NULL;

		if (eb_choice_fits(c, minor, &why))
			return minor;
		eb_add_refused(c->d, row, why);
		set &= ~eb_cudas_of(&c->u, minor);
	}
	return NULL;
}

/* ---- what was not taken ---------------------------------------------------*/

static void refuse_experimental(struct eb_case *c, eb_cudas set)
{
	for (unsigned i = 0; i < c->u.n; i++) {
		const struct eb_framework *f;
		eb_autofree char *row = eb_choice_row(c->u.minor[i]);

		if (!(set >> i & 1))
			continue;
		f = eb_choice_experimental(c, c->u.minor[i]);
		if (f)
			eb_add_refused(c->d, row,
				       eb_asprintf("it is experimental for %s "
						   "%s, and counts only with "
						   "--experimental",
						   f->name, f->version));
		else
			eb_add_refused(c->d, row,
				       eb_strdup("it is not among the stable "
						 "builds"));
	}
}

static int none_fits(struct eb_case *c, eb_cudas others)
{
	const struct eb_decision *d = c->d;
	EB_AUTOBUF(why, EB_MAX_TEXT);
	eb_autofree char *unused = NULL;

	for (size_t i = 0; i < d->n_rows; i++)
		eb_buf_addf(&why, "%s%s: %s", i ? "; " : "", d->row[i].row,
			    d->row[i].why);
	eb_refuse(c, "no CUDA that the packages allow serves the fleet: %s",
		  why.data);
	for (unsigned i = 0; i < c->u.n; i++)
		if (others >> i & 1 &&
		    eb_choice_experimental(c, c->u.minor[i]) &&
		    eb_choice_fits(c, c->u.minor[i], &unused)) {
			eb_advise(c, "CUDA %s would: take --experimental",
				  c->u.minor[i]);
			return -1;
		}
	eb_advise(c, "take another version of the framework, or split the "
		     "fleet into two images");
	return -1;
}

/* ---- all ------------------------------------------------------------------
 */

int eb_cuda_choose(struct eb_case *c)
{
	eb_cudas stable = stable_of_all(c), set = c->allowed, others = 0;
	const struct eb_framework *f = unknown(c);
	eb_autofree char *from = NULL;
	const char *minor;

	if (!c->d->gpu)
		return 0;
	if (set == EB_CUDAS_ALL && f)
		return nobody_says(c, f) < 0 ? -1 : 0;
	if (set == EB_CUDAS_ALL)
		set = default_set(c);
	if (set & stable) {
		others = set & ~stable;
		set &= stable;
	}
	from = eb_cudas_text(&c->u, set);
	minor = first_that_fits(c, set);
	refuse_experimental(c, others);
	if (!minor)
		return none_fits(c, others);
	eb_choice_settle(c, minor);
	eb_choice_because(c, set, from);
	eb_choice_alternatives(c, set);
	return 0;
}
