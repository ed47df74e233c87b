/* SPDX-License-Identifier: Apache-2.0 */
/* A row of candidates by their versions, as shortly as it is true: a version
 * series that is there as a whole goes by its first two numbers. */
#include <string.h>

#include <envbuild/mem.h>

#include "solve_explain.h"

#define MAX_LISTED 4

void eb_sv_set_release(struct eb_sv_set *s)
{
	free(s->cand);
	s->cand = NULL;
	s->n = 0;
}

/* --- distinct versions ----------------------------------------------- */

struct item {
	const struct eb_version *version;
	bool in; /* one of the row has it */
};

struct items {
	struct item *v;
	size_t n;
};

static int by_version(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return eb_version_compare(x->version, y->version);
}

/* All versions of the name, oldest first. */
static struct items items_of(const struct eb_sv *sv,
			     const struct eb_sv_set *set)
{
	const struct eb_sv_name *name = &sv->name[set->name];
	struct items list = { eb_calloc(name->n + 1, sizeof *list.v), 0 };
	size_t to = 0;

	for (uint32_t i = 0; i < name->n; i++)
		list.v[list.n++].version = sv->cand[name->first + i].version;
	for (uint32_t i = 0; i < set->n; i++)
		list.v[set->cand[i] - name->first].in = true;
	qsort(list.v, list.n, sizeof *list.v, by_version);
	for (size_t i = 0; i < list.n; i++) {
		if (to && !by_version(&list.v[to - 1], &list.v[i]))
			list.v[to - 1].in |= list.v[i].in;
		else
			list.v[to++] = list.v[i];
	}
	list.n = to;
	return list;
}

/* --- series ---------------------------------------------------------- */

static size_t series_length(const char *version)
{
	const char *dot = strchr(version, '.');
	const char *second = dot ? strchr(dot + 1, '.') : NULL;

	return second ? (size_t)(second - version) : strlen(version);
}

static bool same_series(const struct item *a, const struct item *b)
{
	const char *x = eb_version_text(a->version);
	const char *y = eb_version_text(b->version);
	size_t n = series_length(x);

	return n == series_length(y) && !memcmp(x, y, n);
}

/* The end of the series that begins at `at`; *whole: all of it is in. */
static size_t series_end(const struct items *list, size_t at, bool *whole)
{
	size_t i = at;

	*whole = true;
	for (; i < list->n && same_series(&list->v[at], &list->v[i]); i++)
		*whole &= list->v[i].in;
	return i;
}

static void add_text(struct eb_strv *out, const char *text, size_t n)
{
	char *copy = eb_strndup(text, n);

	if (!eb_strv_has(out, copy))
		eb_strv_add(out, copy);
	free(copy);
}

static void list_series(const struct items *list, struct eb_strv *out)
{
	size_t end;

	for (size_t i = 0; i < list->n; i = end) {
		const char *text = eb_version_text(list->v[i].version);
		bool whole;

		end = series_end(list, i, &whole);
		if (whole) {
			add_text(out, text, series_length(text));
			continue;
		}
		for (; i < end; i++) {
			text = eb_version_text(list->v[i].version);
			if (list->v[i].in)
				add_text(out, text, strlen(text));
		}
	}
}

/* --- the words ------------------------------------------------------- */

static void add_all(const struct eb_strv *text, struct eb_buf *out)
{
	for (size_t i = 0; i < text->n; i++)
		eb_buf_addf(out, "%s%s",
			    !i		      ? ""
			    : i + 1 < text->n ? ", "
					      : " or ",
			    text->v[i]);
}

/* "3.11 or newer": all from there on, or up to there. */
static bool say_end(const struct items *list, struct eb_strv *text,
		    struct eb_buf *out)
{
	size_t first = 0, last = list->n, i;

	while (first < list->n && !list->v[first].in)
		first++;
	while (last && !list->v[last - 1].in)
		last--;
	for (i = first; i < last; i++)
		if (!list->v[i].in)
			return false;
	if (text->n < 2 || (first && last < list->n) ||
	    (!first && last == list->n))
		return false;
	eb_buf_addf(out, "%s or %s", text->v[first ? 0 : text->n - 1],
		    first ? "newer" : "older");
	return true;
}

void eb_sv_say_versions(const struct eb_sv *sv, const struct eb_sv_set *set,
			struct eb_buf *out)
{
	struct items list = items_of(sv, set);
	struct eb_strv text = { 0 };

	list_series(&list, &text);
	if (text.n > 1 && say_end(&list, &text, out))
		; /* said */
	else if (text.n > MAX_LISTED)
		eb_buf_addf(out, "%s to %s", text.v[0], text.v[text.n - 1]);
	else
		add_all(&text, out);
	eb_strv_release(&text);
	free(list.v);
}
