/* SPDX-License-Identifier: Apache-2.0 */
/* Does a build of a framework have kernels for a GPU? By the list of its
 * architectures where one is known, else by the floors. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "cuda_int.h"

char *eb_arch_read(const char *word)
{
	const char *at = eb_starts(word, "sm_") ? word + 3 : word;
	size_t n = strspn(at, "0123456789");

	if (n && n < 3 && at[n] == '.' &&
	    strspn(at + n + 1, "0123456789") == 1 && !at[n + 2])
		return eb_strdup(at);
	if (n < 2 || n > 3 || at[n])
		return NULL;
	return eb_asprintf("%.*s.%c", (int)n - 1, at, at[n - 1]);
}

static bool row_fits(const struct eb_case *c, const struct eb_framework *f,
		     const char *const *cell, const char *minor)
{
	return strcmp(cell[ARCH_FRAMEWORK], f->name) == 0 && f->version &&
	       eb_cuda_fits(f->version, cell[ARCH_VERSION]) &&
	       eb_cuda_fits(minor, cell[ARCH_CUDA]) &&
	       (!cell[ARCH_PLATFORM] ||
		strcmp(cell[ARCH_PLATFORM], c->r->platform) == 0);
}

/* Code for X.Y runs on X.Z where Z is not smaller. */
static bool binary_runs(const char *code, const char *sm)
{
	return eb_same_major(code, sm) && eb_cuda_compare(code, sm) <= 0;
}

static bool listed(const char *const *cell, const char *sm)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv code = { 0 };

	eb_strv_split(&code, cell[ARCH_SM], " ");
	for (size_t i = 0; i < code.n; i++)
		if (binary_runs(code.v[i], sm))
			return true;
	return cell[ARCH_PTX] && strcmp(cell[ARCH_PTX], "none") != 0 &&
	       eb_cuda_compare(cell[ARCH_PTX], sm) <= 0;
}

/* Only the two ends are known. */
static bool in_range(const char *const *cell, const char *sm)
{
	const char *high = strchr(cell[ARCH_SM], ' ') + 1;
	eb_autofree char *low =
		eb_strndup(cell[ARCH_SM], strcspn(cell[ARCH_SM], " "));

	return eb_cuda_compare(sm, low) >= 0 &&
	       (eb_cuda_compare(sm, high) <= 0 || binary_runs(high, sm));
}

static char *with_commas(const char *cell)
{
	EB_AUTOBUF(out, EB_MAX_TEXT);

	for (; *cell; cell++)
		eb_buf_adds(&out,
			    *cell == ' ' ? ", " : (char[]){ *cell, '\0' });
	return eb_buf_steal(&out, NULL);
}

static char *shown_list(const char *const *cell)
{
	eb_autofree char *list = with_commas(cell[ARCH_SM]);
	const char *ptx = cell[ARCH_PTX];

	if (strcmp(cell[ARCH_KIND], "range") == 0)
		return eb_asprintf(
			"from %.*s to %s", (int)strcspn(cell[ARCH_SM], " "),
			cell[ARCH_SM], strchr(cell[ARCH_SM], ' ') + 1);
	return eb_asprintf("for %s%s%s", list,
			   ptx && strcmp(ptx, "none") ? " and PTX of " : "",
			   ptx && strcmp(ptx, "none") ? ptx : "");
}

static int by_list(const struct eb_framework *f, const char *const *cell,
		   const char *minor, const char *sm, char **why)
{
	eb_autofree char *list = NULL;
	bool covered;

	if (strcmp(cell[ARCH_KIND], "list") == 0)
		covered = listed(cell, sm);
	else if (strcmp(cell[ARCH_KIND], "range") == 0)
		covered = in_range(cell, sm);
	else
		return -1;
	if (covered)
		return 1;
	list = shown_list(cell);
	*why = eb_asprintf("%s %s for CUDA %s has kernels %s, none of which "
			   "runs on %s",
			   f->name, f->version, minor, list, sm);
	return 0;
}

static int of_lists(const struct eb_case *c, const struct eb_framework *f,
		    const char *minor, const char *sm, char **why)
{
	struct eb_table t;
	int got = -1;

	eb_table_open(&t, eb_architectures_tsv);
	while (got < 0 && eb_table_next(&t))
		if (row_fits(c, f, t.row.cell, minor))
			got = by_list(f, t.row.cell, minor, sm, why);
	eb_table_close(&t);
	return got;
}

static int by_floor(const struct eb_framework *f, const char *const *cell,
		    const char *minor, const char *sm, char **why)
{
	if (strcmp(cell[ARCH_SM], sm) != 0 ||
	    (eb_cuda_fits(f->version, cell[ARCH_VERSION]) &&
	     eb_cuda_fits(minor, cell[ARCH_CUDA])))
		return -1;
	*why = eb_asprintf("GPUs of %s need %s %s and CUDA %s", sm, f->name,
			   cell[ARCH_VERSION], cell[ARCH_CUDA]);
	return 0;
}

static int by_least(const struct eb_framework *f, const char *const *cell,
		    const char *minor, const char *sm, char **why)
{
	if (!eb_cuda_fits(f->version, cell[ARCH_VERSION]) ||
	    !eb_cuda_fits(minor, cell[ARCH_CUDA]))
		return -1;
	if (eb_cuda_compare(sm, cell[ARCH_SM]) >= 0)
		return 1;
	*why = eb_asprintf("%s %s for CUDA %s runs on %s and newer", f->name,
			   f->version, minor, cell[ARCH_SM]);
	return 0;
}

static int of_floors(const struct eb_framework *f, const char *minor,
		     const char *sm, char **why)
{
	struct eb_table t;
	int got = -1;

	eb_table_open(&t, eb_architectures_tsv);
	while (got < 0 && eb_table_next(&t)) {
		const char *const *cell = t.row.cell;

		if (strcmp(cell[ARCH_FRAMEWORK], f->name) != 0)
			continue;
		if (strcmp(cell[ARCH_KIND], "floor") == 0)
			got = by_floor(f, cell, minor, sm, why);
		else if (strcmp(cell[ARCH_KIND], "least") == 0)
			got = by_least(f, cell, minor, sm, why);
	}
	eb_table_close(&t);
	return got;
}

static int of_framework(const struct eb_case *c, const struct eb_framework *f,
			const char *minor, const char *sm, char **why)
{
	int got;

	if (!f->version || f->variant == EB_VARIANT_CPU)
		return -1;
	got = of_lists(c, f, minor, sm, why);
	return got < 0 ? of_floors(f, minor, sm, why) : got;
}

int eb_arch_covered(const struct eb_case *c, const char *minor, const char *sm,
		    char **why)
{
	int all = -1;

	*why = NULL;
	for (size_t i = 0; i < c->n_frameworks; i++) {
		int got = of_framework(c, &c->framework[i], minor, sm, why);

		if (got == 0)
			return 0;
		if (got > 0)
			all = 1;
	}
	return all;
}

static void add_list(const char *const *cell, struct eb_strv *out)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv code = { 0 };

	if (strcmp(cell[ARCH_KIND], "range") == 0) {
		eb_strv_addf(out, "%.*s-%s", (int)strcspn(cell[ARCH_SM], " "),
			     cell[ARCH_SM], strchr(cell[ARCH_SM], ' ') + 1);
		return;
	}
	eb_strv_split(&code, cell[ARCH_SM], " ");
	for (size_t i = 0; i < code.n; i++)
		eb_strv_addf(
			out, "%s%s", code.v[i],
			cell[ARCH_PTX] && strcmp(cell[ARCH_PTX], code.v[i]) == 0
				? "+PTX"
				: "");
}

void eb_arch_list(const struct eb_case *c, const char *minor,
		  struct eb_strv *out)
{
	struct eb_table t;

	eb_table_open(&t, eb_architectures_tsv);
	while (eb_table_next(&t) && !out->n) {
		const char *kind = t.row.cell[ARCH_KIND];

		if (strcmp(kind, "list") != 0 && strcmp(kind, "range") != 0)
			continue;
		for (size_t i = 0; i < c->n_frameworks && !out->n; i++)
			if (row_fits(c, &c->framework[i], t.row.cell, minor))
				add_list(t.row.cell, out);
	}
	eb_table_close(&t);
}
