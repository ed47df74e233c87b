/* SPDX-License-Identifier: Apache-2.0 */
/* The frameworks of an environment: which there are, in which version, and
 * what the tables say about it. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/pep440.h>
#include <envbuild/str.h>

#include "cuda_framework.h"

/* Names of packages that are, or bring, a framework. */
static const struct {
	const char *package, *framework;
} names[] = {
	{ "pytorch", "torch" },
	{ "torch", "torch" },
	{ "pytorch-gpu", "torch" },
	{ "pytorch-cpu", "torch" },
	{ "tensorflow", "tensorflow" },
	{ "tensorflow-base", "tensorflow" },
	{ "tensorflow-gpu", "tensorflow" },
	{ "tensorflow-gpu-base", "tensorflow" },
	{ "tensorflow-cpu", "tensorflow" },
	{ "tensorflow-mkl", "tensorflow" },
	{ "tensorflow-eigen", "tensorflow" },
	{ "jax", "jax" },
	{ "jaxlib", "jax" },
	{ "mxnet", "mxnet" },
	{ "mxnet-gpu", "mxnet" },
	{ "horovod", "horovod" },
	{ "deepspeed", "deepspeed" },
	{ "mpi4py", "mpi4py" },
	{ "apex", "apex" },
	{ "nvidia-apex", "apex" },
};

const char *eb_framework_of(const struct eb_item *i)
{
	for (size_t n = 0; n < sizeof names / sizeof *names; n++)
		if (strcmp(i->name, names[n].package) == 0)
			return names[n].framework;
	return eb_starts(i->name, "mxnet-cu") ? "mxnet" : NULL;
}

void eb_framework_release(struct eb_framework *f)
{
	free(f->version);
	free(f->brings);
	for (size_t i = 0; i < FRAMEWORK_CELLS; i++)
		free(f->cell[i]);
}

/* ---- which ----------------------------------------------------------------*/

/* pip installs last, and so over conda's; a version is better than none. */
static bool is_better(const struct eb_item *new, const struct eb_item *old)
{
	if (new->python_side != old->python_side)
		return new->python_side;
	if (strcmp(old->name, "jax") == 0)
		return false;
	return new->version && !old->version;
}

static void note_item(struct eb_case *c, const struct eb_item *i)
{
	const char *name = eb_framework_of(i);

	if (!name)
		return;
	for (size_t f = 0; f < c->n_frameworks; f++) {
		struct eb_framework *old = &c->framework[f];

		if (strcmp(old->name, name) != 0)
			continue;
		if (is_better(i, old->item))
			old->item = i;
		return;
	}
	if (c->n_frameworks < EB_FRAMEWORKS)
		c->framework[c->n_frameworks++] =
			(struct eb_framework){ .name = name, .item = i };
}

/* ---- in which version -----------------------------------------------------*/

static bool python_fits(const char *cell, const char *python)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv range = { 0 };

	if (!cell || !python)
		return true;
	eb_strv_split(&range, cell, " ");
	for (size_t i = 0; i < range.n; i++) {
		char *to = strchr(range.v[i], '-');
		const char *from = range.v[i];

		if (to)
			*to++ = '\0';
		if (eb_cuda_compare(python, from) >= 0 &&
		    eb_cuda_compare(python, to ? to : from) <= 0)
			return true;
	}
	return false;
}

static bool version_fits(const struct eb_item *i, const char *version)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (!i->constraint)
		return true;
	if (!i->python_side)
		return eb_cuda_fits(version, i->constraint);
	return eb_specifiers_contain(i->constraint, version, EB_PRE_DENY,
				     &ignored) > 0;
}

/* "2.14" of "2.14.*"; NULL for a range: that is no version. */
static char *row_version(const char *spec)
{
	if (strpbrk(spec, "<>") || strcmp(spec, "*") == 0)
		return NULL;
	return eb_strndup(spec, strlen(spec) - (eb_ends(spec, ".*") ? 2 : 0));
}

/* The newest of the tables that the line and Python allow. */
static void newest_version(const struct eb_case *c, struct eb_framework *f)
{
	struct eb_table t;

	eb_table_open(&t, eb_frameworks_tsv);
	while (eb_table_next(&t)) {
		const char *const *cell = t.row.cell;
		char *version;

		if (strcmp(cell[FRAMEWORK_NAME], f->name) != 0 ||
		    !python_fits(cell[FRAMEWORK_PYTHON], c->python))
			continue;
		version = row_version(cell[FRAMEWORK_VERSION]);
		if (version && version_fits(f->item, version) &&
		    (!f->version || eb_cuda_compare(version, f->version) > 0)) {
			free(f->version);
			f->version = eb_steal(version);
			f->assumed = true;
		}
		free(version);
	}
	eb_table_close(&t);
}

/* ---- what the tables say --------------------------------------------------*/

static bool row_fits(const struct eb_framework *f, const char *const *cell)
{
	if (strcmp(cell[FRAMEWORK_NAME], f->name) != 0)
		return false;
	if (strcmp(cell[FRAMEWORK_VERSION], "*") == 0)
		return true;
	return f->version && eb_cuda_fits(f->version, cell[FRAMEWORK_VERSION]);
}

/* "1.6" of a specifier is the table's "1.6.0". */
static void take_spelling(struct eb_framework *f, const char *spec)
{
	if (strpbrk(spec, "<>*") || strlen(spec) <= strlen(f->version))
		return;
	free(f->version);
	f->version = eb_strdup(spec);
}

static void take_rows(struct eb_framework *f)
{
	struct eb_table t;

	eb_table_open(&t, eb_frameworks_tsv);
	while (eb_table_next(&t)) {
		if (!row_fits(f, t.row.cell))
			continue;
		if (f->version)
			take_spelling(f, t.row.cell[FRAMEWORK_VERSION]);
		for (size_t i = 0; i < FRAMEWORK_CELLS; i++) {
			if (!t.row.cell[i])
				continue;
			free(f->cell[i]);
			f->cell[i] = eb_strdup(t.row.cell[i]);
		}
	}
	eb_table_close(&t);
}

static void read_sets(const struct eb_case *c, struct eb_framework *f)
{
	const char *builds = f->cell[FRAMEWORK_BUILDS];

	f->stable = eb_cudas_of(&c->u, f->cell[FRAMEWORK_STABLE]);
	f->experimental = eb_cudas_of(&c->u, f->cell[FRAMEWORK_EXPERIMENTAL]);
	f->builds = eb_cudas_of(&c->u, builds) | f->stable | f->experimental;
	if (!f->stable)
		f->stable = f->builds & ~f->experimental;
	f->range = builds && strpbrk(builds, "*<>");
	f->known = f->builds != 0;
}

static const char *pythons_of(const struct eb_framework *f)
{
	return f->cell[FRAMEWORK_PYTHON];
}

static void check_python(struct eb_case *c, const struct eb_framework *f)
{
	if (!f->item->python_side || c->r->solved || f->assumed ||
	    python_fits(pythons_of(f), c->python))
		return;
	eb_strv_addf(&c->d->warning,
		     "%s %s has wheels for Python %s, and the environment asks "
		     "for Python %s: nothing will be found to install.",
		     f->name, f->version, pythons_of(f), c->python);
}

static void fill(struct eb_case *c, struct eb_framework *f)
{
	f->version = eb_strdup(f->item->version);
	if (!f->version)
		newest_version(c, f);
	take_rows(f);
	read_sets(c, f);
	if (f->version)
		check_python(c, f);
	if (f->assumed && f->known)
		eb_strv_addf(&c->d->assumption,
			     "\"%s\" leaves the version open; %s %s is the "
			     "newest of the tables that it allows.",
			     f->item->shown, f->name, f->version);
	eb_framework_variant(c, f);
}

void eb_frameworks_find(struct eb_case *c)
{
	for (size_t i = 0; i < c->n_items; i++)
		note_item(c, &c->item[i]);
	for (size_t f = 0; f < c->n_frameworks; f++)
		fill(c, &c->framework[f]);
}
