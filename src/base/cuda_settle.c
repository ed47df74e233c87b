/* SPDX-License-Identifier: Apache-2.0 */
/* What is said about the CUDA that was chosen: its cuDNN, its driver, what it
 * was taken for granted with, and what would lead to another. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_choice.h"

/* "9.10.2.21" of "12.6=9.10.2.21 13.0=..."; "8.9" stands for all. */
static char *cudnn_of(const struct eb_framework *f, const char *minor)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv pair = { 0 };
	const char *cell = f->cell[FRAMEWORK_CUDNN];
	size_t n = strlen(minor);

	if (!cell)
		return NULL;
	if (strpbrk(cell, "<>")) /* the major alone is sure */
		return eb_strndup(cell + strcspn(cell, "0123456789"),
				  strspn(cell + strcspn(cell, "0123456789"),
					 "0123456789"));
	if (!strchr(cell, '='))
		return eb_strdup(cell);
	eb_strv_split(&pair, cell, " ");
	for (size_t i = 0; i < pair.n; i++)
		if (strncmp(pair.v[i], minor, n) == 0 && pair.v[i][n] == '=')
			return eb_strdup(pair.v[i] + n + 1);
	return NULL;
}

static char *cudnn_in_build(const char *build)
{
	const char *at = build ? strstr(build, "cudnn") : NULL;
	size_t n;

	if (!at)
		return NULL;
	at += strlen("cudnn");
	n = strspn(at, "0123456789.");
	return n ? eb_strndup(at, n) : NULL;
}

/* What was resolved is nearer than what a table has; what the base has to
 * bring goes before what wheels have with them. */
static void find_cudnn(struct eb_case *c, const char *minor)
{
	const struct eb_item *conda = eb_item_find(c, "cudnn");
	char *found = NULL;

	for (size_t i = 0; i < c->n_items && !c->need_cudnn && !found; i++) {
		const struct eb_item *item = &c->item[i];

		if (item->version && eb_starts(item->name, "nvidia-cudnn"))
			found = eb_strdup(item->version);
		else if (eb_framework_of(item))
			found = cudnn_in_build(item->build);
	}
	if (!found && conda && conda->version)
		found = eb_strdup(conda->version);
	for (size_t i = 0; i < c->n_frameworks && !found; i++)
		if (c->framework[i].brings &&
		    (!c->need_cudnn ||
		     strcmp(c->framework[i].brings, "base") == 0))
			found = cudnn_of(&c->framework[i], minor);
	c->cudnn = found;
}

static void check_driver(struct eb_case *c)
{
	struct eb_decision *d = c->d;

	if (!c->r->driver || !d->toolkit_driver ||
	    eb_driver_serves(c->r->driver, d->toolkit_driver))
		return;
	eb_strv_addf(&d->warning,
		     "Driver %s runs CUDA %s, but is older than the toolkit's "
		     "own (%s): code that is compiled from PTX when it starts "
		     "will not run, nor what needs a newer driver's features.",
		     c->r->driver, d->cuda, d->toolkit_driver);
}

static void say_fleet(struct eb_case *c)
{
	struct eb_decision *d = c->d;

	if (!c->r->driver && d->driver_floor)
		eb_strv_addf(&d->assumption,
			     "No driver is declared (--driver); every host is "
			     "taken to have %s or newer.",
			     d->driver_floor);
	if (!c->arch.n && d->gpu_arch.n)
		eb_strv_add(&d->assumption,
			    "No GPUs are declared (--gpu-arch); they are taken "
			    "to be among those that the build has kernels "
			    "for.");
	for (size_t i = 0; i < c->arch.n; i++) {
		eb_autofree char *why = NULL;

		if (eb_arch_covered(c, d->cuda, c->arch.v[i], &why) < 0)
			eb_strv_addf(&d->assumption,
				     "No table says whether GPUs of %s are "
				     "covered; they are taken to be.",
				     c->arch.v[i]);
	}
	if (c->r->driver && !strchr(c->r->driver, '.'))
		eb_strv_addf(&d->assumption,
			     "Driver %s names a branch; hosts are taken to "
			     "have its newest release.",
			     c->r->driver);
}

static bool has_wheels(const struct eb_case *c)
{
	for (size_t i = 0; i < c->n_items; i++)
		if (c->item[i].python_side &&
		    eb_starts(c->item[i].name, "nvidia-"))
			return true;
	return false;
}

/* "cu126" where the builds of the framework are found under it. */
static char *index_word(const struct eb_framework *f, const char *minor)
{
	size_t n = strcspn(minor, ".");
	char *word = eb_asprintf("cu%.*s%s", (int)n, minor, minor + n + 1);

	if (eb_cell_has(f->cell[FRAMEWORK_INDEX], word))
		return word;
	free(word);
	return NULL;
}

/* A wheel without a suffix is for one CUDA, and no table says which. */
static void say_plain_wheel(struct eb_case *c, const struct eb_framework *f)
{
	const char *minor = c->d->cuda;
	eb_autofree char *word = index_word(f, minor);

	if (!f->item->python_side || !f->brings || f->exact ||
	    strcmp(f->brings, "wheel") != 0 || f->range ||
	    f->cell[FRAMEWORK_DEFAULT] || c->n_index || has_wheels(c) ||
	    !(f->builds & (f->builds - 1)))
		return;
	eb_strv_addf(&c->d->assumption,
		     "Which CUDA the wheel of \"%s\" without a suffix is for, "
		     "no table says; it is taken to be CUDA %s%s%s%s.",
		     f->item->shown, minor,
		     word ? ", which an --extra-index-url that ends in \"" : "",
		     word ? word : "", word ? "\" makes sure of" : "");
}

static void warn_experimental(struct eb_case *c)
{
	const struct eb_framework *f = eb_choice_experimental(c, c->d->cuda);

	if (f)
		eb_strv_addf(&c->d->warning,
			     "CUDA %s is experimental for %s %s; it is taken "
			     "because it is asked for.",
			     c->d->cuda, f->name, f->version);
}

/* The builds that are known do not have the one that is named. */
static void warn_no_build(struct eb_case *c)
{
	eb_cudas one = eb_cudas_of(&c->u, c->d->cuda);

	for (size_t i = 0; i < c->n_frameworks; i++) {
		const struct eb_framework *f = &c->framework[i];
		eb_autofree char *list = NULL;

		if (!eb_choice_counts(f) || !f->item->python_side ||
		    f->builds & one)
			continue;
		list = eb_cudas_text(&c->u, f->builds);
		eb_strv_addf(&c->d->warning,
			     "The tables know builds of %s %s for %s, and "
			     "none for CUDA %s.",
			     f->name, f->version, list, c->d->cuda);
	}
}

void eb_choice_settle(struct eb_case *c, const char *minor)
{
	struct eb_decision *d = c->d;

	d->cuda = eb_strdup(minor);
	d->virtual_cuda = eb_strdup(minor);
	d->driver_floor = eb_cuda_floor(minor);
	d->toolkit_driver = eb_cuda_toolkit_driver(minor);
	eb_arch_list(c, minor, &d->gpu_arch);
	find_cudnn(c, minor);
	d->cudnn = eb_strdup(c->cudnn);
	check_driver(c);
	warn_experimental(c);
	warn_no_build(c);
	say_fleet(c);
	for (size_t i = 0; i < c->n_frameworks; i++)
		say_plain_wheel(c, &c->framework[i]);
}

static bool same_lists(const struct eb_strv *a, const struct eb_strv *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->v[i], b->v[i]) != 0)
			return false;
	return true;
}

static char *why_another(const struct eb_decision *d,
			 const struct eb_alternative *a)
{
	bool driver = a->driver_floor && d->driver_floor &&
		      strcmp(a->driver_floor, d->driver_floor) != 0;
	bool arch = a->gpu_arch.n && !same_lists(&a->gpu_arch, &d->gpu_arch);
	EB_AUTOBUF(list, EB_MAX_TEXT);

	for (size_t i = 0; i < a->gpu_arch.n; i++)
		eb_buf_addf(&list, "%s%s", i ? ", " : "", a->gpu_arch.v[i]);
	if (driver && arch)
		return eb_asprintf("CUDA %s would need driver %s or newer and "
				   "have kernels for %s",
				   a->cuda, a->driver_floor, list.data);
	if (driver)
		return eb_asprintf("CUDA %s would need driver %s or newer",
				   a->cuda, a->driver_floor);
	if (arch)
		return eb_asprintf("CUDA %s would have kernels for %s", a->cuda,
				   list.data);
	return NULL;
}

static bool is_refused(const struct eb_decision *d, const char *row)
{
	for (size_t i = 0; i < d->n_rows; i++)
		if (strcmp(d->row[i].row, row) == 0)
			return true;
	return false;
}

/* One that changes nothing is none. */
static void drop_alternative(struct eb_decision *d)
{
	struct eb_alternative *a = &d->alternative[--d->n_alternatives];

	free(a->cuda);
	free(a->driver_floor);
	eb_strv_release(&a->gpu_arch);
}

void eb_choice_alternatives(struct eb_case *c, eb_cudas set)
{
	struct eb_decision *d = c->d;

	for (unsigned i = 0; i < c->u.n; i++) {
		const char *minor = c->u.minor[i];
		eb_autofree char *row = eb_choice_row(minor);
		struct eb_alternative *a;
		char *why = NULL;

		if (!(set >> i & 1) || strcmp(minor, d->cuda) == 0 ||
		    is_refused(d, row))
			continue;
		if (!eb_choice_fits(c, minor, &why)) {
			eb_add_refused(d, row, why);
			continue;
		}
		EB_GROW(d->alternative, d->n_alternatives,
			d->alloc_alternatives);
		a = &d->alternative[d->n_alternatives++];
		*a = (struct eb_alternative){ .cuda = eb_strdup(minor) };
		a->driver_floor = eb_cuda_floor(minor);
		eb_arch_list(c, minor, &a->gpu_arch);
		a->why = why_another(d, a);
		if (!a->why)
			drop_alternative(d);
	}
}

void eb_choice_because(struct eb_case *c, eb_cudas set, const char *from)
{
	bool fleet = c->r->driver || c->arch.n;
	bool up = eb_choice_from_below(c);

	if (!(set & (set - 1)))
		c->d->because = eb_strdup("It is the only CUDA that all that "
					  "was said allows.");
	else
		c->d->because = eb_asprintf(
			"It is the %s of %s%s%s.", up ? "lowest" : "newest",
			from + strlen("CUDA "),
			fleet ? " that serves the fleet" : "",
			up ? "" : ", which is what a resolver takes");
}
