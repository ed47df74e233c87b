/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA versions that there are, sets of them, and their drivers. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/pep440.h>
#include <envbuild/str.h>

#include "cuda_int.h"

/* ---- versions -------------------------------------------------------------*/

static void add_minor(struct eb_universe *u, const char *minor)
{
	unsigned at = u->n;

	for (unsigned i = 0; i < u->n; i++)
		if (strcmp(u->minor[i], minor) == 0)
			return;
	if (u->n == EB_CUDA_MOST || strlen(minor) >= sizeof u->minor[0])
		return;
	for (; at && eb_cuda_compare(minor, u->minor[at - 1]) < 0; at--)
		memcpy(u->minor[at], u->minor[at - 1], sizeof u->minor[0]);
	memset(u->minor[at], 0, sizeof u->minor[0]);
	memcpy(u->minor[at], minor, strlen(minor));
	u->n++;
}

void eb_universe_read(struct eb_universe *u)
{
	struct eb_table t;

	u->n = 0;
	eb_table_open(&t, eb_drivers_tsv);
	while (eb_table_next(&t)) {
		eb_autofree char *minor =
			eb_cuda_minor(t.row.cell[DRIVER_CUDA]);

		add_minor(u, minor);
	}
	eb_table_close(&t);
}

eb_cudas eb_cudas_of(const struct eb_universe *u, const char *cell)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv word = { 0 };
	eb_cudas set = 0;

	if (!cell)
		return 0;
	eb_strv_split(&word, cell, " ");
	for (size_t w = 0; w < word.n; w++)
		for (unsigned i = 0; i < u->n; i++)
			if (eb_cuda_fits(u->minor[i], word.v[w]))
				set |= (eb_cudas)1 << i;
	return set;
}

eb_cudas eb_cudas_major(const struct eb_universe *u, unsigned major)
{
	eb_autofree char *cell = eb_asprintf("%u.*", major);

	return eb_cudas_of(u, cell);
}

const char *eb_cudas_lowest(const struct eb_universe *u, eb_cudas set)
{
	for (unsigned i = 0; i < u->n; i++)
		if (set >> i & 1)
			return u->minor[i];
	return NULL;
}

const char *eb_cudas_highest(const struct eb_universe *u, eb_cudas set)
{
	for (unsigned i = u->n; i-- > 0;)
		if (set >> i & 1)
			return u->minor[i];
	return NULL;
}

/* All of a major that there are, and more than two: "12.x". */
static bool is_whole(const struct eb_universe *u, eb_cudas set, unsigned at,
		     unsigned *n)
{
	bool whole = true;

	*n = 0;
	for (unsigned i = 0; i < u->n; i++) {
		if (!eb_same_major(u->minor[i], u->minor[at]))
			continue;
		++*n;
		whole = whole && (set >> i & 1);
	}
	return whole && *n > 2;
}

char *eb_cudas_text(const struct eb_universe *u, eb_cudas set)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv word = { 0 };
	EB_AUTOBUF(out, EB_MAX_TEXT);

	for (unsigned i = 0; i < u->n; i++) {
		unsigned n;

		if (!(set >> i & 1))
			continue;
		if (!is_whole(u, set, i, &n)) {
			eb_strv_add(&word, u->minor[i]);
			continue;
		}
		eb_strv_addf(&word, "%.*s.x", (int)strcspn(u->minor[i], "."),
			     u->minor[i]);
		i += n - 1;
	}
	for (size_t w = 0; w < word.n; w++)
		eb_buf_addf(&out, "%s%s",
			    !w		      ? "CUDA "
			    : w + 1 == word.n ? " and "
					      : ", ",
			    word.v[w]);
	return word.n ? eb_buf_steal(&out, NULL)
		      : eb_strdup("no CUDA that is known");
}

/* ---- constraints ----------------------------------------------------------*/

static bool one_fits(const char *version, const char *constraint,
		     bool python_side)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (!python_side)
		return eb_cuda_fits(version, constraint);
	return eb_specifiers_contain(constraint, version, EB_PRE_DENY,
				     &ignored) > 0;
}

static bool below(const char *version, const char *minor)
{
	size_t n = strlen(minor);

	return strncmp(version, minor, n) == 0 && version[n] == '.';
}

/* The versions that the constraint itself names: "10.1.243" of
 * "10.1.243.*". */
static void versions_named(const char *constraint, struct eb_strv *out)
{
	const char *at = constraint;

	while (*(at += strcspn(at, "0123456789"))) {
		size_t n = strspn(at, "0123456789.");
		char *word = eb_strndup(at, n);

		while (n && word[n - 1] == '.')
			word[--n] = '\0';
		eb_strv_take(out, word);
		at += strspn(at, "0123456789.*");
	}
}

/* A minor may serve when its first or its second patch would, or a version
 * of it that is named. */
static bool minor_fits(const char *minor, const char *constraint,
		       const struct eb_strv *named, bool python_side)
{
	eb_autofree char *patch = eb_asprintf("%s.1", minor);

	if (one_fits(minor, constraint, python_side) ||
	    one_fits(patch, constraint, python_side))
		return true;
	for (size_t i = 0; i < named->n; i++)
		if (below(named->v[i], minor) &&
		    one_fits(named->v[i], constraint, python_side))
			return true;
	return false;
}

eb_cudas eb_cudas_that_fit(const struct eb_universe *u, const char *constraint,
			   bool python_side)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv named = { 0 };
	eb_cudas set = 0;

	if (!constraint)
		return EB_CUDAS_ALL;
	versions_named(constraint, &named);
	for (unsigned i = 0; i < u->n; i++)
		if (minor_fits(u->minor[i], constraint, &named, python_side))
			set |= (eb_cudas)1 << i;
	return set;
}

/* ---- drivers --------------------------------------------------------------*/

static bool of_minor(const char *version, const char *minor)
{
	return strcmp(version, minor) == 0 || below(version, minor);
}

char *eb_cuda_floor(const char *minor)
{
	struct eb_table t;
	char *floor = NULL;

	eb_table_open(&t, eb_drivers_tsv);
	while (!floor && eb_table_next(&t))
		if (of_minor(t.row.cell[DRIVER_CUDA], minor))
			floor = eb_strdup(t.row.cell[DRIVER_FLOOR]);
	eb_table_close(&t);
	return floor;
}

char *eb_cuda_toolkit_driver(const char *version)
{
	eb_autofree char *minor = eb_cuda_minor(version);
	struct eb_table t;
	char *full = NULL;
	bool exact = false;

	eb_table_open(&t, eb_drivers_tsv);
	while (!exact && eb_table_next(&t)) {
		const char *cuda = t.row.cell[DRIVER_CUDA];

		if (!of_minor(cuda, minor) || !t.row.cell[DRIVER_FULL])
			continue;
		exact = strcmp(cuda, version) == 0 && strcmp(version, minor);
		free(full);
		full = eb_strdup(t.row.cell[DRIVER_FULL]);
	}
	eb_table_close(&t);
	return full;
}

bool eb_driver_serves(const char *driver, const char *floor)
{
	if (!strchr(driver, '.') && eb_same_major(driver, floor))
		return true;
	return eb_cuda_compare(driver, floor) >= 0;
}
