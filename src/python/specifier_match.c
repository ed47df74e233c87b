/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions are in the range of specifiers, and which pre-releases are
 * admitted (PEP 440, as packaging 26 reads it). */
#include <string.h>
#include <strings.h>

#include "specifier.h"

/* ---- one specifier ----------------------------------------------------------
 */

static bool equal(const struct eb_specifier *s, const struct eb_pep440_key *v)
{
	if (s->wild)
		return eb_pep440_key_prefix(v, &s->key,
					    eb_pep440_key_numbers(&s->key));
	if (s->key.local.n)
		return eb_pep440_key_compare(v, &s->key) == 0;
	return eb_pep440_key_same(v, &s->key, EB_SAME_PUBLIC);
}

/* The pre-releases of a final version, or of a post-release, are not below it:
 * what is has to be below its .dev0. */
static bool below(const struct eb_specifier *s, const struct eb_pep440_key *v)
{
	struct eb_pep440_key bound = s->key;

	if (!eb_pep440_key_is_pre(&bound))
		bound.dev = (struct eb_pep440_slice){ "0", 1 };
	return eb_pep440_key_compare(v, &bound) < 0;
}

/* Local versions are not above; nor are post-releases of what is neither a
 * post-release nor a .dev itself. */
static bool above(const struct eb_specifier *s, const struct eb_pep440_key *v)
{
	const struct eb_pep440_key *bound = &s->key;

	if (eb_pep440_key_compare(v, bound) <= 0 ||
	    eb_pep440_key_same(v, bound, EB_SAME_PUBLIC))
		return false;
	return bound->post.n || bound->dev.n ||
	       !eb_pep440_key_same(v, bound, EB_SAME_PRE);
}

static bool in_range(const struct eb_specifier *s,
		     const struct eb_pep440_key *v)
{
	const struct eb_pep440_key *bound = &s->key;

	switch (s->op) {
	case EB_OP_EQUAL: return equal(s, v);
	case EB_OP_UNEQUAL: return !equal(s, v);
	case EB_OP_BELOW: return below(s, v);
	case EB_OP_ABOVE: return above(s, v);
	case EB_OP_AT_LEAST: return eb_pep440_key_compare(v, bound) >= 0;
	case EB_OP_AT_MOST:
		return eb_pep440_key_compare(v, bound) <= 0 ||
		       eb_pep440_key_same(v, bound, EB_SAME_PUBLIC);
	case EB_OP_COMPATIBLE:
		return eb_pep440_key_compare(v, bound) >= 0 &&
		       eb_pep440_key_prefix(v, bound,
					    eb_pep440_key_numbers(bound) - 1);
	case EB_OP_ARBITRARY: break;
	}
	return false;
}

bool eb_specifier_matches(const struct eb_specifier *s, const char *text,
			  const struct eb_pep440_key *v)
{
	if (s->op == EB_OP_ARBITRARY)
		return strcasecmp(text, s->given) == 0;
	return v && in_range(s, v);
}

/* Does it name a pre-release, and so admit them? != and .* do not. */
static bool names_pre(const struct eb_specifier *s)
{
	if (s->op == EB_OP_ARBITRARY)
		return eb_pep440_is_pre(s->given);
	return s->op != EB_OP_UNEQUAL && eb_pep440_key_is_pre(&s->key);
}

/* ---- all of them
 * --------------------------------------------------------------
 */

struct found {
	bool matches, is_version, is_pre;
};

static struct found look(const struct eb_specifiers *set, const char *text)
{
	struct eb_pep440_key key EB_CLEANUP(eb_pep440_key_release) = { 0 };
	struct found f = { .matches = true };

	f.is_version = eb_pep440_key_read(text, strlen(text), &key) == 0;
	f.is_pre = f.is_version && eb_pep440_key_is_pre(&key);
	for (size_t i = 0; f.matches && i < set->n; i++)
		f.matches = eb_specifier_matches(&set->v[i], text,
						 f.is_version ? &key : NULL);
	return f;
}

int eb_specifiers_contain(const char *specifiers, const char *version,
			  enum eb_pre pre, struct eb_error *err)
{
	struct eb_specifiers set EB_CLEANUP(eb_specifiers_release) = { 0 };
	struct found f;

	if (eb_specifiers_read(specifiers, &set, err) < 0)
		return -1;
	f = look(&set, version);
	return f.matches && (pre != EB_PRE_DENY || !f.is_pre);
}

static bool any_names_pre(const struct eb_specifiers *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (names_pre(&set->v[i]))
			return true;
	return false;
}

int eb_specifiers_filter(const char *specifiers, const struct eb_strv *versions,
			 enum eb_pre pre, bool *keep, struct eb_error *err)
{
	struct eb_specifiers set EB_CLEANUP(eb_specifiers_release) = { 0 };
	eb_autofree struct found *found =
		eb_calloc(versions->n + 1, sizeof *found);
	bool final = false, admit;

	if (eb_specifiers_read(specifiers, &set, err) < 0)
		return -1;
	for (size_t i = 0; i < versions->n; i++) {
		found[i] = look(&set, versions->v[i]);
		final = final || (found[i].matches && found[i].is_version &&
				  !found[i].is_pre);
	}
	admit = pre == EB_PRE_ALLOW ||
		(pre == EB_PRE_LONE && (!final || any_names_pre(&set)));
	for (size_t i = 0; i < versions->n; i++)
		keep[i] = found[i].matches && (admit || !found[i].is_pre);
	return 0;
}
