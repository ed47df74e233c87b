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

/* What hardly any spec asks for. Extras and flags are of records that this
 * version does not read, so no record has them. */
static bool match_rest(const struct eb_matchspec *m, const struct eb_record *r)
{
	return match_plain(m->subdir, r->subdir) &&
	       match_set(&m->track_features, r->track_features) &&
	       match_set(&m->features, r->features) && match_url(m, r) &&
	       (m->url || match_plain(m->fn, r->fn)) && match_digests(m, r) &&
	       eb_pattern_match(&m->license, r->license) &&
	       eb_pattern_match(&m->license_family, r->license_family) &&
	       m->extras.n == 0 && m->flags.n == 0;
}

bool eb_matchspec_match(const struct eb_matchspec *m, const struct eb_record *r,
			const struct eb_version *version)
{
	return eb_pattern_match(&m->name, r->name) &&
	       (!m->version || eb_verspec_match(m->version, version)) &&
	       eb_pattern_match(&m->build, r->build) &&
	       match_number(&m->build_number, r->build_number) &&
	       match_rest(m, r);
}
