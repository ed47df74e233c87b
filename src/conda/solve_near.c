/* SPDX-License-Identifier: Apache-2.0 */
/* What is near to what is not there: names, versions. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "solve_explain.h"

#define MAX_NAMES 3
#define MAX_VERSIONS 4
#define MAX_BUILDS 4
#define MAX_LENGTH 64

/* --- names ----------------------------------------------------------- */

static char squashed(char c)
{
	return c == '_' || c == '.' ? '-' : c;
}

/* `b` is `a` with something that conda's names for Python projects have or
 * have not, in front or behind. */
static bool is_dressed(const char *a, const char *b)
{
	static const char *const front[] = { "python-", "py-", "py", "lib" };
	static const char *const behind[] = { "-python", "-py", "-core", "3",
					      "2" };
	size_t n = strlen(a), m = strlen(b);

	for (size_t i = 0; i < sizeof front / sizeof *front; i++)
		if (m == n + strlen(front[i]) && eb_starts(b, front[i]) &&
		    eb_ends(b, a))
			return n > 2;
	for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
		if (m == n + strlen(behind[i]) && eb_ends(b, behind[i]) &&
		    eb_starts(b, a))
			return n > 2;
	return false;
}

/* 0 is the nearest; 99 is not near. */
static unsigned difference(const char *a, const char *b)
{
	char x[MAX_LENGTH], y[MAX_LENGTH];
	size_t n = strlen(a), m = strlen(b), i;
	unsigned d;

	if (n >= MAX_LENGTH || m >= MAX_LENGTH)
		return 99;
	for (i = 0; i <= n; i++)
		x[i] = squashed(a[i]);
	for (i = 0; i <= m; i++)
		y[i] = squashed(b[i]);
	if (is_dressed(x, y) || is_dressed(y, x))
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

static size_t print_window(const struct eb_version **list, size_t n,
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
	return last - first;
}

size_t eb_sv_near_versions(struct eb_sv *sv, uint32_t name,
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
	return print_window(list, to, want, out);
}

/* --- builds ---------------------------------------------------------- */

/* Without what only tells one build of a kind from the next: the hash and the
 * number behind it; the Python too where `pythons` are not asked for. */
static char *kind_of(const char *build, bool pythons)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	if (!*build)
		return eb_strdup(build);
	while (*build) {
		size_t hex = strspn(build + 1, "0123456789abcdef");
		size_t digits =
			strspn(build + 1 + (build[1] != 0), "0123456789");

		if (out.len && *build == 'h' && hex >= 7 &&
		    (build[hex + 1] == '_' || !build[hex + 1])) {
			eb_buf_addch(&out, '*');
			break;
		}
		if (!pythons && digits > 1 && eb_starts(build, "py")) {
			eb_buf_adds(&out, "py*");
			build += 2 + digits;
			continue;
		}
		eb_buf_addch(&out, *build++);
	}
	while (eb_ends(out.data, "**"))
		out.data[--out.len] = 0;
	return eb_buf_steal(&out, NULL);
}

/* Does the line tell a Python by its build? */
static bool tells_python(const struct eb_matchspec *m)
{
	const char *build = eb_matchspec_build(m);

	return build && (strstr(build, "py") || strstr(build, "cp"));
}

static bool would_do(const struct eb_verspec *want, const struct eb_sv_cand *c)
{
	return !want || eb_verspec_match(want, c->version);
}

size_t eb_sv_near_builds(struct eb_sv *sv, uint32_t name,
			 const struct eb_matchspec *m, struct eb_buf *out)
{
	const struct eb_sv_name *self = &sv->name[name];
	const char *version = eb_matchspec_version(m);
	struct eb_error err = EB_ERROR_INIT;
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *want =
		version ? eb_verspec_parse(version, EB_LENIENT, &err) : NULL;
	struct eb_strv seen = { 0 };
	size_t most = MAX_BUILDS;

	eb_err_release(&err);
	for (uint32_t i = 0; i < self->n; i++) {
		const struct eb_sv_cand *c = &sv->cand[self->first + i];
		eb_autofree char *kind = kind_of(c->r->build, tells_python(m));

		if (would_do(want, c) && !eb_strv_has(&seen, kind))
			eb_strv_add(&seen, kind);
	}
	if (!seen.n)
		return eb_sv_near_versions(sv, name, m, out);
	eb_strv_sort(&seen);
	if (seen.n == MAX_BUILDS + 1)
		most++;
	for (size_t i = 0; i < seen.n && i < most; i++)
		eb_buf_addf(out, "%s\"%s\"",
			    !i		      ? ""
			    : i + 1 == seen.n ? " and "
					      : ", ",
			    seen.v[i]);
	if (seen.n > most)
		eb_buf_addf(out, " and %zu more", seen.n - most);
	most = seen.n;
	eb_strv_release(&seen);
	return most;
}
