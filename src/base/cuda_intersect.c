/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is said about CUDA, taken together. Nothing left is an
 * error that names the two sides. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

static char *place(const struct eb_evidence *e)
{
	if (e->file && e->line)
		return eb_asprintf(" (%s:%u:%u)", e->file, e->line, e->column);
	/* an option */
	return e->file && eb_starts(e->file, "--")
		       ? eb_asprintf(" (%s)", e->file)
		       : eb_strdup("");
}

/* The third side of the three-way check. */
static char *base_side(const struct eb_case *c)
{
	if (!c->d->image_cuda)
		return eb_strdup("");
	return eb_asprintf("; the base \"%s\" has CUDA %s", c->d->image,
			   c->d->image_cuda);
}

static int two_sides(struct eb_case *c, const struct eb_evidence *a,
		     const struct eb_evidence *b)
{
	eb_autofree char *at_a = place(a), *at_b = place(b);

	eb_autofree char *third = base_side(c);

	eb_refuse(c, "%s%s, and %s%s: no CUDA is both%s", a->why, at_a, b->why,
		  at_b, third);
	c->d->refusal = "cuda-mismatch";
	eb_advise(c, "change one of them so that both are for one CUDA");
	return -1;
}

/* The strongest against the one that contradicts it. */
static int conflict(struct eb_case *c)
{
	EB_AUTOBUF(all, EB_MAX_TEXT);

	for (size_t i = 0; i < c->n_evidence; i++)
		for (size_t k = i + 1; k < c->n_evidence; k++)
			if (!c->evidence[i].soft && !c->evidence[k].soft &&
			    !(c->evidence[i].allows & c->evidence[k].allows))
				return two_sides(c, &c->evidence[i],
						 &c->evidence[k]);
	for (size_t i = 0; i < c->n_evidence; i++)
		if (!c->evidence[i].soft &&
		    c->evidence[i].allows != EB_CUDAS_ALL)
			eb_buf_addf(&all, "%s%s", all.len ? "; " : "",
				    c->evidence[i].why);
	eb_refuse(c, "no CUDA is for all of these: %s", all.data);
	c->d->refusal = "cuda-mismatch";
	return -1;
}

/* The neighbours of a version that there is not. */
static void name_neighbours(struct eb_case *c, const char *what)
{
	const char *at = what + strcspn(what, "0123456789");
	eb_autofree char *version = eb_strndup(at, strspn(at, "0123456789."));
	const char *below = NULL, *above = NULL;
	size_t n = strlen(version);

	if (n && version[n - 1] == '.')
		version[n - 1] = '\0';
	for (unsigned i = 0; i < c->u.n && *version; i++) {
		if (eb_cuda_compare(c->u.minor[i], version) < 0)
			below = c->u.minor[i];
		else if (!above)
			above = c->u.minor[i];
	}
	if (below && above)
		eb_advise(c, "the nearest are CUDA %s and CUDA %s", below,
			  above);
	else if (below || above)
		eb_advise(c, "the nearest is CUDA %s", below ? below : above);
}

static int check_exists(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_evidence; i++) {
		const struct eb_evidence *e = &c->evidence[i];
		eb_autofree char *at = place(e);

		if (e->allows)
			continue;
		eb_refuse(c, "%s%s, and there is no such CUDA", e->why, at);
		name_neighbours(c, e->what);
		return -1;
	}
	return 0;
}

static void take_soft(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_evidence; i++) {
		const struct eb_evidence *e = &c->evidence[i];

		if (!e->soft)
			continue;
		if (c->allowed & e->allows)
			c->allowed &= e->allows;
		else
			eb_strv_addf(&c->d->assumption,
				     "The tables hold the builds of the "
				     "project itself (%s); the channel's own "
				     "may be for others.",
				     e->why);
	}
}

/* Of libraries that were chosen within a range: what they do for. */
static void take_what_serves(struct eb_case *c)
{
	eb_cudas left = EB_CUDAS_ALL;

	for (size_t i = 0; i < c->n_evidence; i++)
		if (!c->evidence[i].soft)
			left &= c->evidence[i].allows | c->evidence[i].serves;
	c->allowed = left;
	for (size_t i = 0; left && i < c->n_evidence; i++) {
		struct eb_evidence *e = &c->evidence[i];

		if (!e->serves || (e->allows & left))
			continue;
		e->allows |= e->serves;
		eb_strv_addf(&c->d->assumption,
			     "%s, and does for an earlier one of that major.",
			     e->why);
	}
}

int eb_cuda_intersect(struct eb_case *c)
{
	c->allowed = EB_CUDAS_ALL;
	if (!c->d->gpu)
		return 0;
	if (check_exists(c) < 0)
		return -1;
	for (size_t i = 0; i < c->n_evidence; i++)
		if (!c->evidence[i].soft)
			c->allowed &= c->evidence[i].allows;
	if (!c->allowed)
		take_what_serves(c);
	if (!c->allowed)
		return conflict(c);
	take_soft(c);
	return 0;
}
