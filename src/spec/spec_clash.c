/* SPDX-License-Identifier: Apache-2.0 */
/* Two lines of one package that exclude each other for certain: one names a
 * version that the other one has not. */
#include <string.h>

#include <envbuild/pep440.h>

#include "spec_options.h"

static int refuse(const struct eb_spec *s, const struct eb_spec_line *at,
		  const char *new, const char *old, struct eb_error *err)
{
	eb_autofree char *place = at->line ? eb_asprintf("%s:%u:%u", s->file,
							 at->line, at->column)
					   : eb_strdup(eb_spec_place(s, at));

	eb_err_set(err, EB_INPUT, "\"%s\" cannot hold beside \"%s\" (%s)", new,
		   old, place);
	return eb_err_hint(err, "options add to a definition and replace "
				"nothing: change one of the two");
}

/* ---- conda -------------------------------------------------------------- */

enum reach { RANGE, EXACT, PREFIX }; /* "1.8" alone, "1.8.*" */

/* The version that it names, and how much that covers; caller frees. */
static char *named(const struct eb_matchspec *m, enum reach *reach)
{
	const char *v = eb_matchspec_version(m);
	size_t n = v ? strlen(v) : 0;

	*reach = RANGE;
	if (!n || strpbrk(v, "<>!~,|^$ ="))
		return NULL;
	*reach = eb_ends(v, ".*") ? PREFIX : EXACT;
	n -= *reach == PREFIX ? 2 : 0;
	return memchr(v, '*', n) ? NULL : eb_strndup(v, n);
}

/* Does the other one have that version? What cannot be told is yes. */
static bool admits(const struct eb_matchspec *m, const char *version)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *s =
		eb_verspec_parse(eb_matchspec_version(m), EB_LENIENT, &none);
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *v = s ? eb_version_parse(version, &none) : NULL;

	return !v || eb_verspec_match(s, v);
}

/* One version has to be in the other's range; of two that cover more, one has
 * to be within the other. */
static bool excludes(const struct eb_matchspec *a, const struct eb_matchspec *b)
{
	enum reach reach_a, reach_b;
	eb_autofree char *va = named(a, &reach_a), *vb = named(b, &reach_b);

	if (!eb_matchspec_version(a) || !eb_matchspec_version(b))
		return false;
	if (va && reach_a == EXACT)
		return !admits(b, va);
	if (vb && reach_b == EXACT)
		return !admits(a, vb);
	return va && vb && !admits(a, vb) && !admits(b, va);
}

int eb_spec_clash(const struct eb_spec *s, const struct eb_matchspec *m,
		  const char *shown, struct eb_error *err)
{
	const char *name = eb_matchspec_name(m);

	for (size_t i = 0; name && i < s->n_conda; i++) {
		const char *other = eb_matchspec_name(s->conda[i]);

		if (other && !strcmp(other, name) && excludes(s->conda[i], m))
			return refuse(s, &s->conda_at[i], shown,
				      eb_matchspec_text(s->conda[i]), err);
	}
	return 0;
}

/* ---- pip ---------------------------------------------------------------- */

/* One that is meant for every target, without hashes; -1: it is no such. */
static int parse(const struct eb_requirement *q, struct eb_pep508 *out)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (q->kind != EB_REQ_REQUIREMENT || !q->name ||
	    eb_pep508_parse(q->text, out, &none) < 0)
		return -1;
	return out->marker || out->url ? -1 : 0;
}

/* The version of "==1.8"; NULL: none is named. */
static const char *pinned(const struct eb_pep508 *r)
{
	for (size_t i = 0; i < r->specifiers.n; i++) {
		const char *s = r->specifiers.v[i];

		if (eb_starts(s, "==") && s[2] != '=' && !strchr(s, '*'))
			return s + 2;
	}
	return NULL;
}

static bool leaves_out(const struct eb_pep508 *r, const char *version)
{
	struct eb_error none EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(range, EB_MAX_TEXT);

	for (size_t i = 0; i < r->specifiers.n; i++)
		eb_buf_addf(&range, "%s%s", i ? "," : "", r->specifiers.v[i]);
	return version &&
	       eb_specifiers_contain(range.data ? range.data : "", version,
				     EB_PRE_ALLOW, &none) == 0;
}

static bool pip_excludes(const struct eb_requirement *a,
			 const struct eb_requirement *b)
{
	struct eb_pep508 x EB_CLEANUP(eb_pep508_release) = { 0 };
	struct eb_pep508 y EB_CLEANUP(eb_pep508_release) = { 0 };

	if (parse(a, &x) < 0 || parse(b, &y) < 0 || strcmp(x.name, y.name))
		return false;
	return leaves_out(&x, pinned(&y)) || leaves_out(&y, pinned(&x));
}

int eb_spec_pip_clash(const struct eb_spec *s, const struct eb_requirement *q,
		      struct eb_error *err)
{
	for (size_t i = 0; i < s->n_pip; i++)
		if (pip_excludes(&s->pip[i], q))
			return refuse(s, &s->pip_at[i], q->text, s->pip[i].text,
				      err);
	return 0;
}
