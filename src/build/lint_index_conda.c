/* SPDX-License-Identifier: Apache-2.0 */
/* What the channels have of the packages that a definition names: such a name,
 * version and build, for this platform and Python? */
#include <string.h>

#include "lint_index.h"

/* ---- records that count ---------------------------------------------------*/

static unsigned channel_of(const struct eb_looking *k, uint32_t row)
{
	unsigned place;

	eb_repodata_record(k->rd, row, &place);
	return k->channel_at[place];
}

static bool fits_channel(const struct eb_looking *k,
			 const struct eb_matchspec *m, uint32_t row)
{
	return eb_channel_is_meant(&k->channels.channel[channel_of(k, row)], m,
				   k->config->channel_alias);
}

static bool is_strict(const struct eb_looking *k, const struct eb_matchspec *m)
{
	return !strcmp(k->config->channel_priority, "strict") &&
	       !eb_matchspec_channel(m);
}

uint32_t *eb_look_rows(const struct eb_looking *k, const struct eb_matchspec *m,
		       size_t *n)
{
	const uint32_t *row;
	size_t all = eb_repodata_by_name(k->rd, eb_matchspec_name(m), &row);
	uint32_t *out = eb_calloc(all + 1, sizeof *out);
	unsigned first = UINT32_MAX;

	for (size_t i = 0; i < all; i++)
		if (channel_of(k, row[i]) < first)
			first = channel_of(k, row[i]);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (is_strict(k, m) ? channel_of(k, row[i]) == first
				    : fits_channel(k, m, row[i]))
			out[(*n)++] = row[i];
	return out;
}

bool eb_look_is_open(const struct eb_looking *k, const struct eb_matchspec *m,
		     const uint32_t *row, size_t n)
{
	unsigned last = n && is_strict(k, m) ? channel_of(k, row[0])
					     : (unsigned)k->channels.n;

	for (unsigned i = 0; i < last; i++)
		if (!k->there[i])
			return true;
	return false;
}

/* ---- versions -------------------------------------------------------------*/

static struct eb_version *version_of(const char *text)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_version_parse(text, &ignored);
}

static int by_version(const void *a, const void *b)
{
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *x = version_of(*(char *const *)a);
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *y = version_of(*(char *const *)b);

	return x && y ? eb_version_compare(x, y) : (x != NULL) - (y != NULL);
}

void eb_look_versions(const struct eb_looking *k, const uint32_t *row, size_t n,
		      struct eb_strv *out)
{
	for (size_t i = 0; i < n; i++)
		eb_strv_add(out,
			    eb_repodata_record(k->rd, row[i], NULL)->version);
	eb_strv_sort(out);
	eb_strv_unique(out);
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_version);
}

void eb_look_near(const struct eb_strv *sorted, size_t at, struct eb_buf *out)
{
	size_t to = at + 2 < sorted->n ? at + 2 : sorted->n;
	size_t from = to > 4 ? to - 4 : 0;

	if (to - from < 4)
		to = from + 4 < sorted->n ? from + 4 : sorted->n;
	for (size_t i = from; i < to; i++)
		eb_buf_addf(out, "%s%s", i > from ? ", " : "", sorted->v[i]);
}

/* The versions beside the first one that the constraint names. */
static char *nearest(const struct eb_looking *k, const struct eb_matchspec *m,
		     const uint32_t *row, size_t n)
{
	struct eb_strv all EB_CLEANUP(eb_strv_release) = { 0 };
	const char *text = eb_matchspec_version(m);
	eb_autofree char *first = NULL;
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *want = NULL;
	EB_AUTOBUF(out, EB_MAX_CONFIG);
	size_t at = 0;

	text += strspn(text, "=<>!~( ");
	first = eb_strndup(text, strcspn(text, ",|)* "));
	if (*first && first[strlen(first) - 1] == '.')
		first[strlen(first) - 1] = '\0';
	want = version_of(first);
	eb_look_versions(k, row, n, &all);
	for (at = 0; want && at < all.n; at++) {
		EB_CLEANUP(eb_version_free_ptr)
		struct eb_version *v = version_of(all.v[at]);

		if (v && eb_version_compare(v, want) > 0)
			break;
	}
	eb_look_near(&all, want ? at : all.n, &out);
	return eb_buf_steal(&out, NULL);
}

/* ---- findings -------------------------------------------------------------*/

static void no_name(struct eb_looking *k, size_t i, const char *name)
{
	const char *why = eb_repodata_malformed(k->rd, name);
	eb_autofree char *channel = NULL, *platforms = NULL, *fix = NULL;
	EB_AUTOBUF(near, EB_MAX_CONFIG);

	if (why) {
		eb_look_add(k, i, "no-such-package", NULL,
			    "the records of \"%s\" are malformed: %s", name,
			    why);
		return;
	}
	platforms = eb_look_platforms(k, name);
	if (platforms) {
		eb_look_add(k, i, "other-platform",
			    "mark the line by a selector, or leave it out",
			    "\"%s\" is there for %s, and not for %s", name,
			    platforms, k->config->platform);
		return;
	}
	channel = eb_look_elsewhere(k, name);
	if (channel) {
		fix = eb_asprintf("add the channel %s", channel);
		eb_look_add(k, i, "other-channel", fix,
			    "none of the channels has \"%s\", but \"%s\" does",
			    name, channel);
		return;
	}
	eb_repodata_near(k->rd, name, &near);
	if (near.len)
		fix = eb_asprintf("did you mean %s?", near.data);
	eb_look_add(k, i, "no-such-package", fix,
		    "no channel has a package \"%s\"", name);
}

static bool version_matches(const struct eb_matchspec *m, const char *version)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	const char *text = eb_matchspec_version(m);
	EB_CLEANUP(eb_verspec_free_ptr) struct eb_verspec *want = NULL;
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *v = NULL;

	if (!text)
		return true;
	want = eb_verspec_parse(text, EB_LENIENT, &ignored);
	v = version_of(version);
	return want && v && eb_verspec_match(want, v);
}

/* A channel behind the one that decides, which has what is asked for. */
static const char *hidden_in(const struct eb_looking *k,
			     const struct eb_matchspec *m)
{
	const uint32_t *row;
	size_t n = eb_repodata_by_name(k->rd, eb_matchspec_name(m), &row);

	for (size_t i = 0; is_strict(k, m) && i < n; i++) {
		const struct eb_record *r =
			eb_repodata_record(k->rd, row[i], NULL);
		EB_CLEANUP(eb_version_free_ptr)
		struct eb_version *v = version_of(r->version);

		if (v && eb_matchspec_match(m, r, v))
			return k->channels.channel[channel_of(k, row[i])].name;
	}
	return NULL;
}

static void no_version(struct eb_looking *k, size_t i,
		       const struct eb_matchspec *m, const uint32_t *row,
		       size_t n)
{
	const char *hidden = hidden_in(k, m);
	eb_autofree char *near = nearest(k, m, row, n);
	eb_autofree char *fix =
		hidden ? eb_asprintf("write %s::%s, or put that channel first",
				     hidden, eb_matchspec_name(m))
		       : eb_asprintf("the nearest are %s", near);
	const char *decides = k->channels.channel[channel_of(k, row[0])].name;

	if (hidden)
		eb_look_add(k, i, "no-such-version", fix,
			    "\"%s\": \"%s\" has it, but \"%s\" comes before it "
			    "and has \"%s\" too (strict channel priority)",
			    eb_matchspec_text(m), hidden, decides,
			    eb_matchspec_name(m));
	else
		eb_look_add(k, i, "no-such-version", fix,
			    "\"%s\": there is no such version",
			    eb_matchspec_text(m));
}

static void no_build(struct eb_looking *k, size_t i,
		     const struct eb_matchspec *m, const struct eb_strv *builds)
{
	EB_AUTOBUF(fix, EB_MAX_CONFIG);

	for (size_t b = 0; b < builds->n && b < 4; b++)
		eb_buf_addf(&fix, "%s\"%s\"", b ? ", " : "there are ",
			    builds->v[b]);
	eb_look_add(k, i, "no-such-build", fix.data,
		    "\"%s\": the version is there, but no such build of it",
		    eb_matchspec_text(m));
}

/* The newest version that has a build for these Pythons; "": none. */
static const char *newest_for(const struct eb_looking *k, const uint32_t *row,
			      size_t n)
{
	const char *best = "";

	for (size_t i = 0; i < n; i++) {
		const struct eb_record *r =
			eb_repodata_record(k->rd, row[i], NULL);

		if (eb_look_suits(k, r) &&
		    (!*best || by_version(&r->version, &best) > 0))
			best = r->version;
	}
	return best;
}

static void wrong_python(struct eb_looking *k, size_t i,
			 const struct eb_matchspec *m, const uint32_t *row,
			 size_t n)
{
	const char *best = newest_for(k, row, n);
	eb_autofree char *fix =
		*best ? eb_asprintf("%s is the newest for it", best)
		      : eb_strdup("take another Python");

	eb_look_add(k, i, "requires-python", fix,
		    "\"%s\": no build of it is for Python %s",
		    eb_matchspec_text(m), k->python.v[0]);
}

/* ---- one specification ----------------------------------------------------*/

/* How far its records come. */
struct survey {
	bool matches, suits;
	struct eb_strv builds; /* of the versions that would do */
};

static void survey(const struct eb_looking *k, const struct eb_matchspec *m,
		   const uint32_t *row, size_t n, struct survey *out)
{
	for (size_t i = 0; i < n && !out->suits; i++) {
		const struct eb_record *r =
			eb_repodata_record(k->rd, row[i], NULL);
		EB_CLEANUP(eb_version_free_ptr)
		struct eb_version *v = version_of(r->version);

		if (v && eb_matchspec_match(m, r, v)) {
			out->matches = true;
			out->suits = !k->python.n || eb_look_suits(k, r);
		} else if (version_matches(m, r->version)) {
			eb_strv_add(&out->builds, r->build);
		}
	}
	eb_strv_sort(&out->builds);
	eb_strv_unique(&out->builds);
}

static bool has_name(const struct eb_looking *k, const char *name)
{
	const uint32_t *row;

	return eb_repodata_by_name(k->rd, name, &row) > 0;
}

static void look_at(struct eb_looking *k, size_t i)
{
	const struct eb_matchspec *m = k->spec->conda[i];
	const char *name = eb_matchspec_name(m);
	eb_autofree uint32_t *row = NULL;
	struct survey s = { 0 };
	size_t n;

	if (!name || eb_starts(name, "__") || eb_matchspec_url(m))
		return;
	row = eb_look_rows(k, m, &n);
	if (eb_look_is_open(k, m, row, n))
		return;
	survey(k, m, row, n, &s);
	if (!n && eb_matchspec_channel(m) && has_name(k, name))
		eb_look_add(k, i, "other-channel",
			    "leave the channel out, or add it to the list",
			    "\"%s\": that channel has none, another one of the "
			    "list has",
			    eb_matchspec_text(m));
	else if (!n)
		no_name(k, i, name);
	else if (!s.matches && s.builds.n && eb_matchspec_build(m))
		no_build(k, i, m, &s.builds);
	else if (!s.matches && eb_matchspec_version(m))
		no_version(k, i, m, row, n);
	else if (s.matches && !s.suits)
		wrong_python(k, i, m, row, n);
	eb_strv_release(&s.builds);
}

void eb_look_conda(struct eb_looking *k)
{
	for (size_t i = 0; k->rd && i < k->spec->n_conda; i++)
		look_at(k, i);
}
