/* SPDX-License-Identifier: Apache-2.0 */
/* Does a record satisfy a MatchSpec? Allocates nothing. */
#include <stdio.h>
#include <string.h>

#include "matchspec_parts.h"

static bool match_number(const struct eb_number *n, uint64_t value)
{
	char text[24];

	if (!n->given)
		return true;
	switch (n->op) {
	case EB_TERM_EQ: return value == n->value;
	case EB_TERM_NE: return value != n->value;
	case EB_TERM_LT: return value < n->value;
	case EB_TERM_LE: return value <= n->value;
	case EB_TERM_GT: return value > n->value;
	case EB_TERM_GE: return value >= n->value;
	default:
		snprintf(text, sizeof text, "%llu", (unsigned long long)value);
		return eb_pattern_match(&n->pattern, text);
	}
}

static bool has_word(const struct eb_strv *set, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (strlen(set->v[i]) == n && memcmp(set->v[i], s, n) == 0)
			return true;
	return false;
}

static bool in_words(const char *words, const char *one)
{
	size_t n = strlen(one), m;

	for (;; words += m) {
		words += strspn(words, " ,");
		m = strcspn(words, " ,");
		if (m == 0)
			return false;
		if (m == n && memcmp(words, one, n) == 0)
			return true;
	}
}

/* The same words on both sides. */
static bool match_set(const struct eb_strv *set, const char *words)
{
	const char *s = words ? words : "";
	size_t i, n;

	if (set->n == 0)
		return true;
	for (i = 0; i < set->n; i++)
		if (!in_words(s, set->v[i]))
			return false;
	for (s += strspn(s, " ,"); *s; s += strspn(s, " ,")) {
		n = strcspn(s, " ,");
		if (!has_word(set, s, n))
			return false;
		s += n;
	}
	return true;
}

static bool match_plain(const char *want, const char *have)
{
	return !want || (have && strcmp(want, have) == 0);
}

static bool match_digests(const struct eb_matchspec *m,
			  const struct eb_record *r)
{
	char hex[EB_HEX_SIZE] = "";

	if (m->md5 && strcasecmp(m->md5, r->md5))
		return false;
	if (m->sha256 && r->has_sha256)
		eb_digest_hex(&r->sha256, hex);
	return !m->sha256 || strcasecmp(m->sha256, hex) == 0;
}

/* A record's URL is known or made of its channel, subdir and file name. */
static bool match_url(const struct eb_matchspec *m, const struct eb_record *r)
{
	const char *s = m->clean_url;
	size_t n;

	if (!s)
		return true;
	if (r->url)
		return strcmp(s, r->url) == 0;
	if (!r->channel || !r->subdir || !r->fn)
		return false;
	n = strlen(r->channel);
	if (strncmp(s, r->channel, n) || s[n] != '/')
		return false;
	s += n + 1;
	n = strlen(r->subdir);
	return strncmp(s, r->subdir, n) == 0 && s[n] == '/' &&
	       strcmp(s + n + 1, r->fn) == 0;
}

/* Each has to be among the record's. */
static bool match_flags(const struct eb_matchspec *m, const struct eb_record *r)
{
	for (size_t i = 0; i < m->flags.n; i++) {
		size_t k = 0;

		while (k < r->flags.n &&
		       !eb_pattern_match(&m->flag[i], r->flags.v[k]))
			k++;
		if (k == r->flags.n)
			return false;
	}
	return true;
}

bool eb_matchspec_has_extras(const struct eb_matchspec *m,
			     const struct eb_record *r)
{
	for (size_t i = 0; i < m->extras.n; i++)
		if (!eb_record_extra(r, m->extras.v[i]))
			return false;
	return true;
}

/* What hardly any spec asks for. */
static bool match_rest(const struct eb_matchspec *m, const struct eb_record *r)
{
	return match_plain(m->subdir, r->subdir) &&
	       match_set(&m->track_features, r->track_features) &&
	       match_set(&m->features, r->features) && match_url(m, r) &&
	       (m->url || match_plain(m->fn, r->fn)) && match_digests(m, r) &&
	       eb_pattern_match(&m->license, r->license) &&
	       eb_pattern_match(&m->license_family, r->license_family) &&
	       match_flags(m, r);
}

bool eb_matchspec_fits_version(const struct eb_matchspec *m,
			       const struct eb_version *version)
{
	return !m->version || eb_verspec_match(m->version, version);
}

#define MOST_BOUNDS 4

/* How many are below `v`, or not above it. */
static size_t count_below(const struct eb_version *const *version, size_t n,
			  const struct eb_version *v, bool equal_too)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = eb_version_compare(version[mid], v);

		if (c < 0 || (c == 0 && equal_too))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool eb_matchspec_version_range(const struct eb_matchspec *m,
				const struct eb_version *const *version,
				size_t n, size_t *first, size_t *end)
{
	const struct eb_term *term[MOST_BOUNDS];
	int terms =
		m->version ? eb_verspec_row(m->version, term, MOST_BOUNDS) : 0;

	*first = 0;
	*end = n;
	for (int i = 0; i < terms; i++) {
		enum eb_term_op op = term[i]->op;
		const struct eb_version *v = term[i]->version;
		bool above = op == EB_TERM_GT || op == EB_TERM_GE;
		bool below = op == EB_TERM_LT || op == EB_TERM_LE;
		size_t at;

		if (above || op == EB_TERM_EQ) {
			at = count_below(version, n, v, op == EB_TERM_GT);
			*first = at > *first ? at : *first;
		}
		if (below || op == EB_TERM_EQ) {
			at = count_below(version, n, v, op != EB_TERM_LT);
			*end = at < *end ? at : *end;
		}
	}
	return terms >= 0;
}

bool eb_matchspec_fits_more(const struct eb_matchspec *m,
			    const struct eb_record *r)
{
	return eb_pattern_match(&m->build, r->build) &&
	       match_number(&m->build_number, r->build_number) &&
	       match_rest(m, r);
}

bool eb_matchspec_asks_more(const struct eb_matchspec *m)
{
	return m->build.kind != EB_PATTERN_NONE || m->build_number.given ||
	       m->channel_given || m->subdir || m->track_features.n ||
	       m->features.n || m->url || m->fn || m->md5 || m->sha256 ||
	       m->license.kind != EB_PATTERN_NONE ||
	       m->license_family.kind != EB_PATTERN_NONE || m->flags.n;
}

bool eb_matchspec_match(const struct eb_matchspec *m, const struct eb_record *r,
			const struct eb_version *version)
{
	return eb_pattern_match(&m->name, r->name) &&
	       eb_matchspec_fits_version(m, version) &&
	       eb_matchspec_fits_more(m, r);
}
