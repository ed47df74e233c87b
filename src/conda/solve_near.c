/* SPDX-License-Identifier: Apache-2.0 */
/* What is near to what is not there: names, versions. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "solve_int.h"

#define MAX_NAMES 3
#define MAX_VERSIONS 5
#define MAX_LENGTH 64

/* --- names ----------------------------------------------------------- */

static char squashed(char c)
{
	return c == '_' || c == '.' ? '-' : c;
}

/* 0 is the nearest; more than 4 is not near. */
static unsigned difference(const char *a, const char *b)
{
	char x[MAX_LENGTH], y[MAX_LENGTH];
	size_t n = strlen(a), m = strlen(b), i;
	unsigned d;

	if (n >= MAX_LENGTH || m >= MAX_LENGTH)
		return 99;
	for (i = 0; i < n; i++)
		x[i] = squashed(a[i]);
	for (i = 0; i < m; i++)
		y[i] = squashed(b[i]);
	if (n > 3 && (m == n + 7 || m + 7 == n) &&
	    (!strncmp(b, "python-", 7)
		     ? !strcmp(b + 7, a)
		     : !strncmp(a, "python-", 7) && !strcmp(a + 7, b)))
		return 1;
	if ((n > m ? n - m : m - n) > 2)
		return 99;
	d = eb_edit_distance(x, n, y, m);
	return d <= (n < 5 ? 1 : 2) ? d : 99;
}

struct near {
	const char *name;
	unsigned d;
};

static bool nearer(const struct near *a, const struct near *b)
{
	if (a->d != b->d)
		return a->d < b->d;
	return strcmp(a->name, b->name) < 0;
}

/* Into its place among the best. */
static size_t keep(struct near *list, size_t n, struct near one)
{
	size_t i;

	if (n == MAX_NAMES && !nearer(&one, &list[n - 1]))
		return n;
	if (n < MAX_NAMES)
		n++;
	for (i = n - 1; i && nearer(&one, &list[i - 1]); i--)
		list[i] = list[i - 1];
	list[i] = one;
	return n;
}

void eb_repodata_near(const struct eb_repodata *rd, const char *name,
		      struct eb_buf *out)
{
	struct near list[MAX_NAMES];
	size_t n = 0, names;
	const char *const *all = eb_rd_names(rd, &names);

	for (size_t i = 0; i < names; i++) {
		struct near one;

		one.name = all[i];
		one.d = difference(name, one.name);
		if (one.d < 99)
			n = keep(list, n, one);
	}
	for (size_t i = 0; i < n; i++)
		eb_buf_addf(out, "%s\"%s\"",
			    !i		? ""
			    : i + 1 < n ? ", "
					: " or ",
			    list[i].name);
}

/* --- versions -------------------------------------------------------- */

static int by_version(const void *a, const void *b)
{
	return eb_version_compare(*(const struct eb_version *const *)a,
				  *(const struct eb_version *const *)b);
}

/* The first version that a constraint's text names, or NULL. */
static struct eb_version *wanted(const struct eb_matchspec *m)
{
	const char *text = m ? eb_matchspec_version(m) : NULL;
	struct eb_error err = EB_ERROR_INIT;
	struct eb_version *v = NULL;
	eb_autofree char *one = NULL;
	size_t n;

	if (!text)
		return NULL;
	text += strspn(text, "=<>!~( ");
	one = eb_strndup(text, strcspn(text, ",|) "));
	n = strlen(one);
	while (n && strchr(".*", one[n - 1]))
		one[--n] = 0;
	if (n)
		v = eb_version_parse(one, &err);
	eb_err_release(&err);
	return v;
}

static void print_window(const struct eb_version **list, size_t n,
			 const struct eb_version *want, struct eb_buf *out)
{
	size_t first = n, last;

	if (want)
		for (first = 0; first < n; first++)
			if (eb_version_compare(list[first], want) > 0)
				break;
	/* as many above it as below, the rest from where there are some */
	last = first + MAX_VERSIONS / 2 < n ? first + MAX_VERSIONS / 2 : n;
	first = last > MAX_VERSIONS ? last - MAX_VERSIONS : 0;
	if (last - first < MAX_VERSIONS && last < n)
		last = first + MAX_VERSIONS < n ? first + MAX_VERSIONS : n;
	for (size_t i = first; i < last; i++)
		eb_buf_addf(out, "%s%s", i > first ? ", " : "",
			    eb_version_text(list[i]));
}

void eb_sv_near_versions(struct eb_sv *sv, uint32_t name,
			 const struct eb_matchspec *m, struct eb_buf *out)
{
	const struct eb_sv_name *self = &sv->name[name];
	eb_autofree const struct eb_version **list =
		eb_calloc(self->n + 1, sizeof *list);
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *want = wanted(m);
	size_t n = 0, to = 0;

	for (uint32_t i = 0; i < self->n; i++)
		list[n++] = sv->cand[self->first + i].version;
	qsort(list, n, sizeof *list, by_version);
	for (size_t i = 0; i < n; i++)
		if (!to || by_version(&list[to - 1], &list[i]))
			list[to++] = list[i];
	print_window(list, to, want, out);
}
